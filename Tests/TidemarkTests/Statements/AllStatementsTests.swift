import Testing
import Tidemark

/// `allStatements`: the statements of a text, one by one.
@Suite struct AllStatementsTests {
  @Test func statementsAreCompiledLazily() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(
        sql: "CREATE TABLE t (a); -- note\n;; INSERT INTO t VALUES (1); SELECT a FROM t;")
      var texts: [String] = []
      while let statement = try statements.next() {
        texts.append(statement.sql)
        try statement.execute()
      }
      #expect(texts == ["CREATE TABLE t (a)", "-- note\n;; INSERT INTO t VALUES (1)", "SELECT a FROM t"])
      #expect(try statements.next() == nil)
    }
  }

  @Test func statementsDependOnEarlierOnes() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      let first = try statements.next()
      let expected = "SQLite error 1: no such table: t - while executing `INSERT INTO t VALUES (1)`"
      #expect(message { _ = try statements.next() } == expected)
      // Nothing was consumed: once the table exists, the statement compiles.
      try first?.execute()
      #expect(try statements.next()?.sql == "INSERT INTO t VALUES (1)")
    }
  }

  @Test func positionalValuesAreDistributedInOrder() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(
        sql: "SELECT ?, ?; SELECT 1; SELECT ?, :n", arguments: StatementArguments(["n": 9]) + [1, 2, 3])
      var dealt: [StatementArguments] = []
      while let statement = try statements.next() { dealt.append(statement.arguments) }
      #expect(dealt.map(\.description) == ["[1, 2]", "[]", "[3, 9]"])
    }
  }

  @Test func surplusArgumentsAreReportedAtTheEnd() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(sql: "SELECT ?", arguments: [1, 2, 3])
      #expect(try statements.next() != nil)
      #expect(message { _ = try statements.next() } == "SQLite error 21: wrong number of statement arguments: 3")
    }
  }

  @Test func missingArgumentsAreReportedAtTheirStatement() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(sql: "SELECT ?; SELECT ?", arguments: [1])
      #expect(try statements.next() != nil)
      #expect(
        message { _ = try statements.next() }
          == "SQLite error 21: wrong number of statement arguments: 0 - while executing `SELECT ?`")
    }
  }

  @Test func argumentsCanBeSetByTheCaller() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(sql: "SELECT ?; SELECT ?, ?")
      let first = try statements.next()
      let second = try statements.next()
      #expect(try first.map { try Int.fetchOne($0, arguments: [1]) } == 1)
      #expect(try second.map { try Int.fetchOne($0, arguments: [2, 3]) } == 2)
    }
  }

  @Test func literalsCarryTheirValues() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(literal: "SELECT \(1); SELECT \(2) + \(3)")
      var results: [Int?] = []
      while let statement = try statements.next() { results.append(try Int.fetchOne(statement)) }
      #expect(results == [1, 5])
    }
  }

  @Test func literalsWithoutValuesLeaveThemToTheCaller() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statements = try db.allStatements(literal: "SELECT ?; SELECT ? + ?")
      var results: [Int?] = []
      var count = 0
      while let statement = try statements.next() {
        count += 1
        results.append(try Int.fetchOne(statement, arguments: StatementArguments(1...count)))
      }
      #expect(results == [1, 3])
    }
  }
}
