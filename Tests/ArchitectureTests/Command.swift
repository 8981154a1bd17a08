import Foundation

/// A command with its arguments, looked up on the PATH.
struct Command {
  private let words: [String]
  private let environment: [String: String]

  init(_ words: [String], environment: [String: String] = [:]) {
    self.words = words
    self.environment = environment
  }

  /// Runs the command at the root of the repository, and returns its status and output.
  func run() throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = SourceTree.root
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// Whether a program of this name is on the PATH.
  static func exists(_ name: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}

/// The products of the build that contains this test.
enum Products {
  /// The folder of the running program, if it also contains the library's module.
  static let folder: URL? = {
    guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
    let folder = program.deletingLastPathComponent()
    let hasModule = ["Modules/Tidemark.swiftmodule", "Tidemark.swiftmodule"]
      .contains { FileManager.default.fileExists(atPath: folder.appending(path: $0).path()) }
    return hasModule ? folder : nil
  }()
}
