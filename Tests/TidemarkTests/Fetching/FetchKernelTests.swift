import Testing
import Tidemark

// One of each kind of type that can be fetched.

private struct Player: FetchableRecord, Hashable {
  var id: Int
  var name: String?
  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
  }
}

private class Animal: FetchableRecord {
  let id: Int
  required init(row: Row) throws { id = row[0] }
}

private final class Dog: Animal {}

private enum Colour: String, DatabaseValueConvertible, StatementColumnConvertible { case red, blue }

/// A value that cannot be read from a column directly.
private struct Slow: DatabaseValueConvertible, Hashable {
  var n: Int
  var databaseValue: DatabaseValue { n.databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Slow? { Int.fromDatabaseValue(dbValue).map(Slow.init(n:)) }
}

/// A record that is also a value.
private struct Both: FetchableRecord, DatabaseValueConvertible, Equatable {
  var origin: String
  init(origin: String) { self.origin = origin }
  init(row: Row) throws { origin = "row" }
  var databaseValue: DatabaseValue { origin.databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Both? { dbValue.isNull ? nil : Both(origin: "value") }
}

private struct Later: FetchableRecord {
  var origin: String
  init(row: Row) throws { origin = "row" }
}

/// The second conformance is declared in another extension.
extension Later: DatabaseValueConvertible {
  init(_ origin: String) { self.origin = origin }
  var databaseValue: DatabaseValue { origin.databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Later? { Later("value") }
}

/// The basic types and sources of fetches.
@Suite struct FetchKernelTests {
  private static let sql = "SELECT * FROM player ORDER BY id"

  private func withPlayers<T>(_ body: (Database) throws -> T) throws -> T {
    try inMemory { db throws in
      try db.execute(
        sql:
          "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'Ann'), (2, NULL), (3, 'Cy')"
      )
      return try body(db)
    }
  }

  @Test func rowsAreFetchedInAllForms() throws {
    try withPlayers { db throws in
      let rows = try Row.fetchAll(db, sql: Self.sql)
      #expect(rows.count == 3)
      #expect(rows[0]["name"] as String? == "Ann")
      #expect(try Row.fetchSet(db, sql: Self.sql).count == 3)
      let cursor: RowCursor = try Row.fetchCursor(db, sql: Self.sql)
      let first = try #require(try cursor.next()), second = try #require(try cursor.next())
      #expect(first === second)
    }
  }

  @Test func valuesAreFetchedInAllForms() throws {
    try withPlayers { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [1, 2, 3])
      #expect(try Int.fetchOne(db, sql: "SELECT id FROM player WHERE id > ?", arguments: [1]) == 2)
      #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      #expect(try String?.fetchAll(db, sql: "SELECT name FROM player ORDER BY id") == ["Ann", nil, "Cy"])
      #expect(try Optional<Int>.fetchOne(db, sql: "SELECT 42 WHERE 0") == .none)
      #expect(try Optional<Int>.fetchOne(db, sql: "SELECT NULL") == .some(.none))
      #expect(try Optional<Int>.fetchOne(db, sql: "SELECT 42") == .some(.some(42)))
      #expect(try Colour.fetchAll(db, sql: "SELECT 'red' UNION ALL SELECT 'blue'") == [.red, .blue])
      #expect(try Colour?.fetchSet(db, sql: "SELECT 'red' UNION ALL SELECT NULL") == [.red, nil])
      #expect(try Slow.fetchAll(db, sql: "SELECT 1 UNION SELECT 2") == [Slow(n: 1), Slow(n: 2)])
      #expect(try Slow?.fetchAll(db, sql: "SELECT NULL") == [nil])
      let error = #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
      #expect(error?.description.isEmpty == false)
    }
  }

  @Test func recordsAreFetchedInAllForms() throws {
    try withPlayers { db throws in
      #expect(try Player.fetchAll(db, sql: Self.sql).map(\.name) == ["Ann", nil, "Cy"])
      #expect(try Player.fetchOne(db, sql: Self.sql)?.id == 1)
      #expect(try Player.fetchSet(db, SQLRequest<Row>(sql: Self.sql)).count == 3)
      #expect(try SQLRequest<Player>(sql: Self.sql).fetchAll(db).count == 3)
      let dog = try #require(try Dog.fetchOne(db, sql: Self.sql))
      #expect(type(of: dog) == Dog.self)
      #expect(try Animal.fetchAll(db, sql: Self.sql).map(\.id) == [1, 2, 3])
      let cursor: RecordCursor<Player> = try Player.fetchCursor(db, sql: Self.sql)
      #expect(try cursor.next()?.id == 1)
    }
  }

  @Test func typesThatAreValuesAndRecordsAreFetchedAsRecords() throws {
    try withPlayers { db throws in
      #expect(try Both.fetchAll(db, sql: "SELECT 1") == [Both(origin: "row")])
      #expect(try Both.fetchOne(db, sql: "SELECT NULL") == Both(origin: "row"))
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS x"))
      #expect(row[0] as Both == Both(origin: "value"))
      #expect(row["x"] as Both == Both(origin: "value"))
      #expect(row["x"] as Both? == Both(origin: "value"))
      #expect(row[Column("x")] as Both == Both(origin: "value"))
      #expect(try row.decode(Both.self, forColumn: "x") == Both(origin: "value"))
      #expect(try Both?.fetchAll(db, sql: "SELECT NULL") == [nil])
      #expect(try Later.fetchOne(db, sql: "SELECT 1")?.origin == "row")
      #expect((row[0] as Later).origin == "value")
    }
  }

  @Test func statementsAndRequestsAreFetched() throws {
    try withPlayers { db throws in
      let statement = try db.makeStatement(sql: "SELECT id FROM player WHERE id > ?")
      #expect(try Int.fetchAll(statement, arguments: [1]) == [2, 3])
      #expect(try Int.fetchAll(statement, arguments: [2]) == [3])
      #expect(try SQLRequest<String?>(sql: "SELECT name FROM player ORDER BY id").fetchAll(db) == ["Ann", nil, "Cy"])
      #expect(try SQLRequest<Int>(sql: "SELECT max(id) FROM player").fetchOne(db) == 3)
      func total(_ cursor: some Cursor<Int>) throws -> Int {
        var total = 0
        while let number = try cursor.next() { total += number }
        return total
      }
      #expect(try total(Int.fetchCursor(db, sql: "SELECT id FROM player")) == 6)
      let erased: any Cursor<Int> = try Int.fetchCursor(db, sql: "SELECT id FROM player")
      #expect(try erased.next() == 1)
    }
  }

  @Test func valuesAreExpressionsAndRequestsAreSubqueries() throws {
    try withPlayers { db throws in
      let request: SQLRequest<Player> =
        "SELECT * FROM player WHERE \(Column("id")) IN (\(SQLRequest<Int>(sql: "SELECT ?", arguments: [3])))"
      #expect(try request.fetchAll(db).map(\.id) == [3])
      #expect(try Row.fetchOne(db, sql: Self.sql)?[Column("id")] as Int? == 1)
    }
  }

  @Test func metatypesCanBeFetchedGenerically() throws {
    try withPlayers { db throws in
      let recordType: any FetchableRecord.Type = Player.self
      #expect(try recordType.fetchOne(db, sql: Self.sql) is Player)
      #expect(try recordType.fetchAll(db, sql: Self.sql).count == 3)
      let valueType: any DatabaseValueConvertible.Type = Int.self
      #expect(try valueType.fetchOne(db, sql: "SELECT 7") as? Int == 7)
    }
  }

  @Test func rowAccessorsRead() throws {
    try withPlayers { db throws in
      let first = try #require(try Row.fetchOne(db, sql: Self.sql))
      let untyped = first["name"]
      #expect(untyped?.databaseValue == "Ann".databaseValue)
      let typed: String = first["name"]
      let named = first[1] as String?
      #expect([typed, named] == ["Ann", "Ann"])
      guard let bound: String = first["name"] else {
        Issue.record("no name")
        return
      }
      #expect(bound == "Ann")
    }
  }
}
