import Testing
import Tidemark

@testable import TidemarkEssentials

/// `Database.apply`, without conflicts.
@Suite struct ApplyingTests {
  /// Returns the rows of a table after changes were recorded in one database, and applied to another one.
  ///
  /// - Parameter other: The SQL that makes the other database; by default, the same.
  private func applied(
    _ schema: String, other: String? = nil, _ updates: String, transform: (Changeset) throws -> Changeset = { $0 },
    triggers: ChangesetTriggers = .skip, query: String
  ) throws -> [String] {
    let changes = try inMemory { db in
      try db.execute(sql: schema)
      return try db.recordingChanges { try db.execute(sql: updates) }
    }
    return try inMemory { db in
      try db.execute(sql: other ?? schema)
      #expect(try db.apply(transform(changes), triggers: triggers).isEmpty)
      return try String.fetchAll(db, sql: query)
    }
  }

  private static let players = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
    INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20), (3, 'Cid', 30);
    """

  private static let playerLines = "SELECT id || ' ' || name || ' ' || score FROM player ORDER BY id"

  @Test(arguments: [
    TransactionChanges.Element.counter(databaseName: "ma\0in", tableName: "player", value: 4),
    .userVersion(databaseName: "ma\0in", value: 4),
  ])
  func `a number of a database whose name contains NUL is refused`(_ element: TransactionChanges.Element) throws {
    let changes = try Changeset(decoding: Changeset([element]).encoded())
    try inMemory { db in
      let error = #expect(throws: ChangesetError.self) { try db.apply(changes) }
      #expect(error?.reason == .schemaMismatch)
    }
  }

  @Test func `changes of a table whose name contains NUL are refused`() throws {
    let changes = try inMemory { db in
      try db.execute(sql: "CREATE TABLE p (id INTEGER PRIMARY KEY)")
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO p VALUES (1)") }
    }
    let bytes = changes.encoded().map { $0 == UInt8(ascii: "p") ? 0 : $0 }
    let renamed = try Changeset(decoding: bytes)
    try inMemory { db throws in
      let error = #expect(throws: ChangesetError.self) { try db.apply(renamed) }
      #expect(error?.reason == .schemaMismatch)
      #expect(try !db.tableExists("\0"))
    }
  }

  @Test func `insertions, updates and deletions are applied`() throws {
    let lines = try applied(
      Self.players,
      "INSERT INTO player VALUES (4, 'Dan', 40); UPDATE player SET score = 11 WHERE id = 1; DELETE FROM player WHERE id = 2",
      query: Self.playerLines)
    #expect(lines == ["1 Ada 11", "3 Cid 30", "4 Dan 40"])
  }

  @Test func `the inverse gives the state before, with its counters`() throws {
    try inMemory { db in
      try db.execute(
        sql: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (1, 'a'), (5, 'b')")
      let changes = try db.recordingChanges {
        try db.execute(sql: "INSERT INTO t (a) VALUES ('c'); UPDATE t SET a = 'x', id = 9 WHERE id = 1; DELETE FROM t")
      }
      try db.apply(changes.inverted())
      #expect(try String.fetchAll(db, sql: "SELECT id || a FROM t") == ["1a", "5b"])
      #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence") == 5)
    }
  }

  @Test func `rows exchange unique values`() throws {
    let lines = try applied(
      Self.players,
      """
      UPDATE player SET name = 'x' WHERE id = 1; UPDATE player SET name = 'Ada' WHERE id = 3;
      UPDATE player SET name = 'Cid' WHERE id = 2; UPDATE player SET name = 'Bob' WHERE id = 1
      """, query: Self.playerLines)
    #expect(lines == ["1 Bob 10", "2 Cid 20", "3 Ada 30"])
  }

  @Test func `a row that exchanges a unique value keeps its other columns`() throws {
    let lines = try applied(
      Self.players,
      other: """
        CREATE TABLE player (extra TEXT DEFAULT 'none', score INTEGER, name TEXT UNIQUE, ID INTEGER PRIMARY KEY);
        INSERT INTO player VALUES ('a', 10, 'Ada', 1), ('b', 20, 'Bob', 2), ('c', 30, 'Cid', 3);
        """,
      "UPDATE player SET name = 'x' WHERE id = 1; UPDATE player SET name = 'Ada' WHERE id = 2; "
        + "UPDATE player SET name = 'Bob' WHERE id = 1; INSERT INTO player VALUES (4, 'Dan', 40)",
      query: "SELECT id || ' ' || name || ' ' || extra FROM player ORDER BY id")
    #expect(lines == ["1 Bob a", "2 Ada b", "3 Cid c", "4 Dan none"])
  }

  @Test func `a row with a text that is not UTF-8 does not exchange unique values, because the text would change`()
    throws
  {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE)"
    let changes = try inMemory { db in
      try db.execute(sql: "\(schema); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
      return try db.recordingChanges {
        try db.execute(
          sql: "UPDATE t SET u = 'c' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"
        )
      }
    }
    try inMemory { db in
      try db.execute(
        sql: """
          \(schema); ALTER TABLE t ADD COLUMN text;
          INSERT INTO t VALUES (1, 'a', CAST(x'61ff' AS TEXT)), (2, 'b', CAST(x'62ff' AS TEXT))
          """)
      #expect(throws: ChangesetError.self) { try db.apply(changes) }
      #expect(try String.fetchAll(db, sql: "SELECT u || hex(text) FROM t") == ["a61FF", "b62FF"])
    }
  }

  @Test func `hidden row IDs are kept`() throws {
    let lines = try applied(
      "CREATE TABLE t (a); INSERT INTO t (rowid, a) VALUES (7, 'a'), (9, 'b')",
      "UPDATE t SET a = 'c' WHERE rowid = 7; DELETE FROM t WHERE rowid = 9; INSERT INTO t (rowid, a) VALUES (-3, 'd')",
      query: "SELECT rowid || a FROM t ORDER BY rowid")
    #expect(lines == ["-3d", "7c"])
  }

  @Test func `rows with a primary key are found by it, whatever their row IDs are`() throws {
    let lines = try applied(
      "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t (rowid, k, v) VALUES (1, 'a', 1), (2, 'b', 2)",
      other: "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t (rowid, k, v) VALUES (3, 'b', 2), (2, 'a', 1)",
      "UPDATE t SET v = 10 WHERE k = 'a'; DELETE FROM t WHERE k = 'b'; INSERT INTO t (rowid, k, v) VALUES (2, 'c', 3)",
      query: "SELECT k || v FROM t ORDER BY k")
    #expect(lines == ["a10", "c3"])
  }

  @Test func `rows without row IDs exchange their primary keys`() throws {
    let lines = try applied(
      "CREATE TABLE t (a, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO t VALUES (1, 1, 'x'), (1, 2, 'y')",
      "UPDATE t SET b = 9 WHERE b = 1; UPDATE t SET b = 1 WHERE b = 2; UPDATE t SET b = 2 WHERE b = 9",
      query: "SELECT a || b || v FROM t ORDER BY b")
    #expect(lines == ["11y", "12x"])
  }

  @Test(arguments: [
    "a TEXT COLLATE NOCASE, d, PRIMARY KEY (a COLLATE BINARY)) WITHOUT ROWID",
    "a TEXT COLLATE NOCASE, d, PRIMARY KEY (a COLLATE BINARY))",
    "a TEXT COLLATE NOCASE, d TEXT, PRIMARY KEY (a COLLATE RTRIM, a COLLATE BINARY)) WITHOUT ROWID",
  ])
  func `rows are found by the collations of their primary key, not of its columns`(definition: String) throws {
    try inMemory { db in
      func lines() throws -> [String] {
        try String.fetchAll(db, sql: "SELECT a || d FROM t ORDER BY a COLLATE BINARY")
      }
      try db.execute(sql: "CREATE TABLE t (\(definition); INSERT INTO t VALUES ('A', 1), ('a', 2), ('B', 3)")
      let changes = try db.recordingChanges {
        try db.execute(sql: "UPDATE t SET d = 5 WHERE d = 2; INSERT INTO t VALUES ('b', 6); DELETE FROM t WHERE d = 3")
      }
      try db.apply(changes.inverted())
      #expect(try lines() == ["A1", "B3", "a2"])
      try db.apply(changes)
      #expect(try lines() == ["A1", "a5", "b6"])
    }
  }

  @Test func `generated columns are computed`() throws {
    let lines = try applied(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, s AS (a || '!') STORED, v AS (a || '?')); INSERT INTO t VALUES (1, 'a')",
      "UPDATE t SET a = 'b'; INSERT INTO t VALUES (2, 'c')", query: "SELECT a || s || v FROM t ORDER BY id")
    #expect(lines == ["bb!b?", "cc!c?"])
  }

  @Test func `NULL, blobs and doubles are kept`() throws {
    let lines = try applied(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, r REAL)",
      "INSERT INTO t VALUES (1, NULL, 1), (2, x'00ff', 2.5), (3, '', -0.0); UPDATE t SET a = x'' WHERE id = 1",
      query: "SELECT id || typeof(a) || hex(a) || typeof(r) || r FROM t ORDER BY id")
    #expect(lines == ["1blobreal1.0", "2blob00FFreal2.5", "3textreal0.0"])
  }

  /// The text is read with replacement characters, from which it could not be written again.
  @Test func `a row with a text that is not UTF-8 cannot be recorded`() throws {
    #expect(throws: ChangesetError.self) {
      try applied(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b); INSERT INTO t VALUES (1, CAST(x'61ff' AS TEXT), 1)",
        "UPDATE t SET b = 2", query: "SELECT hex(a) || b FROM t")
    }
  }

  // MARK: - Triggers

  private static let logged = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE TABLE log (text);
    CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('fired ' || new.a); END;
    """

  @Test func `triggers are not executed, because the changeset contains their changes`() throws {
    let lines = try applied(Self.logged, "INSERT INTO t VALUES (1, 'x')", query: "SELECT text FROM log")
    #expect(lines == ["fired x"])
  }

  @Test func `triggers are executed on demand`() throws {
    let lines = try applied(
      Self.logged, "INSERT INTO t VALUES (1, 'x')", transform: { $0.filter(tables: ["t"]) }, triggers: .fire,
      query: "SELECT text FROM log")
    #expect(lines == ["fired x"])
  }

  @Test func `triggers and foreign keys are enabled after a changeset was applied, or refused`() throws {
    try inMemory { db in
      try db.execute(sql: Self.logged + "CREATE TABLE child (t REFERENCES t)")
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
      #expect(throws: ChangesetConflict.self) { try db.apply(changes) }
      try db.apply(changes.inverted())
      try db.execute(sql: "INSERT INTO t VALUES (1, 'y')")
      #expect(try String.fetchAll(db, sql: "SELECT text FROM log") == ["fired y"])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO child VALUES (9)") }
    }
  }

  @Test func `temporary triggers are refused`() throws {
    try inMemory { db in
      try db.execute(sql: Self.logged)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 'x')") }.inverted()
      try db.execute(sql: "CREATE TEMP TRIGGER own AFTER DELETE ON t BEGIN SELECT 1; END")
      let error = #expect(throws: ChangesetError.self) { try db.apply(changes) }
      #expect(error?.reason == .connectionState)
      try db.apply(changes, triggers: .fire)
    }
  }

  // MARK: - The schema

  @Test func `schema changes are refused, unless they are allowed`() throws {
    let changes = try inMemory { db in
      try db.recordingChanges { try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    }
    try inMemory { db in
      let error = #expect(throws: ChangesetError.self) { try db.apply(changes) }
      #expect(error?.reason == .schemaChange)
      try db.apply(changes, schemaChanges: .execute)
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
    }
  }

  @Test(arguments: [
    ("SELECT 1", "the changeset changes table t, but there is no such table"),
    ("CREATE VIEW t AS SELECT 1", "the changeset changes table t, but there is no such table"),
    ("CREATE TABLE t (id INTEGER PRIMARY KEY)", "the changeset changes column a of table t, which does not exist"),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a AS (1))",
      "the changeset changes column a of table t, which is generated"
    ),
    (
      "CREATE TABLE t (id, a, k PRIMARY KEY) WITHOUT ROWID",
      "rows of table t cannot be found: the changeset has no value for its primary key, or no row IDs"
    ),
  ])
  func `a table that does not match is refused`(schema: String, message: String) throws {
    let changes = try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 2)") }
    }
    try inMemory { db in
      try db.execute(sql: schema)
      let error = #expect(throws: ChangesetError.self) { try db.apply(changes) }
      #expect(error?.reason == .schemaMismatch)
      #expect(error?.message == message)
    }
  }

  // MARK: - Counters

  @Test func `a counter that is greater than expected is not decreased`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)")
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (5)") }
      try db.execute(sql: "INSERT INTO t VALUES (8); DELETE FROM t WHERE id = 8")
      try db.apply(changes.inverted())
      #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence") == 8)
    }
  }

  /// An update that changes a row ID does not change the counter. An insertion would.
  @Test func `a counter that the changes do not mention is not increased`() throws {
    let lines = try applied(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (1, 'a')",
      "UPDATE t SET id = 9", query: "SELECT id || '-' || seq FROM t, sqlite_sequence")
    #expect(lines == ["9-1"])
  }

  @Test func `a counter whose former value is unknown is increased`() throws {
    let lines = try applied(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (3, 'a')",
      "INSERT INTO t VALUES (8, 'b')", transform: { try Changeset($0.elements) },
      query: "SELECT id || '-' || seq FROM t, sqlite_sequence ORDER BY id")
    #expect(lines == ["3-8", "8-8"])
  }

  @Test(arguments: [
    "ALTER TABLE t RENAME TO u",
    "UPDATE t SET id = 90; ALTER TABLE t RENAME TO u",
    "INSERT INTO t VALUES (90, 'b'); ALTER TABLE t RENAME TO u",
    "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a)",
    "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (1, 'b')",
    """
    CREATE TABLE new (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO new SELECT id, a FROM t; DROP TABLE t;
    ALTER TABLE new RENAME TO t
    """,
  ])
  func `renamed tables keep their counters, and new ones do not get those of dropped ones`(updates: String) async throws
  {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (50, 'a'), (70, 'a');
          DELETE FROM t WHERE id = 70
          """)
    }
    let replica = try DatabaseQueue()
    try dbQueue.backup(to: replica)
    let stream = try await dbQueue.changes()
    try await dbQueue.write { try $0.execute(sql: updates) }
    var iterator = stream.makeAsyncIterator()
    let transaction = try #require(try await iterator.next())
    try await replica.write { _ = try $0.apply(Changeset([transaction]), schemaChanges: .execute) }
    let sql = "SELECT name || ' ' || seq FROM sqlite_sequence ORDER BY name"
    let expected = try await dbQueue.read { try String.fetchAll($0, sql: sql) }
    #expect(try await replica.read { try String.fetchAll($0, sql: sql) } == expected)
  }

  @Test func `a changeset is applied in the open transaction, and rolled back with it`() throws {
    try inMemory { db in
      try db.execute(sql: Self.players)
      let changes = try db.recordingChanges { try db.execute(sql: "DELETE FROM player") }.inverted()
      try db.inTransaction {
        try db.apply(changes)
        #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 3)
        return .rollback
      }
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 0)
    }
  }

  @Test func `an applied changeset is recorded, and reported to streams`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { try $0.execute(sql: Self.players) }
    let stream = try await dbQueue.changes()
    try await dbQueue.write { db in
      let changes = try db.recordingChanges { try db.execute(sql: "DELETE FROM player WHERE id = 1") }
      let applied = try db.recordingChanges { try db.apply(changes.inverted()) }
      #expect(applied.rows.map(\.operation) == [.insert])
    }
    #expect(
      try await lines(stream) == [
        #"DELETE player [1]: id 1, name "Ada", score 10"#, #"INSERT player [1]: id 1, name "Ada", score 10"#,
      ])
  }
}
