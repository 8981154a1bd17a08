import Foundation

/// A text file of the repository.
struct SourceFile: Sendable {
  /// The path from the root of the repository.
  let path: String

  /// The lines, unchanged.
  let lines: [String]

  /// The lines without comments and quotes; nil for files that are not Swift.
  let swift: SwiftText

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    swift = SwiftText(path.hasSuffix(".swift") ? text : "")
  }

  /// The folder of `Sources/TidemarkEssentials`, of `Sources/SQLiteDB` or of `Demo` that contains the file; nil for
  /// files elsewhere, or directly in these.
  var module: String? { Self.module(ofPath: path) }

  /// The same for a path.
  static func module(ofPath path: String) -> String? {
    let parts = path.split(separator: "/")
    if path.hasPrefix(SourceTree.demo + "/") { return parts.count > 2 ? String(parts[1]) : nil }
    let isInModules = [SourceTree.library, SourceTree.sqliteDB].contains { path.hasPrefix($0 + "/") }
    return parts.count > 3 && isInModules ? String(parts[2]) : nil
  }
}

/// The files that the architecture tests check.
enum SourceTree {
  /// The folder of the modules.
  static let library = "Sources/TidemarkEssentials"

  /// The folder of the modules of SQLiteDB.
  static let sqliteDB = "Sources/SQLiteDB"

  /// The folder of the demo.
  static let demo = "Demo"

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The paths of all files of the repository: those that git tracks or would track.
  static let paths = listing("--cached", "--others", "--exclude-standard")

  /// The paths of the files that git tracks.
  static let trackedPaths = Set(listing("--cached"))

  /// The files that git lists; without git, all files except build products.
  private static func listing(_ options: String...) -> [String] {
    if let listed = try? Command(["git", "-c", "core.quotepath=off", "ls-files"] + options).run(), listed.status == 0 {
      return Set(listed.output.split(separator: "\n").map(String.init).filter(isFile)).sorted()
    }
    let all = FileManager.default.enumerator(atPath: root.path())?.compactMap { $0 as? String } ?? []
    return all.filter { path in
      let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") && $0 != ".ci" && $0 != ".swift-format" }
      return !isHidden && isFile(path)
    }.sorted()
  }

  private static func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: root.appending(path: path).path(), isDirectory: &isFolder)
    return exists && !isFolder.boolValue
  }

  /// The text files of the repository.
  static let files: [SourceFile] = paths.compactMap(file)

  /// A text file; nil if the file does not exist, or if it is not text.
  static func file(_ path: String) -> SourceFile? {
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { return nil }
    return SourceFile(path: path, text: text)
  }

  /// The Swift files below a folder.
  static func swiftFiles(in folders: String...) -> [SourceFile] {
    files.filter { file in
      file.path.hasSuffix(".swift") && folders.contains { file.path.hasPrefix($0 + "/") }
    }
  }
}
