import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Transactions whose rows do not fit in memory.
@Suite(.untilItHangs) struct LargeTransactionTests {
  /// A queue that keeps few rows in memory.
  private func open(
    rows recordCount: Int = 20, segment: Int = 7, fileByteCount: Int = 1_000_000, vfs: String? = nil
  ) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: recordCount, segmentRecordCount: segment, segmentByteCount: 500, fileByteCount: fileByteCount,
      vfs: vfs)
    return try Observed.queue.open(configuration).writer
  }

  private static let inParts = ChangeStream.Limits(rowCount: .max)

  /// The parts of the next transaction.
  private func parts(_ stream: ChangeStream) async throws -> [TransactionChanges] {
    var (parts, changes) = ([TransactionChanges](), stream.makeAsyncIterator())
    repeat { parts.append(try #require(try await changes.next())) } while parts.last?.isContinued == true
    return parts
  }

  /// The IDs of the changed rows.
  private func ids(_ parts: [TransactionChanges]) -> [Int64] {
    parts.flatMap(\.rows).map { row in row.newRow?["id"] ?? 0 }
  }

  private static func insertion(_ ids: ClosedRange<Int>) -> String {
    """
    WITH RECURSIVE number (n) AS (SELECT \(ids.lowerBound) UNION ALL SELECT n + 1 FROM number WHERE n < \(ids.upperBound))
    INSERT INTO player SELECT n, 'name of ' || n, n * 10 FROM number;
    """
  }

  @Test func `a large transaction arrives in parts with its version, and a small one as a whole`() async throws {
    let writer = try open()
    let stream = try await writer.changes(limits: Self.inParts)
    try await writer.write { try $0.execute(sql: Self.insertion(1...50)) }
    try await writer.write { try $0.execute(sql: "UPDATE player SET score = 0 WHERE id <= 20") }
    let large = try await parts(stream)
    #expect(large.count > 5)
    #expect(ids(large) == Array(1...50))
    let version = try #require(large[0].version)
    for part in large {
      #expect(part.isComplete && part.rows.count <= 7)
      #expect(part.versions == version...version)
    }
    let small = try await parts(stream)
    #expect(small.count == 1 && small[0].rows.count == 20)
  }

  @Test func `other streams receive a large transaction without rows`() async throws {
    let writer = try open()
    let (whole, inParts) = (
      try await writer.changes(in: Table("player")), try await writer.changes(in: Table("team"), limits: Self.inParts)
    )
    let all = try await writer.changes(limits: Self.inParts)
    try await writer.write { try $0.execute(sql: Self.insertion(1...50) + "INSERT INTO team VALUES (1, 'Red')") }
    let changes = try await parts(whole)
    #expect(changes.map(\.completeness) == [.incomplete(.tooManyRows)])
    #expect(changes.map(\.lines) == [["unknown rows of player"]])
    #expect(try await parts(inParts).flatMap(\.lines) == ["INSERT team [1]: id 1, name \"Red\""])
    #expect(try await parts(all).flatMap(\.rows).count == 51)
  }

  @Test func `the row limit of a stream counts the rows of all parts`() async throws {
    let writer = try open(rows: 1_000, segment: 1_000, fileByteCount: 100_000_000)
    let stream = try await writer.changes(limits: .init(rowCount: 100_001))
    try await writer.write { try $0.execute(sql: Self.insertion(1...100_001)) }
    #expect(try await parts(stream).flatMap(\.rows).count == 100_001)
    try await writer.write { try $0.execute(sql: "UPDATE player SET score = 0; INSERT INTO team VALUES (1, 'Red')") }
    let tooLarge = try await parts(stream)
    #expect(tooLarge.map(\.completeness) == [.incomplete(.tooManyRows)])
    #expect(tooLarge.flatMap(\.lines).sorted() == ["unknown rows of player", "unknown rows of team"])
  }

  @Test func `the row limit of a stream does not count rows of other tables in a file`() async throws {
    let writer = try open()
    let limits = ChangeStream.Limits(rowCount: 200_000)
    let stream = try await writer.changes(in: Table("team"), limits: limits)
    let all = try await writer.changes(limits: Self.inParts)
    try await writer.write { try $0.execute(sql: Self.insertion(1...50) + "INSERT INTO team VALUES (1, 'Red')") }
    #expect(try await parts(stream).flatMap(\.lines) == ["INSERT team [1]: id 1, name \"Red\""])
    #expect(try await parts(all).flatMap(\.rows).count == 51)
  }

  @Test func `a large transaction has its counters where its rows are unknown`() async throws {
    let writer = try open()
    try await writer.write { try $0.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT)") }
    let (whole, all) = (try await writer.changes(in: Table("event")), try await writer.changes(limits: Self.inParts))
    try await writer.write { db in
      for id in 1...50 { try db.execute(sql: "INSERT INTO event VALUES (?)", arguments: [id]) }
    }
    let changes = try await parts(whole)
    #expect(changes.map(\.completeness) == [.incomplete(.tooManyRows)])
    #expect(changes.flatMap(\.lines) == ["unknown rows of event", "counter of event: 50"])
    #expect(try await parts(all).flatMap(\.rows).count == 50)
  }

  @Test func `rows of a large transaction that are rolled back are left out`() async throws {
    let writer = try open()
    let stream = try await writer.changes(limits: Self.inParts)
    try await writer.write { db in
      try db.execute(sql: Self.insertion(1...30))
      try db.inSavepoint {
        try db.execute(sql: Self.insertion(31...60))
        return .rollback
      }
      // The statement fails at its last row.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE player SET id = max(id - 1, 1)") }
      try db.execute(sql: "INSERT INTO player VALUES (31, 'last', 0)")
    }
    #expect(try await ids(parts(stream)) == Array(1...31))
    try await writer.write { db in
      try db.inSavepoint {
        try db.execute(sql: "UPDATE player SET score = score + 1")
        return .rollback
      }
    }
    try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 31") }
    #expect(try await parts(stream).flatMap(\.lines) == ["DELETE player [31]: id 31, name \"last\", score 0"])
  }

  @Test(arguments: 1...20)
  func `the joined parts equal the transaction that is received as a whole`(_ seed: UInt64) async throws {
    let (parted, uncut) = (try open(), try Observed.queue.open().writer)
    var random = LargeTransaction(seed: seed)
    let schema = """
      CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, text, data BLOB);
      CREATE TABLE tag (owner, name, PRIMARY KEY (name, owner)) WITHOUT ROWID;
      CREATE TRIGGER tagged AFTER INSERT ON event BEGIN INSERT OR IGNORE INTO tag VALUES (new.id % 5, new.text); END
      """
    for writer in [parted, uncut] { try await writer.write { try $0.execute(sql: schema) } }
    let (first, second) = (try await parted.changes(limits: Self.inParts), try await uncut.changes())
    for _ in 1...5 {
      let script = random.script()
      for writer in [parted, uncut] {
        try await writer.writeWithoutTransaction { db in
          for sql in script {
            do {
              try db.execute(sql: sql)
            } catch DatabaseError.SQLITE_CONSTRAINT {
              // The changes of the statement are undone.
            }
          }
          try db.execute(sql: "INSERT INTO team (name) VALUES ('end'); COMMIT")
        }
      }
      let (joined, whole) = (try await parts(first), try await parts(second))
      #expect(joined.flatMap(\.elements) == whole.flatMap(\.elements), "\(script)")
      #expect(joined.map(\.completeness).allSatisfy { $0 == whole[0].completeness }, "\(script)")
    }
  }

  @Test func `a row that does not fit in a segment is a part`() async throws {
    let writer = try open(rows: 2)
    let stream = try await writer.changes(limits: Self.inParts)
    try await writer.write { db in
      for id in 1...5 { try db.execute(sql: "INSERT INTO team VALUES (?, zeroblob(5000))", arguments: [id]) }
    }
    let parts = try await parts(stream)
    #expect(ids(parts) == Array(1...5))
    #expect(parts.allSatisfy { $0.rows.count <= 1 })
  }

  @Test(arguments: ["a full file", "no file"])
  func `rows that cannot be stored make the transaction incomplete, and it succeeds`(_ problem: String) async throws {
    let writer = try problem == "no file" ? open(vfs: "missing") : open(fileByteCount: 1_000)
    let stream = try await writer.changes(limits: Self.inParts)
    try await writer.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      try db.inSavepoint {
        try db.execute(sql: Self.insertion(1...200))
        return .rollback
      }
      try db.execute(sql: Self.insertion(1...200))
    }
    #expect(try await parts(stream).map(\.completeness) == [.incomplete(.notStored)])
    try await writer.write { try $0.execute(sql: "UPDATE team SET name = 'Blue'") }
    #expect(try await parts(stream).flatMap(\.lines) == ["UPDATE team [1]: name \"Red\" → \"Blue\""])
  }

  @Test func `counters and schema changes are in their parts`() async throws {
    let writer = try open()
    try await writer.write { try $0.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT)") }
    let stream = try await writer.changes(limits: Self.inParts)
    try await writer.write { db in
      try db.execute(sql: "INSERT INTO event VALUES (41)")
      try db.execute(sql: Self.insertion(1...50))
      try db.execute(sql: "CREATE TABLE note (text)")
      try db.execute(sql: "UPDATE player SET score = 1 WHERE id < 30; PRAGMA user_version = 3")
    }
    let lines = try await parts(stream).flatMap(\.lines)
    #expect(lines.count == 83)
    #expect(lines[0] == "INSERT event [41]: id 41")
    #expect(lines[51] == "CREATE TABLE note (text)")
    #expect(lines.suffix(2) == ["counter of event: 41", "user_version = 3"])
  }
}

/// Random statements of a transaction, with savepoints and conflicts.
private struct LargeTransaction {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  private mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  mutating func script() -> [String] {
    var (script, depth) = (["BEGIN"], 0)
    for _ in 0..<4 + below(12) {
      switch below(9) {
      case 0, 1:
        let count = 1 + below(40)
        script.append(
          """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
          INSERT INTO event (text, data) SELECT n % \(1 + below(6)), zeroblob(n) FROM number
          """)
      case 2: script.append("UPDATE event SET text = text + 1 WHERE id % 3 = \(below(3))")
      case 3: script.append("UPDATE tag SET owner = owner + 1")
      case 4: script.append("DELETE FROM event WHERE id % 7 = \(below(7))")
      case 5: script.append("UPDATE event SET id = id + 1")
      case 6:
        depth += 1
        script.append("SAVEPOINT s\(depth)")
      case 7 where depth > 0:
        depth = 1 + below(depth)
        script.append("ROLLBACK TO s\(depth)")
      case 8 where depth > 0:
        script.append("RELEASE s\(depth)")
        depth -= 1
      default: script.append("CREATE TABLE t\(below(1_000_000)) (a)")
      }
    }
    return script
  }
}
