import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// Which queries can be updated row by row, and how.
@Suite struct IncrementalQueryTests {
  private func query(_ sql: String) throws -> IncrementalQuery? {
    try inMemory { db in
      db.add(collation: DatabaseCollation("localized") { _, _ in .orderedSame })
      db.add(function: DatabaseFunction("twice", argumentCount: 1, pure: true) { $0[0].isNull ? nil : 2 })
      db.add(function: DatabaseFunction("regexp", argumentCount: 2, pure: true) { _ in true })
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, score INTEGER);
          CREATE TABLE note (title TEXT PRIMARY KEY, body TEXT);
          CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
          CREATE TABLE hidden (rowid TEXT, n INTEGER);
          CREATE TABLE word (text TEXT COLLATE localized);
          CREATE VIEW best AS SELECT * FROM player WHERE score > 100;
          CREATE TEMP TABLE draft (id INTEGER PRIMARY KEY);
          CREATE INDEX playerByScore ON player(score);
          CREATE TABLE average (id INTEGER PRIMARY KEY, total INTEGER, mean REAL AS (total / 2));
          """)
      return try IncrementalQuery(db.makeStatement(sql: sql), [], db)
    }
  }

  @Test(arguments: [
    (
      "SELECT * FROM player", "SELECT * FROM player ORDER BY \"player\".\"id\"",
      "SELECT * FROM player WHERE \"player\".\"id\" = :tidemarkRowID"
    ),
    (
      "select name from player p -- who\n where score > ? and id <> 0 order by score desc -- best\n ;",
      #"select name, "p"."id", "p"."score" from player p WHERE score > ? and id <> 0 "#
        + #"ORDER BY score desc, "p"."id" DESC"#,
      #"select name, "p"."id", "p"."score" from player p WHERE (score > ? and id <> 0) AND "p"."id" = :tidemarkRowID"#
    ),
    (
      "SELECT title FROM note ORDER BY title, rowid DESC, body",
      #"SELECT title, "note"."rowid" FROM note ORDER BY title, rowid DESC, body"#,
      #"SELECT title, "note"."rowid" FROM note WHERE "note"."rowid" = :tidemarkRowID"#
    ),
    (
      "SELECT id IS DISTINCT FROM 3 AS isOther, score FROM main.player ORDER BY name COLLATE RTRIM",
      #"SELECT id IS DISTINCT FROM 3 AS isOther, score, "player"."id", "player"."name" FROM main.player "#
        + #"ORDER BY name COLLATE RTRIM, "player"."id""#,
      #"SELECT id IS DISTINCT FROM 3 AS isOther, score, "player"."id", "player"."name" FROM main.player "#
        + #"WHERE "player"."id" = :tidemarkRowID"#
    ),
  ])
  func supportedQueriesAreIncremental(_ sql: String, _ whole: String, _ row: String) throws {
    let query = try #require(try query(sql))
    #expect(query.sql == whole)
    #expect(query.rowSQL == row)
  }

  @Test(arguments: [
    "SELECT * FROM player LIMIT 10",
    "SELECT DISTINCT score FROM player",
    "SELECT score, count(*) FROM player GROUP BY score",
    "SELECT max(score) FROM player",
    "SELECT twice(score) FROM player",
    "SELECT * FROM player WHERE name REGEXP 'a'",
    "SELECT *, CURRENT_TIMESTAMP FROM player",
    "SELECT * FROM player ORDER BY score * 2",
    "SELECT * FROM player ORDER BY 2",
    "SELECT * FROM player ORDER BY score NULLS LAST",
    "SELECT score AS name FROM player ORDER BY name",
    "SELECT * FROM player, note",
    "SELECT * FROM player WHERE id IN (SELECT rowid FROM note)",
    "SELECT *, (SELECT 1) FROM player",
    "SELECT * FROM player UNION SELECT * FROM player",
    "WITH p AS (SELECT * FROM player) SELECT * FROM p",
    // The order of rows with equal scores is unknown: SQLite reads two indexes, one after the other.
    "SELECT * FROM player WHERE score = 7 OR id = 0 ORDER BY name",
    "SELECT * FROM player INDEXED BY playerByScore WHERE score > 1",
    "SELECT * FROM best",
    "SELECT * FROM pair",
    "SELECT * FROM hidden",
    "SELECT * FROM draft",
    "SELECT * FROM word ORDER BY text",
    // SQLite returns an integer or a double, depending on the query plan.
    "SELECT * FROM average", "SELECT mean FROM average",
    "SELECT row_number() OVER () FROM player",
    "SELECT 1",
    "VALUES (1), (2)",
    "UPDATE player SET score = 1 RETURNING *",
    "PRAGMA table_info(player)",
  ])
  func unsupportedQueriesAreNotIncremental(_ sql: String) throws {
    #expect(try query(sql) == nil)
  }

  @Test func utf16TextsAreSortedByOtherBytes() throws {
    try inMemory { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a INTEGER PRIMARY KEY)")
      #expect(try IncrementalQuery(db.makeStatement(sql: "SELECT * FROM t"), [], db) == nil)
    }
  }
}
