import TestSupport
import Testing
import Tidemark

/// The counters of tables with `AUTOINCREMENT` in change streams.
@Suite(.untilItHangs) struct StreamedCounterTests {
  @Test func `a table that only mentions AUTOINCREMENT has no counter`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(
        sql:
          "CREATE TABLE event (id INTEGER PRIMARY KEY /* not AUTOINCREMENT */, \"autoincrement\" DEFAULT 'AUTOINCREMENT')"
      )
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO event VALUES (1, 2)") }
    var changes = stream.makeAsyncIterator()
    let transaction = try #require(try await changes.next())
    #expect(transaction.isComplete)
    #expect(transaction.lines == ["INSERT event [1]: id 1, autoincrement 2"])
  }

  @Test(arguments: Observed.streamed)
  func `a stream of a table contains the counters that the program sets`(_ kind: Observed) async throws {
    let database = try kind.open()
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT);
          CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT);
          INSERT INTO event VALUES (1); INSERT INTO other VALUES (1)
          """)
    }
    let stream = try await database.writer.changes(in: Table("event"))
    try await database.writer.write { try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'other'") }
    try await database.writer.write { try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 50 WHERE name = 'event'") }
    #expect(try await lines(stream) == ["counter of event: 50"])
    try await database.writer.write { try $0.execute(sql: "DELETE FROM sqlite_sequence") }
    #expect(try await lines(stream) == ["counter of event: none"])
  }

  @Test func `a table with a quote before an accent in its name has a counter`() async throws {
    let database = try Observed.queue.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE \"it'\u{301}s\" (id INTEGER PRIMARY KEY AUTOINCREMENT)")
    }
    _ = try await lines(stream)
    try await database.writer.write { try $0.execute(sql: "INSERT INTO \"it'\u{301}s\" VALUES (7)") }
    #expect(try await lines(stream).contains("counter of it'\u{301}s: 7"))
  }

  @Test(arguments: Observed.streamed)
  func `a stream contains the counter of a table that is renamed afterwards`(_ kind: Observed) async throws {
    let database = try kind.open()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO event VALUES (1)")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(
        sql: "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'event'; ALTER TABLE event RENAME TO happening")
    }
    #expect(try await lines(stream).contains("counter of happening: 9"))
  }

  @Test(arguments: Observed.streamed)
  func `a stream contains the counter that was removed before its table was renamed`(_ kind: Observed) async throws {
    let database = try kind.open()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO event VALUES (1)")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "DELETE FROM sqlite_sequence; ALTER TABLE event RENAME TO happening")
    }
    // A copy has the counter of the table with the old name when it renames the table.
    #expect(try await lines(stream).contains("counter of happening: none"))
  }

  @Test func `an insertion that is ignored changes the counter of a table whose rows are unknown`() async throws {
    let database = try Observed.queue.open()
    // SQLite does not report the value of d reliably: it precedes a virtual column, and follows a REAL column.
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, a, w AS (a || 'x'), c REAL, d UNIQUE);
          INSERT INTO item (a, d) VALUES ('a', 1)
          """)
    }
    let stream = try await database.writer.changes(in: Table("item"))
    try await database.writer.write { try $0.execute(sql: "INSERT OR IGNORE INTO item (a, d) VALUES ('b', 1)") }
    #expect(try await lines(stream) == ["counter of item: 2"])
  }
}
