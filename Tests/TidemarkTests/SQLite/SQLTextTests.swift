import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct SQLTextTests {
  @Test(arguments: [
    ("player", #""player""#), ("", #""""#), ("a b", #""a b""#), (#"a"b"#, #""a""b""#), (#"""#, #""""""#),
    (#""; DROP TABLE t; --"#, #""""; DROP TABLE t; --""#), ("é\u{301}", "\"é\u{301}\""),
    // The quote and its accent are one character for Swift, two for SQLite.
    ("a\"\u{301}b", "\"a\"\"\u{301}b\""),
  ])
  func identifiersAreQuoted(name: String, quoted: String) {
    #expect(Array(name.quotedDatabaseIdentifier.utf8) == Array(quoted.utf8))
  }

  @Test func identifiersWithNULTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = "a\0b".quotedDatabaseIdentifier
    }
    #expect(result.words.contains("An SQL identifier cannot contain a NUL character"))
  }

  @Test func tablesOfAnyNameWork() throws {
    var generator = SeededRandom()
    try inMemory { db throws in
      for _ in 0..<200 {
        let name = hostileText(using: &generator).replacing("\0", with: "")
        let quoted = name.quotedDatabaseIdentifier
        if name.isEmpty || name.lowercased().hasPrefix("sqlite_") { continue }
        try db.execute(sql: "CREATE TABLE \(quoted) (\(quoted))")
        let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
        #expect(names.map { Array($0.utf8) } == [Array(name.utf8)])
        let column = try db.makeStatement(sql: "SELECT * FROM \(quoted)").columnNames
        #expect(column.map { Array($0.utf8) } == [Array(name.utf8)])
        try db.execute(sql: "DROP TABLE \(quoted)")
      }
    }
  }

  @Test(arguments: [
    ("SELECT 1", "SELECT 1"), (" ;\n\tSELECT 1 ; ;\r\n", "SELECT 1"), ("", ""), (" ;; \n", ""),
    ("-- note\nSELECT 1;", "-- note\nSELECT 1"), ("SELECT ';'", "SELECT ';'"), (" \u{301}a", "\u{301}a"),
  ])
  func statementsAreTrimmed(sql: String, trimmed: String) {
    #expect(Array(sql.trimmedSQLStatement.utf8) == Array(trimmed.utf8))
  }
}

/// A text that would break SQL if it were not quoted.
func hostileText(using generator: inout SeededRandom) -> String {
  let pieces = [
    "'", "\"", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\0", "\n", "\r", "%", "_", "?", "?1", ":a", "@a", "$a", "#",
    "(", ")", ",", " ", "é", "\u{301}", "\u{FEFF}", "\u{202E}", "\u{1F469}\u{200D}\u{1F680}", "\u{FFFD}", "x'", "NULL",
    "DROP TABLE victim", "'; DELETE FROM victim; --", "\"; DELETE FROM victim; --", "1 OR 1=1", "UNION SELECT", "a",
    "0",
  ]
  return (0..<Int.random(in: 0...8, using: &generator)).map { _ in generator.pick(pieces) }.joined()
}
