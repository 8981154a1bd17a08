import Testing
import Tidemark

struct Runner: FetchableRecord, TableRecord, Identifiable {
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

extension DerivableRequest<Runner> {
  func of(team: String) -> Self { filter { $0.team == team } }
  func inRanking() -> Self { order { [$0.score.desc, $0.name] } }
}

/// The code of `Documentation/Requests.md`.
@Suite struct RequestsGuideTests {
  private func inGame(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE runner (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL, team TEXT, email TEXT UNIQUE);
          INSERT INTO runner VALUES
            (1, 'Arthur', 1200, 'red', 'arthur@example.com'), (2, 'Barbara', 1500, 'blue', NULL),
            (3, 'Craig', 0, 'red', NULL);
          """)
      try body(db)
    }
  }

  @Test func firstRequestExampleWorks() throws {
    try inGame { db in
      // SELECT * FROM "runner" WHERE "score" >= 1000 ORDER BY "score" DESC, "name" LIMIT 10
      let request =
        Runner
        .filter { $0.score >= 1000 }
        .order { [$0.score.desc, $0.name] }
        .limit(10)
      let runners = try request.fetchAll(db)
      let best = try request.fetchOne(db)
      let count = try request.fetchCount(db)
      let isEmpty = try request.isEmpty(db)
      #expect(runners.map(\.name) == ["Barbara", "Arthur"])
      #expect(best?.name == "Barbara")
      #expect(count == 2)
      #expect(!isEmpty)
      try db.expectSQL(
        request, #"SELECT * FROM "runner" WHERE "score" >= ? ORDER BY "score" DESC, "name" LIMIT 10"#, [1000])
      let rows = try Table("runner").filter(Column("score") > 1000).fetchAll(db)
      #expect(rows.count == 2)
    }
  }

  @Test func filtersExampleWorks() throws {
    let name: String? = nil
    let requests = [
      Runner.filter { $0.score > 1000 && $0.team == "red" },  // ("score" > ?) AND ("team" = ?)
      Runner.filter { $0.name == name },  // "name" IS NULL
      Runner.filter { !($0.score == 0) },  // "score" <> ?
      Runner.filter { ["red", "blue"].contains($0.team) },  // "team" IN (?, ?)
      Runner.filter { (1...10).contains($0.score) },  // "score" BETWEEN ? AND ?
      Runner.filter { $0.name.like("A%") },  // "name" LIKE ?
      Runner.filter { $0.name.collating(.nocase) == "arthur" },  // "name" = ? COLLATE NOCASE
      Runner.filter { ($0.score ?? 0) * 2 < 10 },  // (IFNULL("score", ?) * ?) < ?
      Runner.filter { length($0.name) > 5 },  // LENGTH("name") > ?
      Runner.filter(sql: "score > ?", arguments: [1000]),  // score > ?
      Runner.filter(literal: "score > \(1000)"),  // score > ?
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
        #expect(statement.sql == #"SELECT * FROM "runner" WHERE "# + condition)
      }
      #expect(try requests.map { try $0.fetchCount(db) } == counts)
    }
  }

  @Test func keysExampleWorks() throws {
    try inGame { db in
      let runner = try Runner.fetchOne(db, key: 1)
      let same = try Runner.fetchOne(db, key: ["email": "arthur@example.com"])
      let found = try Runner.find(db, id: 1)
      let some = try Runner.fetchAll(db, ids: [1, 2])
      let exists = try Runner.exists(db, id: 3)
      #expect([runner?.name, same?.name, found.name] == ["Arthur", "Arthur", "Arthur"])
      #expect(some.count == 2)
      #expect(exists)
    }
  }

  @Test func selectionsExampleWorks() throws {
    try inGame { db in
      let names = try Runner.select({ $0.name }, as: String.self).fetchSet(db)
      let highest = try Runner.select({ max($0.score) }, as: Int.self).fetchOne(db)
      let ids = try Runner.filter { $0.team == "red" }.selectID().fetchAll(db)

      // SELECT "team", MAX("score") AS "best" FROM "runner" GROUP BY "team" HAVING COUNT("id") > 1
      let teams =
        Runner
        .select { [$0.team, max($0.score).forKey("best")] }
        .group { $0.team }
        .having { count($0.id) > 1 }
        .asRequest(of: Row.self)
      #expect(names == ["Arthur", "Barbara", "Craig"])
      #expect(highest == 1500)
      #expect(ids == [1, 3])
      #expect(try teams.fetchAll(db) == [["team": "red", "best": 1200]])
      try db.expectSQL(
        teams, #"SELECT "team", MAX("score") AS "best" FROM "runner" GROUP BY "team" HAVING COUNT("id") > ?"#, [1])
    }
  }

  @Test func subqueriesExampleWorks() throws {
    try inGame { db in
      // SELECT * FROM "runner" WHERE "score" = (SELECT MAX("score") FROM "runner")
      let winners = Runner.filter { $0.score == Runner.select { max($0.score) } }

      // SELECT * FROM "runner" WHERE NOT EXISTS
      // (SELECT "rival".* FROM "runner" "rival"
      //  WHERE ("rival"."team" = "runner"."team") AND ("rival"."score" > "runner"."score"))
      let runner = TableAlias<Runner>()
      let rival = TableAlias<Runner>(name: "rival")
      let rivals = Runner.aliased(rival).filter(rival.team == runner.team && rival.score > runner.score)
      let champions = Runner.aliased(runner).filter(!rivals.exists())
      #expect(try winners.fetchAll(db).map(\.name) == ["Barbara"])
      #expect(try champions.fetchAll(db).map(\.name) == ["Arthur", "Barbara"])
      try db.expectSQL(
        champions,
        """
        SELECT * FROM "runner" WHERE NOT EXISTS \
        (SELECT "rival".* FROM "runner" "rival" \
        WHERE ("rival"."team" = "runner"."team") AND ("rival"."score" > "runner"."score"))
        """)
    }
  }

  @Test func batchChangesExampleWorks() throws {
    try inGame { db in
      // UPDATE "runner" SET "score" = "score" + 10, "team" = NULL WHERE "score" < 100
      try Runner.filter { $0.score < 100 }.updateAll(db) { [$0.score += 10, $0.team.set(to: nil)] }

      // DELETE FROM "runner" WHERE "score" = 0 RETURNING *
      let losers = try Runner.filter { $0.score == 0 }.deleteAndFetchAll(db)

      try Runner.deleteOne(db, id: 3)
      #expect(losers.isEmpty)
      #expect(try Runner.fetchCount(db) == 2)
    }
  }

  @Test func requestExtensionsExampleWorks() throws {
    try inGame { db in
      let reds = try Runner.all().of(team: "red").inRanking().fetchAll(db)
      let good = Runner.all().filterWhenConnected { db in
        let mean = try Runner.select({ average($0.score) }, as: Double.self).fetchOne(db)
        return Runner.Columns.score > mean
      }
      #expect(reds.map(\.name) == ["Arthur", "Craig"])
      #expect(try good.fetchCount(db) == 2)
    }
  }
}
