import Testing

@testable import TidemarkEssentials

/// The tokens of a text.
@Suite struct SQLLexemeTests {
  private func tokens(_ sql: String) -> [String]? {
    SQLLexeme.all(in: sql)?.map { "\($0.kind) \($0.text)" }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("", []),
    ("a B_1 é", ["word a", "word B_1", "word é"]),
    ("a/* b */c--d\ne", ["word a", "word c", "word e"]),
    ("a /* no end", ["word a"]),
    (#""a b" `a``b` [a "b] "a""b""#, ["doubleQuoted a b", "name a`b", "name a \"b", "doubleQuoted a\"b"]),
    ("'it''s' '' x'0F' X'' x 'y'", ["text it's", "text ", "blob 0F", "blob ", "word x", "text y"]),
    ("1 1.5 .5 1. 0x1F", ["number 1", "number 1.5", "number .5", "number 1.", "number 0x1F"]),
    ("1e5 1.5E-3 2e+1", ["number 1e5", "number 1.5E-3", "number 2e+1"]),
    ("t.a 1.a", ["word t", "symbol .", "word a", "number 1.", "word a"]),
    ("? ?12 :a @b $c::d(e)", ["parameter ?", "parameter ?12", "parameter :a", "parameter @b", "parameter $c::d(e)"]),
    ("<= >= <> != == || << >> -> ->> < = -", ["<=", ">=", "<>", "!=", "==", "||", "<<", ">>", "->", "->>", "<", "=", "-"].map { "symbol \($0)" }),
    ("a<=-1", ["word a", "symbol <=", "symbol -", "number 1"]),
    ("(a);", ["symbol (", "word a", "symbol )", "symbol ;"]),
  ])
  func `a text is split like SQLite splits it`(_ sql: String, _ expected: [String]) {
    #expect(tokens(sql) == expected)
  }

  @Test(arguments: ["'a", "\"a", "`a", "[a", "'", "SELECT 'a FROM t"])
  func `a quote without an end is rejected`(_ sql: String) {
    #expect(tokens(sql) == nil)
  }

  @Test func `keywords are upper-case words without quotes`() throws {
    let lexemes = try #require(SQLLexeme.all(in: "select \"select\" [select] 'select' :select"))
    #expect(lexemes.map(\.keyword) == ["SELECT", "", "", "", ""])
    #expect(lexemes.map(\.isName) == [false, true, true, false, false])
  }

  @Test func `words with letters outside of ASCII are names, as for SQLite`() throws {
    // In Unicode, the upper-case form of each of them is a keyword.
    let lexemes = try #require(SQLLexeme.all(in: "lımıt croſs croß o\u{FB00}set"))
    #expect(lexemes.map(\.isName) == [true, true, true, true])
    #expect(["LIMIT", "CROSS", "OFFSET"].filter(lexemes.map(\.keyword).contains).isEmpty)
  }

  @Test func `each token knows its place`() throws {
    let sql = "SELECT x'00',\"é\"/**/ FROM t WHERE 1.5e3<=?1"
    let lexemes = try #require(SQLLexeme.all(in: sql))
    #expect(
      lexemes.map { String(sql[$0.range]) } == [
        "SELECT", "x'00'", ",", "\"é\"", "FROM", "t", "WHERE", "1.5e3", "<=", "?1",
      ])
  }
}
