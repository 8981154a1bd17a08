import CSQLite
import TestSupport
import Testing
import Tidemark

/// Transactions of change streams of which some changes are unknown.
@Suite(.untilItHangs) struct IncompleteTransactionTests {
  // MARK: - Incomplete transactions

  @Test(arguments: Observed.streamed)
  func `a transaction with more rows than the limit is delivered without rows`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes(limits: .init(rowCount: 10))
    try await database.writer.write { db in
      for id in 1...10 { try db.execute(sql: "INSERT INTO team VALUES (?, 'a')", arguments: [id]) }
    }
    try await database.writer.write { db in
      for id in 11...21 { try db.execute(sql: "INSERT INTO team VALUES (?, 'a')", arguments: [id]) }
    }
    #expect(try await lines(stream).count == 10)
    var iterator = stream.makeAsyncIterator()
    let large = try #require(try await iterator.next())
    #expect(large.completeness == .incomplete(.tooManyRows))
    #expect(large.lines == ["unknown rows of team"])
  }

  @Test func `a double that SQLite may store as an integer is not reported`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE box (id TEXT PRIMARY KEY, value, twice AS (value * 2), size REAL);
          INSERT INTO box VALUES ('a', 2, 6)
          """)
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      // SQLite reports 6.0, and stores 6, because the table has a virtual column.
      try db.execute(
        sql: """
          INSERT INTO box (id, value, size) SELECT id, value, size FROM box WHERE true
            ON CONFLICT DO UPDATE SET value = excluded.size
          """)
    }
    try await database.writer.write { try $0.execute(sql: "UPDATE box SET size = 7, value = 6.5") }
    #expect(try await lines(stream) == ["unknown rows of box"])
    #expect(try await lines(stream) == ["UPDATE box [1]: value 6 → 6.5, size 6.0 → 7.0"])
  }

  @Test func `the limit of a stream does not depend on other streams`() async throws {
    let database = try Observed.pool.open()
    let (small, large) = (
      try await database.writer.changes(limits: .init(rowCount: 1)), try await database.writer.changes()
    )
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'a'), (2, 'b')") }
    #expect(try await lines(small) == ["unknown rows of team"])
    #expect(try await lines(large).count == 2)
  }

  @Test func `a transaction with too many rows contains its schema changes`() async throws {
    let database = try Observed.pool.open()
    let (small, large) = (
      try await database.writer.changes(limits: .init(rowCount: 1)), try await database.writer.changes()
    )
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'a'), (2, 'b'); CREATE TABLE note (text)")
    }
    #expect(try await lines(small) == ["unknown rows of team", "CREATE TABLE note (text)"])
    #expect(try await lines(large).count == 3)
  }

  @Test func `the limit of a stream does not count the rows of other tables`() async throws {
    let database = try Observed.pool.open()
    let all = try await database.writer.changes()
    let stream = try await database.writer.changes(in: Table("player"), limits: .init(rowCount: 2))
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'a'), (2, 'b'), (3, 'c')")
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20)")
    }
    #expect(try await lines(stream).count == 2)
    #expect(try await lines(all).count == 5)
  }

  @Test func `rows that were undone do not count`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("player"), limits: .init(rowCount: 2))
    try await database.writer.write { db in
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO player (name) VALUES ('a'), ('b'), ('c')")
        return .rollback
      }
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20)")
    }
    #expect(try await lines(stream).count == 2)
  }

  @Test func `rows of virtual tables are unknown, and the rows of their shadow tables are known`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE page USING fts5(text)")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO page VALUES ('one two')") }
    var iterator = stream.makeAsyncIterator()
    let transaction = try #require(try await iterator.next())
    #expect(transaction.completeness == .incomplete(.notReported))
    #expect(transaction.lines.last == "unknown rows of page")
    #expect(Set(transaction.rows.map(\.table.name)).isSuperset(of: ["page_content", "page_data", "page_idx"]))
  }

  @Test func `a new virtual table is a schema change`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    let sql = "CREATE VIRTUAL TABLE page USING fts5(text)"
    try await database.writer.write { try $0.execute(sql: sql) }
    #expect(try await lines(stream).contains(sql))
  }

  @Test func `an incremental write to a blob makes the rows of its table unknown`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, x'0102')") }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "team", "name", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, [3], 1, 0) == SQLITE_OK)
      #expect(sqlite3_blob_close(blob) == SQLITE_OK)
    }
    var iterator = stream.makeAsyncIterator()
    let transaction = try #require(try await iterator.next())
    #expect(transaction.completeness == .incomplete(.notReported))
    #expect(transaction.lines == ["unknown rows of team"])
  }

  @Test func `a transaction that was open when the stream began is unknown`() async throws {
    let database = try Observed.pool.open()
    let writer = database.writer
    let stream = try await writer.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN; INSERT INTO team VALUES (1, 'Red')")
      let stream = try writer.changes()
      try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue'); COMMIT")
      return stream
    }
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.completeness == .incomplete(.unknown))
  }

  @Test(arguments: Observed.streamed)
  func `VACUUM replaces the database`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes(in: Table("player"))
    try await database.writer.vacuum()
    var reasons: [TransactionChanges.Completeness] = []
    for try await transaction in stream {
      reasons.append(transaction.completeness)
      if reasons.last == .incomplete(.databaseReplaced) { break }
    }
    #expect(reasons.count == 1)
  }

  @Test func `a backup into the database replaces it`() async throws {
    let (database, source) = (try Observed.queue.open(), try DatabaseQueue())
    let stream = try await database.writer.changes(in: Table("player"))
    try await source.write { try $0.createPlayers() }
    try source.backup(to: database.writer)
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.completeness == .incomplete(.databaseReplaced))
  }

  // MARK: - External commits

  @Test func `commits of another connection are incomplete transactions, in order`() async throws {
    let database = try Observed.pool.open()
    let other = try DatabasePool(path: database.writer.path)
    let stream = try await database.writer.changes(in: Table("team"))
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    try await other.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (3, 'Green')") }
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.lines == ["INSERT team [1]: id 1, name \"Red\""])
    let external = try #require(try await iterator.next())
    #expect(external.completeness == .incomplete(.externalCommit))
    let last = try #require(try await iterator.next())
    #expect(last.lines == ["INSERT team [3]: id 3, name \"Green\""])
    #expect(try #require(external.version) < (try #require(last.version)))
  }

  @Test func `live queries and streams are both notified of commits of another connection`() async throws {
    let database = try Observed.pool.open()
    let other = try DatabaseQueue(path: database.writer.path)
    let stream = try await database.writer.changes()
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }
    var values = observation.values(in: database.writer).makeAsyncIterator()
    #expect(try await values.next() == 0)
    var changes = stream.makeAsyncIterator()
    for count in 1...5 {
      try await other.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('a')") }
      while try await values.next() != count {}
      #expect(try await changes.next()?.completeness == .incomplete(.externalCommit))
    }
  }

  @Test(arguments: [Observed.pool, .fileQueue])
  func `a commit of another connection is reported without an own commit`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes(in: Table("team"))
    let other = try DatabaseQueue(path: database.writer.path)
    try await other.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.completeness == .incomplete(.externalCommit))
  }
}
