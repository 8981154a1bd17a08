import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Changes that the program makes without the library are reported conservatively.
@Suite struct SharedConnectionTests {
  private static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, n INT, r INT); INSERT INTO a VALUES (1, 1, 1), (2, 2, 2);
    CREATE TABLE b (id INTEGER PRIMARY KEY, x UNIQUE); INSERT INTO b VALUES (1, 1);
    """

  private static func run(_ db: Database, _ sql: String) throws {
    try #require(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
  }

  @Test func anUpdateBeforeAnInsertOfTheLibraryIsReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.write { db in
      try Self.run(db, "UPDATE a SET r = 3")
      try db.execute(sql: "INSERT INTO a VALUES (3, 9, 9)")
    }
    let table = try #require(recorder.take().first?.tables.first)
    #expect(table.isCoarse && table.inserts && table.updates && table.updatedColumns == ["r"])
  }

  // swift-format-ignore
  @Test(arguments: [
    "PRAGMA user_version = 3", "PRAGMA application_id = 4", "CREATE TABLE c (x)", "DROP TABLE b", "VACUUM",
    "ALTER TABLE a ADD COLUMN c",
  ])
  func changesWithoutRowsAreReportedAsUnknown(sql: String) throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.writeWithoutTransaction { try Self.run($0, sql) }
    #expect(recorder.take().contains { $0.isUnknown })
  }

  @Test func rowsThatAreKeptAfterAnErrorOfAStrictTableAreReported() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c INTEGER) STRICT;
          CREATE TABLE u (a INTEGER PRIMARY KEY, b)
          """)
    }
    let sql = "SELECT y.b, t.c FROM u AS x NATURAL RIGHT JOIN t FULL JOIN u AS y ON t.c = y.rowid"
    let count = Locked(0)
    let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: sql))
      .start(in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in count.update { $0 += 1 } })
    try dbQueue.write { db in
      try? db.execute(sql: "INSERT OR IGNORE INTO t VALUES (9, 'x', 4), (11, 'y', 'z')")
      // SQLite undoes nothing.
      let kept = try Int.fetchAll(db, sql: "SELECT a FROM t")
      #expect(kept == [9])
    }
    #expect(count.value == 1)
    cancellable.cancel()
  }

  @Test func indexEntriesThatAreLostAfterAnErrorOfAStrictTableAreReported() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL, c TEXT UNIQUE) STRICT;
          INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y')
          """)
    }
    let sql = "SELECT count(*) FROM t"
    let count = Locked(0)
    let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: sql))
      .start(in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in count.update { $0 += 1 } })
    // The values of the rows are captured.
    let filtered = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM t WHERE b > 1"))
      .start(in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in })
    let isChanged = try dbQueue.write { db in
      try? db.execute(sql: "INSERT OR REPLACE INTO t VALUES (1, 'not a number', 'z')")
      // SQLite 3.40 preserves the row, and removes its entry from the index that counts the rows.
      return try Int.fetchOne(db, sql: sql) != 2
    }
    #expect(count.value == 1 || !isChanged)
    cancellable.cancel()
    filtered.cancel()
  }

  @Test func regionObservationsAreNotifiedOfReplacedContent() throws {
    let (dbQueue, _) = try captured(Self.schema)
    let count = Locked(0)
    let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT rootpage FROM sqlite_schema"))
      .start(in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in count.update { $0 += 1 } })
    try dbQueue.writeWithoutTransaction { try Self.run($0, "VACUUM") }
    #expect(count.value == 1)
    cancellable.cancel()
  }

  // The log of such a transaction contains no row.
  @Test(arguments: [
    "PRAGMA user_version = 3", "PRAGMA application_id = 4", "DROP TABLE b", "CREATE TABLE c (x)", "ANALYZE",
  ])
  func changesWithoutRowsInATransactionAreReportedAsUnknown(sql: String) throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.write { try Self.run($0, sql) }
    #expect(recorder.take().contains { $0.isUnknown })
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "SAVEPOINT s; DELETE FROM a WHERE n = 99")
      try Self.run(db, sql.replacing("TABLE c", with: "TABLE d").replacing("DROP TABLE b", with: "DROP TABLE a"))
      try db.execute(sql: "RELEASE s")
    }
    #expect(recorder.take().contains { $0.isUnknown })
  }

  @Test(arguments: ["PRAGMA user_version = 3", "DROP TABLE b"])
  func changesInATransactionThatTheProgramBeginsAreReportedAsUnknown(sql: String) throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      try Self.run(db, "BEGIN")
      try Self.run(db, sql)
      try db.execute(sql: "DELETE FROM a WHERE n = 99; COMMIT")
    }
    #expect(recorder.take().contains { $0.isUnknown })
  }

  // The library looks up each table when its first row changes, after the commit of the previous statement.
  @Test(arguments: [true, false]) func allStatementsOfTheProgramAreReported(usesRowHook: Bool) throws {
    let (dbQueue, recorder) = try captured(Self.schema, rowHook: usesRowHook)
    try dbQueue.inDatabase { db in
      try Self.run(db, "INSERT INTO a VALUES (3, 3, 3); UPDATE b SET x = 5; INSERT INTO a VALUES (4, 4, 4)")
      try db.execute(sql: "UPDATE a SET r = 7 WHERE id = 1")
    }
    let tables = recorder.take().flatMap(\.tables)
    #expect(tables.contains { $0.key == TableKey("a") && $0.inserts })
    #expect(tables.contains { $0.key == TableKey("b") && $0.updates })
    #expect(tables.contains { $0.key == TableKey("a") && $0.updates })
  }

  @Test func aTransactionThatFollowsARollbackOfTheProgramIsReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      try Self.run(db, "BEGIN; DELETE FROM a; ROLLBACK; BEGIN; UPDATE b SET x = 5")
      try db.execute(sql: "DELETE FROM a WHERE n = 99; COMMIT")
    }
    #expect(recorder.take().contains { $0.isUnknown || $0.tables.contains { $0.key == TableKey("b") } })
  }

  @Test func transactionsOfTheProgramWithoutChangesAreNotReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { try Self.run($0, "BEGIN; SELECT * FROM a; COMMIT") }
    #expect(recorder.take().isEmpty)
  }

  @Test func aPreparedDeleteOfAllRowsIsReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema, .none)
    var statement: OpaquePointer?
    try dbQueue.inDatabase { db in
      try #require(sqlite3_prepare_v2(db.sqliteConnection, "DELETE FROM a", -1, &statement, nil) == SQLITE_OK)
    }
    defer { sqlite3_finalize(statement) }
    _ = recorder.setNeeds(.all)
    dbQueue.inDatabase { _ in _ = sqlite3_step(statement) }
    dbQueue.inDatabase { _ in _ = sqlite3_reset(statement) }
    #expect(recorder.take().flatMap(\.tables).contains { $0.key == TableKey("a") && $0.deletes })
  }

  @Test func aBackupIntoTheDatabaseIsReportedAsUnknown() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    let source = try DatabaseQueue()
    try source.inDatabase { try $0.execute(sql: "CREATE TABLE a (id); INSERT INTO a VALUES (7)") }
    source.inDatabase { sourceDb in
      dbQueue.inDatabase { db in
        let backup = sqlite3_backup_init(db.sqliteConnection, "main", sourceDb.sqliteConnection, "main")
        #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
        #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
      }
    }
    #expect(recorder.take().contains { $0.isUnknown })
    try dbQueue.inDatabase { try #expect(Int.fetchAll($0, sql: "SELECT id FROM a") == [7]) }
  }

  @Test func aDeserializedDatabaseIsReportedAsUnknown() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      var size: sqlite3_int64 = 0
      let bytes = try #require(sqlite3_serialize(db.sqliteConnection, "main", &size, 0))
      try db.execute(sql: "DELETE FROM a")
      _ = recorder.take()
      let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
      try #require(sqlite3_deserialize(db.sqliteConnection, "main", bytes, size, size, flags) == SQLITE_OK)
    }
    #expect(recorder.take().contains { $0.isUnknown })
    try dbQueue.inDatabase { try #expect(Int.fetchAll($0, sql: "SELECT id FROM a") == [1, 2]) }
  }

  @Test func updatesInsideAFunctionOfAFailedStatementAreReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.write { db in
      nonisolated(unsafe) let connection = db.sqliteConnection
      db.add(
        function: DatabaseFunction("change", argumentCount: 0) { _ in
          sqlite3_exec(connection, "UPDATE a SET r = 7", nil, nil, nil)
          return 1
        })
      // The statement has no statement journal, so the changes of the function are kept.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO b VALUES (NULL, change())") }
      try #expect(Int.fetchAll(db, sql: "SELECT r FROM a") == [7, 7])
    }
    #expect(recorder.take().flatMap(\.tables).contains { $0.key == TableKey("a") && $0.updates })
  }

  @Test func updatesInsideAFunctionOfAnUnobservedStatementAreReported() throws {
    let needs = CaptureNeeds(tables: [TableKey("a"): .all])
    let (dbQueue, recorder) = try captured(Self.schema, needs)
    var update: OpaquePointer?
    try dbQueue.write { db in
      try #require(
        sqlite3_prepare_v2(db.sqliteConnection, "UPDATE a SET r = r + 1", -1, &update, nil) == SQLITE_OK)
    }
    defer { sqlite3_finalize(update) }
    nonisolated(unsafe) let prepared = update
    try dbQueue.write { db in
      db.add(
        function: DatabaseFunction("change", argumentCount: 1) { arguments in
          if arguments[0] == 90.databaseValue {
            sqlite3_step(prepared)
            sqlite3_reset(prepared)
          }
          return arguments[0]
        })
      try db.execute(
        sql: """
          INSERT INTO b (x) WITH RECURSIVE c(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM c WHERE x < 99)
            SELECT change(x) FROM c
          """)
    }
    #expect(recorder.take().flatMap(\.tables).contains { $0.key == TableKey("a") && $0.updates })
  }

  @Test func aCommitBeforeOneThatAnObserverRefusesIsReported() throws {
    struct Refused: Error {}
    let (dbQueue, recorder) = try captured(Self.schema)
    let observer = EventRecorder()
    dbQueue.add(transactionObserver: observer)
    try dbQueue.writeWithoutTransaction { db in
      try Self.run(db, "UPDATE a SET r = 3")
      observer.refusal = Refused()
      let code = sqlite3_exec(db.sqliteConnection, "UPDATE a SET n = 9", nil, nil, nil)
      try #require(code == SQLITE_CONSTRAINT | 2 << 8)  // SQLITE_CONSTRAINT_COMMITHOOK
    }
    #expect(recorder.take().contains { $0.isUnknown })
    try dbQueue.inDatabase { db in
      try #expect(Row.fetchAll(db, sql: "SELECT * FROM a") == [["id": 1, "n": 1, "r": 3], ["id": 2, "n": 2, "r": 3]])
    }
  }

  @Test func anAccessThatOnlyReadsIsNotReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { try Self.run($0, "SELECT * FROM a") }
    try dbQueue.inDatabase { try Self.run($0, "SELECT * FROM a") }
    #expect(recorder.take().isEmpty)
  }
  @Test func aTransactionThatFollowsACommitOfTheProgramIsReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      try Self.run(db, "BEGIN; DELETE FROM a; COMMIT; BEGIN; UPDATE b SET x = 5")
      try db.execute(sql: "DELETE FROM a WHERE n = 99; COMMIT")
    }
    #expect(recorder.take().map(\.isUnknown) == [true, true])
  }

  @Test func aTransactionOfTheProgramThatOutlivesAnAccessIsReportedWhenItIsCommitted() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { try $0.execute(sql: Self.schema) }
    let recorder = ChangeRecorder(dbQueue)
    try dbQueue.inDatabase { try Self.run($0, "BEGIN; UPDATE a SET r = 3") }
    #expect(recorder.take().isEmpty)
    try dbQueue.inDatabase { try Self.run($0, "COMMIT") }
    #expect(recorder.take().contains { $0.isUnknown || $0.tables.contains { $0.key == TableKey("a") } })
  }

  /// The end of the access does not wait for the lock.
  @Test func anAccessWhoseSchemaIsLockedIsReportedAsUnknown() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.database)
    try dbQueue.inDatabase { try $0.execute(sql: Self.schema) }
    let recorder = ChangeRecorder(dbQueue)
    var other: SQLiteConnection?
    try #require(sqlite3_open(folder.database, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    try dbQueue.inDatabase { db in
      _ = db.sqliteConnection
      try #require(sqlite3_exec(other, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
    sqlite3_exec(other, "ROLLBACK", nil, nil, nil)
    try dbQueue.inDatabase { try Self.run($0, "SELECT * FROM a") }
    #expect(recorder.take().isEmpty)
  }

  @Test func aCommitWhileTheDatabaseIsBeingStoppedIsNotReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    let health = dbQueue.inDatabase { $0.settings.health }
    let observer = StoppingObserver { health.stop(because: DatabaseError(resultCode: .SQLITE_IOERR)) }
    dbQueue.add(transactionObserver: observer)
    // The outcome of another commit has become unknown meanwhile.
    try? dbQueue.write { try $0.execute(sql: "UPDATE a SET r = 3") }
    #expect(recorder.take().isEmpty)
    #expect(!observer.hasCommitted)
  }
}

/// Calls a closure before a commit.
private final class StoppingObserver: TransactionObserver {
  private let willCommit: () -> Void
  private(set) var hasCommitted = false

  init(_ willCommit: @escaping () -> Void) { self.willCommit = willCommit }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseWillCommit() { willCommit() }
  func databaseDidCommit(_ db: Database) { hasCommitted = true }
  func databaseDidRollback(_ db: Database) {}
}
