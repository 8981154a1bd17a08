import Foundation
import Testing

@testable import Tidemark

/// Whatever the form of a request, its differences produce its result.
@Suite struct UnusualRequestTests {
  private static func values(_ count: Int) -> String {
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
  }

  static let player = """
    CREATE TABLE player (
      id INTEGER PRIMARY KEY, name TEXT, score INTEGER, "null" INTEGER, "1" INTEGER, "score + 1" INT);
    INSERT INTO player VALUES (1, 'a', 1, 1, 1, 1), (2, 'b', 2, 2, 2, 2), (3, 'c', 3, 3, 3, 3), (4, 'd', 4, 4, 4, 4);
    """
  static let note = """
    CREATE TABLE note (title TEXT PRIMARY KEY, body TEXT, n INT);
    INSERT INTO note VALUES ('a', 'x', 1), ('b', 'y', 2), ('c', 'z', 3), ('d', 'w', 4);
    """

  static let cases: [RequestCase] = [
    RequestCase(
      name: "literal named column", setup: player, sql: #"SELECT NULL, id, name, "null" FROM player ORDER BY "null""#,
      expected: #"SELECT NULL, id, name, "null" FROM player ORDER BY "null", id"#,
      steps: [
        #"UPDATE player SET "null" = 9 WHERE id = 1"#, #"UPDATE player SET "null" = 0 WHERE id = 4"#,
        #"UPDATE player SET "null" = 7 WHERE id = 3"#,
      ]),
    RequestCase(
      name: "number named column", setup: player, sql: #"SELECT 1, id, name, "1" FROM player ORDER BY "1""#,
      expected: #"SELECT 1, id, name, "1" FROM player ORDER BY "1", id"#,
      steps: [#"UPDATE player SET "1" = 9 WHERE id = 1"#, #"UPDATE player SET "1" = 0 WHERE id = 4"#]),
    RequestCase(
      name: "expression named column", setup: player,
      sql: #"SELECT score + 1, id, name FROM player ORDER BY "score + 1""#,
      expected: #"SELECT score + 1, id, name FROM player ORDER BY "score + 1", id"#,
      steps: [#"UPDATE player SET "score + 1" = 9 WHERE id = 1"#, #"UPDATE player SET score = -3 WHERE id = 4"#]),
    RequestCase(
      name: "key named as number",
      setup: #"CREATE TABLE t ("7" INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (7, 1), (8, 2), (9, 3)"#,
      sql: #"SELECT 7, a FROM t WHERE a <= 1"#, expected: #"SELECT 7, a FROM t WHERE a <= 1 ORDER BY "7""#,
      steps: ["UPDATE t SET a = 0 WHERE a = 1", "INSERT INTO t VALUES (10, -4)", "DELETE FROM t WHERE a = 0"]),
    RequestCase(
      name: "row id changes unread", setup: note, sql: "SELECT body FROM note ORDER BY n",
      expected: "SELECT body FROM note ORDER BY n, rowid",
      steps: [
        "UPDATE note SET rowid = 100 WHERE rowid = 1", "UPDATE note SET body = 'new' WHERE rowid = 100",
        "UPDATE note SET n = 2", "UPDATE note SET rowid = 1 WHERE rowid = 100", "UPDATE note SET n = 1 WHERE rowid = 1",
        "DELETE FROM note WHERE rowid = 1",
      ]),
    RequestCase(
      name: "primary key changes unread", setup: player, sql: "SELECT name FROM player WHERE score > 0 ORDER BY name",
      expected: "SELECT name FROM player WHERE score > 0 ORDER BY name, id",
      steps: [
        "UPDATE player SET id = id + 100 WHERE id = 1", "UPDATE player SET name = 'zz' WHERE id = 101",
        "UPDATE player SET name = 'q'", "UPDATE player SET id = -id WHERE id = 3",
        "UPDATE player SET id = 50 - id, name = name || id WHERE score < 3", "DELETE FROM player WHERE id < 0",
      ]),
    RequestCase(
      name: "vacuum renumbers", setup: note + "; DELETE FROM note WHERE rowid < 3",
      sql: "SELECT * FROM note ORDER BY n",
      expected: "SELECT * FROM note ORDER BY n, rowid",
      steps: [
        "UPDATE note SET body = 'p' WHERE rowid = 4", "!VACUUM", "UPDATE note SET body = 'q' WHERE rowid = 1",
        "UPDATE note SET n = 9 WHERE rowid = 1", "!VACUUM", "DELETE FROM note WHERE rowid = 2",
      ]),
    RequestCase(
      name: "desc key is none",
      setup: "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, a); INSERT INTO t VALUES (30, 1), (20, 2), (10, 3)",
      sql: "SELECT * FROM t", expected: "SELECT * FROM t ORDER BY rowid",
      steps: ["UPDATE t SET a = 8 WHERE id = 20", "INSERT INTO t VALUES (3, 4)", "DELETE FROM t WHERE id = 30"]),
    RequestCase(
      name: "table key desc",
      setup: "CREATE TABLE t (id INTEGER, a, PRIMARY KEY (id DESC)); INSERT INTO t VALUES (30, 1), (20, 2), (10, 3)",
      sql: "SELECT * FROM t", expected: "SELECT * FROM t ORDER BY rowid",
      steps: ["UPDATE t SET a = 8 WHERE id = 20", "INSERT INTO t VALUES (3, 4)", "DELETE FROM t WHERE id = 30"]),
    RequestCase(
      name: "int key", setup: "CREATE TABLE t (id INT PRIMARY KEY, a); INSERT INTO t VALUES (30, 1), (20, 2), (10, 3)",
      sql: "SELECT id, a FROM t ORDER BY a DESC", expected: "SELECT id, a FROM t ORDER BY a DESC, rowid",
      steps: ["UPDATE t SET a = 8 WHERE id = 20", "INSERT INTO t VALUES (3, 4)", "UPDATE t SET a = 3"]),
    RequestCase(
      name: "quotes",
      setup: #"""
        CREATE TABLE "a ""t"" [x]" ("k ""1""" INTEGER PRIMARY KEY, "order" TEXT, "from" INT, [where] INT, `by` INT);
        INSERT INTO "a ""t"" [x]" VALUES (1, 'a', 4, 1, 1), (2, 'b', 3, 2, 1), (3, 'c', 2, 1, 1);
        """#,
      sql: #"""
        /* SELECT */ select "order"/**/,"from", [where],'it''s FROM', by -- FROM x ORDER BY
         from main . "a ""t"" [x]" as 'my "alias" ' where/**/"where">0 or"from"<0 order/**/by"from"desc , [where];;--x
        """#,
      expected: #"""
        SELECT "order", "from", "where", 'it''s FROM', "by" FROM "a ""t"" [x]" WHERE "where" > 0 OR "from" < 0
        ORDER BY "from" DESC, "where"
        """#,
      steps: [
        #"UPDATE "a ""t"" [x]" SET "from" = 9 WHERE "order" = 'c'"#, #"INSERT INTO "a ""t"" [x]" VALUES (9,'x',7,1,1)"#,
        #"UPDATE "a ""t"" [x]" SET "where" = -9 WHERE "order" = 'c'"#,
      ]),
    RequestCase(
      name: "keywords as names",
      setup: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, desc INT, asc INT, by INT, end INT, over, filter, rows, first, last);
        INSERT INTO t (id, desc, asc, by, end) VALUES (1, 4, 3, 2, 1), (2, 3, 3, 3, 3), (3, 1, 1, 1, 1)
        """,
      sql: "SELECT id, desc, by, over, filter, rows FROM t rows WHERE by > 0 ORDER BY by desc, asc asc, desc desc",
      expected:
        "SELECT id, desc, by, over, filter, rows FROM t WHERE by > 0 ORDER BY by desc, asc asc, desc desc, id",
      steps: ["UPDATE t SET by = 2", "UPDATE t SET asc = 2", "UPDATE t SET desc = 2", "DELETE FROM t WHERE id = 2"]),
    RequestCase(
      name: "parameters", setup: player,
      sql: "SELECT id, :a + ?, ?5 FROM player WHERE score > ?2 AND (name <> $b OR id = @c) ORDER BY score",
      arguments: ["x", 0, 10, 20, 30, "b", 3],
      steps: ["UPDATE player SET score = 10 WHERE id = 2", "UPDATE player SET score = -1 WHERE id = 1"]),
    RequestCase(
      name: "named and positional", setup: player,
      sql: "SELECT id, name FROM player WHERE score > ? AND name <> :name AND id < ? ORDER BY score",
      arguments: StatementArguments([0, 99]) &+ ["name": "c"],
      steps: ["UPDATE player SET score = 10 WHERE id = 2", "UPDATE player SET score = -1 WHERE id = 1"]),
    RequestCase(
      name: "generated",
      setup: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, v INT AS (a * -1), s INT AS (a % 10) STORED);
        INSERT INTO t (id, a) VALUES (1, 11), (2, 22), (3, 33);
        """, sql: "SELECT id, s FROM t WHERE v > -50 ORDER BY v",
      expected: "SELECT id, s FROM t WHERE v > -50 ORDER BY v, id",
      steps: [
        "UPDATE t SET a = 5 WHERE id = 2", "UPDATE t SET a = 51 WHERE id = 1", "UPDATE t SET a = 41 WHERE id = 1",
      ]),
    RequestCase(
      name: "numbers",
      setup: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        INSERT INTO t VALUES (1, 9223372036854775807), (2, 9223372036854775806), (3, 9223372036854775808.0), (4, 1e999),
          (5, -1e999), (6, 9007199254740993), (7, 9007199254740992.0), (8, 9007199254740992), (9, NULL), (10, -0.0),
          (11, 0), (12, 0.0), (13, -9223372036854775808), (14, x'00'), (15, ''), (16, 'a'), (17, 'B'), (18, x'ff');
        """, sql: "SELECT id, a FROM t ORDER BY a", expected: "SELECT id, a FROM t ORDER BY a, id",
      steps: [
        "UPDATE t SET a = 9223372036854774784.0 WHERE id = 16", "UPDATE t SET a = -9223372036854775808.0 WHERE id = 1",
        "UPDATE t SET a = 9007199254740991.0 WHERE id = 17", "UPDATE t SET a = 0.0 WHERE id = 18",
        "UPDATE t SET a = -0.0 WHERE id = 14", "UPDATE t SET a = 9007199254740993 WHERE id = 1",
        "UPDATE t SET a = 1e999 - 1e999 WHERE id = 4", "UPDATE t SET a = 9223372036854775807 WHERE id = 3",
        "UPDATE t SET a = 9223372036854775808.0 WHERE id = 2",
      ]),
    RequestCase(
      name: "broken texts",
      setup: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
        INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
        """, sql: "SELECT id, hex(a) IS NULL, a FROM t ORDER BY a",
      expected: "SELECT id, hex(a) IS NULL, a FROM t ORDER BY a, id",
      steps: ["UPDATE t SET a = CAST(x'ff41' AS TEXT) WHERE id = 1"]),
    RequestCase(
      name: "broken texts in rows",
      setup: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE);
        INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
        """, sql: "SELECT id, a FROM t ORDER BY a", expected: "SELECT id, a FROM t ORDER BY a, id",
      steps: [
        "UPDATE t SET a = CAST(x'ff41' AS TEXT) WHERE id = 1", "UPDATE t SET a = CAST(x'620061' AS TEXT) WHERE id = 3",
        "UPDATE t SET a = CAST(x'62004a' AS TEXT) WHERE id = 4", "UPDATE t SET a = 'x' WHERE id = 1",
        "UPDATE t SET a = 'y' WHERE id = 3", "UPDATE t SET a = 'B' WHERE id = 4", "UPDATE t SET a = 'b ' WHERE id = 3",
        "UPDATE t SET a = 'É' WHERE id = 3", "UPDATE t SET a = 'é' WHERE id = 1", "UPDATE t SET a = '[' WHERE id = 1",
        "UPDATE t SET a = '_' WHERE id = 2", "UPDATE t SET a = 'Z' WHERE id = 3",
      ]),
    RequestCase(
      name: "schema steps", setup: player, sql: "SELECT * FROM player ORDER BY score",
      expected: "SELECT * FROM player ORDER BY score, 1",
      steps: [
        "ALTER TABLE player ADD COLUMN more DEFAULT 3", "UPDATE player SET more = 4 WHERE id = 3",
        "ALTER TABLE player RENAME COLUMN more TO less", "UPDATE player SET less = 5 WHERE id = 3",
        "ALTER TABLE player DROP COLUMN less", "UPDATE player SET score = 5 WHERE id = 3",
        "ALTER TABLE player RENAME COLUMN id TO ident", "UPDATE player SET score = 6 WHERE ident = 3",
        "CREATE INDEX i ON player(score); UPDATE player SET score = 1 WHERE ident = 3",
        "DROP TABLE player; CREATE TABLE player (ident INT, score INT); INSERT INTO player VALUES (4, 9), (5, 8)",
        "UPDATE player SET score = 10 WHERE ident = 5", "UPDATE player SET score = 3 WHERE rowid = 2",
        "ALTER TABLE player RENAME TO old; CREATE TABLE player (score INT, ident INTEGER PRIMARY KEY); "
          + "INSERT INTO player SELECT score, ident FROM old",
        "UPDATE player SET score = 30 WHERE ident = 4", "DROP TABLE player; CREATE VIEW player AS SELECT * FROM old",
        "UPDATE old SET score = 32 WHERE ident = 4", "DROP VIEW player; ALTER TABLE old RENAME TO player",
        "UPDATE player SET score = 34 WHERE ident = 4",
      ]),
    RequestCase(
      name: "collation changes", setup: player, sql: "SELECT id, name FROM player ORDER BY name",
      expected: "SELECT id, name FROM player ORDER BY name, id",
      steps: [
        "UPDATE player SET name = 'B' WHERE id = 4",
        "CREATE TABLE p2 (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE); "
          + "INSERT INTO p2 SELECT id, name FROM player; DROP TABLE player; ALTER TABLE p2 RENAME TO player",
        "UPDATE player SET name = 'C' WHERE id = 1",
        "UPDATE player SET name = 'bB' WHERE id = 1",
      ]),
    RequestCase(
      name: "shadow table",
      setup: "CREATE VIRTUAL TABLE f USING fts5(a, b); INSERT INTO f VALUES ('x', 'y'), ('z', 'w')",
      sql: "SELECT id, c0, c1 FROM f_content ORDER BY c0 DESC",
      steps: ["INSERT INTO f VALUES ('y', 'y')", "UPDATE f SET a = 'aa' WHERE a = 'x'", "DELETE FROM f WHERE a = 'y'"]),
    RequestCase(
      name: "cascades",
      setup: """
        CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1), (2), (3);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p INT DEFAULT 3 REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE, a);
        INSERT INTO c VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 2, 4), (5, 3, 5);
        CREATE TRIGGER t AFTER UPDATE OF a ON c BEGIN UPDATE c SET p = 2 WHERE id = new.id + 1; END;
        """, sql: "SELECT id, p, a FROM c ORDER BY p", expected: "SELECT id, p, a FROM c ORDER BY p, id",
      steps: [
        "UPDATE p SET id = 9 WHERE id = 1", "UPDATE c SET a = 20 WHERE id = 1", "DELETE FROM p WHERE id = 2",
        "INSERT INTO c VALUES (1, 3, 3) ON CONFLICT DO UPDATE SET a = 9, id = 77",
        "REPLACE INTO c VALUES (77, 9, 1), (5, 9, 1)",
      ]),
    RequestCase(
      name: "temporary shadow", setup: player, sql: "SELECT id, name FROM main.player ORDER BY name",
      steps: [
        "CREATE TEMP TABLE player (a)", "UPDATE main.player SET name = 'x' WHERE id = 1", "DROP TABLE temp.player",
      ]),
    RequestCase(
      name: "many columns",
      setup:
        "CREATE TABLE w (\((1...2000).map { "c\($0)" }.joined(separator: ", "))); INSERT INTO w (c1) VALUES (1), (2)",
      sql: "SELECT * FROM w", steps: ["UPDATE w SET c2 = 3 WHERE c1 = 1", "INSERT INTO w (c1) VALUES (3)"]),
    RequestCase(
      name: "many parameters", setup: player,
      sql: "SELECT id, name FROM player WHERE id IN (\(Array(repeating: "?", count: 32_766).joined(separator: ",")))",
      arguments: StatementArguments(Array(1...32_766)),
      steps: ["UPDATE player SET name = 'x' WHERE id = 1", "INSERT INTO player (id) VALUES (9)"]),
    RequestCase(
      name: "last parameter", setup: player, sql: "SELECT id, name FROM player WHERE id < ?32766",
      arguments: StatementArguments(Array(1...32_766)),
      steps: ["UPDATE player SET name = 'x' WHERE id = 1", "INSERT INTO player (id) VALUES (9)"]),
    RequestCase(
      name: "deep condition", setup: player,
      sql: "SELECT id, name FROM player WHERE \((1...999).map { "id <> \($0 + 5)" }.joined(separator: " AND "))",
      steps: ["UPDATE player SET name = 'x' WHERE id = 1", "INSERT INTO player (id) VALUES (-9)"]),
    RequestCase(
      name: "like", setup: player,
      sql: "SELECT id, name FROM player WHERE name LIKE 'A%' OR name GLOB 'x*' ORDER BY name",
      steps: ["UPDATE player SET name = 'Ab' WHERE id = 3", "UPDATE player SET name = 'xy' WHERE id = 4"]),
    RequestCase(
      name: "own parameter name", setup: player, sql: "SELECT id, name FROM player WHERE id > :tidemarkRowID",
      arguments: ["tidemarkRowID": 1],
      steps: ["UPDATE player SET name = 'Ab' WHERE id = 3", "UPDATE player SET name = 'xy' WHERE id = 1"]),
    RequestCase(
      name: "user version and others", setup: player, sql: "SELECT id, name FROM player",
      steps: [
        "!PRAGMA user_version = 4", "UPDATE player SET name = 'b' WHERE id = 3", "!PRAGMA wal_checkpoint(TRUNCATE)",
        "UPDATE player SET name = 'c' WHERE id = 3", "!PRAGMA incremental_vacuum", "!REINDEX", "!PRAGMA optimize",
        "UPDATE player SET name = 'e' WHERE id = 3", "!PRAGMA wal_checkpoint(RESTART)", "DELETE FROM player",
      ]),
  ]

  @Test(arguments: cases, [RequestDatabase.pool, .queue])
  func appliedDifferencesMatchUnusualRequests(_ item: RequestCase, _ home: RequestDatabase) async throws {
    try await item.run(home)
  }
}
