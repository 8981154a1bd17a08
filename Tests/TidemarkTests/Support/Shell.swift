import Foundation

/// The `sqlite3` of the system: another process.
enum Shell {
  private static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Executes SQL.
  ///
  /// - returns: False where there is no such program.
  static func run(_ database: String, _ sql: String) throws -> Bool {
    guard let path else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-cmd", ".timeout 10000", database, sql]
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(status: process.terminationStatus) }
    return true
  }

  struct Failure: Error {
    var status: Int32
  }
}
