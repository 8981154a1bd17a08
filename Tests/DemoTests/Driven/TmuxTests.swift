import Foundation
import Testing

@testable import Demo

/// The program in a real terminal multiplexer, under a shell.
@Suite(
  .serialized, .enabled(if: Tmux.isThere, "Takes tmux"),
  .enabled(if: DemoProgram.isBuilt, "Takes the program Demo beside the tests"))
struct TmuxTests {
  private let file: SampleFile
  private let tmux: Tmux

  init() throws {
    file = try SampleFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO t VALUES (1, 'one'), (2, '日本🍜!'), (3, char(27) || '[2J' || char(7)), (4, NULL), (5, 'é👍🏽é')
      """)
    tmux = try Tmux(width: 60, height: 12)
    try tmux.wait(for: "ready>")
  }

  private func start(_ more: String = "") throws {
    try tmux.type("\(DemoProgram.path) watch \(file.path) 'SELECT id, name FROM t' \(more); echo code $?")
    try tmux.press("Enter")
  }

  @Test func screenShowsWhatTheViewDraws() throws {
    try start()
    try tmux.wait(for: "q quit  ?")
    let lines = try tmux.wait(for: "NULL")
    let expected = [
      "╭─ ▸ SELECT id, name FROM t ───────────────────────────────╮",
      "│id  name                                                  │",
      "│ 1  one                                                   │",
      "│ 2  日本🍜!                                               │",
      "│ 3  ␛[2J␇                                                 │",
      "│ 4  NULL                                                  │",
    ]
    #expect(lines[1...6].elementsEqual(expected))
    // Terminals disagree on the width of the thumb; the characters beside it are in their places in any case.
    #expect(lines[7].hasPrefix("│ 5  é") && lines[7].hasSuffix("│"))
    try tmux.press("q")
    try tmux.wait(for: "code 0")
  }

  @Test func keysAreRecognized() throws {
    try tmux.resize(width: 100, height: 20)
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40) SELECT i FROM n"
    try tmux.type("clear; \(DemoProgram.path) watch \(file.path) '\(numbers)' 'SELECT 2' 'SELECT 3'; echo code $?")
    try tmux.press("Enter")
    try tmux.wait(for: "▸ WITH")
    try tmux.press("Tab")
    try tmux.wait(for: "▸ SELECT 2")
    try tmux.press("BTab")
    try tmux.wait(for: "▸ WITH")
    try tmux.press("Down")
    try tmux.wait(for: "rows 2–7 of 40")
    try tmux.press("End")
    try tmux.wait(for: "rows 35–40 of 40")
    try tmux.press("Home", "z")
    try tmux.wait("one pane") { lines in
      lines.joined().contains("rows 1–15 of 40") && !lines.joined().contains("SELECT 3")
    }
    try tmux.press("z")
    try tmux.wait(for: "SELECT 3")
    try tmux.press(":")
    try tmux.type("SELECT 'typed'")
    try tmux.press("Enter")
    try tmux.wait(for: "▸ SELECT 'typed'")
    try tmux.press("C-c")
    try tmux.wait(for: "code 0")
  }

  @Test func resizingRedrawsTheScreen() throws {
    try start()
    try tmux.wait(for: "NULL")
    for (width, height) in [(20, 5), (100, 30), (60, 12)] {
      try tmux.resize(width: width, height: height)
      try tmux.wait("\(width) × \(height)") { lines in
        lines.count >= height && lines[height - 1].hasPrefix(" q quit") && (height < 9 || lines[1].width == width)
      }
    }
    try tmux.press("q")
    try tmux.wait(for: "code 0")
  }

  @Test func suspendedProgramResumes() throws {
    try start()
    try tmux.wait(for: "NULL")
    try tmux.press("C-z")
    let shell = try tmux.wait(for: "Stopped")
    #expect(!shell.joined().contains("NULL"))
    // Echo and line buffering of the shell are restored.
    try tmux.type("echo $((40 + 2))")
    try tmux.press("Enter")
    try tmux.wait("an echo") { $0.contains("42") }
    try tmux.type("fg")
    try tmux.press("Enter")
    try tmux.wait(for: "NULL")
    try tmux.press("q")
    try tmux.wait(for: "ready>")
  }

  @Test func killRestoresTheTerminal() throws {
    try start()
    try tmux.wait(for: "NULL")
    kill(try demoProcess(), SIGTERM)
    try tmux.wait(for: "code 143")
    try tmux.type("echo $((40 + 2))")
    try tmux.press("Enter")
    try tmux.wait("an echo") { $0.contains("42") }
  }

  /// The process that watches the file of this test, among all that the shell has started.
  private func demoProcess() throws -> pid_t {
    let shell = try tmux.shell()
    let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
    let process = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
    let line = try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
    try #require(line.hasPrefix(DemoProgram.path) && line.contains(file.path))
    return process
  }
}
