import Foundation
import Testing
import Tidemark

/// A value never becomes SQL (hazards A1 and A2).
@Suite struct InjectionTests {
  private func withVictim<T>(_ body: (Database) throws -> T) throws -> T {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE victim (x); INSERT INTO victim VALUES (1)")
      let result = try body(db)
      #expect(try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master") == ["CREATE TABLE victim (x)"])
      #expect(try Int.fetchAll(db, sql: "SELECT x FROM victim") == [1])
      #expect(db.totalChangesCount == 1)
      return result
    }
  }

  private struct Text: DatabaseValueConvertible, RawRepresentable, Hashable { var rawValue: String }

  @Test func hostileValuesRoundTripFromEveryPosition() throws {
    var generator = SeededRandom()
    try withVictim { db throws in
      for _ in 0..<1000 {
        let text = hostileText(using: &generator)
        let pairs: [(SQL, [String])] = [
          ("SELECT \(text)", [text]),
          ("SELECT \(Optional(text))", [text]),
          ("SELECT \(text as any SQLExpressible)", [text]),
          ("SELECT \(text.databaseValue)", [text]),
          ("SELECT \(Text(rawValue: text))", [text]),
          ("VALUES \([text, text])", [text, text]),
          ("VALUES \([text as any SQLExpressible, 1])", [text, "1"]),
          ("SELECT \(sql: "?", arguments: [text])", [text]),
          ("SELECT \(literal: "\(text)")", [text]),
          ("SELECT \(SQLRequest<String>("SELECT \(text)").sqlExpression)", [text]),
          ("SELECT * FROM (\(SQLRequest<String>("SELECT \(text)")))", [text]),
          (["SELECT \(text)", "\(text)"].joined(separator: ", "), [text, text]),
        ]
        for (literal, expected) in pairs {
          let (sql, arguments) = try literal.build(db)
          let statements = try db.allStatements(sql: sql, arguments: arguments)
          let statement = try #require(try statements.next())
          let row = try #require(try Row.fetchOne(statement))
          #expect(try statements.next() == nil, "\(sql)")
          let texts = try (0..<row.count).map { try row.decode(DatabaseValue.self, atIndex: $0) }
            .map { value in
              if case .string(let text) = value.storage { Array(text.utf8) } else { Array(value.description.utf8) }
            }
          #expect(texts == expected.map { Array($0.utf8) }, "\(text.debugDescription)")
        }
      }
    }
  }

  @Test func hostileIdentifiersAreQuoted() throws {
    var generator = SeededRandom()
    try withVictim { db throws in
      for _ in 0..<1000 {
        let name = hostileText(using: &generator).replacing("\0", with: "")
        let literals: [SQL] = [
          "SELECT 1 AS \(identifier: name)",
          "SELECT 1 AS \(Column(name))",
          "SELECT * FROM (SELECT 1 AS \(identifier: name))",
        ]
        for literal in literals {
          let (sql, _) = try literal.build(db)
          let statements = try db.allStatements(sql: sql)
          let statement = try #require(try statements.next())
          #expect(statement.columnNames.map { Array($0.utf8) } == [Array(name.utf8)], "\(name.debugDescription)")
          #expect(try statements.next() == nil, "\(sql)")
        }
      }
    }
  }

  @Test func unknownIdentifiersAreNotStrings() throws {
    let error = try inLibrary { db throws in
      try #require(throws: DatabaseError.self) {
        try SQLRequest<Row>("SELECT \(identifier: "missing") FROM book").fetchAll(db)
      }
    }
    #expect(error.message == "no such column: missing")
  }

  @Test(arguments: ["identifier", "column"])
  func namesWithNULTrap(position: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [position] in
      let literal: SQL =
        position == "identifier" ? "SELECT \(identifier: "a\0b")" : "SELECT \(Column("a\0b"))"
      _ = try inMemory { try literal.build($0) }
    }
    #expect(result.words.contains("An SQL identifier cannot contain a NUL character"))
  }

  @Test(arguments: ["SELECT 1\0; DELETE FROM victim", "\0", "SELECT 1;\0"])
  func textWithNULIsRefused(sql: String) throws {
    try withVictim { db throws in
      for body in [
        { try db.execute(sql: sql) }, { _ = try Row.fetchAll(db, sql: sql) },
        { try db.execute(literal: SQL(sql: sql)) },
      ] {
        let error = #expect(throws: DatabaseError.self) { try body() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message == "SQL contains a NUL character")
      }
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM victim", "SELECT 1; SELEKT", "SELECT 1;;/* */ -- \n x",
  ])
  func fetchesOfSeveralStatementsRunNone(sql: String) throws {
    try withVictim { db throws in
      let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
      #expect(
        error?.description
          == "SQLite error 21: Multiple statements found. To execute multiple statements, use Database.execute(sql:) or "
          + "Database.allStatements(sql:) instead. - while executing `\(sql)`")
    }
  }

  @Test(arguments: [
    "SELECT 1;", "SELECT 1 ; ; \n", "SELECT 1; -- note", "SELECT 1 /* open", "/* a */ SELECT 1; /* b */;",
  ])
  func blanksAndCommentsCanFollowAStatement(sql: String) throws {
    #expect(try inMemory { try Int.fetchAll($0, sql: sql) } == [1])
  }
}
