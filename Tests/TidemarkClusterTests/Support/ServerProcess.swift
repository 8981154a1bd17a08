import Foundation

@testable import TidemarkCluster

/// The process of a server with a temporary folder.
///
/// A shell starts the server and then waits for the end of its standard input. So the server is killed even if the
/// process of the tests crashes.
final class ServerProcess: @unchecked Sendable {
  private let executable: String
  private let arguments: [String]
  private let folder: URL

  // Protects the running process.
  private let lock = NSLock()
  private var running: (shell: Process, input: Pipe, server: pid_t)?

  /// - Parameter folder: The folder that is removed when the server is stopped.
  init(_ executable: String, _ arguments: [String], folder: URL) {
    self.executable = executable
    self.arguments = arguments
    self.folder = folder
  }

  deinit { stop() }

  /// Starts the server, or starts it again with the same folder.
  func start() throws {
    // Not `wait`: the shell inherits a mask that blocks the signal for which `wait` waits.
    let script = """
      "$@" </dev/null >/dev/null 2>&1 &
      echo $!
      read -r line
      kill -9 $!
      while kill -0 $! 2>/dev/null; do sleep 0.05; done
      [ "$line" = keep ] || rm -rf "$FOLDER"
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh", executable] + arguments
    process.environment = ["FOLDER": folder.path, "PATH": "/usr/bin:/bin"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let id = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw UnexpectedResult() }
    lock.withLock { running = (process, input, id) }
  }

  /// Kills the server (`kill -9`), and keeps its folder.
  func kill() { end("keep\n") }

  /// Kills the server, and removes its folder.
  func stop() { end("remove\n") }

  /// Stops the execution of the server (`SIGSTOP`), or continues it.
  func suspend() {
    guard let server = lock.withLock({ running?.server }) else { return }
    _ = Foundation.kill(server, SIGSTOP)
    // The signal stops one thread after the other: until then, the server may respond.
    while !Self.isStopped(server) { usleep(1_000) }
  }

  func resume() {
    guard let server = lock.withLock({ running?.server }) else { return }
    _ = Foundation.kill(server, SIGCONT)
  }

  /// Whether all threads of a process are stopped. Without `/proc`, it is not known, and true.
  private static func isStopped(_ process: pid_t) -> Bool {
    let tasks = "/proc/\(process)/task"
    // A thread that has ended, and a process that has ended, are stopped.
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.allSatisfy { thread in
      // The state is the first field behind the name, which is in parentheses.
      guard let line = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8) else { return true }
      return line.split(separator: ")").last?.split(separator: " ").first == "T"
    }
  }

  private func end(_ line: String) {
    let ended = lock.withLock {
      defer { running = nil }
      return running
    }
    guard let ended else { return }
    // If the shell has ended already, there is nothing to be killed.
    try? ended.input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    try? ended.input.fileHandleForWriting.close()
    ended.shell.waitUntilExit()
  }
}
