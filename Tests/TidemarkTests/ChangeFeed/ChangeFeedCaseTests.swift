import CSQLite
import Foundation
import TestSupport
import Testing
import Tidemark

/// Unusual statements, transactions and files with a change feed.
@Suite(.untilItHangs) struct ChangeFeedCaseTests {
  // MARK: - Statements outside of transactions

  @Test func `a cursor that outlives its access commits its statement`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    var cursor: RowCursor?
    try database.withoutTransaction { db in
      cursor = try Row.fetchCursor(db, sql: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue') RETURNING *")
      _ = try cursor?.next()
    }
    #expect(throws: DatabaseError.self) {
      try database.write { db in
        try db.execute(sql: "UPDATE team SET name = 'x'")
        cursor = nil
        throw DatabaseError(message: "rolled back")
      }
    }
    #expect(
      try await database.entries(after: token) == [
        "INSERT team [1]: id 1, name \"Red\"; INSERT team [2]: id 2, name \"Blue\""
      ])
  }

  @Test func `an access that throws keeps the statement of its cursor, as without a feed`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    #expect(throws: DatabaseError.self) {
      try database.withoutTransaction { db in
        let cursor = try Row.fetchCursor(db, sql: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue') RETURNING *")
        _ = try cursor.next()
        throw DatabaseError(message: "after the first row")
      }
    }
    #expect(try await database.entries(after: token).count == 1)
  }

  @Test func `a transaction that the program ends while a statement returns rows is not ended twice`() throws {
    let database = try FedDatabase.pool.open()
    try database.withoutTransaction { db in
      do {
        let cursor = try Row.fetchCursor(db, sql: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue') RETURNING *")
        _ = try cursor.next()
        try db.execute(sql: "ROLLBACK")
      }
      try db.execute(sql: "INSERT INTO team VALUES (3, 'Green')")
    }
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT id FROM team") } == [3])
  }

  @Test func `a statement that fails without a conflict changes nothing`() async throws {
    let database = try FedDatabase.pool.open()
    try database.execute(
      """
      CREATE TABLE u (a); INSERT INTO u VALUES (1), (2);
      CREATE TABLE v (k, x); INSERT INTO v VALUES (1, 5), (2, 9223372036854775807), (2, 1)
      """)
    let token = try database.token
    #expect(throws: DatabaseError.self) {
      try database.withoutTransaction { try $0.execute(sql: "UPDATE u SET a = (SELECT sum(x) FROM v WHERE k = u.a)") }
    }
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT a FROM u") } == [1, 2])
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await database.entries(after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `a statement that returns rows of a temporary table does not prevent commits`() throws {
    let database = try FedDatabase.pool.open()
    try database.withoutTransaction { db in
      try db.execute(sql: "CREATE TEMP TABLE t (a)")
      let cursor = try Row.fetchCursor(db, sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
      while let row = try cursor.next() {
        try db.execute(sql: "INSERT INTO team VALUES (?, 'Red')", arguments: [row[0] as Int])
      }
    }
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT id FROM team ORDER BY id") } == [1, 2])
  }

  @Test(arguments: FedDatabase.allCases)
  func `an incremental write to a blob is unknown`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    let token = try database.token
    try database.withoutTransaction { db in
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "team", "name", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, "B", 1, 0) == SQLITE_OK)
      #expect(sqlite3_blob_close(blob) == SQLITE_OK)
    }
    try database.execute("INSERT INTO player VALUES (1, 'Ada', 10)")
    #expect(
      try await database.entries(after: token) == [
        "incomplete: unknown", "INSERT player [1]: id 1, name \"Ada\", score 10",
      ])
  }

  /// In a database in memory, nothing counts the commits: the feed did not notice the statements that change no rows.
  @Test(
    arguments: FedDatabase.allCases,
    ["PRAGMA user_version = 3", "DROP INDEX teamName", "CREATE TABLE league (id)", "ANALYZE", "VACUUM"])
  func `a statement of the C interface that changes no rows is unknown`(_ kind: FedDatabase, _ sql: String) async throws
  {
    let database = try kind.open()
    try database.execute("INSERT INTO team VALUES (1, 'Red'); CREATE INDEX teamName ON team (name)")
    let token = try database.token
    try database.withoutTransaction { db in
      #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
    }
    try database.execute("INSERT INTO player VALUES (1, 'Ada', 10)")
    #expect(
      try await database.entries(after: token) == [
        "incomplete: unknown", "INSERT player [1]: id 1, name \"Ada\", score 10",
      ])
  }

  // MARK: - Commits without changes

  @Test(
    arguments: [
      "SAVEPOINT a; INSERT INTO team VALUES (9, 'x'); ROLLBACK TO a; RELEASE a",
      "INSERT OR IGNORE INTO team VALUES (1, 'Red'), (1, 'Red')", "UPDATE team SET name = name",
      "INSERT INTO team VALUES (8, 'x'); DELETE FROM team WHERE id = 8", "REINDEX; INSERT INTO team VALUES (7, 'x')",
      "ANALYZE",
      "UPDATE team SET name = 'y' WHERE id = 1000", "ALTER TABLE team ADD COLUMN b DEFAULT 1; UPDATE team SET b = b",
    ])
  func `a transaction of this program is known, whatever it writes`(_ sql: String) async throws {
    for kind in FedDatabase.allCases {
      let database = try kind.open()
      try database.execute("INSERT INTO team VALUES (1, 'Red'); CREATE INDEX name ON team (name)")
      let token = try database.token
      try database.execute(sql)
      try database.execute("INSERT INTO player VALUES (1, 'Ada', 10)")
      let entries = try await database.entries(after: token)
      #expect(entries.last == "INSERT player [1]: id 1, name \"Ada\", score 10")
      #expect(!entries.contains { $0.hasPrefix("incomplete") }, "\(kind)")
    }
  }

  @Test func `a statement that fails in a transaction is known`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.write { db in
      _ = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO team VALUES (1, 'a'), (1, 'b')") }
    }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await database.entries(after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  /// SQLite compiles the statement again when it runs. The entry said that anything may have changed.
  @Test(
    arguments: FedDatabase.shared,
    [
      "CREATE TABLE league (id)", "CREATE TABLE league (id INTEGER PRIMARY KEY AUTOINCREMENT)",
      "CREATE TABLE IF NOT EXISTS league (id)", "CREATE INDEX teamName ON team (name)",
      "CREATE VIEW teams AS SELECT * FROM team", "ALTER TABLE team ADD COLUMN b", "DROP TABLE team",
    ])
  func `a schema change is known after another connection has changed the schema`(
    _ kind: FedDatabase, _ sql: String
  ) async throws {
    let one = try kind.open()
    let two = try kind.open(in: one.folder)
    try one.execute("CREATE TABLE match (id INTEGER PRIMARY KEY AUTOINCREMENT)")
    let token = try one.token
    try two.execute(sql)
    #expect(try await one.entries(after: token) == [sql])
  }

  @Test func `a table that another connection has created is dropped by an unknown change`() async throws {
    let one = try FedDatabase.pool.open()
    let two = try FedDatabase.pool.open(in: one.folder)
    try one.execute("CREATE TABLE match (id)")
    let token = try one.token
    try two.execute("DROP TABLE IF EXISTS match")
    #expect(try await one.entries(after: token) == ["incomplete: unknown"])
  }

  // MARK: - Files

  @Test func `a database in memory can be erased`() async throws {
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    let dbQueue = try DatabaseQueue(configuration: configuration)
    let database = FedDatabase.Opened(folder: try TemporaryFolder(), writer: dbQueue)
    let token = try database.token
    try await dbQueue.erase()
    try database.execute("CREATE TABLE t (a)")
    try database.execute("INSERT INTO t VALUES (1)")
    #expect(try await database.entries(after: nil).last == "INSERT t [1]: a 1")
    await #expect(throws: ChangeFeedError.otherHistory) { try await dbQueue.changes(after: token) }
  }

  @Test func `two queues of a named database in memory share the feed`() async throws {
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    let folder = try TemporaryFolder()
    let (one, two) = (
      FedDatabase.Opened(
        folder: folder, writer: try DatabaseQueue(named: "feed", configuration: configuration)),
      FedDatabase.Opened(
        folder: folder, writer: try DatabaseQueue(named: "feed", configuration: configuration))
    )
    try one.execute("CREATE TABLE t (a)")
    let token = try one.token
    for number in 1...2 {
      try one.execute("INSERT INTO t VALUES (\(number))")
      try two.execute("INSERT INTO t VALUES (\(-number))")
    }
    #expect(
      try await one.entries(after: token) == [
        "INSERT t [1]: a 1", "INSERT t [2]: a -1", "INSERT t [3]: a 2", "INSERT t [4]: a -2",
      ])
  }

  @Test func `a commit after a recovery of the log is noticed, although the counters agree`() async throws {
    let first = try FedDatabase.pool.open()
    try first.close()
    let second = try FedDatabase.pool.open(in: first.folder)
    try second.execute("INSERT INTO team VALUES (1, 'Red')")
    let token = try second.token
    try second.close()
    // The number of commits in the WAL-index is one again, and the log was restarted.
    let stranger = try DatabaseQueue(path: first.folder.path("db"))
    try await stranger.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint; DELETE FROM team") }
    let third = try FedDatabase.pool.open(in: first.folder)
    #expect(try await third.entries(1, after: token) == ["incomplete: unknown"])
    try await stranger.read { _ = try Int.fetchOne($0, sql: "SELECT 1") }
  }

  @Test func `a feed of another process is found`() async throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("db"))
    let reader = FedDatabase.Opened(folder: folder, writer: pool)
    #expect(throws: ChangeFeedError.notEnabled) { try reader.token }
    let database = try FedDatabase.pool.open(in: folder)
    #expect(try reader.token == database.token)
  }

  @Test func `a reader notices that the last entry was replaced by one of the same version`() async throws {
    let original = try FedDatabase.fileQueue.open()
    let token = try original.token
    try original.close()
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: original.folder.path("db"), toPath: folder.path("db"))
    let database = try FedDatabase.fileQueue.open(in: original.folder)
    try database.execute("INSERT INTO team VALUES (1, 'lost')")
    let reader = try DatabaseQueue(path: original.folder.path("db"))
    let stream = try await reader.changes(after: token)
    #expect(try await stream.take(1).map(\.changes.summary) == ["INSERT team [1]: id 1, name \"lost\""])
    let restored = try FedDatabase.fileQueue.open(in: folder)
    try restored.execute("INSERT INTO team VALUES (1, 'new')")
    #expect(try restored.token.version == database.token.version)
    try restored.backup(to: reader)
    await #expect(throws: ChangeFeedError.otherHistory) { try await stream.take(1) }
  }

  // MARK: - Retention

  @Test func `large transactions are removed as fast as they are added`() throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 1_000_000))
    try database.execute("CREATE TABLE b (a)")
    for _ in 1...40 { try database.execute("DELETE FROM b; INSERT INTO b VALUES (randomblob(300000))") }
    let bytes = try database.read { try Int.fetchOne($0, sql: "SELECT sum(length(changes)) FROM tidemark_feed") }
    #expect(try #require(bytes) < 4_000_000)
  }

  @Test func `entries are removed when each second version is unknown`() throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 0))
    let stranger = try DatabaseQueue(path: database.folder.path("db"))
    for number in 1...60 {
      try stranger.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (\(number), 'x', 0)") }
      try database.execute("INSERT INTO team VALUES (\(number), 'Red')")
    }
    let count = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tidemark_feed") }
    #expect(try #require(count) < 60)
  }

  // MARK: - Reading

  @Test func `concurrent iterations of a stream share its entries`() async throws {
    let database = try FedDatabase.pool.open()
    let stream = try await database.writer.changes(after: database.token)
    let count = 1_500
    for number in 1...count { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    let versions: [DatabaseVersion] = try await withThrowingTaskGroup(of: [ChangeFeedEntry].self) { group in
      for _ in 0..<4 { group.addTask { try await stream.take(count / 4) } }
      return try await group.reduce(into: [ChangeFeedEntry]()) { $0 += $1 }.map(\.token.version)
    }
    #expect(versions.count == count)
    #expect(Set(versions).count == count)
  }

  @Test func `a region follows the schema between two entries`() async throws {
    let database = try FedDatabase.pool.open()
    let stream = try await database.writer.changes(
      after: database.token, in: SQLRequest<Row>(sql: "SELECT * FROM team"))
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.execute("ALTER TABLE team ADD COLUMN size")
    try database.execute("UPDATE team SET size = 3")
    #expect(try await stream.take(3).last?.changes.summary == "UPDATE team [1]: size NULL → 3")
  }

  @Test(arguments: FedDatabase.allCases)
  func `a setting of another database is no unknown change of this one`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    try database.withoutTransaction { try $0.execute(sql: "ATTACH ':memory:' AS other") }
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "PRAGMA other.user_version = 3; PRAGMA temp.user_version = 4")
    }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await database.entries(after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `the entries before a damaged one are delivered`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    for number in 1...3 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    try database.strangerExecutes(
      "UPDATE tidemark_feed SET changes = x'00' WHERE id >> 20 = \(token.version.count + 2)")
    let stream = try await database.writer.changes(after: token)
    #expect(try await stream.take(1).map(\.changes.summary) == ["INSERT team [1]: id 1, name \"Red\""])
    await #expect(throws: ChangeFeedError.otherHistory) { try await stream.take(1) }
  }

  @Test(
    arguments: [
      "INSERT INTO tidemark_feed VALUES (-1, x'', x'')",
      "INSERT INTO tidemark_feed SELECT 9223372036854775807, header, changes FROM tidemark_feed",
      "INSERT INTO tidemark_feed SELECT 4611686018427387904, zeroblob(41), x''",
      "UPDATE tidemark_feed SET header = randomblob(41)", "UPDATE tidemark_feed SET header = NULL, changes = 7",
      "UPDATE tidemark_feed_history SET history = 'x'",
      "INSERT INTO tidemark_feed_consumer VALUES ('mail', 'x', 'y')",
    ])
  func `malformed tables are errors`(_ sql: String) async throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 0))
    // Some are refused by the constraints of the tables.
    _ = try? database.strangerExecutes(sql)
    for number in 1...20 { _ = try? database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    _ = try? await database.writer.changes(after: nil).take(1)
    _ = try? database.write { db in try db.acknowledge(db.changeToken(), by: "mail") }
  }
}
