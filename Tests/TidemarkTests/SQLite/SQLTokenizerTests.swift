import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct SQLTokenizerTests {
  private func tokens(_ sql: String) -> [String] {
    var tokens = SQLTokenizer(sql)
    var result: [String] = []
    while let token = tokens.next() { result.append("\(token) \(sql[tokens.range])") }
    return result
  }

  // swift-format-ignore
  @Test(arguments: [
    ("", []), (" \n-- all; of it ?", []), ("/* ? ; */", []), ("/*/ ? */", []), ("/* open ?", []),
    ("SELECT 1", ["word SELECT", "word 1"]),
    ("a;b", ["word a", "semicolon ;", "word b"]),
    ("'it''s; ?'", ["quoted 'it''s; ?'"]), ("'open ;", ["quoted 'open ;"]),
    (#""a""?""#, [#"quoted "a""?""#]), ("`a``?`", ["quoted `a``?`"]), ("[a?;]]", ["quoted [a?;]", "other ]"]),
    ("?,?12", ["parameter ?", "other ,", "parameter ?12"]),
    (":a@b$c", ["parameter :a", "parameter @b$c"]), (":é1", ["parameter :é1"]), (": a", ["other :", "word a"]),
    ("#a #$2 #1a ##", ["parameter #a", "parameter #$2", "other #1a", "other #", "other #"]),
    ("$a::b(c d) ?", ["other $a::b(c", "word d", "other )", "parameter ?"]),
    (":a::b(c) ?", ["parameter :a::b(c)", "parameter ?"]), (":a(b) ?", ["parameter :a(b)", "parameter ?"]),
    ("a-b/c", ["word a", "other -", "word b", "other /", "word c"]), ("x'00'", ["word x", "quoted '00'"]),
    ("a \u{B}b", ["word a", "word b"]), ("\u{B}a", ["other \u{B}", "word a"]),
    ("a$b", ["word a$b"]), ("\u{FEFF}a", ["word a"]), ("1e-5", ["word 1e", "other -", "word 5"]),
  ] as [(String, [String])])
  func textIsTokenizedAsBySQLite(sql: String, expected: [String]) {
    #expect(tokens(sql) == expected)
  }

  @Test(arguments: [
    ("", true), (" ;; \n", true), ("-- note", true), ("/* a */ ; -- b\n", true), ("\u{FEFF}", true), ("a", false),
    ("\n\u{B} ;", true), ("\u{B}", false),
    ("'", false),
  ])
  func blanksCommentsAndSemicolonsAreSkipped(sql: String, isBlank: Bool) {
    #expect(SQLTokenizer.isBlank(sql[...]) == isBlank)
  }

  /// For all SQL that SQLite compiles, both find the same parameters and the same end of the statement.
  @Test func randomTextIsTokenizedAsBySQLite() throws {
    var generator = SeededRandom()
    let pieces = [
      "?", "?3", ":a", ":a", "@b", "$c", "$c::d", ":a(x)", "@é", "#a", "#$2", ":\u{301}e", "1", "1.5e3", "'s?'",
      "'it''s;'", "x'00'", "NULL",
      "\"a?\"", "`a;`", "[a?]", "a", "-1", "(1)", "/* ? ; */ 2", "-- ?;\n3", "/*/ ?*/4", "\u{FEFF}5", "$", ":",
    ]
    let separators = [",", " , ", ",\n", "+", "||", ",/**/", ", --\n", ";", "; -- ?\n", " "]
    var compiledCount = 0
    try inMemory { db throws in
      for _ in 0..<2000 {
        var sql = "SELECT "
        for index in 0..<Int.random(in: 1...6, using: &generator) {
          sql += (index == 0 ? "" : generator.pick(separators)) + generator.pick(pieces)
        }
        sql += " FROM (SELECT 1 AS a, 2 AS \"a?\", 3 AS \"a;\")"
        var pointer: OpaquePointer?
        var end = 0
        let code = sql.withCString { start in
          var tail: UnsafePointer<CChar>?
          let code = sqlite3_prepare_v2(db.sqliteConnection, start, -1, &pointer, &tail)
          end = (tail ?? start) - start
          return code
        }
        guard code == SQLITE_OK, let pointer else { continue }
        defer { sqlite3_finalize(pointer) }
        compiledCount += 1

        var tokens = SQLTokenizer(sql)
        var marks: Set<Substring> = []
        var count = 0
        var ourEnd = sql.utf8.count
        while let token = tokens.next() {
          if token == .semicolon {
            ourEnd = sql.utf8.distance(from: sql.startIndex, to: tokens.range.upperBound)
            break
          }
          guard token == .parameter else { continue }
          let mark = sql[tokens.range]
          if mark == "?" {
            count += 1
          } else if mark.hasPrefix("?"), let number = Int(mark.dropFirst()) {
            count = max(count, number)
          } else if marks.insert(mark).inserted {
            count += 1
          }
        }
        #expect(CInt(count) == sqlite3_bind_parameter_count(pointer), "\(sql)")
        #expect(ourEnd == end, "\(sql)")
      }
    }
    #expect(compiledCount > 200)
  }
}
