import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows that conditions select in subqueries of a `FROM` clause, in views and in common tables: with outer joins
/// at several levels, and with names that SQLite chooses.
@Suite struct NestedSourceRegionTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, kind TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER, score INTEGER);
    CREATE TABLE game (player INTEGER, points INTEGER);
    INSERT INTO team VALUES (1, 'red'), (2, 'blue');
    INSERT INTO player VALUES (10, 1, 5);
    INSERT INTO game VALUES (10, 1);
    """

  private func region(_ sql: String, after change: String = "") throws -> String {
    try observedRegion(of: sql, in: Self.schema + change)
  }

  // MARK: - Outer joins

  // swift-format-ignore
  @Test(arguments: [
    // A player with a score hides the row of NULL.
    ("score IS NULL", "player(id,score,team),team(id)"),
    ("score IS NOT 5", "player(id,score,team),team(id)"),
    ("score = 5", "player(id,score,team) where score = 5,team(id)"),
    ("score = 5 OR score IS NULL", "player(id,score,team),team(id)"),
    ("score > 3", "player(id,score,team) where score > 3,team(id)"),
  ])
  func `a condition that NULL satisfies does not select rows behind an outer join in a subquery`(
    _ condition: String, _ expected: String
  ) throws {
    let joins = [
      "team t LEFT JOIN (SELECT * FROM player) p ON p.team = t.id",
      "(SELECT * FROM player) p RIGHT JOIN team t ON p.team = t.id",
    ]
    for join in joins {
      let subquery = try region("SELECT id FROM (SELECT t.id, p.score FROM \(join)) WHERE \(condition)")
      #expect(subquery == expected)
      let common = try region("WITH q AS (SELECT t.id, p.score FROM \(join)) SELECT id FROM q WHERE \(condition)")
      #expect(common == expected)
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    // The condition inside remains a condition on the rows that hide the row of NULL.
    ("SELECT 1 FROM team t LEFT JOIN (SELECT * FROM player WHERE score IS NULL) p ON p.team = t.id WHERE p.id IS NULL",
      "player(id,score,team) where score = NULL,team(id)"),
    ("""
      SELECT id FROM
        (SELECT t.id, p.score FROM team t LEFT JOIN (SELECT * FROM player WHERE id > 3) p ON p.team = t.id)
      WHERE score IS NULL
      """, "player(id,score,team) where id > 3,team(id)"),
    // A row with the score 5 is hidden by the outer condition, but without it, NULL would replace it.
    ("""
      SELECT id FROM team LEFT JOIN
        (SELECT g.player AS k, p.score FROM game g LEFT JOIN player p ON p.id = g.player WHERE p.score = 5) s
      ON s.k = team.id WHERE s.score IS NULL
      """, "game(player),player(id,score) where score = 5,team(id)"),
  ])
  func `each outer join has conditions of its own`(_ sql: String, _ expected: String) throws {
    let known = try region(sql)
    #expect(known == expected)
  }

  @Test func `the rows behind an outer join of a subquery are not searched for joined values`() throws {
    // The game of a player with a score hides the row of NULL.
    let sql = """
      SELECT id FROM (
        SELECT t.id, s.score FROM team t LEFT JOIN
          (SELECT p.team, p.score FROM player p JOIN game g ON g.player = p.id WHERE p.id = 10) s
        ON s.team = t.id)
      WHERE score IS NULL
      """
    let known = try region(sql, after: "CREATE INDEX gameByPlayer ON game(player)")
    #expect(known == "game(player) where player = 10,player(id,score,team) where id = 10,team(id)")
  }

  // MARK: - Names

  // swift-format-ignore
  @Test(arguments: [
    // The name of a column of a subquery, which differs from the name of its origin.
    ("SELECT * FROM (SELECT t, score AS team FROM (SELECT team AS t, score FROM player)) WHERE team = 5",
      "player(score,team) where score = 5"),
    ("""
      WITH q (t, s) AS (SELECT team, score FROM player), r AS (SELECT q.t, q.s AS team FROM q)
      SELECT 1 FROM r WHERE team = 5
      """, "player(score,team) where score = 5"),
    ("SELECT 1 FROM game WHERE points IN (SELECT t FROM (SELECT team AS t, score AS team FROM player) WHERE t = 5)",
      "game(points) where points = 5,player(score,team) where team = 5"),
    // A collation does not change the name of a column.
    ("SELECT * FROM (SELECT team COLLATE NOCASE, score AS team FROM player) WHERE team = 5", "player(score,team)"),
    ("""
      SELECT 1 FROM player WHERE team = 1 AND EXISTS
        (SELECT 1 FROM (SELECT id COLLATE NOCASE AS k, kind COLLATE NOCASE FROM team) WHERE kind = k)
      """, "player(team) where team = 1,team(id,kind)"),
    // In a subquery, a row ID has the name in the text; in a view, the name of its column.
    ("SELECT 1 FROM (SELECT player.oid, points AS id FROM player JOIN game ON player = player.id) WHERE id = 5",
      "game(player,points),player(id)"),
    ("SELECT 1 FROM (SELECT oid, points AS rowid FROM game) WHERE rowid = 5", "game(ROWID,points)"),
    ("SELECT 1 FROM (SELECT rowid, points FROM game) WHERE rowid = 5", "game(ROWID,points) where rowid = 5"),
    ("SELECT 1 FROM (SELECT rowid, * FROM player) WHERE id = 5", "player(id,score,team) where id = 5"),
    ("SELECT 1 FROM numbered WHERE id = 5", "numbered(id),player(id,team)"),
  ])
  func `a condition belongs to the column with the name that SQLite gives it`(
    _ sql: String, _ expected: String
  ) throws {
    let known = try region(sql, after: "CREATE VIEW numbered AS SELECT oid, team FROM player")
    #expect(known == expected)
  }

  // MARK: - Observations

  @Test(
    arguments: Observed.allCases,
    [
      """
      SELECT id FROM (SELECT t.id, p.score FROM team t LEFT JOIN (SELECT * FROM player) p ON p.team = t.id)
      WHERE score IS NULL
      """,
      "SELECT t FROM (SELECT t, score AS team FROM (SELECT team AS t, score FROM player)) WHERE team = 7",
    ])
  func `a change of a nested row is delivered`(_ observed: Observed, sql: String) throws {
    try observed.withDatabase { database in
      try database.write {
        try $0.execute(sql: "DROP TABLE IF EXISTS player; DROP TABLE IF EXISTS team; DROP TABLE IF EXISTS game")
      }
      try database.write { try $0.execute(sql: Self.schema) }
      let observation = ValueObservation.tracking { db in try Int.fetchAll(db, sql: sql) }
      let (deliveries, cancellable) = observation.collect(in: database)
      for change in [
        "INSERT INTO player VALUES (20, 2, 7)", "UPDATE player SET team = 1 WHERE id = 20",
        "UPDATE player SET team = 2 WHERE id = 20", "DELETE FROM player WHERE id = 20",
      ] {
        try database.write { try $0.execute(sql: change) }
        let result = try database.read { try Int.fetchAll($0, sql: sql) }
        try deliveries.wait(forLast: result)
      }
      cancellable.cancel()
    }
  }
}
