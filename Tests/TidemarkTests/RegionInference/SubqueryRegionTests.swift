import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows that subqueries, views and common tables select.
@Suite struct SubqueryRegionTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, kind TEXT);
    CREATE INDEX teamByKind ON team(kind);
    CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER, name TEXT, score INTEGER);
    CREATE INDEX playerByTeam ON player(team);
    CREATE TABLE game (player INTEGER, points INTEGER);
    CREATE INDEX gameByPlayer ON game(player);
    CREATE VIEW ranked AS SELECT id, team AS t, score FROM player WHERE score > 0;
    CREATE VIEW named (number, label) AS SELECT id, name FROM player;
    CREATE VIEW counted AS SELECT team, count(*) AS size FROM player GROUP BY team;
    INSERT INTO team VALUES (1, 'red'), (2, 'red'), (3, 'blue');
    INSERT INTO player VALUES (10, 1, 'a', 5), (20, 2, 'b', 6), (30, 3, 'c', 7);
    INSERT INTO game VALUES (10, 1), (20, 2), (30, 3);
    """

  /// The region of a query in an observation.
  private func region(_ sql: String, after change: String = "") throws -> String {
    try observedRegion(of: sql, in: Self.schema + change)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("team IN (SELECT id FROM team WHERE kind = 'red')",
      "player(team) where team in (1, 2),team(id,kind) where kind = \"red\""),
    ("team IN (SELECT id FROM team WHERE kind = 'red' ORDER BY id LIMIT 1)",
      "player(team) where team in (1, 2),team(id,kind) where kind = \"red\""),
    ("team = (SELECT id FROM team WHERE kind = 'blue')", "player(team) where team = 3,team(id,kind) where kind = \"blue\""),
    ("team IN (SELECT id FROM team WHERE id = 2)", "player(team) where team = 2,team(id) where id = 2"),
    ("team = 3 AND team IN (SELECT id FROM team)", "player(team) where team = 3,team(id) where id = 3"),
    ("team = 3 AND team = (SELECT id FROM team)", "player(team) where team = 3,team(id)"),
    ("EXISTS (SELECT 1 FROM team WHERE team.id = player.team AND kind = 'red')",
      "player(team) where team in (1, 2),team(id,kind) where kind = \"red\""),
    ("id = 20 AND EXISTS (SELECT 1 FROM game WHERE player = player.id)", "game(player) where player = 20,player(id) where id = 20"),
    ("id = 20 AND NOT EXISTS (SELECT 1 FROM game g WHERE g.player = id)", "game(player) where player = 20,player(id) where id = 20"),
    ("id = 20 AND (SELECT count(*) FROM game g WHERE g.player = id) > 1", "game(player) where player = 20,player(id) where id = 20"),
    ("id = 20 AND (SELECT max(points) FROM game g WHERE g.player = player.id) > 1",
      "game(player,points) where player = 20,player(id) where id = 20"),
    // Two levels.
    ("team IN (SELECT id FROM team t WHERE kind = 'red' AND EXISTS (SELECT 1 FROM game WHERE game.player = t.id))",
      "game(player) where player in (1, 2),player(team) where team in (1, 2),team(id,kind) where kind = \"red\""),
    ("id = 20 AND EXISTS (SELECT 1 FROM team t WHERE EXISTS (SELECT 1 FROM game WHERE game.player = player.id AND game.points = t.id))",
      "game(player,points) where player = 20,player(id) where id = 20,team(id) where id = 2"),
    // A subquery that does not decide alone, or that returns a row anyway.
    ("team IN (SELECT id FROM team WHERE kind = 'red') OR score = 5", "player(score,team),team(id,kind) where kind = \"red\""),
    ("team NOT IN (SELECT id FROM team WHERE kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("NOT EXISTS (SELECT 1 FROM team WHERE team.id = player.team AND kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("EXISTS (SELECT count(*) FROM team WHERE team.id = player.team AND kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("EXISTS (SELECT id FROM team WHERE team.id = player.team AND kind = 'red' ORDER BY count(*))",
      "player(team),team(id,kind) where kind = \"red\""),
    ("team IS (SELECT id FROM team WHERE kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("score IS (SELECT points FROM game WHERE game.player = player.id AND game.player = 10)",
      "game(player,points) where player = 10,player(id,score)"),
    ("team = (SELECT max(id) FROM team WHERE kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("team < (SELECT id FROM team WHERE kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
    ("team IN (SELECT id FROM team WHERE kind = 'red' UNION SELECT 3)", "player(team),team(id,kind) where kind = \"red\""),
    ("team IN (SELECT id + 0 FROM team WHERE kind = 'red')", "player(team),team(id,kind) where kind = \"red\""),
  ])
  func `subqueries select rows`(_ condition: String, _ expected: String) throws {
    let known = try region("SELECT 1 FROM player WHERE \(condition)")
    #expect(known == expected)
  }

  // swift-format-ignore
  @Test(arguments: [
    // An unqualified name belongs to the innermost table that has it.
    ("SELECT 1 FROM player WHERE id = 20 AND EXISTS (SELECT 1 FROM team WHERE id = score)",
      "player(id,score) where id = 20,team(id) where id = 6"),
    ("SELECT 1 FROM player p WHERE id = 20 AND EXISTS (SELECT 1 FROM player p WHERE p.team = p.id)",
      "player(id,team) where id = 20,player(id,team) where team = id"),
    ("SELECT 1 FROM player WHERE id = 20 AND EXISTS (SELECT points AS id FROM game WHERE game.player = id)",
      "game(player,points),player(id) where id = 20"),
    ("SELECT 1 FROM player WHERE id = 20 AND EXISTS (SELECT 1 FROM game WHERE game.player = main.player.id)",
      "game(player),player(id) where id = 20"),
    ("SELECT 1 FROM player WHERE id = 20 AND EXISTS (SELECT 1 FROM game NATURAL JOIN (SELECT player FROM game) WHERE points = score)",
      "game(player,points),player(id,score) where id = 20"),
    // Rows of an outer join may be excluded by the subquery alone.
    ("SELECT 1 FROM team t LEFT JOIN player p ON p.team = t.id AND EXISTS (SELECT 1 FROM game g WHERE g.player = p.id) WHERE p.score = 5",
      "game(player),player(id,score,team) where score = 5,team(id)"),
    ("SELECT 1 FROM team LEFT JOIN player ON player.team = team.id AND player.id IN (SELECT player FROM game WHERE player = 10)",
      "game(player) where player = 10,player(id,team) where id = 10,team(id)"),
    // Results of each row.
    ("SELECT (SELECT count(*) FROM game WHERE game.player = player.id) FROM player WHERE team = 1",
      "game(player) where player = 10,player(id,team) where team = 1"),
  ])
  func `names in subqueries refer to enclosing queries`(_ sql: String, _ expected: String) throws {
    let known = try region(sql)
    #expect(known == expected)
  }

  /// A player with a score and a game is not in the result, but without the game, NULL would replace it.
  @Test func `rows that NULL may replace do not select rows of a subquery`() throws {
    let sql = """
      SELECT 1 FROM team t LEFT JOIN player p ON p.team = t.id AND EXISTS (SELECT 1 FROM game g WHERE g.player = p.id)
      WHERE p.score IS NULL
      """
    let known = try region(sql, after: "CREATE INDEX playerByScore ON player(score)")
    #expect(known == "game(player),player(id,score,team),team(id)")
  }

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT * FROM ranked WHERE t = 1", "player(id,score,team) where score > 0 and team = 1,ranked(id,score,t)"),
    ("SELECT * FROM ranked r WHERE r.id = 10 AND r.score < 9", "player(id,score,team) where id = 10 and score > 0 and score < 9,ranked(id,score,t)"),
    ("SELECT * FROM named WHERE label = 'a'", "named(label,number),player(id,name) where name = \"a\""),
    ("SELECT * FROM counted WHERE team = 1", "counted(size,team),player(team)"),
    ("SELECT label FROM named JOIN game ON game.player = number WHERE points = 2",
      "game(player,points) where points = 2,named(label,number),player(id,name)"),
    ("SELECT label FROM game LEFT JOIN named ON number = player AND label = 'a' WHERE player = 10",
      "game(player) where player = 10,named(label,number),player(id,name) where id = 10 and name = \"a\""),
    ("SELECT label FROM game LEFT JOIN named ON number = player WHERE label = 'a'",
      "game(player),named(label,number),player(id,name) where name = \"a\""),
    ("WITH q (a, b) AS (SELECT id, score FROM player) SELECT a FROM q WHERE b = 5", "player(id,score) where score = 5"),
    ("WITH q AS (SELECT * FROM player) SELECT id FROM q JOIN game ON game.player = q.id WHERE q.team = 1",
      "game(player) where player = 10,player(id,name,score,team) where team = 1"),
    ("WITH q AS (SELECT id, team FROM player) SELECT 1 FROM q a, q b WHERE a.id = 10 AND b.id = 20",
      "player(id,team) where id in (10, 20)"),
    // A row of a recursive query leads to others.
    ("WITH RECURSIVE q AS (SELECT id FROM player WHERE id = 10 UNION ALL SELECT score FROM player p, q USING (id)) SELECT * FROM q WHERE id = 5",
      "player(id,score)"),
    ("WITH q AS (SELECT id FROM player LIMIT 2) SELECT * FROM q WHERE id = 10", "player(id)"),
    ("WITH q AS (SELECT id FROM player WHERE team = 1 UNION ALL SELECT player FROM game) SELECT * FROM q WHERE id = 10",
      "game(player) where player = 10,player(id,team) where id = 10 and team = 1"),
    // The places of columns that `*` stands for are not known.
    ("WITH q AS (SELECT * FROM game UNION ALL SELECT player, points FROM game) SELECT * FROM q WHERE player = 10", "game(player,points)"),
    ("WITH q AS (SELECT id FROM player UNION SELECT player FROM game) SELECT * FROM q WHERE id = 10", "game(player),player(id)"),
    ("SELECT * FROM (SELECT DISTINCT team FROM player) WHERE team = 1", "player(team) where team = 1"),
    ("SELECT * FROM (SELECT team, row_number() OVER () AS n FROM player) WHERE team = 1", "player(team)"),
    ("SELECT 1 FROM (SELECT p.id AS p, t.id AS t FROM player p JOIN team t ON t.id = p.team) WHERE p = 10 AND t = 1",
      "player(id,team) where id = 10 and team = 1,team(id) where id = 1"),
    // Merged columns.
    ("SELECT 1 FROM player JOIN (SELECT id AS team, kind FROM team) USING (team) WHERE team = 2",
      "player(team) where team = 2,team(id,kind) where id = 2"),
    ("SELECT 1 FROM game NATURAL LEFT JOIN (SELECT id AS player, score FROM player) WHERE player = 10",
      "game(player) where player = 10,player(id,score) where id = 10"),
    ("SELECT 1 FROM game NATURAL FULL JOIN (SELECT id AS player, score FROM player) WHERE player = 10", "game(*),player(id,score)"),
  ])
  func `conditions select rows of views and common tables`(_ sql: String, _ expected: String) throws {
    let known = try region(sql)
    #expect(known == expected)
  }

  @Test(arguments: [false, true])
  func `a function of the program is not the one of SQLite`(isInTransaction: Bool) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a TEXT)")
      if isInTransaction { try db.beginTransaction() }
      let statement = try db.makeStatement(sql: "SELECT 1 FROM t WHERE lower(a) = 'x'")
      // In a transaction, the schema is not checked again after the first time.
      for _ in 1...2 { #expect(statement.databaseRegion.debugDescription == "t(a) where lower(a) = \"x\"") }
      let function = DatabaseFunction("lower", argumentCount: 1, pure: true) { _ in "x" }
      db.add(function: function)
      #expect(statement.databaseRegion.debugDescription == "t(a)")
      if isInTransaction { try db.rollback() }
    }
  }

  // MARK: - Observations

  @Test(arguments: Observed.allCases)
  func `rows without a match in a subquery do not wake an observation`(_ observed: Observed) throws {
    try observed.withDatabase { database in
      try database.write { try $0.execute(sql: "DROP TABLE IF EXISTS player; DROP TABLE IF EXISTS team") }
      try database.write { try $0.execute(sql: Self.schema) }
      let observation = ValueObservation.tracking { db in
        try String.fetchAll(
          db, sql: "SELECT name FROM player WHERE team IN (SELECT id FROM team WHERE kind = 'red') ORDER BY id")
      }
      let (deliveries, cancellable) = observation.collect(in: database)
      try deliveries.wait(forLast: ["a", "b"])
      try database.write { try $0.execute(sql: "UPDATE player SET name = 'other' WHERE team = 3") }
      try database.write { try $0.execute(sql: "INSERT INTO team VALUES (4, 'green')") }
      try database.write { try $0.execute(sql: "INSERT INTO player VALUES (40, 4, 'd', 1)") }
      #expect(database.observationMetrics.wakeCount == 0)
      try database.write { try $0.execute(sql: "UPDATE team SET kind = 'red' WHERE id = 4") }
      try deliveries.wait(forLast: ["a", "b", "d"])
      try database.write { try $0.execute(sql: "UPDATE player SET name = 'e' WHERE id = 40") }
      try deliveries.wait(forLast: ["a", "b", "e"])
      try database.write { try $0.execute(sql: "UPDATE player SET team = 1 WHERE id = 30") }
      try deliveries.wait(forLast: ["a", "b", "other", "e"])
      try database.write { try $0.execute(sql: "DELETE FROM team WHERE id = 1") }
      try deliveries.wait(forLast: ["b", "e"])
      cancellable.cancel()
    }
  }
}
