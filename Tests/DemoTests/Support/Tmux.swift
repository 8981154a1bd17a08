import Foundation
import TestSupport
import Testing

@testable import Demo

/// A shell in a tmux window, with a tmux server of its own.
final class Tmux {
  private let socket = "tidemark-\(getpid())-\(UUID().uuidString.prefix(8))"

  static let isThere = ["/usr/bin/tmux", "/usr/local/bin/tmux", "/bin/tmux"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  init(width: Int, height: Int) throws {
    try tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", "bash --norc --noprofile -i")
    try tmux("set-option", "-g", "status", "off")
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
    // A prompt that does not occur in the command that sets it.
    try type("PS1='rea''dy> '; clear")
    try press("Enter")
  }

  // The server ends with the test; it may have ended before.
  deinit { _ = try? tmux("kill-server") }

  private func tmux(_ arguments: String...) throws { try run(arguments, output: "/dev/null") }

  /// The output of a command for the running server.
  private func answer(_ arguments: String...) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(socket).txt")
    // The system cleans up its temporary folder.
    defer { try? FileManager.default.removeItem(at: file) }
    try run(arguments, output: file.path())
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// Not run by `Process`, which also waits until the server, started by the first command, has closed the pipes that
  /// both inherit. The server must also get the signals that Swift's threads block.
  private func run(_ arguments: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let variables =
      ProcessInfo.processInfo.environment
      .merging(DemoProgram.environment) { _, new in new }
      .merging(["LC_ALL": "C.UTF-8", "TMUX": ""]) { _, new in new }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    let words = (["tmux", "-u", "-L", socket] + arguments).map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, "tmux", &actions, &attributes, words, variables) == 0 else {
      throw Failure.system("posix_spawnp")
    }
    do {
      try Wait.until("tmux \(arguments)") { waitpid(process, nil, WNOHANG) != 0 }
    } catch {
      kill(process, SIGKILL)
      throw error
    }
  }

  /// Types a text in which key names have no meaning.
  func type(_ text: String) throws { try tmux("send-keys", "-l", text) }

  /// Presses keys, given by their names in tmux.
  func press(_ keys: String...) throws {
    for key in keys { try tmux("send-keys", key) }
  }

  func resize(width: Int, height: Int) throws {
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
  }

  /// The process ID of the shell.
  func shell() throws -> pid_t {
    let answer = try answer("display-message", "-p", "#{pane_pid}")
    return try #require(pid_t(answer.prefix { $0.isNumber }))
  }

  /// The screen, without trailing blanks.
  func lines() throws -> [String] {
    try answer("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = String(line)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  @discardableResult
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until isRight: ([String]) -> Bool
  ) throws -> [String] {
    let patience = WaitLimit(what, file: sourceLocation.fileID, line: sourceLocation.line)
    while true {
      let lines = try lines()
      if isRight(lines) { return lines }
      if patience.isOver {
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
