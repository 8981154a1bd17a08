import CIndexStore
import Foundation

/// The compiler's index of a Swift module: where its symbols are declared, and which lines refer to them.
///
/// The compiler resolves every name, so that members, extensions, operators and initializers are known, not only types.
struct CompilerIndex {
  /// A line of a file that refers to a symbol of another file.
  struct Reference: Hashable {
    let path: String
    let line: Int
    let name: String
    let declaringPath: String
  }

  /// The files of the module.
  private(set) var paths: Set<String> = []

  /// The references between them.
  private(set) var references: Set<Reference> = []

  /// Reads the index that the build of this test wrote.
  ///
  /// - Parameters:
  ///   - module: The name of the Swift module.
  ///   - folder: The folder of its sources.
  init(of module: String, in folder: String) throws {
    let collector = Collector(folder: SourceTree.root.appending(path: folder).path())
    let failure = index_store_visit(
      try Self.library().path(), try Self.store().path(), module, Unmanaged.passUnretained(collector).toOpaque()
    ) { context, occurrence in
      guard let context, let occurrence else { return }
      Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue().add(occurrence.pointee)
    }
    if let failure {
      defer { free(failure) }
      throw Failure(description: "The compiler's index cannot be read: \(String(cString: failure))")
    }
    let rootLength = SourceTree.root.path().count
    paths = Set(collector.files.filter(\.value).keys.map { String($0.dropFirst(rootLength)) })
    for mention in collector.mentions {
      guard let declaringPath = collector.paths[mention.usr], declaringPath != mention.path else { continue }
      references.insert(
        Reference(
          path: String(mention.path.dropFirst(rootLength)), line: mention.line, name: mention.name,
          declaringPath: String(declaringPath.dropFirst(rootLength))))
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The index of the build that contains this test.
  private static func store() throws -> URL {
    var folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    // On macOS the program is inside a bundle.
    for _ in 0..<4 {
      if let store = folder?.appending(path: "index/store"), FileManager.default.fileExists(atPath: store.path()) {
        return store
      }
      folder?.deleteLastPathComponent()
    }
    throw Failure(description: "The build of this test has no index. Build with `swift build --enable-index-store`.")
  }

  /// libIndexStore of the toolchain that is on the PATH.
  private static func library() throws -> URL {
    let found = try Command(["which", "swiftc"]).run()
    let compiler = URL(filePath: found.output.trimmingCharacters(in: .whitespacesAndNewlines))
    let folder = compiler.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    for name in ["libIndexStore.so", "libIndexStore.dylib"] {
      let library = folder.appending(path: "lib").appending(path: name)
      if FileManager.default.fileExists(atPath: library.path()) { return library }
    }
    throw Failure(description: "There is no libIndexStore in \(folder.path())lib.")
  }

  /// Collects the symbols of the files that exist; files that were moved may still be in the index.
  private final class Collector {
    let folder: String
    var paths: [String: String] = [:]
    var mentions: [(path: String, line: Int, usr: String, name: String)] = []

    /// The files in the index, and whether they exist.
    var files: [String: Bool] = [:]

    init(folder: String) { self.folder = folder }

    func add(_ occurrence: index_occurrence) {
      let path = String(cString: occurrence.file)
      guard path.hasPrefix(folder), exists(path) else { return }
      let usr = String(cString: occurrence.usr)
      if occurrence.roles & UInt64(INDEX_ROLE_DEFINITION.rawValue) != 0 {
        paths[usr] = path
      } else if occurrence.roles & UInt64(INDEX_ROLE_REFERENCE.rawValue) != 0 {
        mentions.append((path, Int(occurrence.line), usr, String(cString: occurrence.name)))
      }
    }

    private func exists(_ path: String) -> Bool {
      if let known = files[path] { return known }
      let exists = FileManager.default.fileExists(atPath: path)
      files[path] = exists
      return exists
    }
  }
}
