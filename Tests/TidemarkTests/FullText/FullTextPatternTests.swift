import Foundation
import Testing
import Tidemark

/// Patterns of texts, and patterns in SQLite's syntax.
@Suite struct FullTextPatternTests {
  /// A text, and the words of its patterns. Nil means no pattern.
  struct Words: Sendable, CustomTestStringConvertible {
    var text: String
    var fts3: [String]
    var fts5: [String]

    init(_ text: String, _ words: [String], fts5: [String]? = nil) {
      self.text = text
      fts3 = words
      self.fts5 = fts5 ?? words
    }

    var testDescription: String { "“\(text)”" }
  }

  // swift-format-ignore
  static let texts: [Words] = [
    Words("", []), Words("  \n\t", []), Words("!?", []), Words("*", []), Words("\\", []), Words("\"", []),
    Words("Quick Fox", ["quick", "fox"]),
    Words("don't", ["don", "t"]),
    Words("\"quoted phrase\"", ["quoted", "phrase"]),
    Words("AND", ["and"]),
    Words("fox AND dog", ["fox", "and", "dog"]),
    Words("OR NOT", ["or", "not"]),
    Words("NEAR", ["near"]),
    Words("a*", ["a"]), Words("^a", ["a"]), Words("(a)", ["a"]),
    Words("col:val", ["col", "val"]), Words("fox-trot", ["fox", "trot"]), Words("a_b", ["a", "b"]),
    Words("a + b", ["a", "b"]),
    Words("CAFÉ Été", ["cafÉ", "Été"]),
    Words("straße", ["straße"]), Words("日本語", ["日本語"]), Words("😀 fox", ["😀", "fox"]),
    Words("e\u{301}", ["e\u{301}"]), Words("İ", ["İ"]),
    Words("日本 語", ["日本", "語"]),
    Words("12 3.5", ["12", "3", "5"]),
    Words("fox\nhound", ["fox", "hound"]),
    Words("'; DROP", ["drop"]),
    Words("x\u{0}y", ["x"], fts5: ["x", "y"]), Words("\u{0}y", [], fts5: ["y"]),
  ]

  @Test(arguments: texts)
  func `patterns consist of the words of a text`(words: Words) throws {
    let text = words.text
    func expect(
      _ pattern: String?, _ words: [String], _ separator: String, _ prefix: String = "", _ suffix: String = ""
    ) {
      let expected = words.isEmpty ? nil : prefix + words.joined(separator: separator) + suffix
      #expect(pattern.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
    expect(FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern, words.fts3, " OR ")
    expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern, words.fts3, " ")
    expect(FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern, words.fts3.map { "\($0)*" }, " ")
    expect(FTS3Pattern(matchingPhrase: text)?.rawPattern, words.fts3, " ", "\"", "\"")
    expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern, words.fts5, " OR ")
    expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern, words.fts5, " ")
    expect(FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern, words.fts5.map { "\($0)*" }, " ")
    expect(FTS5Pattern(matchingPhrase: text)?.rawPattern, words.fts5, " ", "\"", "\"")
    expect(FTS5Pattern(matchingPrefixPhrase: text)?.rawPattern, words.fts5, " ", "^\"", "\"")
  }

  /// A pattern in SQLite's syntax, and the messages of its errors. Nil means a valid pattern.
  struct Raw: Sendable, CustomTestStringConvertible {
    var pattern: String
    var fts3: String?
    var fts5: String?

    init(_ pattern: String, _ fts3: String? = nil, _ fts5: String? = nil) {
      (self.pattern, self.fts3, self.fts5) = (pattern, fts3, fts5)
    }

    var testDescription: String { pattern }
  }

  // swift-format-ignore
  static let rawPatterns: [Raw] = [
    Raw("", nil, #"fts5: syntax error near """#),
    Raw("*", nil, "unknown special query: "),
    Raw("fox"), Raw("fox*"), Raw("fo*x"), Raw("^fox"), Raw("\"a b\""), Raw("a AND b"), Raw("a NOT b"), Raw("a OR b"),
    Raw("a + b"), Raw("é"),
    Raw("\"a b", "malformed MATCH expression: [\"a b]", "unterminated string"),
    Raw("a AND", "malformed MATCH expression: [a AND]", #"fts5: syntax error near """#),
    Raw("(a", "malformed MATCH expression: [(a]", #"fts5: syntax error near """#),
    Raw("a AND OR b", "malformed MATCH expression: [a AND OR b]", #"fts5: syntax error near "OR""#),
    Raw("NOT a", "malformed MATCH expression: [NOT a]", #"fts5: syntax error near "NOT""#),
    Raw("(a OR b) c", nil, #"fts5: syntax error near "c""#),
    Raw("NEAR(a b, 3)", "malformed MATCH expression: [NEAR(a b, 3)]", nil),
    Raw("a NEAR/3 b", nil, #"fts5: syntax error near "/""#),
    Raw("don't", nil, #"fts5: syntax error near "'""#),
    Raw("a.b", nil, #"fts5: syntax error near ".""#),
    Raw("title:fox", nil, "no such column: title"), Raw("{title body}: fox", nil, "no such column: title"),
    Raw("-title:fox", nil, "no such column: title"),
    Raw("nope:fox", nil, "no such column: nope"), Raw("a-b", nil, "no such column: b"), Raw("x:", nil, "no such column: x"),
  ]

  @Test(arguments: rawPatterns)
  func `raw patterns are valid where SQLite accepts them`(raw: Raw) throws {
    func expect(_ expected: String?, _ make: () throws -> String) {
      do {
        let pattern = try make()
        #expect(expected == nil)
        #expect(pattern == raw.pattern)
      } catch {
        #expect("\(error)" == expected.map { "SQLite error 1: \($0)" })
      }
    }
    expect(raw.fts3) { try FTS3Pattern(rawPattern: raw.pattern).rawPattern }
    expect(raw.fts5) { try FTS5Pattern(rawPattern: raw.pattern).rawPattern }
    let value = raw.pattern.databaseValue
    #expect(FTS3Pattern.fromDatabaseValue(value)?.rawPattern == (raw.fts3 == nil ? raw.pattern : nil))
    #expect(FTS5Pattern.fromDatabaseValue(value)?.rawPattern == (raw.fts5 == nil ? raw.pattern : nil))
  }

  @Test(arguments: ["title:fox", "{title body}: fox", "-title:fox", "- {title body} : fox*", "fox"])
  func `columns of patterns can be allowed`(pattern: String) throws {
    try #expect(FTS5Pattern(rawPattern: pattern, allowedColumns: ["title", "body"]).rawPattern == pattern)
    try #expect(FTS5Pattern(rawPattern: pattern, allowedColumns: ["TITLE", "document", "body"]).rawPattern == pattern)
  }

  @Test func `the columns of a table are allowed`() throws {
    try inDocuments { db in
      try #expect(db.makeFTS5Pattern(rawPattern: "title: fox", forTable: "doc5").rawPattern == "title: fox")
      #expect(
        message { _ = try db.makeFTS5Pattern(rawPattern: "nope: fox", forTable: "doc5") }
          == "SQLite error 1: no such column: nope")
      #expect(
        message { _ = try db.makeFTS5Pattern(rawPattern: "fox", forTable: "zzz") }
          == "SQLite error 1: no such table: zzz")
    }
  }

  @Test func `patterns are values`() throws {
    let fts3 = try FTS3Pattern(rawPattern: "a OR b")
    let fts5 = try FTS5Pattern(rawPattern: "a OR b")
    #expect(fts3.databaseValue == "a OR b".databaseValue)
    #expect(fts5.databaseValue == "a OR b".databaseValue)
    for value: DatabaseValue in [.null, 1.databaseValue, 1.5.databaseValue, Data([65]).databaseValue] {
      #expect(FTS3Pattern.fromDatabaseValue(value) == nil)
      #expect(FTS5Pattern.fromDatabaseValue(value) == nil)
    }
    try inDocuments { db in
      let fox = try #require(FTS5Pattern(matchingAllTokensIn: "fox"))
      try #expect(
        Int.fetchAll(db, sql: "SELECT rowid FROM doc5 WHERE doc5 MATCH ? ORDER BY rowid", arguments: [fox]) == [
          1, 2,
        ])
      try #expect(FTS5Pattern.fetchOne(db, sql: "SELECT 'fo*'")?.rawPattern == "fo*")
      try #expect(FTS3Pattern.fetchOne(db, sql: "SELECT 'fo*'")?.rawPattern == "fo*")
    }
  }
}
