import Testing
import Tidemark

/// Prepared statements and their arguments.
@Suite struct StatementTests {
  // swift-format-ignore
  @Test(arguments: [
    (" ; SELECT 1 ;\n ", "SELECT 1"), ("-- note\nSELECT 1;", "-- note\nSELECT 1"), ("SELECT /* a */ 1", "SELECT /* a */ 1"),
    ("SELECT 'a ;'", "SELECT 'a ;'"), ("\tSELECT 1 AS é ;", "SELECT 1 AS é"),
  ])
  func statementTextIsTrimmed(_ sql: String, _ expected: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: sql)
      #expect(statement.sql == expected)
      #expect(statement.description == expected)
    }
  }

  @Test func columnLookupIgnoresCaseAndPrefersTheLeftmost() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT 1 AS a, 2 AS B, 3 AS A, 4 AS b, 5 AS É")
      #expect(statement.columnCount == 5)
      #expect(statement.columnNames == ["a", "B", "A", "b", "É"])
      #expect(["a", "A", "b", "B", "é", "c"].map(statement.index(ofColumn:)) == [0, 0, 1, 1, 4, nil])
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT 1", true), ("BEGIN", true), ("COMMIT", true), ("SAVEPOINT a", true), ("ATTACH ':memory:' AS other", true),
    ("BEGIN IMMEDIATE", false), ("INSERT INTO book (title) VALUES ('a')", false), ("DELETE FROM book WHERE 0", false),
    ("CREATE TABLE t (a)", false), ("PRAGMA user_version", true), ("PRAGMA user_version = 1", false),
  ])
  func isReadonlyMatchesSQLite(_ sql: String, _ expected: Bool) throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      #expect(try db.makeStatement(sql: sql).isReadonly == expected)
    }
  }

  @Test func argumentsPersistBetweenExecutions() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a)")
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
      statement.arguments = [1]
      try statement.execute()
      try statement.execute(arguments: [2])
      try statement.execute()
      #expect(statement.arguments == [2])
      try statement.setArguments([3])
      try statement.execute()
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2, 2, 3])
    }
  }

  @Test func mismatchedArgumentsKeepThePreviousOnes() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?")
      try statement.setArguments([1])
      let expected = "SQLite error 21: wrong number of statement arguments: 2 - while executing `SELECT ?`"
      #expect(message { try statement.setArguments([2, 3]) } == expected)
      #expect(message { try statement.validateArguments([2, 3]) } == expected)
      #expect(statement.arguments == [1])
      #expect(try Int.fetchOne(statement) == 1)
    }
  }

  @Test func refusedValuesKeepThePreviousArguments() throws {
    var configuration = Configuration()
    configuration.limits = [.valueSize: 1000]
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      let big = String(repeating: "x", count: 2000)
      let statement = try db.makeStatement(sql: "SELECT ? || ?")
      try statement.setArguments(["a", "b"])
      let error = #expect(throws: DatabaseError.self) { try statement.setArguments(["c", big]) }
      #expect(error?.resultCode == .SQLITE_TOOBIG)
      #expect(statement.arguments == ["a", "b"])
      #expect(try String.fetchOne(statement) == "ab")
    }
  }

  @Test func statementsWithoutArgumentsDoNotRun() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, :a")
      #expect(
        message { try statement.execute() }
          == "SQLite error 21: wrong number of statement arguments: 0 - while executing `SELECT ?, :a`")
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ([], "[NULL NULL]"), ([1], "[1 NULL]"), ([1, 2, 3], "[1 2]"), (["a": 5], "[NULL 5]"), (["a": 5, "b": 6], "[NULL 5]"),
  ] as [(StatementArguments, String)])
  func uncheckedArgumentsAreNullOrIgnored(_ arguments: StatementArguments, _ expected: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, :a")
      statement.setUncheckedArguments(arguments)
      let row = try Row.fetchOne(statement)
      #expect("[" + (row?.databaseValues.map(\.description).joined(separator: " ") ?? "") + "]" == expected)
      #expect(statement.arguments == arguments)
    }
  }

  @Test func refusedUncheckedValuesFailTheNextExecution() throws {
    var configuration = Configuration()
    configuration.limits = [.valueSize: 1000]
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?")
      statement.setUncheckedArguments(["a"])
      #expect(try String.fetchOne(statement) == "a")
      statement.setUncheckedArguments([String(repeating: "x", count: 2000), "surplus"])
      let error = #expect(throws: DatabaseError.self) { try String.fetchOne(statement) }
      #expect(error?.resultCode == .SQLITE_TOOBIG)
      statement.setUncheckedArguments(["b"])
      #expect(try String.fetchOne(statement) == "b")
    }
  }

  @Test func assigningWrongArgumentsTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().inDatabase { db throws in
        let statement = try db.makeStatement(sql: "SELECT ?")
        statement.arguments = []
      }
    }
    #expect(result.words.contains("wrong number of statement arguments: 0 - while executing `SELECT ?`"))
  }

  @Test func statementsInUseRunAsCopies() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "WITH n(i) AS (VALUES (1), (2)) SELECT i + ? FROM n")
      let cursor = try Int.fetchCursor(statement, arguments: [10])
      #expect(try cursor.next() == 11)
      #expect(try Int.fetchAll(statement, arguments: [20]) == [21, 22])
      #expect(try cursor.next() == 12)
      #expect(try cursor.next() == nil)
    }
  }

  @Test func statementsFollowTheSchema() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      #expect(try Row.fetchAll(statement).map(\.description) == ["[a:1]"])
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
      #expect(try Row.fetchAll(statement).map(\.description) == ["[a:1 b:2]"])
      #expect(statement.columnNames == ["a", "b"])
    }
  }
}
