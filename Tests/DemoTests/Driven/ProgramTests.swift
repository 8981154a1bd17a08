import Foundation
import Testing
import Tidemark

@testable import Demo

/// The program without a terminal: lines, exit codes, signals.
@Suite(
  .serialized, .enabled(if: DemoProgram.isBuilt, "Takes the program Demo beside the tests")
)
struct ProgramTests {
  private func sample() throws -> SampleFile {
    try SampleFile("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two')")
  }

  @Test func marketWithoutATerminalPrintsOneScreen() throws {
    let output = try DemoProgram.run([])
    #expect(output.status == 0)
    #expect(output.complaint == "")
    #expect(output.lines.count == 32)
    #expect(output.text.contains("▸ Best sellers") && output.text.contains("commits/s"))
    #expect(!output.text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
  }

  @Test func theFirstResultIsReportedAsAChange() throws {
    let file = try sample()
    let output = try DemoProgram.run(["watch", file.path, "SELECT COUNT(*) AS n FROM t", "--count", "1"])
    #expect(output.status == 0)
    #expect(output.lines.count == 1)
    #expect(output.text.hasSuffix(" #1 1 row: n=2\n"))
  }

  @Test func severalQueriesAreDistinguished() throws {
    let file = try sample()
    let output = try DemoProgram.run(
      [
        "watch", file.path, "SELECT name FROM t WHERE id = 1", "SELECT name FROM t WHERE id = 2", "--count=2",
        "--format=csv",
      ])
    #expect(output.lines.first == "change,query,time,name")
    #expect(Set(output.lines.dropFirst().map { $0.split(separator: ",").last ?? "" }) == ["one", "two"])
  }

  @Test(
    arguments: [
      (["--help"], 0), (["--version"], 0), (["watch"], 64), (["--bogus"], 64), (["watch", "FILE", "SELEC 1"], 65),
      (["watch", "FILE", "DELETE FROM t"], 65), (["watch", "FILE", "SELECT 1; SELECT 2"], 65),
      (["watch", "FILE", "SELECT * FROM u"], 65), (["watch", "/", "SELECT 1"], 66),
      (["watch", "FILE.not", "SELECT 1"], 66),
      (["watch", "TEXT", "SELECT 1"], 66), (["watch", "FILE", "SELECT ?"], 65),
    ] as [([String], Int32)])
  func exitCodesIndicateTheKindOfFailure(arguments: [String], status: Int32) throws {
    let file = try sample()
    let text = file.sibling("text")
    try String(repeating: "This is no database. ", count: 100).write(toFile: text, atomically: true, encoding: .utf8)
    let output = try DemoProgram.run(
      arguments.map { $0.replacing("FILE", with: file.path).replacing("TEXT", with: text) })
    #expect(output.status == status)
    #expect(output.complaint.isEmpty == (status == 0))
    #expect(output.text.isEmpty == (status != 0))
  }

  @Test(.enabled(if: getuid() != 0, "Root may read everything")) func unreadableFilesAreReported() throws {
    let file = try sample()
    chmod(file.path, 0)
    let output = try DemoProgram.run(["watch", file.path, "SELECT 1"])
    #expect(output.status == 66)
    #expect(output.complaint.contains("Permission denied"))
  }

  @Test func errorMessagesEscapeControlCharacters() throws {
    let output = try DemoProgram.run(["watch", "/\u{1B}[2J", "SELECT 1"])
    #expect(output.complaint == "Demo: /␛[2J: there is no such file\n")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func signalsEndTheProgramWithTheirStatus(number: Int32) throws {
    let file = try sample()
    let running = try DemoProgram.Running(["watch", file.path, "SELECT * FROM t"])
    _ = running.line()
    running.signal(number)
    #expect(running.finish().signal == number)
  }

  @Test func changesByOtherProcessesAreReported() async throws {
    let file = try sample()
    let running = try DemoProgram.Running(["watch", file.path, "SELECT COUNT(*) AS n FROM t", "--count=3"])
    #expect(running.line().hasSuffix("n=2"))
    let dbQueue = try DatabaseQueue(path: file.path)
    for number in [3, 4] {
      try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t (name) VALUES ('more')") }
      #expect(running.line().hasSuffix("n=\(number)"))
    }
    #expect(running.finish().status == 0)
  }

  @Test func changesByAPoolInAnotherProcessAreReported() async throws {
    let file = try sample()
    let dbPool = try DatabasePool(path: file.path)
    let running = try DemoProgram.Running(["watch", file.path, "SELECT COUNT(*) AS n FROM t"])
    #expect(running.line().hasSuffix("n=2"))
    try await dbPool.write { db in try db.execute(sql: "INSERT INTO t (name) VALUES ('more')") }
    #expect(running.line().hasSuffix("n=3"))
    running.signal(SIGTERM)
    #expect(running.finish().signal == SIGTERM)
  }

  @Test(arguments: [
    ("DROP TABLE t", "CREATE TABLE t (id); INSERT INTO t VALUES (1)", "n=1"),
    ("ALTER TABLE t RENAME TO u", "ALTER TABLE u RENAME TO t", "n=2"),
  ])
  func droppedTablesAreAwaited(removal: String, creation: String, line: String) async throws {
    let file = try sample()
    let running = try DemoProgram.Running(["watch", file.path, "SELECT COUNT(*) AS n FROM t", "--count=2"])
    #expect(running.line().hasSuffix("n=2"))
    let dbQueue = try DatabaseQueue(path: file.path)
    try await dbQueue.write { db in try db.execute(sql: removal) }
    #expect(running.complaintLine() == "Demo: Query 1: no such table: t. It is tried again every second")
    try await dbQueue.write { db in try db.execute(sql: creation) }
    #expect(running.line().hasSuffix(line))
    #expect(running.finish().status == 0)
  }

  @Test func recreatedFilesAreReopened() async throws {
    let file = try sample()
    let running = try DemoProgram.Running(["watch", file.path, "SELECT COUNT(*) AS n FROM t", "--count=3"])
    #expect(running.line().hasSuffix("n=2"))
    try FileManager.default.removeItem(atPath: file.path)
    #expect(
      running.complaintLine() == "Demo: \(file.path): there is no such file. It is tried again every second")
    // Another file, with all of its contents, replaces it in one step.
    let other = try SampleFile("CREATE TABLE t (id); INSERT INTO t VALUES (1), (2), (3)")
    try FileManager.default.moveItem(atPath: other.path, toPath: file.path)
    #expect(running.line().hasSuffix("n=3"))
    try await DatabaseQueue(path: file.path).write { db in try db.execute(sql: "INSERT INTO t VALUES (4)") }
    #expect(running.line().hasSuffix("n=4"))
    #expect(running.finish().status == 0)
  }

  @Test func databasesOfKilledMarketsAreRemoved() throws {
    let file = try sample()
    let folder = file.sibling("temporary")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func markets() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("tidemark-market-") }
    }
    let killed = try PseudoTerminal([], environment: ["TMPDIR": folder])
    killed.wait(for: "Best sellers")
    let first = try markets()
    #expect(first.count == 1)
    kill(killed.process, SIGKILL)
    #expect(killed.ending() == .signal(SIGKILL))
    let alive = try PseudoTerminal([], environment: ["TMPDIR": folder])
    alive.wait(for: "Best sellers")
    let second = try markets()
    #expect(second.count == 1 && second != first)
    // A folder in use is kept.
    _ = try DemoProgram.run([], environment: ["TMPDIR": folder])
    #expect(try markets() == second)
    try alive.type("q")
    #expect(alive.ending() == .code(0))
    #expect(try markets() == [])
  }

  @Test func closedOutputEndsTheProgram() throws {
    let file = try sample()
    let running = try DemoProgram.Running(["watch", file.path, "SELECT * FROM t", "--format=json"])
    _ = running.line()
    try running.stopReading()
    let (reason, status) = running.status()
    #expect(reason == .uncaughtSignal)
    #expect(status == SIGPIPE)
  }

  @Test func watchedFilesAreNotModified() throws {
    let file = try sample()
    let before = try Data(contentsOf: URL(filePath: file.path))
    _ = try DemoProgram.run(["watch", file.path, "SELECT * FROM t", "--count", "1"])
    #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
  }

  @Test func longResultsAreTruncated() throws {
    let file = try SampleFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i FROM n
      """)
    let output = try DemoProgram.run(["watch", file.path, "SELECT * FROM t", "--count=1", "--format=csv"])
    #expect(output.lines.count == 1001)
    let text = try DemoProgram.run(["watch", file.path, "SELECT * FROM t", "--count=1", "--rows=3"])
    #expect(text.text.hasSuffix("3+ rows: id=1 | id=2 | id=3 | …\n"))
  }
}
