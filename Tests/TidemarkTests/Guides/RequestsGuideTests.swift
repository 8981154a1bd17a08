import Testing
import Tidemark

private struct Player: FetchableRecord, TableRecord, Identifiable {
  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let score = Column("score")
    static let team = Column("team")
  }

  var id: Int64
  var name: String
  var score: Int

  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    score = row["score"]
  }
}

extension DerivableRequest<Player> {
  fileprivate func of(team: String) -> Self { filter { $0.team == team } }
  fileprivate func inRanking() -> Self { order { [$0.score.desc, $0.name] } }
}

/// The code of `Documentation/Requests.md`.
@Suite struct RequestsGuideTests {
  private func inGame(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL, team TEXT, email TEXT UNIQUE);
          INSERT INTO player VALUES
            (1, 'Arthur', 1200, 'red', 'arthur@example.com'), (2, 'Barbara', 1500, 'blue', NULL),
            (3, 'Craig', 0, 'red', NULL);
          """)
      try body(db)
    }
  }

  @Test func theFirstRequest() throws {
    try inGame { db in
      // SELECT * FROM "player" WHERE "score" >= 1000 ORDER BY "score" DESC, "name" LIMIT 10
      let request =
        Player
        .filter { $0.score >= 1000 }
        .order { [$0.score.desc, $0.name] }
        .limit(10)
      let players = try request.fetchAll(db)
      let best = try request.fetchOne(db)
      let count = try request.fetchCount(db)
      let isEmpty = try request.isEmpty(db)
      #expect(players.map(\.name) == ["Barbara", "Arthur"])
      #expect(best?.name == "Barbara")
      #expect(count == 2)
      #expect(!isEmpty)
      try db.expectSQL(
        request, #"SELECT * FROM "player" WHERE "score" >= ? ORDER BY "score" DESC, "name" LIMIT 10"#, [1000])
      let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)
      #expect(rows.count == 2)
    }
  }

  @Test func filters() throws {
    let name: String? = nil
    let requests = [
      Player.filter { $0.score > 1000 && $0.team == "red" },  // ("score" > ?) AND ("team" = ?)
      Player.filter { $0.name == name },  // "name" IS NULL
      Player.filter { !($0.score == 0) },  // "score" <> ?
      Player.filter { ["red", "blue"].contains($0.team) },  // "team" IN (?, ?)
      Player.filter { (1...10).contains($0.score) },  // "score" BETWEEN ? AND ?
      Player.filter { $0.name.like("A%") },  // "name" LIKE ?
      Player.filter { $0.name.collating(.nocase) == "arthur" },  // "name" = ? COLLATE NOCASE
      Player.filter { ($0.score ?? 0) * 2 < 10 },  // (IFNULL("score", ?) * ?) < ?
      Player.filter { length($0.name) > 5 },  // LENGTH("name") > ?
      Player.filter(sql: "score > ?", arguments: [1000]),  // score > ?
      Player.filter(literal: "score > \(1000)"),  // score > ?
    ]
    let conditions = [
      #"("score" > ?) AND ("team" = ?)"#, #""name" IS NULL"#, #""score" <> ?"#, #""team" IN (?, ?)"#,
      #""score" BETWEEN ? AND ?"#, #""name" LIKE ?"#, #""name" = ? COLLATE NOCASE"#,
      #"(IFNULL("score", ?) * ?) < ?"#, #"LENGTH("name") > ?"#, "score > ?", "score > ?",
    ]
    let counts = [1, 0, 2, 3, 0, 1, 1, 1, 2, 2, 2]
    try inGame { db in
      for (request, condition) in zip(requests, conditions) {
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        #expect(statement.sql == #"SELECT * FROM "player" WHERE "# + condition)
      }
      #expect(try requests.map { try $0.fetchCount(db) } == counts)
    }
  }

  @Test func keys() throws {
    try inGame { db in
      let player = try Player.fetchOne(db, key: 1)
      let same = try Player.fetchOne(db, key: ["email": "arthur@example.com"])
      let found = try Player.find(db, id: 1)
      let some = try Player.fetchAll(db, ids: [1, 2])
      let exists = try Player.exists(db, id: 3)
      #expect([player?.name, same?.name, found.name] == ["Arthur", "Arthur", "Arthur"])
      #expect(some.count == 2)
      #expect(exists)
    }
  }

  @Test func selections() throws {
    try inGame { db in
      let names = try Player.select({ $0.name }, as: String.self).fetchSet(db)
      let highest = try Player.select({ max($0.score) }, as: Int.self).fetchOne(db)
      let ids = try Player.filter { $0.team == "red" }.selectID().fetchAll(db)

      // SELECT "team", MAX("score") AS "best" FROM "player" GROUP BY "team" HAVING COUNT("id") > 1
      let teams =
        Player
        .select { [$0.team, max($0.score).forKey("best")] }
        .group { $0.team }
        .having { count($0.id) > 1 }
        .asRequest(of: Row.self)
      #expect(names == ["Arthur", "Barbara", "Craig"])
      #expect(highest == 1500)
      #expect(ids == [1, 3])
      #expect(try teams.fetchAll(db) == [["team": "red", "best": 1200]])
      try db.expectSQL(
        teams, #"SELECT "team", MAX("score") AS "best" FROM "player" GROUP BY "team" HAVING COUNT("id") > ?"#, [1])
    }
  }

  @Test func queriesInsideOfQueries() throws {
    try inGame { db in
      // SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
      let winners = Player.filter { $0.score == Player.select { max($0.score) } }

      // SELECT * FROM "player" WHERE NOT EXISTS
      // (SELECT "rival".* FROM "player" "rival"
      //  WHERE ("rival"."team" = "player"."team") AND ("rival"."score" > "player"."score"))
      let player = TableAlias<Player>()
      let rival = TableAlias<Player>(name: "rival")
      let rivals = Player.aliased(rival).filter(rival.team == player.team && rival.score > player.score)
      let champions = Player.aliased(player).filter(!rivals.exists())
      #expect(try winners.fetchAll(db).map(\.name) == ["Barbara"])
      #expect(try champions.fetchAll(db).map(\.name) == ["Arthur", "Barbara"])
      try db.expectSQL(
        champions,
        """
        SELECT * FROM "player" WHERE NOT EXISTS \
        (SELECT "rival".* FROM "player" "rival" \
        WHERE ("rival"."team" = "player"."team") AND ("rival"."score" > "player"."score"))
        """)
    }
  }

  @Test func changingManyRows() throws {
    try inGame { db in
      // UPDATE "player" SET "score" = "score" + 10, "team" = NULL WHERE "score" < 100
      try Player.filter { $0.score < 100 }.updateAll(db) { [$0.score += 10, $0.team.set(to: nil)] }

      // DELETE FROM "player" WHERE "score" = 0 RETURNING *
      let losers = try Player.filter { $0.score == 0 }.deleteAndFetchAll(db)

      try Player.deleteOne(db, id: 3)
      #expect(losers.isEmpty)
      #expect(try Player.fetchCount(db) == 2)
    }
  }

  @Test func aVocabularyOfYourOwn() throws {
    try inGame { db in
      let reds = try Player.all().of(team: "red").inRanking().fetchAll(db)
      let good = Player.all().filterWhenConnected { db in
        let mean = try Player.select({ average($0.score) }, as: Double.self).fetchOne(db)
        return Player.Columns.score > mean
      }
      #expect(reds.map(\.name) == ["Arthur", "Craig"])
      #expect(try good.fetchCount(db) == 2)
    }
  }
}
