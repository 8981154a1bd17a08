import Testing
import Tidemark

@testable import TidemarkEssentials

/// `Database.recordingReplicatedChanges` and `applyReplicatedChanges`, with ordinary tables.
@Suite struct ReplicationTests {
  private struct Failure: Error {}

  private static let players = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
    INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20), (3, 'Cid', 30);
    """

  @Test func `insertions, updates and deletions are replicated in their order`() throws {
    let pair = try ReplicatedPair(Self.players)
    let changes = try pair.check(
      """
      INSERT INTO player VALUES (4, 'Dan', 40);
      UPDATE player SET score = 41 WHERE id = 4;
      DELETE FROM player WHERE id = 1;
      """)
    #expect(
      changes == [
        "INSERT player [4]: id 4, name \"Dan\", score 40", "UPDATE player [4]: score 40 → 41",
        "DELETE player [1]: id 1, name \"Ada\", score 10",
      ])
  }

  @Test(arguments: [
    ("CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, x'00ff'), (NULL, 'é'); DELETE FROM t WHERE a = 1"),
    ("CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE a = 2; INSERT INTO t VALUES (4)"),
    ("CREATE TABLE t (a)", "INSERT INTO t (rowid, a) VALUES (7, 1); UPDATE t SET rowid = -3; UPDATE t SET a = 2"),
    ("CREATE TABLE t (k TEXT PRIMARY KEY, a)", "INSERT INTO t (rowid, k) VALUES (9, 'a'), (4, 'b'), (8, NULL)"),
    (
      "CREATE TABLE t (k TEXT PRIMARY KEY, a); INSERT INTO t VALUES ('a', 1), ('b', 2)",
      "REPLACE INTO t VALUES ('a', 3); UPDATE t SET rowid = 50 WHERE k = 'b'; INSERT INTO t VALUES ('c', 3)"
    ),
    (
      "CREATE TABLE t (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO t VALUES (1, 2, 3)",
      "UPDATE t SET a = 5; INSERT INTO t VALUES (1, 2, 4); REPLACE INTO t VALUES (1, 2, 5); UPDATE t SET c = 6"
    ),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, a ANY) STRICT",
      "INSERT INTO t VALUES (1, 5, '5'), (2, 0.5, 5); UPDATE t SET r = 7, a = 7.0"
    ),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b AS (a * 2) STORED, c AS (a || 'x')); CREATE INDEX i ON t (c)",
      "INSERT INTO t (a) VALUES (1), (2); UPDATE t SET a = 3 WHERE a = 2"
    ),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, n NUMERIC, i INTEGER)",
      "INSERT INTO t VALUES (1, 3, 5.0, 5.0), (2, 1e300, '7', '8.0'); UPDATE t SET r = 4, n = 6.0, i = 7.0"
    ),
  ])
  func `rows of all kinds of tables are replicated with their row IDs`(_ schema: String, _ sql: String) throws {
    try ReplicatedPair(schema).check(sql)
  }

  @Test func `unique values are exchanged`() throws {
    try ReplicatedPair(Self.players).check(
      """
      UPDATE player SET name = 'x' WHERE id = 1;
      UPDATE player SET name = 'Ada' WHERE id = 2;
      UPDATE player SET name = 'Bob' WHERE id = 1;
      REPLACE INTO player VALUES (7, 'Cid', 0);
      UPDATE OR REPLACE player SET name = 'Cid' WHERE id = 1;
      INSERT INTO player VALUES (8, 'Ada', 1) ON CONFLICT (name) DO UPDATE SET score = 100, id = 9;
      """)
  }

  @Test func `the effects of triggers and cascades are replicated once`() throws {
    let pair = try ReplicatedPair(
      Self.players + """
        CREATE TABLE item (id INTEGER PRIMARY KEY, owner REFERENCES player ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE log (text);
        CREATE TRIGGER t AFTER DELETE ON item BEGIN INSERT INTO log VALUES (old.id || random()); END;
        CREATE TRIGGER u BEFORE UPDATE ON player BEGIN UPDATE player SET score = score + 1 WHERE id = 3; END;
        INSERT INTO item VALUES (1, 1), (2, 1), (3, 2);
        """)
    try pair.check("DELETE FROM player WHERE id = 1; UPDATE player SET id = 20 WHERE id = 2")
    #expect(try pair.target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM log") } == 2)
  }

  @Test func `counters and versions become equal`() throws {
    let pair = try ReplicatedPair(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (9, 0)")
    try pair.check("INSERT INTO t (a) VALUES (1), (2); DELETE FROM t WHERE id > 10; PRAGMA user_version = 7")
    try pair.check("DELETE FROM t; UPDATE sqlite_sequence SET seq = 3; INSERT INTO t (a) VALUES (1)")
    try pair.check("UPDATE t SET id = 100; DELETE FROM sqlite_sequence; PRAGMA user_version = -1")
    try pair.check("ALTER TABLE t RENAME TO u; INSERT INTO u (a) VALUES (5)")
    try pair.check("CREATE TABLE v (i INTEGER PRIMARY KEY AUTOINCREMENT)")
    try pair.check("INSERT INTO v VALUES (5); DROP TABLE u")
  }

  @Test func `schema changes are replicated between rows`() throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.check(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'none');
      INSERT INTO team (id) VALUES (1);
      ALTER TABLE player ADD COLUMN team REFERENCES team;
      UPDATE player SET team = 1 WHERE id < 3;
      CREATE UNIQUE INDEX i ON player (score, team);
      ALTER TABLE player RENAME COLUMN score TO points;
      UPDATE player SET points = points + 1;
      CREATE VIEW best AS SELECT * FROM player WHERE points > 20;
      CREATE TRIGGER t AFTER INSERT ON team BEGIN UPDATE player SET points = 0 WHERE id = new.id; END;
      INSERT INTO team VALUES (2, 'b');
      """)
    try pair.check(
      """
      DROP VIEW best;
      DROP INDEX i;
      ALTER TABLE player DROP COLUMN points;
      INSERT INTO player VALUES (4, 'Dan', 2);
      ALTER TABLE player RENAME TO person;
      DELETE FROM person WHERE id = 1;
      CREATE TABLE copy AS SELECT random() AS number, * FROM person;
      INSERT INTO copy (name) VALUES ('e');
      DROP TABLE person;
      CREATE TABLE IF NOT EXISTS team (other);
      DROP TABLE IF EXISTS person;
      """)
  }

  @Test func `changes that were rolled back are not replicated`() throws {
    let pair = try ReplicatedPair(Self.players)
    let changes = try pair.replicate { db in
      try db.inSavepoint {
        try db.execute(sql: "DELETE FROM player; CREATE TABLE t (a)")
        return .rollback
      }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO player (name) VALUES ('Dan'), ('Ada')")
      }
      try db.execute(sql: "SAVEPOINT a; DELETE FROM player; ROLLBACK TO a; RELEASE a")
      try db.execute(sql: "UPDATE player SET score = 0 WHERE id = 1")
    }
    #expect(changes == ["UPDATE player [1]: score 10 → 0"])
    try pair.expectEqual()
  }

  @Test func `a write that throws rolls back its own changes only`() throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.source.writeWithoutTransaction { db in
      try db.inTransaction {
        let first = try db.recordingReplicatedChanges { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        #expect(throws: Failure.self) {
          try db.recordingReplicatedChanges { db in
            try db.execute(sql: "DELETE FROM player; CREATE TABLE t (a); PRAGMA user_version = 3")
            throw Failure()
          }
        }
        let last = try db.recordingReplicatedChanges { db in
          try db.execute(sql: "UPDATE player SET score = 0 WHERE id = 2")
          return db.changesCount
        }
        #expect(last.result == 1)
        try pair.target.applyReplicated(first.elements)
        try pair.target.applyReplicated(last.elements)
        return .commit
      }
    }
    try pair.expectEqual()
  }

  @Test(arguments: [
    "COMMIT", "END", "ROLLBACK", "BEGIN", "BEGIN IMMEDIATE", "ATTACH ':memory:' AS other", "DETACH other",
    "/* */ commit transaction",
  ])
  func `a replicated write refuses statements that end transactions or change databases`(_ sql: String) throws {
    let pair = try ReplicatedPair(Self.players)
    let changes = try pair.replicate { db in
      try db.execute(sql: "DELETE FROM player WHERE id = 1")
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(db.isInsideTransaction)
      try db.execute(sql: "DELETE FROM player WHERE id = 2")
    }
    #expect(changes.count == 2)
    try pair.expectEqual()
  }

  @Test func `a replicated write refuses the methods that begin and end transactions`() throws {
    let pair = try ReplicatedPair(Self.players)
    try pair.replicate { db in
      try db.execute(sql: "DELETE FROM player WHERE id = 1")
      #expect(throws: DatabaseError.self) { try db.commit() }
      #expect(throws: DatabaseError.self) { try db.rollback() }
      #expect(throws: DatabaseError.self) { try db.beginTransaction() }
      #expect(throws: DatabaseError.self) { try db.inTransaction { .commit } }
      #expect(db.isInsideTransaction)
      try db.inSavepoint {
        try db.execute(sql: "DELETE FROM player WHERE id = 2")
        return .commit
      }
    }
    try pair.expectEqual()
  }
}
