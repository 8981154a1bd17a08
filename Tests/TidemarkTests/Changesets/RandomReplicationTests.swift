import Testing
import Tidemark

@testable import TidemarkEssentials

/// Random writes of two databases, which must stay equal.
@Suite struct RandomReplicationTests {
  private static let setup = """
    CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT UNIQUE, n);
    CREATE TABLE b (k TEXT PRIMARY KEY, n INTEGER, a REFERENCES a ON DELETE SET NULL ON UPDATE CASCADE);
    CREATE TABLE c (x, y, n, d AS (n || 'd') STORED, PRIMARY KEY (y, x)) WITHOUT ROWID;
    CREATE TABLE d (n);
    CREATE TABLE log (text);
    CREATE TRIGGER ta AFTER DELETE ON a BEGIN INSERT INTO log VALUES (old.k || random()); END;
    CREATE TRIGGER tb AFTER UPDATE ON b BEGIN UPDATE d SET n = new.n WHERE rowid = 1; END;
    CREATE VIRTUAL TABLE f USING fts5(t);
    CREATE VIRTUAL TABLE g USING fts4(t);
    CREATE VIRTUAL TABLE r USING rtree(id, x1, x2);
    """

  /// Returns a random statement, which may fail.
  private func statement(_ random: inout SeededRandom) -> String {
    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    let (i, j, n, key) = (number(12), number(12), number(100), "'k\(number(8))'")
    let words = (0...number(4)).map { _ in "w\(number(20))" }.joined(separator: " ")
    let text = random.pick(["f", "g"])
    // swift-format-ignore
    switch number(26) {
    case 0: return "INSERT INTO a (k, n) VALUES (\(key), \(n))"
    case 1: return "REPLACE INTO a VALUES (\(i), \(key), \(n))"
    case 2: return "UPDATE a SET n = n + 1, k = \(key) WHERE id = \(i)"
    case 3: return "UPDATE OR REPLACE a SET id = \(i), k = \(key) WHERE id = \(j)"
    case 4: return "DELETE FROM a WHERE id % 5 = \(number(5))"
    case 5: return "INSERT INTO b VALUES (\(key), \(n), (SELECT id FROM a ORDER BY random() LIMIT 1))"
    case 6: return "REPLACE INTO b VALUES (\(key), \(n), NULL)"
    case 7: return "UPDATE b SET rowid = rowid + \(i), n = \(n) WHERE k = \(key)"
    case 8: return "DELETE FROM b WHERE k = \(key)"
    case 9: return "INSERT INTO c (x, y, n) VALUES (\(i), \(key), 1) ON CONFLICT DO UPDATE SET n = 2, x = \(j)"
    case 10: return "UPDATE OR IGNORE c SET x = x + 1, n = \(n) / 7.0"
    case 11: return "DELETE FROM c WHERE x = \(i)"
    case 12: return "INSERT INTO d SELECT n FROM a"
    case 13: return "DELETE FROM d WHERE rowid % 3 = 0"
    case 14: return "UPDATE d SET rowid = -rowid WHERE rowid = \(i)"
    case 15, 16: return "INSERT INTO \(text) (t) VALUES ('\(words)')"
    case 17: return "UPDATE \(text) SET t = t || ' \(words)' WHERE rowid = \(i)"
    case 18: return "DELETE FROM \(text) WHERE rowid % 7 = \(number(7))"
    case 19: return random.pick(["INSERT INTO \(text) (\(text)) VALUES ('optimize')", "DELETE FROM \(text)"])
    case 20: return "REPLACE INTO r VALUES (\(i), \(n), \(n + j))"
    case 21: return "DELETE FROM r WHERE id = \(i)"
    case 22:
      return random.pick([
        "ALTER TABLE d ADD COLUMN n\(n)", "ALTER TABLE d DROP COLUMN n\(n)",
        "ALTER TABLE d RENAME COLUMN n\(n) TO n\(i)",
        "CREATE TABLE e\(i) AS SELECT * FROM a", "DROP TABLE e\(i)", "CREATE INDEX i\(i) ON a (n)", "DROP INDEX i\(i)",
        "ALTER TABLE e\(i) RENAME TO e\(j)", "CREATE TABLE e\(i) (id INTEGER PRIMARY KEY AUTOINCREMENT, t)",
      ])
    case 23:
      return random.pick([
        "CREATE VIRTUAL TABLE v\(i) USING fts5(t)", "CREATE VIRTUAL TABLE v\(i) USING fts4(t)", "DROP TABLE v\(i)",
        "ALTER TABLE v\(i) RENAME TO v\(j)", "CREATE VIRTUAL TABLE v\(i) USING rtree(t, x1, x2)",
      ])
    case 24: return "INSERT INTO v\(i) (t) VALUES ('\(words)')"
    default:
      return random.pick([
        "PRAGMA user_version = \(n)", "DELETE FROM sqlite_sequence", "INSERT INTO e\(i) (k) VALUES (1)",
      ])
    }
  }

  /// Executes random statements, some of them in a savepoint that is rolled back.
  private func write(_ db: Database, _ random: inout SeededRandom, _ counts: inout (executed: Int, failed: Int)) throws
  {
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let isUndone = Int.random(in: 0..<8, using: &random) == 0
      if isUndone { try db.execute(sql: "SAVEPOINT s") }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        do {
          try db.execute(sql: statement(&random))
          counts.executed += 1
        } catch let error as DatabaseError {
          #expect([.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode), "\(error)")
          counts.failed += 1
        }
      }
      if isUndone { try db.execute(sql: "ROLLBACK TO s; RELEASE s") }
    }
  }

  /// Checks that the indexes find the rows that contain a word or overlap a range.
  private func expectFound(_ database: any DatabaseReader, _ random: inout SeededRandom) throws {
    let (word, number) = ("w\(Int.random(in: 0..<20, using: &random))", Int.random(in: 0..<100, using: &random))
    try database.read { db throws in
      for table in ["f", "g"] {
        let rows = "SELECT rowid FROM \(table) WHERE"
        let found = try Int.fetchAll(db, sql: "\(rows) \(table) MATCH '\(word)' ORDER BY rowid")
        let expected = try Int.fetchAll(db, sql: "\(rows) ' ' || t || ' ' LIKE '% \(word) %' ORDER BY rowid")
        #expect(found == expected)
      }
      let rows = "SELECT id FROM r WHERE"
      let found = try Int.fetchAll(db, sql: "\(rows) x1 <= \(number) AND x2 >= \(number) ORDER BY id")
      let expected = try Int.fetchAll(db, sql: "\(rows) +x1 <= \(number) AND +x2 >= \(number) ORDER BY id")
      #expect(found == expected)
    }
  }

  @Test func `two databases that write in turn stay equal`() throws {
    var random = SeededRandom()
    var counts = (executed: 0, failed: 0)
    let folder = try TemporaryFolder()
    for round in 0..<8 {
      let source: any DatabaseWriter =
        try round < 4 ? DatabaseQueue() : DatabasePool(path: folder.path("\(round).sqlite"))
      let pair = try ReplicatedPair(source, DatabaseQueue(), Self.setup)
      for _ in 0..<30 {
        let turned = try Bool.random(using: &random) ? pair : ReplicatedPair(pair.target, pair.source)
        try turned.replicate { try write($0, &random, &counts) }
        try pair.expectEqual()
        for database in [pair.source, pair.target] { try expectFound(database, &random) }
      }
      for database in [pair.source, pair.target] {
        try database.write { db in
          try db.execute(sql: "INSERT INTO f (f) VALUES ('integrity-check')")
          try db.execute(sql: "INSERT INTO g (g) VALUES ('integrity-check')")
          #expect(try String.fetchOne(db, sql: "SELECT rtreecheck('r')") == "ok")
          #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
      }
    }
    print("executed \(counts.executed), failed \(counts.failed)")
    #expect(counts.executed > 3 * counts.failed)
  }
}
