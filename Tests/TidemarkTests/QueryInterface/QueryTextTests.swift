import Testing

import Tidemark
@testable import TidemarkEssentials

/// The SQL of a request is printed once for all requests of the same shape. See `QueryShape`.
@Suite struct QueryTextTests {
  private struct Player: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String?
    var score: Int
  }

  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
          CREATE UNIQUE INDEX names ON player (name);
          INSERT INTO player VALUES (1, 'A', 10), (2, NULL, 20), (3, 'C', 30);
          """)
    }
  }

  private func printCount(_ db: Database) -> Int { db.moduleState(QueryTexts.self).printCount }

  @Test func `requests that differ in their values are printed once, and find their own rows`() throws {
    try queue.read { db throws in
      let names = try (1...3).map { id throws in try Player.filter(Column("id") == id).fetchOne(db)?.name }
      #expect(names == ["A", nil, "C"])
      #expect(printCount(db) == 1)
    }
  }

  @Test func `a value and NULL have different SQL`() throws {
    try queue.read { db throws in
      for _ in 1...2 {
        #expect(try Player.filter(Column("name") == "A").fetchAll(db).map(\.id) == [1])
        #expect(try Player.filter(Column("name") == nil as String?).fetchAll(db).map(\.id) == [2])
      }
      #expect(printCount(db) == 2)
    }
  }

  @Test func `NaN is a value, which SQLite takes for NULL`() throws {
    try queue.read { db throws in
      for number in [.nan, 15, .nan] {
        let ids = try Player.filter(Column("score") > number).fetchAll(db).map(\.id)
        #expect(ids == (number.isNaN ? [] : [2, 3]))
      }
      #expect(printCount(db) == 1)
    }
  }

  @Test func `lists of different lengths have different SQL`() throws {
    try queue.read { db throws in
      for ids in [[1], [1, 2], [3], [2, 3], []] as [[Int64]] {
        #expect(try Player.filter(ids.contains(Column("id"))).order(Column("id")).fetchAll(db).map(\.id) == ids)
      }
    }
  }

  @Test func `a name cannot continue in the next one`() throws {
    try queue.read { db throws in
      let first = Player.select(Column("a").forKey("b"), Column("c"))
      let second = Player.select(Column("a"), Column("b").forKey("c"))
      let third = Player.select(Column("a").forKey("bc"))
      let queries = try [first, second, third].map { request throws -> [UInt8] in
        var shape = QueryShape()
        #expect(try shape.take(from: SQLQuery(request.relation, db)))
        return shape.bytes
      }
      #expect(Set(queries).count == 3)
    }
  }

  @Test func `a request for one row gets a limit when its key is dropped, and loses it when there is one again`() throws
  {
    let request = Player.filter(Column("name") == "C")
    func sql() throws -> String {
      try queue.inDatabase { try request.makePreparedRequest($0, forSingleResult: true).statement.sql }
    }
    let (withKey, withoutKey) = (
      #"SELECT * FROM "player" WHERE "name" = ?"#, #"SELECT * FROM "player" WHERE "name" = ? LIMIT 1"#
    )
    #expect(try [sql(), sql()] == [withKey, withKey])
    try queue.write { try $0.execute(sql: "DROP INDEX names") }
    #expect(try [sql(), sql()] == [withoutKey, withoutKey])
    try queue.write { try $0.execute(sql: "CREATE UNIQUE INDEX names ON player (name)") }
    #expect(try [sql(), sql()] == [withKey, withKey])
  }

  @Test func `a request for one row and one for all rows have different SQL`() throws {
    let request = Player.filter(Column("score") > 5)
    try queue.read { db throws in
      for _ in 1...2 {
        #expect(try request.fetchOne(db)?.id == 1)
        #expect(try request.fetchAll(db).count == 3)
      }
    }
  }

  @Test func `a question whether rows exist has SQL of its own, which is printed once`() throws {
    try queue.read { db throws in
      #expect(try [1, 3, 4].map { id throws in try Player.exists(db, key: id) } == [true, true, false])
      #expect(printCount(db) == 1)
      #expect(try Player.filter(Column("id") == 3).fetchOne(db)?.name == "C")
      #expect(try !Player.filter(Column("id") == 3).isEmpty(db))
    }
  }

  @Test func `rows are counted with SQL that is printed once`() throws {
    try queue.read { db throws in
      #expect(try [5, 15, 25].map { try Player.filter(Column("score") > $0).fetchCount(db) } == [3, 2, 1])
      #expect(try [1, 2].map { try Player.limit(2, offset: $0).fetchCount(db) } == [2, 1])
      #expect(printCount(db) == 3)
    }
  }

  @Test func `raw SQL, subqueries and tables of other queries have no shape`() throws {
    let requests = [
      Player.filter(sql: "id = 1"), Player.filter(Player.select(Column("id")).contains(Column("id"))),
      Player.all().filter(TableAlias(name: "p")[Column("id")] == 1), Player.select(sql: "id"),
      Player.all().order(sql: "id"), Player.filter(Player.all().exists()),
    ]
    try queue.read { db throws in
      for request in requests {
        var shape = QueryShape()
        #expect(try !shape.take(from: SQLQuery(request.relation, db)))
      }
    }
  }

  @Test func `aliases with different names have different SQL`() throws {
    try queue.read { db throws in
      for (name, id) in [("p", 1), (nil, 2), ("q", 3), ("p", 2)] as [(String?, Int64)] {
        let alias = TableAlias(name: name)
        let request = Player.all().aliased(alias).filter(alias[Column("id")] == id)
        #expect(try request.fetchAll(db).map(\.id) == [id])
      }
      #expect(printCount(db) == 3)
    }
  }

  @Test func `a request is found again after more shapes than are kept`() throws {
    try queue.read { db throws in
      for _ in 1...2 {
        for limit in 1...QueryTexts.textCountMax + 5 {
          #expect(try Player.limit(limit).fetchAll(db).count == min(limit, 3))
        }
      }
    }
  }

  // MARK: - Random requests

  /// The SQL that a connection has printed for other values is the SQL that is printed for these values.
  @Test func `random requests have the SQL and the arguments that a printer without a cache writes`() throws {
    var requests = RandomRequests(random: SeededRandom())
    try queue.read { db throws in
      for _ in 0..<4000 {
        let request = requests.next()
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        var printer = SQLPrinter(db)
        try printer.print(SQLQuery(request.relation, db))
        #expect(prepared.statement.sql == printer.sql)
        #expect(prepared.arguments == printer.arguments)
      }
      // Otherwise, the test would compare nothing.
      #expect(printCount(db) < 3500)
    }
  }

  private struct RandomRequests {
    var random: SeededRandom

    mutating func next() -> QueryInterfaceRequest<Row> {
      var request = Table("player").all()
      if below(2) == 0 { request = request.filter(expression(2)) }
      if below(6) == 0 { request = request.filter(expression(1)) }
      if below(6) == 0 { request = request.select(expression(1), expression(0).forKey(random.pick(["a", "b"]))) }
      if below(8) == 0 { request = request.group(column()).having(expression(1)) }
      if below(4) == 0 { request = request.order(expression(0), column().desc) }
      if below(8) == 0 { request = request.distinct() }
      if below(6) == 0 { request = request.limit(below(3), offset: below(2) == 0 ? nil : below(3)) }
      return request
    }

    private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

    private mutating func column() -> SQLExpression { Column(random.pick(["id", "name", "score"])).sqlExpression }

    private mutating func value() -> SQLExpression {
      let values: [DatabaseValue] = [.null, 1.databaseValue, 2.5.databaseValue, "A".databaseValue, "".databaseValue]
      return random.pick(values).sqlExpression
    }

    private mutating func expression(_ depth: Int) -> SQLExpression {
      if depth == 0 { return below(2) == 0 ? column() : value() }
      let (a, b, c) = (expression(depth - 1), expression(below(depth)), expression(0))
      switch below(14) {
      case 0: return a == b
      case 1: return a != b
      case 2: return a < b
      case 3: return a && b
      case 4: return a || b
      case 5: return !a
      case 6: return a + b
      case 7: return -a
      case 8: return [b, c].contains(a)
      case 9: return .operation(.between(), a, b, c)
      case 10: return a.like(b)
      case 11: return abs(a)
      case 12: return cast(a, as: .integer)
      default: return a.sqlExpression.collating(.nocase).sqlExpression
      }
    }
  }
}
