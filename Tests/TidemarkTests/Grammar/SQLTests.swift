import Foundation
import Testing
import Tidemark

/// Concatenated SQL literals.
@Suite struct SQLTests {
  private func expect(
    _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try inMemory { db throws in
      let built = try literal.build(db)
      #expect(built.sql == sql, sourceLocation: sourceLocation)
      #expect(built.arguments == arguments, sourceLocation: sourceLocation)
    }
  }

  @Test func literalsWithoutValuesAreTheirText() throws {
    try expect("SELECT 1", "SELECT 1")
    try expect(SQL(sql: "SELECT 1"), "SELECT 1")
    try expect("", "")
  }

  @Test func rawSQLKeepsItsArguments() throws {
    try expect(SQL(sql: "a = ? AND b = ?", arguments: [1, "x"]), "a = ? AND b = ?", [1, "x"])
    try expect(SQL(sql: "a = :a", arguments: ["a": 1]), "a = :a", ["a": 1])
  }

  @Test func expressionsBecomeSQL() throws {
    try expect(SQL(Column("a\"b")), "\"a\"\"b\"")
  }

  @Test func literalsAreAppended() throws {
    try expect("a = \(1)" + " AND b = \("x")", "a = ? AND b = ?", [1, "x"])
    var sql: SQL = "SELECT \(1)"
    sql += ", \(2)"
    sql.append(literal: ", \(3)")
    sql.append(sql: ", ?", arguments: [4])
    sql.append(sql: ", 5")
    try expect(sql, "SELECT ?, ?, ?, ?, 5", [1, 2, 3, 4])
  }

  @Test func literalsAreJoined() throws {
    let conditions: [SQL] = ["a = \(1)", "b = \("x")", "c IS NULL"]
    try expect(conditions.joined(separator: " AND "), "a = ? AND b = ? AND c IS NULL", [1, "x"])
    try expect(conditions.joined(), "a = ?b = ?c IS NULL", [1, "x"])
    try expect([SQL]().joined(separator: ", "), "")
    try expect(["a"].joined(separator: ", "), "a")
    try expect((1...3).lazy.map { "\($0)" as SQL }.joined(separator: ","), "?,?,?", [1, 2, 3])
  }

  @Test func emptyLiteralsAreRecognized() {
    #expect(("" as SQL).isEmpty)
    #expect(SQL(sql: "").isEmpty)
    #expect(("" + "" as SQL).isEmpty)
    #expect(([] as [SQL]).joined(separator: " ").isEmpty)
    #expect(!(" " as SQL).isEmpty)
    #expect(!("\(1)" as SQL).isEmpty)
    #expect(!("\(nil as Int?)" as SQL).isEmpty)
    #expect(("\(literal: "")" as SQL).isEmpty)
  }

  @Test func duplicateNamesTrapWhenBuilt() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMemory { db throws in
        _ = try (SQL(sql: ":a", arguments: ["a": 1]) + SQL(sql: ":a", arguments: ["a": 2])).build(db)
      }
    }
    #expect(result.words.contains("already defined statement argument: a"))
  }

  // MARK: Executing

  @Test func literalsAreExecuted() throws {
    try inLibrary { db throws in
      try db.execute(
        literal: "UPDATE book SET title = \("O'Brien") WHERE id IN \([1, 2]); DELETE FROM book WHERE id = \(3)")
      #expect(try String.fetchAll(db, sql: "SELECT title FROM book") == ["O'Brien", "O'Brien"])
    }
  }

  @Test func literalsMakeStatementsWithArguments() throws {
    try inLibrary { db throws in
      #expect(try Int.fetchAll(db.makeStatement(literal: "SELECT id FROM book WHERE id > \(1)")) == [2, 3])
      let unbound: SQL = "SELECT id FROM book WHERE id BETWEEN ? AND ?"
      #expect(try Int.fetchAll(db.makeStatement(literal: unbound), arguments: [1, 2]) == [1, 2])
      #expect(try Int.fetchAll(db.cachedStatement(literal: unbound), arguments: [2, 3]) == [2, 3])
      let halfBound = try db.makeStatement(literal: "SELECT id FROM book WHERE id BETWEEN \(1) AND ?")
      #expect(
        errorText { try Int.fetchAll(halfBound) }.contains("wrong number of statement arguments: 1"))
      #expect(try Int.fetchAll(halfBound, arguments: [1, 2]) == [1, 2])
      #expect(try Int.fetchAll(db.cachedStatement(literal: "SELECT id FROM book WHERE id > \(2)")) == [3])
      #expect(try Int.fetchAll(db.cachedStatement(literal: "SELECT id FROM book WHERE id > \(1)")) == [2, 3])
      let statements = try db.allStatements(literal: "SELECT \(1); SELECT \("x"), \(nil as Int?)")
      #expect(try statements.next()?.arguments == [1])
      #expect(try statements.next()?.arguments == ["x"])
      #expect(try statements.next() == nil)
    }
  }
}
