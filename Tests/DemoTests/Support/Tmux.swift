import Foundation
import Testing

@testable import Demo

/// A shell in a window of tmux, with a server of its own.
final class Tmux {
  private let socket = "tidemark-\(getpid())-\(UUID().uuidString.prefix(8))"

  static let isThere = ["/usr/bin/tmux", "/usr/local/bin/tmux", "/bin/tmux"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  init(width: Int, height: Int) throws {
    try tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", "-e",
      "SWIFT_BACKTRACE=enable=no", "bash --norc --noprofile -i")
    try tmux("set-option", "-g", "status", "off")
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
    // The prompt is not to be found in what sets it.
    try type("PS1='rea''dy> '; clear")
    try press("Enter")
  }

  // Whatever became of the test, its server goes; it may be gone.
  deinit { _ = try? tmux("kill-server") }

  private func tmux(_ arguments: String...) throws {
    // Not a pipe: the server that the first command leaves behind would keep it open.
    try run(arguments, FileHandle.nullDevice)
  }

  /// What a command says, for which there is a server already.
  private func answer(_ arguments: String...) throws -> String {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "\(socket).txt")
    guard FileManager.default.createFile(atPath: file.path(), contents: nil) else { throw Failure.system("open") }
    // What cannot be removed is left to the system.
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    try run(arguments, output)
    try output.close()
    return try String(contentsOf: file, encoding: .utf8)
  }

  private func run(_ arguments: [String], _ output: FileHandle) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["tmux", "-u", "-L", socket] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["LC_ALL": "C.UTF-8", "TMUX": ""]) { _, new in new }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let end = ContinuousClock.now + .seconds(30)
    while process.isRunning, .now < end { usleep(2000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Types a text, and nothing that is a name of a key.
  func type(_ text: String) throws { try tmux("send-keys", "-l", text) }

  /// Presses keys by their names in tmux.
  func press(_ keys: String...) throws {
    for key in keys { try tmux("send-keys", key) }
  }

  func resize(width: Int, height: Int) throws {
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
  }

  /// The screen, without blanks at the ends of lines.
  func lines() throws -> [String] {
    try answer("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = String(line)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  @discardableResult
  func wait(
    _ what: String, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
    until isRight: ([String]) -> Bool
  ) throws -> [String] {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let lines = try lines()
      if isRight(lines) { return lines }
      if ContinuousClock.now > end {
        Issue.record(
          "\(what): it never came. The screen:\n\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
        return lines
      }
      usleep(50_000)
    }
  }

  @discardableResult
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    try wait("“\(text)”", sourceLocation: sourceLocation) { $0.joined(separator: "\n").contains(text) }
  }
}
