import CSQLite
import Testing
import Tidemark

/// The tokens of SQLite's tokenizers.
@Suite struct TokenizingTests {
  private static let text = "Café ÉTÉ running_dogs don't-stop 日本語 Straße 3.5 x😀y"

  // swift-format-ignore
  private static let fts3: [(FTS3TokenizerDescriptor, String)] = [
    (.simple, "café ÉtÉ running dogs don t stop 日本語 straße 3 5 x😀y"),
    (.porter, "café ÉtÉ running_dogs don t stop 日本語 straße 3 5 x😀y"),
    (.unicode61(), "cafe ete running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(diacritics: .remove), "cafe ete running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(diacritics: .keep), "café été running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(separators: ["n"], tokenCharacters: ["-", "'"]), "cafe ete ru i g dogs do 't-stop 日本語 straße 3 5 x y"),
  ]

  @Test(arguments: fts3)
  func `FTS3 tokenizers split texts`(tokenizer: FTS3TokenizerDescriptor, tokens: String) throws {
    try #expect(FTS3.tokenize(Self.text, withTokenizer: tokenizer).joined(separator: " ") == tokens)
    try #expect(FTS3.tokenize("", withTokenizer: tokenizer) == [])
  }

  @Test func `the default tokenizer is simple`() throws {
    try #expect(FTS3.tokenize("Été RUNNING") == ["Été", "running"])
  }

  @Test func `FTS3 tokens are read in a database of their own`() throws {
    try #expect(FTS3.tokenize("Running dogs", withTokenizer: .porter) == ["run", "dog"])
    try #expect(FTS3.tokenize("a \"b", withTokenizer: .unicode61(tokenCharacters: ["\""])) == ["a", "\"b"])
  }

  // swift-format-ignore
  private static let fts5: [(FTS5TokenizerDescriptor, String)] = [
    (.ascii(), "café ÉtÉ running dogs don t stop 日本語 straße 3 5 x😀y"),
    (.ascii(separators: ["a"], tokenCharacters: ["-", "_"]), "c fé ÉtÉ running_dogs don t-stop 日本語 str ße 3 5 x😀y"),
    (.unicode61(), "cafe ete running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(diacritics: .remove), "cafe ete running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(diacritics: .keep), "café été running dogs don t stop 日本語 straße 3 5 x y"),
    (.unicode61(categories: "L*"), "cafe ete running dogs don t stop 日本語 straße x y"),
    (.porter(), "cafe et run dog don t stop 日本語 straß 3 5 x y"),
    (.porter(wrapping: .ascii()), "café ÉtÉ run dog don t stop 日本語 straß 3 5 x😀y"),
  ]

  @Test(arguments: fts5)
  func `FTS5 tokenizers split texts`(descriptor: FTS5TokenizerDescriptor, tokens: String) throws {
    try inMemory { db in
      let tokenizer = try db.makeTokenizer(descriptor)
      let document = try tokenizer.tokenize(document: Self.text)
      #expect(document.map(\.token).joined(separator: " ") == tokens)
      #expect(document.allSatisfy { $0.flags == [] })
      try #expect(tokenizer.tokenize(query: Self.text).map(\.token).joined(separator: " ") == tokens)
      try #expect(tokenizer.tokenize(document: "").isEmpty)
    }
  }

  @Test func `any tokenizer of SQLite can be used`() throws {
    try inMemory { db in
      let tokenizer = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["trigram"]))
      try #expect(tokenizer.tokenize(document: "Café ÉTÉ").map(\.token) == ["caf", "afé", "fé ", "é é", " ét", "été"])
    }
  }

  @Test func `a table of trigrams finds parts of words`() throws {
    try inMemory { db in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.tokenizer = .trigram()
        t.column("a")
      }
      try db.execute(sql: "INSERT INTO d VALUES ('Mosquito'), ('Fox')")
      try #expect(Table("d").matching(FTS5Pattern(matchingPhrase: "quit")).fetchAll(db) == [["a": "Mosquito"]])
      try #expect(matches(db, "d", "QUIT") == [1])
      try #expect(matches(db, "d", "ox") == [])
    }
  }

  @Test func `trigrams can respect case`() throws {
    try inMemory { db in
      let tokenizer = try db.makeTokenizer(.trigram(matching: .caseSensitive))
      try #expect(tokenizer.tokenize(document: "Café").map(\.token) == ["Caf", "afé"])
    }
  }

  @Test func `trigrams without diacritics require SQLite 3.45`() throws {
    try inMemory { db in
      func create() throws {
        try db.create(virtualTable: "d", using: FTS5()) { t in
          t.tokenizer = .trigram(matching: .caseInsensitiveRemovingDiacritics)
          t.column("a")
        }
      }
      if sqlite3_libversion_number() < 3_045_000 {
        #expect(message { try create() }.hasPrefix("SQLite error 1: error in tokenizer constructor"))
      } else {
        try create()
        try db.execute(sql: "INSERT INTO d VALUES ('Café')")
        try #expect(matches(db, "d", "CAFE") == [1])
      }
    }
  }

  @Test func `an unknown tokenizer is an error`() throws {
    try inMemory { db in
      #expect(
        message { _ = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["zzz"])) }
          == "SQLite error 1: SQL logic error")
      #expect(
        message { _ = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["unicode61", "nope"])) }
          == "SQLite error 1: failed fts5_tokenizer.xCreate")
    }
  }

  @Test func `a tokenizer can be used until its connection is closed`() throws {
    let dbQueue = try DatabaseQueue()
    let tokenizer = try dbQueue.inDatabase { db in UncheckedBox(try db.makeTokenizer(.ascii())) }
    try dbQueue.inDatabase { _ in try #expect(tokenizer.value.tokenize(document: "a b").map(\.token) == ["a", "b"]) }
    try dbQueue.close()
    #expect(
      message { _ = try tokenizer.value.tokenize(document: "a b") }
        == "SQLite error 21: bad parameter or other API misuse")
  }

  private final class UncheckedBox: @unchecked Sendable {
    // Used by one thread at a time.
    let value: any FTS5Tokenizer
    init(_ value: any FTS5Tokenizer) { self.value = value }
  }
}
