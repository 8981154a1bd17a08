import CSQLite
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The limits of `Database.recordingReplicatedChanges`, and changes that do not fit.
@Suite struct ReplicatedWriteTests {
  private static let players = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
    INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20), (3, 'Cid', 30);
    """

  private static let parents = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
    """

  @Test func `many rows are recorded and applied`() throws {
    let pair = try ReplicatedPair("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    let numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 150000)"
    let changes = try pair.replicate(
      "INSERT INTO t \(numbers) SELECT i, 'text ' || i FROM n; DELETE FROM t WHERE id % 3 = 0")
    #expect(changes.count == 200_000)
    let query = "SELECT COUNT(*) || ' ' || SUM(id) || ' ' || SUM(length(a)) FROM t"
    let (own, other) = (
      try pair.source.read { try String.fetchOne($0, sql: query) },
      try pair.target.read { try String.fetchOne($0, sql: query) }
    )
    #expect(own == other)
  }

  @Test func `the bound of the log is restored after a recording`() throws {
    let queue = try DatabaseQueue()
    try queue.write { db throws in
      let bound = db.changeCapture.log.bound.recordCount
      _ = try db.recordingReplicatedChanges { db throws in
        #expect(db.changeCapture.log.bound.recordCount == .max)
      }
      #expect(db.changeCapture.log.bound.recordCount == bound)
      #expect(throws: DatabaseError.self) {
        try db.recordingReplicatedChanges { try $0.execute(sql: "no SQL") }
      }
      #expect(db.changeCapture.log.bound.recordCount == bound)
    }
  }

  @Test func `changes of temporary and attached databases are left out`() throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.source.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.o (a)")
    }
    let changes = try pair.check(
      """
      CREATE TEMP TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT);
      INSERT INTO t VALUES (5);
      CREATE TEMP TRIGGER r AFTER INSERT ON player BEGIN INSERT INTO t VALUES (new.id); END;
      INSERT INTO player VALUES (7, 'Dan', 40);
      INSERT INTO other.o VALUES (CAST(x'ff' AS TEXT));
      CREATE INDEX other.i ON o (a);
      PRAGMA other.user_version = 5;
      DROP TABLE t;
      DROP TRIGGER r;
      """)
    #expect(changes == ["INSERT player [7]: id 7, name \"Dan\", score 40"])
  }

  @Test func `a write that violates deferred foreign keys is rolled back`() throws {
    let pair = try ReplicatedPair(Self.parents)
    try pair.source.write { db throws in
      var isViolated = false
      let error = #expect(throws: DatabaseError.self) {
        try db.recordingReplicatedChanges { db in
          try db.execute(sql: "INSERT INTO child VALUES (1, 5)")
          isViolated = db.violatesDeferredForeignKeys
        }
      }
      #expect(isViolated)
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      #expect(!db.violatesDeferredForeignKeys)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
    }
    try pair.check("INSERT INTO child VALUES (1, 5); INSERT INTO parent VALUES (5)")
  }

  @Test func `a transaction that SQLite has rolled back is reported with its error`() throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: Self.players)
      try db.beginTransaction()
      let error = #expect(throws: DatabaseError.self) {
        try db.recordingReplicatedChanges { db in
          try db.execute(sql: "DELETE FROM player WHERE id = 3; INSERT OR ROLLBACK INTO player VALUES (1, 'x', 1)")
        }
      }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      #expect(!db.isInsideTransaction)
      try db.beginTransaction()
      func write(_ db: Database) {
        #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'x', 1)") }
        #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM player") }
      }
      #expect(throws: ChangesetError.self) { try db.recordingReplicatedChanges(write) }
      #expect(!db.isInsideTransaction)
      try db.rollback()
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 3)
    }
  }

  @Test func `changes without the library are refused`() throws {
    let pair = try ReplicatedPair(Self.players)
    for sql in ["DELETE FROM player", "CREATE TABLE t (a)", "SAVEPOINT s; DELETE FROM player; RELEASE s"] {
      func write(_ db: Database) {
        #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
      }
      #expect(throws: ChangesetError.self) { try pair.source.recordReplicated(write) }
      try pair.expectEqual()
    }
  }

  @Test func `rows that are written in pieces are replicated`() throws {
    let pair = try ReplicatedPair(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 2, 'abcdef')")
    func overwrite(_ text: String, _ db: Database) {
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "t", "b", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, text, 1, 2) == SQLITE_OK)
      #expect(sqlite3_blob_close(blob) == SQLITE_OK)
    }
    let changes = try pair.replicate { db in
      overwrite("x", db)
      overwrite("y", db)
      try db.execute(sql: "UPDATE t SET b = b || 'z'")
      overwrite("w", db)
    }
    #expect(
      changes == [
        #"UPDATE t [1]: b "abcdef" → "abxdef""#, #"UPDATE t [1]: b "abxdef" → "abydef""#,
        #"UPDATE t [1]: b "abydef" → "abydefz""#, #"UPDATE t [1]: b "abydefz" → "abwdefz""#,
      ])
    try pair.expectEqual()
  }

  @Test(arguments: ["PRAGMA application_id = 5", "PRAGMA main.schema_version = 99"])
  func `settings that are not replicated are refused`(_ sql: String) throws {
    let queue = try DatabaseQueue()
    let changes = try queue.recordReplicated { db throws in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect(error?.resultCode == .SQLITE_MISUSE)
    }
    #expect(changes.isEmpty)
  }

  @Test(arguments: [
    "INSERT INTO tidemark_cluster VALUES (2)", "DROP TABLE Tidemark_Cluster", "DELETE FROM tidemark_cluster_part",
    "ALTER TABLE tidemark_cluster RENAME TO t", "CREATE INDEX i ON tidemark_cluster (id)",
    "CREATE TRIGGER u AFTER INSERT ON tidemark_cluster BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER u AFTER INSERT ON tidemark_cluster BEGIN SELECT 1; END",
    "INSERT INTO player VALUES (1)", "CREATE TABLE tidemark_cluster_2 (a)",
  ])
  func `changes of a node's own tables are refused`(_ sql: String) throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE tidemark_cluster (id); CREATE TABLE tidemark_cluster_part (id); CREATE TABLE player (id);
          CREATE TABLE tidemark_clusters (id);
          CREATE TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO tidemark_cluster VALUES (NEW.id); END;
          """)
    }
    let changes = try queue.recordReplicated { db throws in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect(error?.resultCode == .SQLITE_MISUSE && error?.message?.contains("belongs to the node") == true)
      // A table of the program.
      try db.execute(sql: "INSERT INTO tidemark_clusters VALUES (1)")
    }
    #expect(changes.count == 1)
  }

  @Test(arguments: ["query_only = 1", "main.locking_mode = EXCLUSIVE", "max_page_count(10)"])
  func `settings that would stay on the node's connection are refused`(_ pragma: String) throws {
    let queue = try DatabaseQueue()
    let changes = try queue.recordReplicated { db throws in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "PRAGMA \(pragma)") }
      #expect(error?.resultCode == .SQLITE_AUTH)
      try db.execute(sql: "CREATE TABLE t (a); PRAGMA query_only; PRAGMA table_info(t)")
    }
    #expect(changes.count == 1)
  }

  /// The other nodes would alter the table in another way.
  @Test func `an alteration with the legacy setting is refused`() throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { try $0.execute(sql: "CREATE TABLE t (a); PRAGMA legacy_alter_table = 1") }
    let changes = try queue.recordReplicated { db throws in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "ALTER TABLE t RENAME TO u") }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.contains("turn it off") == true)
    }
    #expect(changes.isEmpty)
  }

  @Test func `statistics stay local`() throws {
    let pair = try ReplicatedPair(Self.players + "CREATE INDEX i ON player (score)")
    let changes = try pair.check(
      "ANALYZE; UPDATE player SET score = 0 WHERE id = 1; ANALYZE player; DROP TABLE sqlite_stat1")
    #expect(changes.count == 1)
  }

  @Test func `a replicated write cannot contain another one, or begin outside of a transaction`() throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db throws in
      #expect(throws: DatabaseError.self) { try db.recordingReplicatedChanges { _ in } }
      #expect(throws: DatabaseError.self) { try db.applyReplicatedChanges([]) }
      try db.inTransaction {
        _ = try db.recordingReplicatedChanges { db throws in
          #expect(throws: DatabaseError.self) { try db.recordingReplicatedChanges { _ in } }
        }
        return .commit
      }
    }
  }

  @Test(arguments: [
    "UPDATE player SET score = 11 WHERE id = 1", "DELETE FROM player WHERE id = 1", "DELETE FROM player WHERE id = 2",
    "INSERT INTO player VALUES (4, 'x', 0)", "UPDATE player SET name = 'Dan' WHERE id = 3",
  ])
  func `changes that do not fit are refused, and none of them is applied`(_ sql: String) throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.target.write { try $0.execute(sql: sql) }
    let before = try pair.target.read { try $0.lines() }
    #expect(throws: ChangesetConflict.self) {
      try pair.replicate(
        """
        CREATE TABLE t (a);
        UPDATE player SET score = 12 WHERE id = 1;
        DELETE FROM player WHERE id = 2;
        INSERT INTO player VALUES (4, 'Dan', 40);
        """)
    }
    #expect(try pair.target.read { try $0.lines() } == before)
  }

  @Test func `a schema change of a table that a temporary one hides is refused`() throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.target.writeWithoutTransaction { try $0.execute(sql: "CREATE TEMP TABLE player (id)") }
    #expect(throws: ChangesetError.self) { try pair.replicate("DROP TABLE player") }
  }

  @Test func `constraints whose functions have another result are not checked again`() throws {
    let pair = try ReplicatedPair()
    try pair.source.write { db in db.add(function: DatabaseFunction("accepts", argumentCount: 1) { _ in true }) }
    try pair.target.write { db in db.add(function: DatabaseFunction("accepts", argumentCount: 1) { _ in false }) }
    try pair.check("CREATE TABLE t (a CHECK (accepts(a)))")
    try pair.check("INSERT INTO t VALUES (1)")
    try pair.target.write { db throws in
      _ = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (2)") }
    }
  }

  @Test(arguments: ["CREATE TABLE t (rowid, _rowid_, oid)", "CREATE TABLE t (rowid TEXT PRIMARY KEY, _rowid_, oid)"])
  func `a table whose columns hide its row IDs is refused`(_ schema: String) throws {
    let pair = try ReplicatedPair(schema)
    #expect(throws: ChangesetError.self) { try pair.replicate("INSERT INTO t VALUES (1, 2, 3)") }
    try pair.expectEqual()
  }

  @Test func `a change stream of the other database receives the rows`() async throws {
    let pair = try ReplicatedPair(Self.players)
    let stream = try await pair.target.changes()
    try pair.replicate("UPDATE player SET score = 0 WHERE id = 1")
    for try await changes in stream {
      #expect(changes.isComplete)
      #expect(changes.elements.map(\.description) == ["UPDATE player [1]: score 10 → 0"])
      break
    }
  }
}
