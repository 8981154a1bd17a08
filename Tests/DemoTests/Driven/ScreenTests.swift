import Foundation
import StressSupport
import Testing
import Tidemark

@testable import Demo

/// The program in a terminal: keys are typed, the screen is read, and the terminal is restored on every way out.
@Suite(
  .serialized, .enabled(if: DemoProgram.isBuilt, "Takes the program Demo beside the tests")
)
struct ScreenTests {
  private func sample() throws -> SampleFile {
    try SampleFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO t VALUES (1, 'one'), (2, '日本🍜'), (3, char(27) || '[2J' || char(7)), (4, NULL)
      """)
  }

  private func watch(_ file: SampleFile, _ more: [String] = [], width: Int = 100, height: Int = 30) throws
    -> PseudoTerminal
  {
    try PseudoTerminal(["watch", file.path, "SELECT id, name FROM t"] + more, width: width, height: height)
  }

  private func leave(_ terminal: PseudoTerminal, by key: String = "q") throws {
    try terminal.type(key)
    #expect(terminal.ending() == .code(0))
    #expect(terminal.isGivenBack)
    #expect(terminal.emulator.complaints.prefix(3) == [])
  }

  // MARK: - The market

  @Test func marketValuesChange() throws {
    let terminal = try PseudoTerminal([], width: 120, height: 32)
    terminal.wait(for: "Best sellers")
    terminal.wait("events") { $0.screen.contains("payment") && $0.screen.contains("order") }
    try terminal.type("p")
    terminal.wait(for: "4 writers paused")
    try terminal.type("+")
    terminal.wait(for: "5 writers paused")
    try terminal.type("--")
    terminal.wait(for: "3 writers paused")
    try terminal.type("p")
    terminal.wait("going on") { $0.screen.contains("3 writers") && !$0.screen.contains("paused") }
    try terminal.type("b")
    terminal.wait(for: "10,000 orders in one transaction")
    try terminal.type("o")
    terminal.wait(for: "10,000 in the background")
    terminal.wait("observations") { $0.screen.contains(/observations +10,00\d/) }
    try leave(terminal)
  }

  @Test func aTypedQueryOpensALivePane() throws {
    let terminal = try PseudoTerminal([], width: 100, height: 40)
    terminal.wait(for: "Best sellers")
    try terminal.type(":SELEC 1\r")
    terminal.wait(for: "⚠ near \"SELEC\": syntax error")
    try terminal.type("\u{1}\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[CT\r")
    terminal.wait(for: "▸ SELECT 1")
    try terminal.type(":\u{1B}[200~SELECT COUNT(*) AS\nevents FROM event\u{1B}[201~\r")
    terminal.wait(for: "▸ SELECT COUNT(*) AS events FROM event")
    try terminal.type("z")
    terminal.wait("counts that grow") {
      $0.screen.contains(/events\s+│\n│ +[1-9]/) || $0.lines.count > 3 && $0.lines[3].contains(/[1-9]/)
    }
    let first = terminal.emulator.lines[3]
    terminal.wait("another count") { $0.lines[3] != first }
    try terminal.type("zx")
    terminal.wait("a closed pane") { !$0.screen.contains("COUNT(*)") }
    try terminal.type(":DELETE FROM event\r")
    terminal.wait(for: "⚠ This statement writes")
    terminal.wait("the keys of the prompt") { $0.lines.last?.contains("quit") != true }
    try terminal.type("\u{1B}")
    terminal.wait("keys") { $0.lines.last?.contains("quit") == true }
    try leave(terminal)
  }

  // MARK: - A file

  @Test func watchedFilesAreShown() throws {
    let terminal = try watch(sample(), width: 40, height: 9)
    terminal.wait(for: "NULL")
    #expect(
      Array(terminal.emulator.lines[1...6]) == [
        "╭─ ▸ SELECT id, name FROM t ───────────╮",
        "│id  name                              │",
        "│ 1  one                               │",
        "│ 2  日本🍜                            │",
        "│ 3  ␛[2J␇                             │",
        "│ 4  NULL                              │",
      ])
    try leave(terminal)
  }

  @Test func changesByOtherProcessesAreShown() async throws {
    let file = try sample()
    let terminal = try watch(file)
    terminal.wait(for: "NULL")
    let dbQueue = try DatabaseQueue(path: file.path)
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (5, 'from outside')") }
    terminal.wait(for: "from outside")
    try await dbQueue.write { db in try db.execute(sql: "DROP TABLE t") }
    terminal.wait(for: "⚠ no such table: t")
    try await dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t (id, name); INSERT INTO t VALUES (1, 'back again')")
    }
    terminal.wait(for: "back again")
    try leave(terminal)
  }

  @Test func recreatedFilesAreReopened() throws {
    let file = try sample()
    let terminal = try watch(file)
    terminal.wait(for: "NULL")
    try FileManager.default.removeItem(atPath: file.path)
    terminal.wait(for: "⚠ there is no such file")
    let other = try SampleFile("CREATE TABLE t (id, name); INSERT INTO t VALUES (1, 'from another file')")
    try FileManager.default.moveItem(atPath: other.path, toPath: file.path)
    terminal.wait(for: "from another file")
    try leave(terminal)
  }

  @Test(arguments: [("rgb:ffff/ffff/ffff", "0;38;2;0;95;175"), ("rgb:0000/0000/0000", "0;38;2;95;175;255")])
  func colorsMatchTheBackground(background: String, border: String) throws {
    let terminal = try PseudoTerminal(
      ["watch", sample().path, "SELECT id, name FROM t"], environment: ["COLORTERM": "truecolor"],
      background: background)
    terminal.wait(for: "NULL")
    #expect(terminal.emulator.looks[1][0] == border)
    // Numbers use the foreground colour of the terminal.
    #expect(terminal.emulator.looks[3][2] == "0")
    try leave(terminal)
  }

  @Test func environmentDeterminesTheBackgroundIfTheTerminalDoesNot() throws {
    let terminal = try PseudoTerminal(
      ["watch", sample().path, "SELECT id, name FROM t"],
      environment: ["COLORTERM": "truecolor", "COLORFGBG": "0;15"])
    terminal.wait(for: "NULL")
    #expect(terminal.emulator.looks[1][0] == "0;38;2;0;95;175")
    try leave(terminal)
  }

  @Test func pastedLineBreaksKeepTheMeaningOfAQuery() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    try terminal.type(":\u{1B}[200~SELECT 40 -- not all\r+ 2 AS n,\rlength('a\rb') AS l\u{1B}[201~")
    terminal.wait(for: "not all␊+ 2")
    try terminal.type("\r")
    terminal.wait(for: "▸ SELECT 40 -- not all + 2 AS n, length('a b') AS l")
    terminal.wait("both values") { $0.screen.contains(/│\s*42\s+3\b/) }
    try leave(terminal)
  }

  @Test func escapeClearsTheQueryLine() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    try terminal.type(":SELECT 1")
    terminal.wait(for: "› SELECT 1")
    try terminal.type("\u{1B}")
    terminal.wait("keys") { $0.lines.last?.contains("quit") == true }
    try terminal.type(":2")
    terminal.wait("a new line") { $0.lines.last == "› 2" }
    try terminal.type("\u{1B}")
    terminal.wait("keys") { $0.lines.last?.contains("quit") == true }
    try leave(terminal)
  }

  @Test func resizingRedrawsTheScreen() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    for (width, height) in [(20, 5), (200, 50), (1, 1), (40, 9)] {
      try terminal.resize(width: width, height: height)
      terminal.wait("a screen of \(width) × \(height)") { emulator in
        // The last line is written last.
        height < 3 ? emulator.byteCount > 0 : emulator.lines[height - 1].hasPrefix(" q quit")
      }
    }
    #expect(terminal.emulator.lines[2] == "│id  name                              │")
    try leave(terminal)
  }

  @Test func helpOpensAndCloses() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    try terminal.type("?")
    terminal.wait(for: "draw the screen anew")
    try terminal.type("\u{1B}")
    terminal.wait("no help") { !$0.screen.contains("draw the screen anew") }
    try leave(terminal)
  }

  @Test func focusMovesBetweenPanes() throws {
    let terminal = try watch(sample(), ["SELECT 'second'", "SELECT 'third'"])
    terminal.wait(for: "▸ SELECT id")
    try terminal.type("\t")
    terminal.wait(for: "▸ SELECT 'second'")
    try terminal.type("\u{1B}[Z")
    terminal.wait(for: "▸ SELECT id")
    try terminal.type("3")
    terminal.wait(for: "▸ SELECT 'third'")
    try leave(terminal)
  }

  @Test func millionsOfRowsScrollByPage() throws {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT i FROM n"
    let terminal = try PseudoTerminal(["watch", sample().path, numbers], width: 60, height: 20)
    terminal.wait(for: "rows 1–15 of 200+")
    try terminal.type("\u{1B}[F")
    terminal.wait(for: "of 300+")
    try terminal.type("\u{1B}[F\u{1B}[6~")
    terminal.wait(for: "of 400+")
    try terminal.type("g")
    terminal.wait(for: "rows 1–15 of 200+")
    try leave(terminal)
  }

  @Test func slowQueriesDoNotBlockTheScreen() throws {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    let terminal = try watch(sample(), [endless])
    terminal.wait(for: "NULL")
    try terminal.type("2")
    terminal.wait("how long it takes") { $0.screen.contains(/running for [1-9]/) }
    try terminal.type("?")
    terminal.wait(for: "draw the screen anew")
    try terminal.type("?")
    try leave(terminal)
  }

  @Test func queryErrorsAreShownInTheirPane() throws {
    let terminal = try watch(sample(), ["SELECT abs(-9223372036854775808)"])
    terminal.wait(for: "⚠ integer overflow")
    try leave(terminal)
  }

  // MARK: - Ways out

  @Test(arguments: ["q", "\u{3}", "?\u{3}", ":SELECT\u{3}"])
  func quittingRestoresTheTerminal(keys: String) throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    #expect(!terminal.isGivenBack)
    try leave(terminal, by: keys)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGTRAP, SIGQUIT])
  func signalsRestoreTheTerminal(number: Int32) throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    kill(terminal.process, number)
    let ending = terminal.ending()
    // A sanitizer handles an access to invalid memory, and ends the program with its own exit code.
    #expect(ending == .signal(number) || number == SIGSEGV && Sanitizer.isUsed)
    #expect(terminal.isGivenBack)
  }

  @Test func errorsBeforeTheFirstFrameLeaveTheTerminalUnchanged() throws {
    let terminal = try PseudoTerminal(["watch", "/nowhere/a.db", "SELECT 1"])
    #expect(terminal.ending() == .code(66))
    #expect(terminal.isGivenBack)
    #expect(terminal.emulator.screen.contains("there is no such file"))
  }

  @Test func aResumedProgramRedrawsTheScreen() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    // Another process stops it, and the shell sets its own terminal modes.
    kill(terminal.process, SIGSTOP)
    let count = terminal.emulator.byteCount
    try terminal.cook()
    kill(terminal.process, SIGCONT)
    terminal.wait("the screen") { !terminal.isCooked && $0.byteCount > count + 500 && $0.modes.contains(1049) }
    try leave(terminal)
  }

  @Test func suspendingIsIgnoredWithoutAShell() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    let count = terminal.emulator.byteCount
    try terminal.type("\u{1A}")
    terminal.wait("the screen, drawn anew") { $0.byteCount > count + 500 && $0.modes.contains(1049) }
    try leave(terminal)
  }

  @Test func noColorOptionDisablesColors() throws {
    let terminal = try PseudoTerminal(
      ["watch", sample().path, "SELECT id, name FROM t"], environment: ["NO_COLOR": "1"])
    terminal.wait(for: "NULL")
    let looks = Set(terminal.emulator.looks.joined())
    #expect(looks.isSubset(of: ["0", "0;1", "0;2", "0;7", "0;1;7"]))
    try leave(terminal)
  }

  @Test func dumbTerminalsGetLineOutput() throws {
    let terminal = try PseudoTerminal(
      ["watch", sample().path, "SELECT COUNT(*) AS n FROM t"], environment: ["TERM": "dumb"])
    terminal.wait(for: "#1 1 row: n=4")
    kill(terminal.process, SIGTERM)
    #expect(terminal.ending() == .signal(SIGTERM))
    #expect(terminal.emulator.modes == [])
  }

  @Test func idleScreenWritesNothing() throws {
    let terminal = try watch(sample())
    terminal.wait(for: "NULL")
    var (start, count) = (ContinuousClock.now, 0)
    // Measurements are taken once per second: the first ones may still change the screen, and their time depends
    // on the machine.
    terminal.wait("three seconds without a byte") { emulator in
      if emulator.byteCount != count { (start, count) = (.now, emulator.byteCount) }
      return .now > start + .seconds(3)
    }
    try leave(terminal)
  }
}
