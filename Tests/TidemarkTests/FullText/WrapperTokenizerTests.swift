import Testing
import Tidemark

/// Tokenizers in Swift that modify the tokens of others.
@Suite struct WrapperTokenizerTests {
  private func inDocuments(_ arguments: String..., body: (Database) throws -> Void) throws {
    try inMemory { db in
      db.add(tokenizer: HotelTokenizer.self)
      try db.createDocuments(HotelTokenizer.tokenizerDescriptor(arguments: arguments))
      try body(db)
    }
  }

  private func tokens(_ tokens: [(token: String, flags: FTS5TokenFlags)]) -> [String] {
    tokens.map { $0.flags.isEmpty ? $0.token : "\($0.token)+\($0.flags.rawValue)" }
  }

  @Test func `tokens are dropped, and synonyms are added`() throws {
    try inDocuments { db in
      let tokenizer = try db.makeTokenizer(HotelTokenizer.tokenizerDescriptor())
      try #expect(tokens(tokenizer.tokenize(document: "The 1 Empty x")) == ["1", "one+1", "empty", "x"])
      try #expect(tokens(tokenizer.tokenize(query: "the 1")) == ["1"])
      try #expect(tokens(tokenizer.tokenize(document: "")) == [])
    }
  }

  @Test(arguments: [
    ("one", [1]), ("1", [1]), ("\"room one\"", [1]), ("\"one open\"", [1]), ("\"room 1 open\"", [1]), ("the", []),
    ("the AND room", []), ("the room", [1]), ("\"the room\"", [1]), ("the OR room", [1]), ("two", []),
  ])
  func `synonyms have the position of their token`(pattern: String, rows: [Int]) throws {
    try inDocuments { db in
      try db.execute(sql: "INSERT INTO d VALUES ('the room 1 open'), ('room 3')", arguments: [])
      try db.execute(sql: "DELETE FROM d WHERE rowid = 2")
      try #expect(matches(db, "d", pattern) == rows)
    }
  }

  @Test func `tokens keep the range of the wrapped token`() throws {
    try inDocuments { db in
      try db.execute(sql: "INSERT INTO d VALUES ('Room №1: 1 OPEN the door')")
      func marked(_ pattern: String) throws -> String? {
        try String.fetchOne(
          db, sql: "SELECT highlight(d, 0, '<', '>') FROM d WHERE d MATCH ?", arguments: [pattern])
      }
      try #expect(marked("one AND door") == "Room №<1>: <1> OPEN the <door>")
      try #expect(marked("\"open door\"") == "Room №1: 1 <OPEN the door>")
    }
  }

  @Test func `arguments select the wrapped tokenizer`() throws {
    try inDocuments("porter", "ascii") { db in
      let tokenizer = try db.makeTokenizer(HotelTokenizer.tokenizerDescriptor(arguments: ["porter", "ascii"]))
      try #expect(tokens(tokenizer.tokenize(document: "Running 1")) == ["run", "1", "one+1"])
      try db.execute(sql: "INSERT INTO d VALUES ('Running 1')")
      try #expect(matches(db, "d", "runs") == [1])
    }
  }

  @Test func `an empty token is passed on`() throws {
    try inDocuments { db in
      let tokenizer = try db.makeTokenizer(HotelTokenizer.tokenizerDescriptor())
      try #expect(tokens(tokenizer.tokenize(document: "a void b")) == ["a", "", "b"])
      try db.execute(sql: "INSERT INTO d VALUES ('a void b')")
      try #expect(matches(db, "d", "b") == [1])
    }
  }

  @Test func `errors reach the caller, and the statement`() throws {
    try inDocuments { db in
      let tokenizer = try db.makeTokenizer(HotelTokenizer.tokenizerDescriptor())
      let full = try #require(throws: DatabaseError.self) { _ = try tokenizer.tokenize(document: "a full b") }
      #expect("\(full)" == "SQLite error 13: database or disk is full")
      let planned = try #require(throws: DatabaseError.self) { _ = try tokenizer.tokenize(query: "a planned b") }
      #expect("\(planned)" == "SQLite error 1: SQL logic error")
      #expect(planned.cause as? Planned == Planned(number: 3))

      #expect(
        message { try db.execute(sql: "INSERT INTO d VALUES ('a full b')") }
          == "SQLite error 13: database or disk is full - while executing `INSERT INTO d VALUES ('a full b')`")
      let inserted = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO d VALUES ('a planned b')")
      }
      #expect(inserted.resultCode == .SQLITE_ERROR)
      #expect(inserted.cause as? Planned == Planned(number: 3))
      let searched = try #require(throws: DatabaseError.self) { _ = try matches(db, "d", "planned") }
      #expect(searched.cause as? Planned == Planned(number: 3))

      // The failures leave nothing behind.
      try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM d") == 0)
      try db.execute(sql: "INSERT INTO d VALUES ('a b')")
      try #expect(matches(db, "d", "a") == [1])
    }
  }

  @Test func `a refused token is an error in the closure`() throws {
    try inMemory { db in
      let tokenizer = HotelTokenizer(wrapping: RawTokenizer(tokens: [[0x61], [0x62], [0x63]]))
      let seen = Locked<[String]>([])
      tokenizer.onRefusal = { error in seen.update { $0.append("\(error)") } }
      var calls = 0
      let code = withUnsafeMutablePointer(to: &calls) { calls in
        tokenizer.tokenize(context: calls, tokenization: .document, pText: "x", nText: 1) { context, _, _, _, _, _ in
          context?.assumingMemoryBound(to: Int.self).pointee += 1
          return ResultCode.SQLITE_NOMEM.rawValue
        }
      }
      #expect(code == ResultCode.SQLITE_NOMEM.rawValue)
      #expect(calls == 1)
      #expect(seen.value == ["SQLite error 7: token callback failed"])
    }
  }

  @Test func `wrapped tokens that are not valid UTF-8 are omitted`() throws {
    try inMemory { db in
      let tokenizer = HotelTokenizer(wrapping: RawTokenizer(tokens: [[0x61], [0xFF, 0x61], [0x62]]))
      try #expect(tokenizer.tokenize(document: "x").map(\.token) == ["a", "b"])
    }
  }

  @Test func `stop words in patterns are kept`() throws {
    #expect(FTS5Pattern(matchingAllTokensIn: "The Room")?.rawPattern == "the room")
  }
}

/// Drops `the`, adds the synonym `one` to `1` in documents, and fails for some words.
final class HotelTokenizer: FTS5WrapperTokenizer {
  static let name = "hotel"
  let wrappedTokenizer: any FTS5Tokenizer
  var onRefusal: (any Error) -> Void = { _ in }

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(
      arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
  }

  init(wrapping tokenizer: any FTS5Tokenizer) {
    wrappedTokenizer = tokenizer
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    switch token {
    case "the": break
    case "void": try tokenCallback("", flags)
    case "full": throw DatabaseError(resultCode: .SQLITE_FULL)
    case "planned": throw Planned(number: 3)
    default:
      do {
        try tokenCallback(token, flags)
      } catch {
        onRefusal(error)
        throw error
      }
      if token == "1", tokenization.contains(.document) { try tokenCallback("one", flags.union(.colocated)) }
    }
  }
}
