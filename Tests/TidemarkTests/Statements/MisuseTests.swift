import Testing
import Tidemark

/// Error messages for arguments and texts that do not match.
@Suite struct MisuseTests {
  static let insert = "INSERT INTO book VALUES (?, ?, ?)"

  struct Case: Sendable, CustomTestStringConvertible {
    var sql: String
    var arguments: StatementArguments
    var message: String
    var testDescription: String { "\(sql) \(arguments)" }

    init(_ sql: String, _ arguments: StatementArguments, _ message: String) {
      self.sql = sql
      self.arguments = arguments
      self.message = message
    }
  }

  // swift-format-ignore
  static let executions = [
    Case(insert, [1, "a"], "SQLite error 21: wrong number of statement arguments: 2 - while executing `\(insert)`"),
    Case(insert, [], "SQLite error 21: wrong number of statement arguments: 0 - while executing `\(insert)`"),
    Case(insert, [1, "a", 2, 3], "SQLite error 21: wrong number of statement arguments: 4"),
    Case("INSERT INTO book VALUES (:id, @title, $pages)", ["id": 1],
      "SQLite error 21: missing statement argument: title - while executing `INSERT INTO book VALUES (:id, @title, $pages)`"),
    Case("SELECT ?; SELECT ?", [1], "SQLite error 21: wrong number of statement arguments: 0 - while executing `SELECT ?`"),
    Case("SELECT ?; SELECT ?", [1, 2, 3], "SQLite error 21: wrong number of statement arguments: 3"),
    Case("SELECT ?, ?; SELECT ?, ?", [1, 2, 3],
      "SQLite error 21: wrong number of statement arguments: 1 - while executing `SELECT ?, ?`"),
    Case("", [1], "SQLite error 21: wrong number of statement arguments: 1"),
    Case("-- nothing", [1], "SQLite error 21: wrong number of statement arguments: 1"),
    Case("SELECT 1;\n SELEKT 2; ", [], "SQLite error 1: near \"SELEKT\": syntax error - while executing `SELEKT 2`"),
    Case("SELECT 'a\0b'", [], "SQLite error 21: SQL contains a NUL character - while executing `SELECT 'a\0b'`"),
    Case("INSERT INTO shelf VALUES (1)", [], "SQLite error 1: no such table: shelf - while executing `INSERT INTO shelf VALUES (1)`"),
  ]

  @Test(arguments: executions)
  func executeReportsMisuse(_ test: Case) throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      #expect(message { try db.execute(sql: test.sql, arguments: test.arguments) } == test.message)
      // Also if the statement is cached.
      #expect(message { try db.execute(sql: test.sql, arguments: test.arguments) } == test.message)
    }
  }

  @Test(arguments: executions.filter { !$0.arguments.isEmpty || $0.sql == insert })
  func mismatchedArgumentsRunNothing(_ test: Case) throws {
    let trace = TraceRecorder()
    let dbQueue = try trace.makeQueue()
    try dbQueue.inDatabase { db throws in
      try db.createBooks()
      trace.clear()
      _ = message { try db.execute(sql: test.sql, arguments: test.arguments) }
      #expect(trace.lines == [])
    }
  }

  @Test func statementsBeforeACompilationErrorHaveRun() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      _ = message {
        try db.execute(sql: "INSERT INTO book VALUES (1, 'a', 2); INSERT INTO shelf VALUES (1); DELETE FROM book")
      }
      #expect(try db.titles() == ["a"])
    }
  }

  @Test func surplusNamesAreAccepted() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      try db.execute(
        sql: "INSERT INTO book (title) VALUES (:title)", arguments: ["title": "Dune", "pages": 412])
      #expect(try db.titles() == ["Dune"])
    }
  }

  @Test func parametersTakeNamedThenPositionalValues() throws {
    try DatabaseQueue().inDatabase { db throws in
      let row = try Row.fetchOne(
        db, sql: "SELECT :a, ?, $b, :a, @c", arguments: StatementArguments(["a": 1]) + [2, 3, 4])
      #expect(row?.databaseValues.map(\.description) == ["1", "2", "3", "1", "4"])
    }
  }

  @Test func fetchesWithSurplusArgumentsDoNotRun() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      #expect(
        message { _ = try Row.fetchAll(db, sql: "SELECT * FROM book", arguments: [1]) }
          == "SQLite error 21: wrong number of statement arguments: 1 - while executing `SELECT * FROM book`")
    }
  }

  static let several = """
    Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
    Database.allStatements(sql:) instead.
    """

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT 1; SELECT 2", "SQLite error 21: \(several) - while executing `SELECT 1; SELECT 2`"),
    ("SELECT 1; SELEKT 2", "SQLite error 21: \(several) - while executing `SELECT 1; SELEKT 2`"),
    ("SELECT 1;; garbage", "SQLite error 21: \(several) - while executing `SELECT 1;; garbage`"),
    ("", "SQLite error 1: empty statement - while executing ``"),
    (" \n\t", "SQLite error 1: empty statement - while executing ``"),
    (";;", "SQLite error 1: empty statement - while executing ``"),
    ("-- note", "SQLite error 1: empty statement - while executing `-- note`"),
    ("/* note", "SQLite error 1: empty statement - while executing `/* note`"),
  ])
  func singleStatementAPIsRefuseSeveral(_ sql: String, _ expected: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(message { _ = try db.makeStatement(sql: sql) } == expected)
      #expect(message { _ = try db.cachedStatement(sql: sql) } == expected)
      #expect(message { _ = try Row.fetchOne(db, sql: sql) } == expected)
    }
  }

  @Test(arguments: ["SELECT 1;", "SELECT 1 ; ;; ", "SELECT 1; -- note", "SELECT 1; /* note */ ;", "-- note\nSELECT 1"])
  func commentsAndSemicolonsAroundAStatementAreAllowed(_ sql: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(try Int.fetchOne(db, sql: sql) == 1)
    }
  }

  @Test(arguments: ["", "  \n", ";;", "-- note", "/* a */ ; -- b\n;"])
  func executingNothingDoesNothing(_ sql: String) throws {
    let trace = TraceRecorder()
    try trace.makeQueue().inDatabase { try $0.execute(sql: sql) }
    #expect(trace.lines == [])
  }
}
