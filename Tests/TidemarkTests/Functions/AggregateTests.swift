import Testing
import Tidemark

/// Aggregate functions in Swift.
@Suite(.serialized) struct AggregateTests {
  private struct Sum: DatabaseAggregate {
    var sum = 0
    mutating func step(_ dbValues: [DatabaseValue]) { sum += dbValues.compactMap(Int.fromDatabaseValue).reduce(0, +) }
    func finalize() -> (any DatabaseValueConvertible)? { sum }
  }

  private static let rows = "(SELECT 'a' AS name, 1 AS n UNION ALL SELECT 'a', 2 UNION ALL SELECT 'b', 5)"

  @Test func eachGroupHasItsState() throws {
    try DatabaseQueue().inDatabase { db throws in
      db.add(function: DatabaseFunction("total", argumentCount: 1, aggregate: Sum.self))
      let sql = "SELECT name, total(n) AS t FROM \(Self.rows) GROUP BY name"
      #expect(try Row.fetchAll(db, sql: sql).map(\.description) == ["[name:\"a\" t:3]", "[name:\"b\" t:5]"])
      #expect(
        try Row.fetchOne(db, sql: "SELECT total(n) AS s, total(n * 10) AS t FROM \(Self.rows)")?.description
          == "[s:8 t:80]")
    }
  }

  @Test func aggregatesAcceptAnyArgumentCount() throws {
    try DatabaseQueue().inDatabase { db throws in
      db.add(function: DatabaseFunction("total", aggregate: Sum.self))
      #expect(try Int.fetchOne(db, sql: "SELECT total(n, n, 1) FROM \(Self.rows)") == 19)
    }
  }

  @Test func aggregatesOfNoRowsHaveAResult() throws {
    try DatabaseQueue().inDatabase { db throws in
      db.add(function: DatabaseFunction("total", argumentCount: 1, aggregate: Sum.self))
      #expect(try Int.fetchOne(db, sql: "SELECT total(n) FROM \(Self.rows) WHERE 0") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT total(n) FROM \(Self.rows) WHERE 0 GROUP BY name") == nil)
    }
  }

  // MARK: Errors

  private static let log = Locked<[String]>([])

  private struct Failing: DatabaseAggregate {
    init() {}

    mutating func step(_ dbValues: [DatabaseValue]) throws {
      AggregateTests.log.update { $0.append("step \(dbValues[0])") }
      if dbValues[0] == 2.databaseValue { throw Planned(number: 2) }
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
      AggregateTests.log.update { $0.append("finalize") }
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "at the end")
    }
  }

  @Test func stepErrorsSkipTheFinalCall() throws {
    try DatabaseQueue().inDatabase { db throws in
      db.add(function: DatabaseFunction("failing", argumentCount: 1, aggregate: Failing.self))
      Self.log.update { $0 = [] }
      let sql = "SELECT failing(column1) FROM (VALUES (1), (2), (3))"
      #expect(message { try db.execute(sql: sql) } == "SQLite error 1: Planned(number: 2) - while executing `\(sql)`")
      #expect(Self.log.value == ["step 1", "step 2"])

      Self.log.update { $0 = [] }
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT failing(column1) FROM (VALUES (1))")
      }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
      #expect(error?.message == "at the end")
      #expect(Self.log.value == ["step 1", "finalize"])
    }
  }

  // MARK: Lifetimes

  private static let living = Locked(0)

  private final class Counted: DatabaseAggregate {
    init() { AggregateTests.living.update { $0 += 1 } }
    deinit { AggregateTests.living.update { $0 -= 1 } }
    func step(_ dbValues: [DatabaseValue]) throws { if dbValues[0].isNull { throw Planned() } }
    func finalize() -> (any DatabaseValueConvertible)? { 1 }
  }

  // swift-format-ignore
  @Test(arguments: [
    "SELECT counted(n) FROM (SELECT 1 AS n UNION ALL SELECT 2)", "SELECT counted(1) WHERE 0",
    "SELECT counted(n) FROM (SELECT 1 AS n UNION ALL SELECT NULL)",
    "SELECT counted(n), abs(n) FROM (SELECT 1 AS n UNION ALL SELECT -9223372036854775808)",
    "SELECT counted(n), n FROM (SELECT 1 AS n UNION ALL SELECT 2) GROUP BY n",
  ])
  func aggregateStatesAreReleased(_ sql: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      db.add(function: DatabaseFunction("counted", argumentCount: 1, aggregate: Counted.self))
      _ = try? Row.fetchAll(db, sql: sql)
      // Also if the rows are not read to the end.
      _ = try? Row.fetchOne(db, sql: sql)
      _ = try? Row.fetchCursor(db, sql: sql).next()
    }
    #expect(Self.living.value == 0)
  }
}
