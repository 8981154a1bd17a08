import Foundation
import Testing
import Tidemark

/// SQL functions in Swift.
@Suite struct FunctionTests {
  private func withFunction<T>(
    _ function: DatabaseFunction, _ body: (Database) throws -> T
  ) throws -> T {
    try DatabaseQueue().inDatabase { db in
      db.add(function: function)
      return try body(db)
    }
  }

  // MARK: Values

  // swift-format-ignore
  @Test(arguments: [
    "NULL", "1", "-9223372036854775808", "9223372036854775807", "1.5", "1e300", "'a'", "''", "'é🌊'", "'a' || char(0) || 'b'", "x'00ff'", "x''",
  ])
  func valuesArePassedAndReturned(_ sql: String) throws {
    try withFunction(DatabaseFunction("same", argumentCount: 1) { $0[0] }) { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT \(sql), same(\(sql)), typeof(\(sql)) = typeof(same(\(sql)))"))
      let values = Array(row.databaseValues)
      #expect(values[0] == values[1])
      #expect(values[2] == 1.databaseValue)
    }
  }

  @Test func nilIsNull() throws {
    try withFunction(DatabaseFunction("nil", argumentCount: 0) { _ in nil }) { db throws in
      #expect(try Bool.fetchOne(db, sql: "SELECT nil() IS NULL") == true)
    }
  }

  @Test func functionsReturnStorableValues() throws {
    let uuid = UUID()
    try withFunction(DatabaseFunction("id", argumentCount: 0) { _ in uuid.uuidString }) { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT id()") == uuid.uuidString)
    }
  }

  // MARK: Arguments

  @Test func wrongArgumentCountsAreRefused() throws {
    try withFunction(DatabaseFunction("one", argumentCount: 1) { $0[0] }) { db throws in
      #expect(
        message { try db.execute(sql: "SELECT one()") }
          == "SQLite error 1: wrong number of arguments to function one() - while executing `SELECT one()`")
    }
  }

  @Test func variadicFunctionsAcceptAnyArgumentCount() throws {
    try withFunction(DatabaseFunction("number") { $0.count }) { db throws in
      let row = try Row.fetchOne(db, sql: "SELECT number(), number(1), number(1, 2, 3)")
      #expect(row?.description == "[number():0 number(1):1 number(1, 2, 3):3]")
    }
  }

  @Test func functionsAreIdentifiedByNameAndCount() throws {
    let one = DatabaseFunction("f", argumentCount: 1) { _ in "one" }
    let two = DatabaseFunction("f", argumentCount: 2) { _ in "two" }
    let any = DatabaseFunction("f") { _ in "any" }
    #expect(Set([one, two, any, DatabaseFunction("f", argumentCount: 1) { _ in nil }]).count == 3)
    #expect(one.id != two.id)
    #expect(one.name == "f")
    try DatabaseQueue().inDatabase { db throws in
      for function in [one, two, any] { db.add(function: function) }
      #expect(
        try Row.fetchOne(db, sql: "SELECT f(1) AS a, f(1, 2) AS b, f(1, 2, 3) AS c")?.description
          == "[a:\"one\" b:\"two\" c:\"any\"]")
      db.remove(function: two)
      #expect(throws: DatabaseError.self) { try String.fetchOne(db, sql: "SELECT f(1, 2)") }
      #expect(try String.fetchOne(db, sql: "SELECT f()") == "any")
      #expect(try String.fetchOne(db, sql: "SELECT f(1)") == "one")
    }
  }

  @Test func newFunctionsReplaceOldOnes() throws {
    try DatabaseQueue().inDatabase { db throws in
      let sql = "SELECT f()"
      db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 1 })
      #expect(try Int.fetchOne(db, sql: sql) == 1)
      db.add(function: DatabaseFunction("F", argumentCount: 0) { _ in 2 })
      #expect(try Int.fetchOne(db, sql: sql) == 2)
    }
  }

  @Test func pureFunctionsCanBeIndexed() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      db.add(function: DatabaseFunction("chance", argumentCount: 1) { $0[0] })
      #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE INDEX i ON book(chance(title))") }
      db.add(function: DatabaseFunction("same", argumentCount: 1, pure: true) { $0[0] })
      try db.execute(sql: "CREATE INDEX i ON book(same(title))")
    }
  }

  @Test func pureFunctionsOfConstantsAreCalledOnce() throws {
    let calls = Locked(0)
    let function = DatabaseFunction("f", argumentCount: 1, pure: true) { values in
      calls.update { $0 += 1 }
      return values[0]
    }
    try withFunction(function) { db throws in
      try db.execute(sql: "WITH n(i) AS (VALUES (1), (2), (3)) SELECT f(7) FROM n")
      #expect(calls.value == 1)
    }
  }

  @Test func functionsInUseCannotBeReplaced() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().inDatabase { db in
        let function = DatabaseFunction("f", argumentCount: 1) { $0[0] }
        db.add(function: function)
        let cursor = try Int.fetchCursor(db, sql: "WITH n(i) AS (VALUES (1), (2)) SELECT f(i) FROM n")
        _ = try cursor.next()
        db.add(function: function)
        _ = try cursor.next()
      }
    }
    #expect(result.words.contains("The function f could not be added: SQLite error 5"))
  }

  // MARK: Errors

  struct Thrown: Sendable, CustomTestStringConvertible {
    var error: any Error & Sendable
    var message: String
    var code: ResultCode
    var testDescription: String { message }
  }

  struct Boom: Error, CustomStringConvertible {
    var description: String { "custom boom" }
  }

  // swift-format-ignore
  static let errors = [
    Thrown(error: Boom(), message: "custom boom", code: .SQLITE_ERROR),
    Thrown(error: Planned(number: 7), message: "Planned(number: 7)", code: .SQLITE_ERROR),
    Thrown(error: DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "nope"), message: "nope", code: .SQLITE_CONSTRAINT_CHECK),
    Thrown(error: DatabaseError(message: "nope"), message: "nope", code: .SQLITE_ERROR),
    Thrown(error: DatabaseError(resultCode: ResultCode(rawValue: 123), message: "nope"), message: "nope", code: ResultCode(rawValue: 123)),
    Thrown(error: DatabaseError(resultCode: .SQLITE_MISMATCH), message: "datatype mismatch", code: .SQLITE_MISMATCH),
    // Codes that are not failures, and would be taken for success.
    Thrown(error: DatabaseError(resultCode: .SQLITE_OK, message: "fine?"), message: "fine?", code: .SQLITE_ERROR),
    Thrown(error: DatabaseError(resultCode: .SQLITE_ROW, message: "a row?"), message: "a row?", code: .SQLITE_ERROR),
    Thrown(error: DatabaseError(resultCode: .SQLITE_DONE, message: "done?"), message: "done?", code: .SQLITE_ERROR),
  ]

  @Test(arguments: errors)
  func functionErrorsFailTheStatement(_ thrown: Thrown) throws {
    try withFunction(DatabaseFunction("f", argumentCount: 0) { _ in throw thrown.error }) { db throws in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT f()") }
      #expect(error?.message == thrown.message)
      #expect(error?.extendedResultCode == thrown.code)
      #expect(error?.sql == "SELECT f()")
      // The connection continues to work.
      #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
    }
  }

  @Test func nsErrorsKeepTheirText() throws {
    try withFunction(DatabaseFunction("f", argumentCount: 0) { _ in throw NSError(domain: "Dom", code: 7) }) {
      db throws in
      #expect(
        message { try db.execute(sql: "SELECT f()") }
          == "SQLite error 1: Error Domain=Dom Code=7 \"(null)\" - while executing `SELECT f()`")
    }
  }

  @Test func functionErrorsUndoTheStatement() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      db.add(
        function: DatabaseFunction("notThree", argumentCount: 1) { values in
          if values[0] == 3.databaseValue { throw Boom() }
          return values[0]
        })
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book (title) SELECT notThree(column1) FROM (VALUES (1), (2), (3))")
      }
      #expect(try db.titles() == [])
    }
  }

  // MARK: Lifetimes

  final class Cargo: Sendable {}

  /// A function that captures an object, and the object.
  private func makeFunction() -> (DatabaseFunction, () -> Cargo?) {
    let cargo = Cargo()
    let function = DatabaseFunction("f", argumentCount: 0) { _ in
      withExtendedLifetime(cargo) { 1 }
    }
    weak let watched = cargo
    return (function, { watched })
  }

  enum End: CaseIterable, Sendable { case replaced, removed, closed, released }

  @Test(arguments: End.allCases)
  func unusedFunctionsAreReleased(_ end: End) throws {
    var dbQueue: DatabaseQueue? = try DatabaseQueue()
    let cargo: () -> Cargo?
    do {
      let (function, watched) = makeFunction()
      cargo = watched
      dbQueue?.inDatabase { $0.add(function: function) }
    }
    #expect(cargo() != nil)
    #expect(try dbQueue?.inDatabase { try Int.fetchOne($0, sql: "SELECT f()") } == 1)
    switch end {
    case .replaced: dbQueue?.inDatabase { $0.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 2 }) }
    case .removed: dbQueue?.inDatabase { $0.remove(function: DatabaseFunction("f", argumentCount: 0) { _ in 2 }) }
    case .closed: try dbQueue?.close()
    case .released: dbQueue = nil
    }
    #expect(cargo() == nil)
  }

  @Test func functionsServeSeveralConnections() throws {
    let calls = Locked(0)
    let function = DatabaseFunction("f", argumentCount: 0) { _ -> Int in
      calls.update {
        $0 += 1; return $0
      }
    }
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(function: function) }
    let queues = try (0..<4).map { _ in try DatabaseQueue(configuration: configuration) }
    let ends = queues.map { dbQueue in
      let end = Signal()
      onThread {
        for _ in 0..<100 { _ = try? dbQueue.read { try Int.fetchOne($0, sql: "SELECT f()") } }
        end.fire()
      }
      return end
    }
    for end in ends { try end.wait() }
    #expect(calls.value == 400)
    try queues[0].close()
    #expect(try queues[1].read { try Int.fetchOne($0, sql: "SELECT f()") } == 401)
  }

  // MARK: Standard ones

  // swift-format-ignore
  @Test(arguments: [
    ("swiftCapitalizedString", "éric le roux", "Éric Le Roux"),
    ("swiftLowercaseString", "ÉRIC", "éric"),
    ("swiftUppercaseString", "straße", "STRASSE"), ("swiftLocalizedCapitalizedString", "éric", "Éric"),
    ("swiftLocalizedLowercaseString", "ÉRIC", "éric"), ("swiftLocalizedUppercaseString", "éric", "ÉRIC"),
  ])
  func standardFunctionsHandleUnicode(_ name: String, _ text: String, _ expected: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT \(name)(?)", arguments: [text]) == expected)
      #expect(try Bool.fetchOne(db, sql: "SELECT \(name)(1) IS NULL AND \(name)(NULL) IS NULL") == true)
    }
  }
}
