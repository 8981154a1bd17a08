import Foundation
import SQLiteDB
import Testing

@Suite struct StatementTests {
  @Test func executeRunsSeveralStatements() throws {
    let db = try Connection()
    try db.execute(
      """
      BEGIN TRANSACTION;
      CREATE TABLE users (
          id INTEGER PRIMARY KEY NOT NULL,
          email TEXT UNIQUE NOT NULL,
          name TEXT
      );
      CREATE TABLE posts (
          id INTEGER PRIMARY KEY NOT NULL,
          title TEXT NOT NULL,
          body TEXT NOT NULL,
          published_at DATETIME
      );
      PRAGMA user_version = 1;
      COMMIT TRANSACTION;
      """
    )
    #expect(try db.scalar("SELECT count(*) FROM sqlite_master WHERE type = 'table'") as? Int64 == 2)
    #expect(db.userVersion == 1)
  }

  @Test func valuesAreBoundByPositionAndName() throws {
    let db = try Connection()
    #expect(try db.scalar("SELECT ?", 1) as? Int64 == 1)
    #expect(try db.scalar("SELECT ? || ?", ["a", "b"]) as? String == "ab")
    #expect(try db.scalar("SELECT $a", ["$a": "x"]) as? String == "x")
    #expect(try db.scalar("SELECT :a || @b", [":a": "x", "@b": "y"]) as? String == "xy")
    #expect(try db.prepare("SELECT ?", 4.5).scalar() as? Double == 4.5)
    #expect(try db.prepare("SELECT ?", [Blob(bytes: [1])]).scalar() as? Blob == Blob(bytes: [1]))
    #expect(try db.prepare("SELECT $a", ["$a": true]).scalar() as? Int64 == 1)
    #expect(try db.prepare("SELECT ?").scalar() == nil)
    let statement = try db.prepare("SELECT ?").bind("a")
    #expect(try statement.scalar() as? String == "a")
    #expect(try statement.scalar("b") as? String == "b")
    #expect(try statement.scalar() as? String == "b")
  }

  @Test func mismatchedBindingsThrow() throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT ?")
    #expect(failure { try statement.run(1, 2) }?.message == "1 value expected, 2 given")
    #expect(failure { try statement.scalar(["$a": 1]) }?.message == "parameter not found: $a")
    #expect(failure { try db.run("SELECT 1", 1) }?.code == SQLITE_MISUSE)
    #expect(try statement.scalar(1) as? Int64 == 1)
  }

  @Test func prepareRequiresExactlyOneStatement() throws {
    let db = try Connection()
    #expect(
      failure { try db.prepare("SELECT 1; SELECT 2") }?.message
        == "expected one statement, got several: use Connection.execute(_:)")
    #expect(failure { try db.run("SELECT 1; SELECT 2") }?.code == SQLITE_MISUSE)
    #expect(failure { try db.run("") }?.message == "empty statement")
    try db.execute("")
    #expect(try db.scalar("SELECT 1;") as? Int64 == 1)
  }

  @Test func vacuumReturnsItsStatement() throws {
    #expect(try Connection().vacuum().description == "VACUUM")
  }

  @Test func rowIteratorsAcceptAllFormsOfBindings() throws {
    let db = try Connection()
    let a = SQLExpression<String>("a")
    #expect(try db.prepareRowIterator("SELECT ? AS a", bindings: "x").map { $0[a] } == ["x"])
    #expect(try db.prepareRowIterator("SELECT ? AS a", bindings: ["x"]).map { $0[a] } == ["x"])
    #expect(try db.prepareRowIterator("SELECT $v AS a", bindings: ["$v": "x"]).map { $0[a] } == ["x"])
  }

  @Test func runReturnsTheStatement() throws {
    let db = try emptyUsers()
    let stmt = try db.prepare("INSERT INTO users (email) VALUES (?)")
    try stmt.run("alice@mac.com")
    #expect(db.changes == 1)
    try stmt.run(["betty@mac.com"])
    #expect(db.lastInsertRowid == 2)
    #expect(db.totalChanges == 2)
    try db.run("UPDATE users SET name = ?", "x")
    #expect(db.changes == 2)
  }

  @Test func statementsIterateOverRows() throws {
    let db = try database("alice")
    let stmt = try db.prepare("SELECT id, email FROM users")
    var lines: [String] = []
    for row in stmt {
      for (index, name) in stmt.columnNames.enumerated() {
        lines.append("\(name):\(row[index]!)")
      }
    }
    #expect(lines == ["id:1", "email:alice@mac.com"])
    #expect(stmt.columnCount == 2)
  }

  @Test func scalarReturnsTheFirstValue() throws {
    let db = try emptyUsers()
    let statement = try db.run("INSERT INTO users (email) VALUES (?)", "alice@mac.com")
    #expect("\(statement)" == "INSERT INTO users (email) VALUES (?)")
    let count = try db.scalar("SELECT count(*) FROM users") as! Int64
    #expect(count == 1)
    let stmt = try db.prepare("SELECT count (*) FROM users")
    #expect(try stmt.scalar() as! Int64 == 1)
    #expect(try db.scalar("SELECT id FROM users WHERE 0") == nil)
  }

  @Test func steppedStatementsUseTheirTableUntilReset() throws {
    let db = try database("alice")
    let statement = try db.prepare("SELECT email FROM users")
    #expect(try statement.step())
    #expect(statement.row[0] as String == "alice@mac.com")
    #expect(failure { try db.run("DROP TABLE users") }?.code == SQLITE_LOCKED)
    statement.reset()
    try db.run("DROP TABLE users")
  }

  @Test func abandonedLoopsReleaseTheirStatements() throws {
    let db = try database("alice", "betty")
    let statement = try db.prepare("SELECT email FROM users WHERE id > ?")
    for _ in statement.bind(0) { break }
    struct Stop: Error {}
    #expect(throws: Stop.self) { for _ in try db.prepare(users) { throw Stop() } }
    let rows = try db.prepare(users)
    for _ in rows { break }
    _ = try db.pluck(users)
    _ = try statement.scalar()
    try db.run("DROP TABLE users")
  }

  @Test func nestedLoopsOverOneStatementAreIndependent() throws {
    let db = try database("a", "b", "c")
    let statement = try db.prepare("SELECT id FROM users")
    var pairs: [String] = []
    for outer in statement {
      for inner in statement { pairs.append("\(outer[0]!)\(inner[0]!)") }
    }
    #expect(pairs == ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
    let rows = try db.prepare(users)
    #expect(rows.flatMap { a in rows.map { b in a[id] * 10 + b[id] } } == [11, 12, 13, 21, 22, 23, 31, 32, 33])
  }

  @Test func statementsAreSharedBetweenThreads() async throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT ? * 2")
    let wrong = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          try (0..<500).count { try statement.scalar(task * 1000 + $0) as? Int64 != Int64((task * 1000 + $0) * 2) }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  @Test func nulCharactersArePreserved() throws {
    let db = try Connection()
    #expect(try db.scalar("SELECT ?", "a\0b") as? String == "a\0b")
    #expect(try db.scalar("SELECT length(CAST(? AS BLOB))", "a\0b") as? Int64 == 3)
  }

  @Test func cursorsReadRawValues() throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT 1, 2.5, 'x', x'0102', NULL")
    #expect(try statement.step())
    let row = statement.row
    #expect(row[0] as Int64 == 1)
    #expect(row[0] as Int == 1)
    #expect(row[0] as Bool == true)
    #expect(row[1] as Double == 2.5)
    #expect(row[2] as String == "x")
    #expect(row[3] as Blob == Blob(bytes: [1, 2]))
    #expect(row[4] == nil)
    #expect(try row.get(4) as String? == nil)
    #expect(throws: QueryError.self) { try row.get(4) as String }
    #expect(Array(row).map { SQLValue($0) } == [.integer(1), .double(2.5), .text("x"), .blob([1, 2]), .null])
    #expect(try !statement.step())
  }

  @Test func cursorsConvertValues() throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT 'alice', 30, 1.5, x'3132', NULL")
    #expect(try statement.step())
    #expect((statement.row[0] as Blob).bytes == Array("alice".utf8))
    #expect(statement.row[1] as String == "30")
    #expect(statement.row[1] as Double == 30)
    #expect(statement.row[2] as Int64 == 1)
    #expect(statement.row[2] as String == "1.5")
    #expect(statement.row[3] as String == "12")
    #expect(statement.row[1] as Bool)
    #expect(try statement.row.get(1) as String? == "30")
    #expect(try statement.row.get(4) as String? == nil)
    #expect(throws: QueryError.unexpectedNullValue(name: "\"NULL\"")) { try statement.row.get(4) as String }
  }

  @Test func rowsAreReadByColumnName() throws {
    let db = try database("alice")
    let rows = try db.prepareRowIterator("SELECT id, email AS address FROM users WHERE id = ?", bindings: 1)
    let row = try #require(try rows.failableNext())
    #expect(row[id] == 1)
    #expect(row[SQLExpression<String>("address")] == "alice@mac.com")
    #expect(try row.get("address") as? String == "alice@mac.com")
    #expect(row["id"] as? Int64 == 1)
    #expect(row.columnNames == ["id", "address"])
  }

  @Test func ambiguousColumnNamesThrow() throws {
    let db = try Connection()
    let row = try #require(try db.prepareRowIterator("SELECT 1 AS x, 2 AS x").failableNext())
    #expect(throws: QueryError.self) { try row.get(SQLExpression<Int>("x")) }
  }
}

/// A binding as an equatable value.
enum SQLValue: Equatable {
  case null, integer(Int64), double(Double), text(String), blob([UInt8])

  init(_ binding: (any Binding)?) {
    switch binding {
    case let value as Int64: self = .integer(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .text(value)
    case let value as Blob: self = .blob(value.bytes)
    default: self = .null
    }
  }
}

extension Sequence {
  /// Returns the number of elements that match a condition.
  fileprivate func count(_ condition: (Element) throws -> Bool) rethrows -> Int { try filter(condition).count }
}
