import Foundation

/// A copy of the package, whose sources are rewritten, with the tests that are needed.
///
/// Files are written only if their contents differ, so that a later build is incremental.
struct ScratchPackage {
  static let module = "Sources/TidemarkEssentials"

  let root: String
  let folder: String

  init(root: String) {
    self.root = root
    folder = root + "/.build-mutants/package"
  }

  /// - Parameter testSources: The folders and files of TidemarkTests that are built.
  /// - Parameter rewritten: Texts of sources, by their paths in the module.
  func write(testSources: [String], rewritten: [String: String]) throws {
    var files = try files(in: "Sources") + files(in: "Tests/TestSupport") + files(in: "Tests/TidemarkTests")
    var texts: [String: Data] = [:]
    for (path, text) in rewritten { texts["\(Self.module)/\(path)"] = Data(text.utf8) }
    let runtime = "\(Self.module)/Mutated.swift"
    texts[runtime] = try contents(root + "/Scripts/Mutants/Runtime/Mutated.swift")
    texts["Package.swift"] = try contents(root + "/Package.swift") + Data(Self.manifest(testSources).utf8)
    files += ["Package.swift", runtime]
    for file in files { try write(texts[file] ?? contents("\(root)/\(file)"), to: file) }
    let known = Set(files)
    for file in try Self.files(in: folder, "Sources") + Self.files(in: folder, "Tests") where !known.contains(file) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
    }
  }

  private func write(_ data: Data, to file: String) throws {
    let path = "\(folder)/\(file)"
    if FileManager.default.contents(atPath: path) == data { return }
    let parent = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func contents(_ path: String) throws -> Data {
    guard let data = FileManager.default.contents(atPath: path) else { throw Failure("could not read \(path)") }
    return data
  }

  private func files(in part: String) throws -> [String] { try Self.files(in: root, part) }

  private static func files(in root: String, _ part: String) throws -> [String] {
    guard let paths = FileManager.default.enumerator(atPath: "\(root)/\(part)") else { return [] }
    return paths.compactMap { path -> String? in
      var isFolder: ObjCBool = false
      guard let path = path as? String,
        FileManager.default.fileExists(atPath: "\(root)/\(part)/\(path)", isDirectory: &isFolder)
      else { return nil }
      return isFolder.boolValue ? nil : "\(part)/\(path)"
    }
  }

  private static func manifest(_ testSources: [String]) -> String {
    """

    let mutantTargets: Set = ["CSQLite", "TidemarkEssentials", "Tidemark", "TestSupport", "TidemarkTests"]
    package.products = []
    package.targets.removeAll { !mutantTargets.contains($0.name) }
    package.targets.first { $0.name == "TidemarkTests" }?.sources = \(testSources)

    """
  }

  /// The text of the functions that mutations call.
  func runtime() throws -> String {
    String(decoding: try contents(root + "/Scripts/Mutants/Runtime/Mutated.swift"), as: UTF8.self)
  }

  func text(of source: String) throws -> String {
    String(decoding: try contents("\(root)/\(Self.module)/\(source)"), as: UTF8.self)
  }

  // MARK: - Building

  /// Compiles sources of the module, without the other ones.
  ///
  /// - Returns: The errors of the compiler.
  func errors(in sources: [String]) throws -> [CompilerError] {
    if sources.isEmpty { return [] }
    let module = "\(folder)/\(Self.module)"
    let others = try Self.files(in: module, ".").filter { $0.hasSuffix(".swift") }.map { String($0.dropFirst(2)) }
      .filter { !sources.contains($0) }
    var arguments = [
      "swiftc", "-frontend", "-emit-sil", "-parse-as-library", "-module-name", "TidemarkEssentials", "-package-name",
      "tidemark", "-swift-version", "6", "-enable-testing", "-suppress-warnings", "-I", "\(folder)/Sources/CSQLite",
      "-diagnostic-style", "llvm",
    ]
    for feature in ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"] {
      arguments += ["-enable-upcoming-feature", feature]
    }
    for source in sources { arguments += ["-primary-file", "\(module)/\(source)", "-o", "/dev/null"] }
    arguments += others.map { "\(module)/\($0)" }
    let (output, status) = try command(arguments)
    let errors = output.split(separator: "\n").compactMap { CompilerError(String($0), in: module) }
    if status != 0, errors.isEmpty { throw Failure("the compiler failed:\n\(output.suffix(3000))") }
    return errors
  }

  /// Builds the tests.
  ///
  /// - Returns: The path of the test program; nil if there are errors in the module.
  func build() throws -> (path: String?, errors: [CompilerError]) {
    let (output, status) = try command(["swift", "build", "--build-tests"], in: folder)
    if status == 0 { return ("\(folder)/.build/debug/TidemarkPackageTests.xctest", []) }
    let lines = output.split(separator: "\n").map(String.init)
    let errors = lines.compactMap { CompilerError($0, in: "\(folder)/\(Self.module)") }
    if !errors.isEmpty { return (nil, errors) }
    let messages = lines.filter { $0.contains("error:") }.prefix(20).joined(separator: "\n")
    throw Failure("the package does not build:\n\(messages.isEmpty ? String(output.suffix(3000)) : messages)")
  }
}

/// An error of the compiler, in a source of the module.
struct CompilerError {
  var source: String
  var line: Int
  var column: Int
  var message: String

  init?(_ text: String, in module: String) {
    guard text.hasPrefix(module + "/") else { return nil }
    let parts = text.dropFirst(module.count + 1).split(separator: ":", maxSplits: 4).map(String.init)
    guard parts.count == 5, let line = Int(parts[1]), let column = Int(parts[2]), parts[3] == " error" else {
      return nil
    }
    (self.source, self.line, self.column, message) = (parts[0], line, column, parts[4])
  }
}
