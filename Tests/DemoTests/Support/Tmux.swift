import Foundation
import Testing

/// A shell in a window of tmux, with a server of its own.
final class Tmux {
  private let socket = "tidemark-\(getpid())-\(UUID().uuidString.prefix(8))"

  static let isThere = ["/usr/bin/tmux", "/usr/local/bin/tmux", "/bin/tmux"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  init(width: Int, height: Int) throws {
    try tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", "-e", "PS1=ready> ", "-e",
      "SWIFT_BACKTRACE=enable=no", "bash --norc --noprofile -i")
    try tmux("set-option", "-g", "status", "off")
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
  }

  // Whatever became of the test, its server goes; it may be gone.
  deinit { _ = try? tmux("kill-server") }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["tmux", "-u", "-L", socket] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["LC_ALL": "C.UTF-8", "TMUX": ""]) { _, new in new }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
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
    try tmux("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map { line in
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
