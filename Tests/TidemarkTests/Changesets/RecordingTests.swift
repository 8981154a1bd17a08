import CSQLite
import Testing
import Tidemark

@testable import TidemarkEssentials

/// `Database.recordingChanges`.
@Suite struct RecordingTests {
  private struct Failure: Error {}

  private final class Counter: TransactionObserver {
    var count = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  private func inPlayers<T>(_ body: (Database) throws -> T) throws -> T {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, score INTEGER);
          CREATE TABLE log (text);
          INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20);
          """)
      return try body(db)
    }
  }

  private func texts(_ changes: Changeset) -> [String] { changes.elements.map(\.description) }

  @Test func `a recording outside of a transaction commits one`() throws {
    try inPlayers { db in
      let changes = try db.recordingChanges {
        #expect(db.isInsideTransaction)
        try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
      }
      #expect(!db.isInsideTransaction)
      #expect(texts(changes) == ["UPDATE player [1]: score 10 → 11"])
    }
  }

  @Test func `a recording in an open transaction contains only its own changes`() throws {
    try inPlayers { db in
      try db.inTransaction {
        try db.execute(sql: "UPDATE player SET score = 1; UPDATE player SET score = 2")
        let changes = try db.recordingChanges { try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1") }
        try db.execute(sql: "UPDATE player SET score = 4")
        #expect(texts(changes) == ["UPDATE player [1]: score 2 → 3"])
        return .commit
      }
    }
  }

  @Test func `statements that were prepared before the recording are recorded`() throws {
    try inPlayers { db in
      try db.inTransaction {
        let (delete, insert) = (
          try db.makeStatement(sql: "DELETE FROM player"), try db.makeStatement(sql: "INSERT INTO log VALUES (?)")
        )
        for number in 0..<40 { try insert.execute(arguments: [number]) }
        let changes = try db.recordingChanges {
          try delete.execute()
          try insert.execute(arguments: [40])
        }
        #expect(changes.rows.map(\.operation) == [.delete, .delete, .insert])
        return .commit
      }
    }
  }

  @Test func `nested recordings contain the changes of their own closures`() throws {
    try inPlayers { db in
      var inner = Changeset()
      let outer = try db.recordingChanges {
        try db.execute(sql: "INSERT INTO log VALUES ('a')")
        inner = try db.recordingChanges { try db.execute(sql: "INSERT INTO log VALUES ('b')") }
        try db.execute(sql: "INSERT INTO log VALUES ('c')")
      }
      #expect(inner.rows.map { $0.newRow?["text"] } == ["b"])
      #expect(outer.rows.map { $0.newRow?["text"] } == ["a", "b", "c"])
    }
  }

  @Test func `a closure that throws leaves the database unchanged, and ends the recording`() throws {
    try inPlayers { db in
      #expect(throws: Failure.self) {
        try db.recordingChanges {
          try db.execute(sql: "DELETE FROM player")
          throw Failure()
        }
      }
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2)
      let changes = try db.recordingChanges { try db.execute(sql: "DELETE FROM player WHERE id = 1") }
      #expect(changes.rows.count == 1)
    }
  }

  @Test func `changes that were rolled back are not recorded`() throws {
    try inPlayers { db in
      let changes = try db.recordingChanges {
        try db.execute(
          sql: """
            INSERT INTO log VALUES ('kept');
            SAVEPOINT s;
            INSERT INTO log VALUES ('undone');
            ROLLBACK TO s;
            INSERT INTO log VALUES ('kept too');
            RELEASE s;
            """)
        #expect(throws: DatabaseError.self) {
          try db.execute(sql: "INSERT INTO player (name) VALUES ('Cid'), ('Ada')")
        }
      }
      #expect(changes.rows.map { $0.newRow?["text"] } == ["kept", "kept too"])
    }
  }

  @Test func `replaced rows, triggers and cascades are recorded`() throws {
    try inPlayers { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, owner REFERENCES player ON DELETE CASCADE);
          INSERT INTO item VALUES (5, 1);
          CREATE TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO log VALUES (new.name); END;
          """)
      let changes = try db.recordingChanges {
        try db.execute(sql: "REPLACE INTO player (name, score) VALUES ('Ada', 0)")
      }
      #expect(
        texts(changes) == [
          #"DELETE player [1]: id 1, name "Ada", score 10"#, "DELETE item [5]: id 5, owner 1",
          #"INSERT player [3]: id 3, name "Ada", score 0"#, #"INSERT log [1]: text "Ada""#, "counter of player: 3",
        ])
    }
  }

  @Test func `counters and the user version are recorded with their former values`() throws {
    try inPlayers { db in
      let changes = try db.recordingChanges {
        try db.execute(sql: "INSERT INTO player (name) VALUES ('Cid'); PRAGMA user_version = 7")
      }
      #expect(texts(changes).suffix(2) == ["counter of player: 3", "user_version = 7"])
      #expect(try texts(changes.inverted()).suffix(2) == ["counter of player: 2", "user_version = 0"])
    }
  }

  @Test(arguments: ["tidemark_feedback", "tidemark_feed2", "tidemark_clusters"])
  func `a table whose name begins like those of the library is recorded`(name: String) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY)")
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO \(name) VALUES (1)") }
      #expect(changes.rows.map(\.description) == ["INSERT \(name) [1]: id 1"])
    }
  }

  @Test func `schema changes are recorded in their order`() throws {
    try inPlayers { db in
      let changes = try db.recordingChanges {
        try db.execute(sql: "INSERT INTO log VALUES (1); ALTER TABLE log ADD COLUMN b; INSERT INTO log VALUES (2, 3)")
      }
      #expect(
        texts(changes) == ["INSERT log [1]: text 1", "ALTER TABLE log ADD COLUMN b", "INSERT log [2]: text 2, b 3"])
    }
  }

  @Test func `schema changes are recorded after another connection has changed the schema`() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    let other = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE a (x)") }
    try other.write { try $0.execute(sql: "CREATE TABLE b (x)") }
    let changes = try pool.write { db in
      try db.recordingChanges { try db.execute(sql: "CREATE TABLE c (x)") }
    }
    #expect(texts(changes) == ["CREATE TABLE c (x)"])
  }

  @Test func `counters of tables that another connection has created are not recorded`() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    let other = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE a (x)") }
    try other.write { db in
      try db.execute(sql: "CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO b VALUES (5)")
    }
    let changes = try pool.write { db in
      try db.recordingChanges { try db.execute(sql: "INSERT INTO a VALUES (1)") }
    }
    #expect(texts(changes) == ["INSERT a [1]: x 1"])
  }

  // MARK: - Unknown changes

  @Test func `changes of virtual tables are refused, and undone`() throws {
    try inPlayers { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE docs USING fts5(body); INSERT INTO docs VALUES ('before')")
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO docs VALUES ('in the same transaction')")
        let error = #expect(throws: ChangesetError.self) {
          try db.recordingChanges { try db.execute(sql: "INSERT INTO docs VALUES ('recorded')") }
        }
        #expect(error?.reason == .incomplete(.notReported))
        #expect(error?.message.hasPrefix("unknown rows of table docs") == true)
        return .commit
      }
      #expect(try String.fetchAll(db, sql: "SELECT body FROM docs") == ["before", "in the same transaction"])
    }
  }

  @Test func `an incremental blob write is refused`() throws {
    try inPlayers { db in
      try db.execute(sql: "INSERT INTO log VALUES ('Ada')")
      let error = #expect(throws: ChangesetError.self) {
        try db.recordingChanges {
          var blob: OpaquePointer?
          #expect(sqlite3_blob_open(db.sqliteConnection, "main", "log", "text", 1, 1, &blob) == SQLITE_OK)
          #expect(sqlite3_blob_write(blob, "X", 1, 0) == SQLITE_OK)
          #expect(sqlite3_blob_close(blob) == SQLITE_OK)
        }
      }
      #expect(error?.reason == .incomplete(.notReported))
      let text = try String.fetchOne(db, sql: "SELECT text FROM log")
      #expect(text == "Ada")
    }
  }

  @Test func `statements that are executed with the C interface are refused`() throws {
    try inPlayers { db in
      #expect(throws: ChangesetError.self) {
        try db.recordingChanges {
          #expect(sqlite3_exec(db.sqliteConnection, "DELETE FROM player WHERE id = 1", nil, nil, nil) == SQLITE_OK)
        }
      }
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
      #expect(count == 2)
    }
  }

  @Test func `more rows than the log can contain are refused`() throws {
    var configuration = Configuration()
    configuration.environment.changeLogBound = ChangeLog.Bound(recordCount: 10, byteCount: 1_000)
    try inMemory(configuration) { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      let rows = "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c LIMIT 20) SELECT i FROM c"
      let error = #expect(throws: ChangesetError.self) {
        try db.recordingChanges { try db.execute(sql: "INSERT INTO t \(rows)") }
      }
      #expect(error?.reason == .incomplete(.tooManyRows))
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0)
    }
  }

  @Test func `a closure that ends the transaction is refused`() throws {
    try inPlayers { db in
      let error = #expect(throws: ChangesetError.self) {
        try db.recordingChanges {
          try db.execute(sql: "DELETE FROM player WHERE id = 1; ROLLBACK")
        }
      }
      #expect(error?.reason == .transactionEnded)
      #expect(!db.isInsideTransaction)
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
      #expect(count == 2)
      // The next recording is not affected.
      let changes = try db.recordingChanges { try db.execute(sql: "DELETE FROM player") }
      #expect(changes.rows.count == 2)
    }
  }

  @Test func `a closure that rolls back to a savepoint around it is refused`() throws {
    try inPlayers { db in
      try db.inTransaction {
        // The log has no row and no statement for the tables of the library.
        try db.execute(sql: "SAVEPOINT around; CREATE TABLE tidemark_undo (a)")
        let error = #expect(throws: ChangesetError.self) {
          try db.recordingChanges { try db.execute(sql: "ROLLBACK TO around") }
        }
        #expect(error?.reason == .transactionEnded)
        // Its own savepoint cannot be rolled back.
        #expect(!db.isInsideTransaction)
        return .rollback
      }
      #expect(try !db.tableExists("tidemark_undo"))
    }
  }

  @Test func `a closure that releases a savepoint around it is refused`() throws {
    try inPlayers { db in
      // Rows that only the observer needs are removed from the log once it has received them.
      let counter = Counter()
      db.add(transactionObserver: counter)
      try db.inTransaction {
        try db.execute(sql: "SAVEPOINT around; INSERT INTO log VALUES (1)")
        let error = #expect(throws: DatabaseError.self) {
          try db.recordingChanges { try db.execute(sql: "RELEASE around") }
        }
        #expect(error?.message?.contains("no such savepoint") == true)
        #expect(!db.isInsideTransaction)
        return .rollback
      }
      #expect(counter.count == 1)
    }
  }

  @Test func `a connection that cannot write is refused`() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect(throws: DatabaseError.self) { try pool.read { db in try db.recordingChanges {} } }
  }

  // MARK: - Others

  /// A recording captures more than the stream needs.
  @Test func `a change stream receives the transaction as without a recording`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { try $0.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x)") }
    let stream = try await dbQueue.changes(in: Table("a"))
    try await dbQueue.write { db in
      try db.execute(sql: "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
      let changes = try db.recordingChanges {
        try db.execute(sql: "INSERT INTO a VALUES (2); INSERT INTO b VALUES (2)")
      }
      #expect(changes.rows.count == 2)
      try db.execute(sql: "INSERT INTO a VALUES (3)")
    }
    #expect(try await lines(stream) == ["INSERT a [1]: x 1", "INSERT a [2]: x 2", "INSERT a [3]: x 3"])
  }

  @Test func `a transaction observer is notified once per change`() throws {
    try inPlayers { db in
      let counter = Counter()
      db.add(transactionObserver: counter)
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO log VALUES (1)")
        _ = try db.recordingChanges { try db.execute(sql: "INSERT INTO log VALUES (2)") }
        try db.execute(sql: "INSERT INTO log VALUES (3)")
        return .commit
      }
      #expect(counter.count == 3)
    }
  }

  @Test func `without listeners, rows are captured only during a recording`() throws {
    try inPlayers { db in
      try db.inTransaction {
        _ = try db.recordingChanges { try db.execute(sql: "INSERT INTO log VALUES (1)") }
        let count = db.changeCapture.log.records.count
        try db.execute(sql: "INSERT INTO log VALUES (2)")
        #expect(count == 1 && db.changeCapture.log.records.count == 1)
        #expect(!db.changeCapture.receivesRows)
        return .commit
      }
    }
  }

  @Test func `a double without a fraction is recorded in a table with virtual columns`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE box (id INTEGER PRIMARY KEY, value, twice AS (value * 2))")
      try db.execute(sql: "INSERT INTO box (id, value) VALUES (1, 2)")
      let changes = try db.recordingChanges { try db.execute(sql: "UPDATE box SET value = 3.0") }
      #expect(texts(changes) == ["UPDATE box [1]: value 2 → 3.0"])
      try db.apply(changes.inverted())
      #expect(try Row.fetchOne(db, sql: "SELECT id, value, twice FROM box") == ["id": 1, "value": 2, "twice": 4])
    }
  }

  @Test func `a double beside a REAL column and a virtual one is not recorded, and the error says so`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE box (id INTEGER PRIMARY KEY, value, size REAL, twice AS (value * 2))")
      try db.execute(sql: "INSERT INTO box (id, value) VALUES (1, 2)")
      let error = #expect(throws: ChangesetError.self) {
        try db.recordingChanges { try db.execute(sql: "UPDATE box SET value = 3.0") }
      }
      #expect(error?.message.contains("doubles without a fraction") == true)
      #expect(try Int.fetchOne(db, sql: "SELECT value FROM box") == 2)
    }
  }

  @Test(arguments: ["UPDATE item SET owner = 7", "UPDATE OR IGNORE item SET owner = 7", "DELETE FROM player"])
  func `a statement that violates a foreign key records nothing`(_ sql: String) throws {
    try inPlayers { db in
      try db.execute(sql: "CREATE TABLE item (owner REFERENCES player); INSERT INTO item VALUES (1), (2)")
      let changes = try db.recordingChanges {
        try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
        let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      }
      #expect(texts(changes) == ["UPDATE player [1]: score 10 → 11"])
      #expect(try Int.fetchAll(db, sql: "SELECT owner FROM item") == [1, 2])
    }
  }
}
