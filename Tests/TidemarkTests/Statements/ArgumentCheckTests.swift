import Testing

import Tidemark
@testable import TidemarkEssentials

/// The parameters found in the text are those that SQLite finds in the statement.
@Suite struct ArgumentCheckTests {
  // swift-format-ignore
  static let statements: [(sql: String, count: Int)] = [
    ("SELECT ?, ?", 2), ("SELECT :a, :a, @a, $a", 3), ("SELECT ?3", 3), ("SELECT ?2, ?, ?1", 3), ("SELECT :a, ?3, ?", 4),
    ("SELECT '?', \"?\", [?], `?`, ? -- ?\n, ? /* ? */", 2), ("SELECT 'it''s ?', ?", 1), ("SELECT a$b, ? FROM (SELECT 1 AS a$b)", 1),
    ("SELECT :été, :1, $_", 3), ("SELECT x'3f', 1.5e3, ?", 1), ("SELECT ?->'$.a'", 1), ("SELECT $a::b, ?", 2),
    ("SELECT $a(b), ?", 2), ("SELECT $a::b(c), :a::d, ?", 3), ("SELECT 1", 0), ("SELECT '?' || ?1 || ?1", 1),
    ("SELECT -- :a\n @b, ''':c', '' || :d", 2), ("SELECT\u{C}?,\u{B}?", 2),
    ("SELECT #a, #$2, ?", 3), ("SELECT :\u{E9}, :e\u{301}, ?", 3), ("SELECT :\u{301}a, :\u{301}", 2),
  ]

  @Test(arguments: statements)
  func parameterCountMatchesSQLite(_ sql: String, _ count: Int) throws {
    let values = StatementArguments(Array(repeating: 1, count: count))
    try DatabaseQueue().inDatabase { db throws in
      // SQLite's own count, unless SQLite rejects the text.
      guard let statement = try? db.makeStatement(sql: sql) else { return }
      #expect(statement.parameterCount == count)
      try ArgumentCheck(sql).validate(values)
      #expect(throws: DatabaseError.self) { try ArgumentCheck(sql).validate(values + [1]) }
      if count > 0 {
        let few = StatementArguments(Array(repeating: 1, count: count - 1))
        #expect(throws: DatabaseError.self) { try ArgumentCheck(sql).validate(few) }
      }
    }
  }

  @Test func aWrongCountIsTheNumberOfValuesThatNamedParametersHaveLeft() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE pair (a, b)")
      let arguments: StatementArguments = StatementArguments(["a": 1]) + [2, 3]
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(
          sql: "INSERT INTO pair VALUES (:a, ?); INSERT INTO pair VALUES (?, ?)", arguments: arguments)
      }
      #expect(error?.message == "wrong number of statement arguments: 1")
      #expect(error?.sql == "INSERT INTO pair VALUES (?, ?)")
      // Nothing was executed.
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM pair") == 0)
    }
  }

  @Test func semicolonsInTriggersDoNotSeparateStatements() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE log (text TEXT);
          CREATE TRIGGER tr AFTER INSERT ON book BEGIN
            INSERT INTO log VALUES ('one; two');
            INSERT INTO log VALUES (new.title); -- ; three
          END;
          INSERT INTO book (title) VALUES (?); INSERT INTO log VALUES (?)
          """, arguments: ["Dune", "four"])
      #expect(try String.fetchAll(db, sql: "SELECT text FROM log") == ["one; two", "Dune", "four"])
    }
  }
}
