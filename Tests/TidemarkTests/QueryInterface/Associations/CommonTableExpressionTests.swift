import Testing
import Tidemark

private let id = Column("id")
private let teamId = Column("teamId")
private let name = Column("name")
private let score = Column("score")
private let top = Column("top")

private struct Team: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var name: String

  static let players = hasMany(Player.self)
  static let playerCount = players.count
  static let isLarge = players.count > 1 && players.max(score) != nil
  static let ten = CommonTableExpression(named: "ten", sql: "SELECT 10 AS n")
}

private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
  enum Columns {
    static let teamId = Column("teamId")
    static let score = Column("score")
  }
  var id: Int64
  var teamId: Int64?
  var name: String
  var score: Int
}

private func inTeams<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(
      sql: """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT, score INTEGER);
        CREATE TABLE node (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES node, label TEXT);
        INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
        INSERT INTO player VALUES (1, 1, 'Ada', 10), (2, 1, 'Bob', 20), (3, 2, 'Cyd', 5), (4, NULL, 'Dan', 1);
        INSERT INTO node VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, 'd');
        """)
    return try body(db)
  }
}

private func best() -> CommonTableExpression<Row> {
  CommonTableExpression(
    named: "best", request: Player.select { [$0.teamId, max($0.score).forKey("top")] }.group { $0.teamId })
}

private func counter() -> CommonTableExpression<Int> {
  CommonTableExpression(
    recursive: true, named: "counter", columns: ["x"],
    literal: "VALUES(1) UNION ALL SELECT x+1 FROM counter WHERE x < \(3)")
}

private let bestSQL = #"WITH "best" AS (SELECT "teamId", MAX("score") AS "top" FROM "player" GROUP BY "teamId") "#

/// Common table expressions: `WITH … SELECT …`.
@Suite struct CommonTableExpressionTests {
  @Test func `common table expressions and aggregates are constants of records`() throws {
    try inTeams { db in
      let rows = try Row.fetchAll(db, Team.annotated(with: Team.playerCount).order(id))
      #expect(rows == [["id": 1, "name": "Red", "playerCount": 2], ["id": 2, "name": "Blue", "playerCount": 1]])
      #expect(try Team.having(Team.isLarge).fetchAll(db) == [Team(id: 1, name: "Red")])
      #expect(try Int.fetchOne(db, Team.ten.all().with(Team.ten)) == 10)
    }
  }

  @Test func `a common table expression is defined by a request, by SQL or by a literal`() throws {
    try inTeams { db in
      try db.expectFetch(best().all().with(best()), bestSQL + #"SELECT * FROM "best""#)
      let named = CommonTableExpression(
        named: "best", columns: ["teamId", "top"], request: Player.select { [$0.teamId, $0.score] })
      try db.expectFetch(
        named.all().with(named).filter(top > 5),
        """
        WITH "best"("teamId", "top") AS (SELECT "teamId", "score" FROM "player") SELECT * FROM "best" WHERE "top" > 5
        """)
      let quoted = CommonTableExpression(named: "my cte", columns: ["a b"], sql: "SELECT 1")
      try db.expectFetch(quoted.all().with(quoted), #"WITH "my cte"("a b") AS (SELECT 1) SELECT * FROM "my cte""#)
      let sql = CommonTableExpression(
        named: "best", columns: [], sql: "SELECT teamId FROM player WHERE score > ?", arguments: [1])
      try db.expectFetch(
        sql.all().with(sql), #"WITH "best" AS (SELECT teamId FROM player WHERE score > 1) SELECT * FROM "best""#)
    }
  }

  @Test func `a recursive common table expression refers to itself`() throws {
    try inTeams { db in
      try db.expectFetch(
        counter().all().with(counter()),
        """
        WITH RECURSIVE "counter"("x") AS (VALUES(1) UNION ALL SELECT x+1 FROM counter WHERE x < 3) \
        SELECT * FROM "counter"
        """)
      let numbers = try counter().all().with(counter()).fetchAll(db)
      #expect(numbers == [1, 2, 3])
      let tree = CommonTableExpression(
        recursive: true, named: "tree",
        literal:
          "SELECT * FROM node WHERE id = \(1) UNION ALL SELECT node.* FROM node JOIN tree ON node.parentId = tree.id")
      let labels = try tree.all().with(tree).select(Column("label"), as: String.self).fetchAll(db)
      #expect(labels == ["a", "b", "c"])
    }
  }

  @Test func `several common table expressions keep their order`() throws {
    try inTeams { db in
      let ids = CommonTableExpression(named: "ids", request: Player.select(id))
      let big = CommonTableExpression(named: "big", request: ids.all().filter(id > 1))
      try db.expectFetch(
        big.all().with(ids).with(big),
        """
        WITH "ids" AS (SELECT "id" FROM "player"), "big" AS (SELECT * FROM "ids" WHERE "id" > 1) SELECT * FROM "big"
        """)
      let other = CommonTableExpression(named: "ids", sql: "SELECT 7 AS id")
      try db.expectFetch(
        big.all().with(ids).with(big).with(other),
        """
        WITH "ids" AS (SELECT 7 AS id), "big" AS (SELECT * FROM "ids" WHERE "id" > 1) SELECT * FROM "big"
        """)
      #expect(errorText { try best().all().fetchAll(db) }.hasPrefix("SQLite error 1: no such table: best"))
    }
  }

  @Test func `a common table expression contains values`() throws {
    try inTeams { db in
      try db.expectFetch(
        Player.with(counter()).filter(counter().contains(id)),
        """
        WITH RECURSIVE "counter"("x") AS (VALUES(1) UNION ALL SELECT x+1 FROM counter WHERE x < 3) \
        SELECT * FROM "player" WHERE "id" IN "counter"
        """)
      let others = try Player.with(counter()).filter(!counter().contains(id)).fetchAll(db)
      #expect(others.map(\.id) == [4])
      let ids = CommonTableExpression(named: "ids", request: Player.select(id))
      try db.expectFetch(
        Team.filter(ids.all().with(ids).contains(id)),
        """
        SELECT * FROM "team" WHERE "id" IN (WITH "ids" AS (SELECT "id" FROM "player") SELECT * FROM "ids")
        """)
      try db.expectFetch(
        Team.with(ids).filter(ids.all().contains(id)),
        """
        WITH "ids" AS (SELECT "id" FROM "player") SELECT * FROM "team" WHERE "id" IN (SELECT * FROM "ids")
        """)
    }
  }

  @Test func `a common table expression is associated by a condition`() throws {
    let a = Player.association(to: best(), on: { p, b in p[teamId] == b[top] || p[teamId] == b["teamId"] })
    let byTeam = Player.association(to: best(), on: { p, b in p.teamId == b[Column("teamId")] })
    try inTeams { db in
      let request = Player.with(best()).including(required: byTeam)
      try db.expectFetch(
        request,
        bestSQL + #"SELECT "player".*, "best".* FROM "player" JOIN "best" ON "player"."teamId" = "best"."teamId""#)
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.scopes["best"]?.description == "[teamId:1 top:20]")
      try db.expectFetch(
        Player.with(best()).including(optional: Player.association(to: best())),
        bestSQL + #"SELECT "player".*, "best".* FROM "player" LEFT JOIN "best""#)
      try db.expectFetch(
        Player.with(best()).joining(required: Player.association(to: best()).filter(top > 5)),
        bestSQL + #"SELECT "player".* FROM "player" JOIN "best" ON "best"."top" > 5"#)
      try db.expectFetch(
        Player.with(best()).including(required: byTeam.select(top).forKey("champion")),
        bestSQL + #"SELECT "player".*, "best"."top" FROM "player" JOIN "best" ON "player"."teamId" = "best"."teamId""#)
      try db.expectFetch(
        Player.including(required: a.with(best())),
        bestSQL + """
          SELECT "player".*, "best".* FROM "player" \
          JOIN "best" ON ("player"."teamId" = "best"."top") OR ("player"."teamId" = "best"."teamId")
          """)
      let t = TableAlias(name: nil)
      try db.expectFetch(
        Player.with(best()).joining(optional: byTeam.aliased(t)).filter(t[top] == score),
        bestSQL + """
          SELECT "player".* FROM "player" LEFT JOIN "best" ON "player"."teamId" = "best"."teamId" \
          WHERE "best"."top" = "player"."score"
          """)
    }
  }

  @Test func `a common table expression has associations of its own`() throws {
    let toTeam = best().association(to: Team.self, on: { b, t in b["teamId"] == t[id] })
    try inTeams { db in
      let request = best().all().with(best()).including(required: toTeam)
      try db.expectFetch(
        request, bestSQL + #"SELECT "best".*, "team".* FROM "best" JOIN "team" ON "best"."teamId" = "team"."id""#)
      #expect(try Row.fetchOne(db, request)?.scopes["team"]?["name"] == "Red")
      try db.expectFetch(
        best().all().with(best()).joining(
          required: best().association(to: Table("team"), on: { b, t in b["teamId"] == t["id"] })),
        bestSQL + #"SELECT "best".* FROM "best" JOIN "team" ON "best"."teamId" = "team"."id""#)
      try db.expectFetch(
        best().all().with(best()).joining(
          required: best().association(to: best(), on: { b, c in b["top"] < c["top"] })),
        bestSQL + #"SELECT "best1".* FROM "best" "best1" JOIN "best" "best2" ON "best1"."top" < "best2"."top""#)
      let through = Player.hasOne(
        Team.self, through: Player.association(to: best(), on: { p, b in p.teamId == b["teamId"] }), using: toTeam)
      try db.expectFetch(
        Player.with(best()).including(required: through),
        bestSQL + """
          SELECT "player".*, "team".* FROM "player" JOIN "best" ON "player"."teamId" = "best"."teamId" \
          JOIN "team" ON "best"."teamId" = "team"."id"
          """)
    }
  }

  @Test func `definitions of joined associations move to the outermost query`() throws {
    let byTeam = Player.association(to: best(), on: { p, b in p.teamId == b["teamId"] })
    try inTeams { db in
      try db.expectFetch(
        Team.with(best()).joining(required: Team.players.including(required: byTeam)),
        bestSQL + """
          SELECT "team".*, "best".* FROM "team" JOIN "player" ON "player"."teamId" = "team"."id" \
          JOIN "best" ON "player"."teamId" = "best"."teamId"
          """)
      try db.expectFetch(
        Team.with(best()).joining(required: Team.players.with(counter()).filter(counter().contains(id))),
        """
        WITH RECURSIVE "best" AS (SELECT "teamId", MAX("score") AS "top" FROM "player" GROUP BY "teamId"), \
        "counter"("x") AS (VALUES(1) UNION ALL SELECT x+1 FROM counter WHERE x < 3) \
        SELECT "team".* FROM "team" JOIN "player" ON ("player"."teamId" = "team"."id") AND ("player"."id" IN "counter")
        """)
      try db.expectFetch(
        Team.including(all: Team.players.with(counter()).filter(counter().contains(id))), #"SELECT * FROM "team""#,
        """
        WITH RECURSIVE "counter"("x") AS (VALUES(1) UNION ALL SELECT x+1 FROM counter WHERE x < 3) \
        SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE ("id" IN "counter") AND ("teamId" IN (1, 2))
        """)
    }
  }

  @Test func `counting, testing and changing rows keep the definitions`() throws {
    try inTeams { db in
      try db.expectTrace(#"SELECT COUNT(*) FROM (\#(bestSQL)SELECT * FROM "player")"#) { db in
        let count = try Player.with(best()).fetchCount(db)
        #expect(count == 4)
      }
      try db.expectTrace(#"SELECT EXISTS (\#(bestSQL)SELECT * FROM "player")"#) { db in
        let isEmpty = try Player.with(best()).isEmpty(db)
        #expect(!isEmpty)
      }
      try db.expectTrace(bestSQL + #"SELECT * FROM "best" LIMIT 1"#) { db in
        _ = try best().all().with(best()).fetchOne(db)
      }
      try db.expectFetch(best().all().with(best()).withStableOrder(), bestSQL + #"SELECT * FROM "best" ORDER BY 1, 2"#)
      let byTeam = Player.association(to: best(), on: { p, b in p.score == b["top"] })
      try db.expectTrace(
        """
        UPDATE "player" SET "score" = "score" + 1 WHERE "id" IN (\(bestSQL)SELECT "player"."id" FROM "player" \
        JOIN "best" ON "player"."score" = "best"."top")
        """
      ) { db in
        let count = try Player.with(best()).joining(required: byTeam).updateAll(db, score += 1)
        #expect(count == 3)
      }
      try db.expectTrace(bestSQL + #"DELETE FROM "player" WHERE teamId NOT IN (SELECT teamId FROM best)"#) { db in
        let count = try Player.with(best()).filter(sql: "teamId NOT IN (SELECT teamId FROM best)").deleteAll(db)
        #expect(count == 0)
      }
    }
  }

  @Test func `SQL contains names and definitions`() throws {
    try inTeams { db in
      let request: SQLRequest<Row> = "WITH \(definitionFor: best()) SELECT * FROM \(best())"
      try db.expectFetch(request, bestSQL + #"SELECT * FROM "best""#)
      let columns = CommonTableExpression(named: "d", columns: ["z"], sql: "SELECT 1")
      #expect(try ("\(definitionFor: columns)" as SQL).build(db).sql == #""d"("z") AS (SELECT 1)"#)
    }
  }

  @Test func `rows are decoded as the type of the common table expression`() throws {
    struct Best: Decodable, FetchableRecord, Equatable {
      var teamId: Int?
      var top: Int
    }
    try inTeams { db in
      let cte = CommonTableExpression<Best>(named: "best", request: best().all().with(best()).filter(top > 5))
      let values = try cte.all().with(cte).fetchAll(db)
      #expect(values == [Best(teamId: 1, top: 20)])
    }
  }

  @Test func `an included definition that cannot be prepared alone needs its columns`() throws {
    let a = CommonTableExpression(named: "a1", sql: "SELECT 1 AS x")
    let b = CommonTableExpression(named: "b1", sql: "SELECT x FROM a1")
    let c = CommonTableExpression(named: "b1", columns: ["x"], sql: "SELECT x FROM a1")
    try inTeams { db in
      let text = errorText { try Row.fetchAll(db, Team.with(a).with(b).including(required: Team.association(to: b))) }
      #expect(
        text.contains(#"Can't compute the number of columns in the "b1" common table expression: no such table: a1"#))
      let rows = try Row.fetchAll(db, Team.with(a).with(c).including(required: Team.association(to: c)))
      #expect(rows.map { $0.scopes["b1"]?["x"] as Int? } == [1, 1])
    }
  }

  @Test func `the region has the tables of the definition`() throws {
    try inTeams { db in
      let region = try best().all().with(best()).databaseRegion(db)
      #expect(region.description == "player(score,teamId)")
    }
  }

  @Test func `prefetching through a common table expression is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inTeams { db in
        let toBest = Player.association(to: best(), on: { p, b in p.teamId == b["teamId"] })
        let toTeam = best().association(to: Team.self, on: { b, t in b["teamId"] == t[id] })
        _ = try Row.fetchAll(
          db, Player.with(best()).including(all: Player.hasMany(Team.self, through: toBest, using: toTeam)))
      }
    }
    #expect(result.words.contains("Not implemented: prefetch association without any foreign key"))
  }
}
