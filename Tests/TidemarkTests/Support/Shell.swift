import Foundation
import TestSupport

/// Programs of the system, such as `sqlite3`, in other processes. They are not started by `Process`, which sometimes
/// leaks resources when threads start and end concurrently.
enum Shell {
  private static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Executes SQL.
  ///
  /// - Returns: False if the program is not installed.
  static func run(_ database: String, _ sql: String) throws -> Bool {
    guard let path else { return false }
    let status = try run(path, ["-cmd", ".timeout \(Int(WaitLimit.seconds * 1000))", database, sql])
    if status != 0 { throw Failure(status: status) }
    return true
  }

  /// Runs a program.
  ///
  /// - Returns: The status of its end.
  static func run(_ program: String, _ arguments: [String]) throws -> CInt {
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, nil, nil, words, variables)
    if code != 0 { throw Failure(status: code) }
    var status: CInt = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  struct Failure: Error {
    var status: CInt
  }
}
