import Testing
import Tidemark

private struct Player: Codable, FetchableRecord, PersistableRecord, Sendable {
  var id: Int64
  var name: String
  var score: Int
  var bonus: Int
  var teamId: Int64?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let score = Column(CodingKeys.score)
    static let bonus = Column(CodingKeys.bonus)
    static let teamId = Column(CodingKeys.teamId)
    static var total: SQLExpression { score + bonus }
  }

  static var best: QueryInterfaceRequest<Player> { order { $0.total.desc }.limit(3) }
}

private struct Team: Codable, FetchableRecord, TableRecord {
  var id: Int64

  enum Columns {
    static let id = Column(CodingKeys.id)
  }
}

extension DerivableRequest<Player> {
  fileprivate func winners(over score: Int) -> Self { filter { $0.score > score } }
}

extension QueryInterfaceRequest<Player> {
  fileprivate func named(_ name: String?) -> Self { name.map { name in filter { $0.name == name } } ?? self }
}

/// Requests that use the columns of a record type through closures and key paths.
@Suite struct ColumnClosureTests {
  /// The SQL of a request, with its values.
  private func sql<Element>(_ request: QueryInterfaceRequest<Element>) throws -> String {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, bonus INTEGER, teamId INTEGER);
          CREATE TABLE team (id INTEGER PRIMARY KEY);
          """)
      return try trace(db) { _ = try Row.fetchAll(db, request) }.joined(separator: "; ")
    }
  }

  @Test func closuresFilterRequests() throws {
    #expect(try sql(Player.filter { $0.score > 10 }) == #"SELECT * FROM "player" WHERE "score" > 10"#)
    #expect(
      try sql(Player.filter { ($0.score > 10 || $0.bonus > 3) && $0.teamId != nil })
        == #"SELECT * FROM "player" WHERE (("score" > 10) OR ("bonus" > 3)) AND ("teamId" IS NOT NULL)"#)
    #expect(
      try sql(Player.filter { [1, 2].contains($0.id) && !$0.name.like("b%") })
        == #"SELECT * FROM "player" WHERE ("id" IN (1, 2)) AND ("name" NOT LIKE 'b%')"#)
  }

  @Test func closuresSelectColumns() throws {
    #expect(try sql(Player.select { [$0.id, $0.name] }) == #"SELECT "id", "name" FROM "player""#)
    #expect(try sql(Player.select({ max($0.score) }, as: Int.self)) == #"SELECT MAX("score") FROM "player""#)
    #expect(
      try sql(Player.annotated { ($0.score + $0.bonus).forKey("total") })
        == #"SELECT *, "score" + "bonus" AS "total" FROM "player""#)
    #expect(
      try sql(Player.annotated(with: { $0.total.forKey("total") }).order(Column("total").detached))
        == #"SELECT *, "score" + "bonus" AS "total" FROM "player" ORDER BY "total""#)
  }

  @Test func closuresOrderAndGroup() throws {
    #expect(
      try sql(Player.order { [$0.score.desc, $0.name] }) == #"SELECT * FROM "player" ORDER BY "score" DESC, "name""#)
    #expect(try sql(Player.best) == #"SELECT * FROM "player" ORDER BY "score" + "bonus" DESC LIMIT 3"#)
    #expect(
      try sql(Player.select { [$0.teamId, max($0.score)] }.group { $0.teamId }.having { count($0.id) > 1 })
        == #"SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId" HAVING COUNT("id") > 1"#)
  }

  @Test func keyPathsActAsClosures() throws {
    #expect(try sql(Player.order(\.name)) == #"SELECT * FROM "player" ORDER BY "name""#)
    #expect(try sql(Player.order(\.name.desc)) == #"SELECT * FROM "player" ORDER BY "name" DESC"#)
    #expect(try sql(Player.select(\.id)) == #"SELECT "id" FROM "player""#)
    #expect(try sql(Player.select(\.name, as: String.self)) == #"SELECT "name" FROM "player""#)
    #expect(
      try sql(Player.select { [$0.teamId, sum($0.score)] }.group(\.teamId))
        == #"SELECT "teamId", SUM("score") FROM "player" GROUP BY "teamId""#)
  }

  @Test func subqueriesReferToOuterTablesByAlias() throws {
    let team = TableAlias<Team>()
    let players = Player.filter { $0.teamId == team.id }
    #expect(
      try sql(Team.aliased(team).filter(players.exists()))
        == #"SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")"#)
    #expect(
      try sql(Team.aliased(team).annotated(with: players.select { max($0.score) }.forKey("best")))
        == """
        SELECT *, (SELECT MAX("score") FROM "player" WHERE "teamId" = "team"."id") AS "best" FROM "team"
        """)
  }

  @Test func requestExtensionsCompose() throws {
    #expect(
      try sql(Player.all().winners(over: 3).named("a"))
        == #"SELECT * FROM "player" WHERE ("score" > 3) AND ("name" = 'a')"#)
    #expect(try sql(Player.all().named(nil)) == #"SELECT * FROM "player""#)
  }

  @Test func conditionsAreJoined() throws {
    let conditions = [Player.Columns.score > 1, Player.Columns.name != nil]
    #expect(
      try sql(Player.filter(conditions.joined(operator: .and)))
        == #"SELECT * FROM "player" WHERE ("score" > 1) AND ("name" IS NOT NULL)"#)
    let values: [(String, any SQLExpressible)] = [("id", 1), ("name", "a")]
    #expect(
      try sql(Player.filter(values.map { Column($0.0) == $0.1 }.joined(operator: .or)))
        == #"SELECT * FROM "player" WHERE ("id" = 1) OR ("name" = 'a')"#)
  }
}
