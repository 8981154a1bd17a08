import CSQLite
import Testing
import Tidemark

/// Tokenizers in Swift that read the bytes of texts.
@Suite struct CustomTokenizerTests {
  private func inDocuments(_ arguments: String..., body: (Database) throws -> Void) throws {
    try SplitterTokenizer.makeQueue().inDatabase { db in
      try db.createDocuments(SplitterTokenizer.tokenizerDescriptor(arguments: arguments))
      try body(db)
    }
  }

  @Test func `descriptors consist of the name and the arguments`() throws {
    #expect(SplitterTokenizer.tokenizerDescriptor().components == ["splitter"])
    let descriptor = SplitterTokenizer.tokenizerDescriptor(arguments: ["x", "it's"])
    #expect(descriptor.components == ["splitter", "x", "it's"])
    let sql = try moduleSQL(TokenizedModule(descriptor: descriptor)) { t in t.column("a") }
    #expect(sql == "fts5(a, tokenize='''splitter'' ''x'' ''it''''s''')")
  }

  @Test func `tables use a registered tokenizer`() throws {
    try inDocuments("use") { db in
      try db.execute(sql: "INSERT INTO d VALUES ('ab c-d'), ('AB c')")
      try #expect(matches(db, "d", "ab") == [1])
      try #expect(matches(db, "d", "\"c-d\"") == [1])
      try #expect(matches(db, "d", "AB") == [2])
      try #expect(
        String.fetchAll(db, sql: "SELECT highlight(d, 0, '<', '>') FROM d WHERE d MATCH 'ab'") == ["<ab> c-d"])
    }
  }

  @Test func `a tokenizer lives as long as its table or its connection`() throws {
    try inDocuments("life", "it's") { db in
      #expect(SplitterTokenizer.takeLog("life") == [#"init ["life", "it\'s"]"#])
      try db.execute(sql: "INSERT INTO d VALUES ('ab c')")
      #expect(SplitterTokenizer.takeLog("life") == ["tokenize 4 4"])
      try #expect(matches(db, "d", "\"ab\"") == [1])
      try #expect(matches(db, "d", "a*") == [1])
      #expect(SplitterTokenizer.takeLog("life") == ["tokenize 1 2", "tokenize 3 1"])
      try db.drop(table: "d")
      let log = SplitterTokenizer.takeLog("life")
      #expect(log.filter { $0 == "deinit" }.count == log.filter { $0.hasPrefix("init") }.count + 1)
    }
    let dbQueue = try SplitterTokenizer.makeQueue()
    try dbQueue.inDatabase { db in
      try db.createDocuments(SplitterTokenizer.tokenizerDescriptor(arguments: ["close"]))
    }
    #expect(SplitterTokenizer.takeLog("close").count == 1)
    try dbQueue.close()
    #expect(SplitterTokenizer.takeLog("close") == ["deinit"])
  }

  @Test func `a made tokenizer is released with the returned object`() throws {
    try SplitterTokenizer.makeQueue().inDatabase { db in
      var tokenizer: (any FTS5Tokenizer)? = try db.makeTokenizer(
        SplitterTokenizer.tokenizerDescriptor(arguments: ["made"]))
      try #expect(tokenizer?.tokenize(document: "ab é").map(\.token) == ["ab", "é"])
      try #expect(tokenizer?.tokenize(query: "ab").map(\.token) == ["ab"])
      tokenizer = nil
      #expect(
        SplitterTokenizer.takeLog("made") == [#"init ["made"]"#, "tokenize 4 5", "tokenize 1 2", "deinit"])
    }
  }

  @Test func `each connection registers the tokenizer`() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in db.add(tokenizer: SplitterTokenizer.self) }
    let path = folder.path("a.sqlite")
    let dbPool = try DatabasePool(path: path, configuration: configuration)
    try dbPool.write { db in
      try db.createDocuments(SplitterTokenizer.tokenizerDescriptor())
      try db.execute(sql: "INSERT INTO d VALUES ('ab c-d')")
    }
    try #expect(dbPool.read { try matches($0, "d", "\"c-d\"") } == [1])
    let other = try DatabaseQueue(path: path)
    #expect(
      message { _ = try other.read { try matches($0, "d", "ab") } }.hasPrefix(
        "SQLite error 1: no such tokenizer: splitter"))
  }

  @Test func `registering again replaces the tokenizer`() throws {
    try inMemory { db in
      db.add(tokenizer: SplitterTokenizer.self)
      db.add(tokenizer: OtherSplitter.self)
      let tokenizer = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["splitter"]))
      try #expect(tokenizer.tokenize(document: "a b").map(\.token) == ["other"])
    }
  }

  @Test func `errors of the initializer are errors of the statement`() throws {
    try SplitterTokenizer.makeQueue().inDatabase { db in
      func error(_ argument: String) throws -> DatabaseError {
        try #require(throws: DatabaseError.self) {
          try db.createDocuments(SplitterTokenizer.tokenizerDescriptor(arguments: ["init", argument]))
        }
      }
      let misuse = try error("misuse")
      #expect(
        "\(misuse)" == "SQLite error 21: error in tokenizer constructor - while executing "
          + "`CREATE VIRTUAL TABLE \"d\" USING fts5(a, tokenize='''splitter'' ''init'' ''misuse''')`")
      #expect((misuse.cause as? DatabaseError)?.message == "these arguments are wrong")
      let planned = try error("planned")
      #expect(planned.resultCode == .SQLITE_ERROR)
      #expect(planned.cause as? Planned == Planned(number: 7))
      try #expect(error("extended").extendedResultCode == .SQLITE_IOERR_READ)
      try #expect(!db.tableExists("d"))

      let made = try #require(throws: DatabaseError.self) {
        _ = try db.makeTokenizer(SplitterTokenizer.tokenizerDescriptor(arguments: ["init", "planned"]))
      }
      #expect("\(made)" == "SQLite error 1: failed fts5_tokenizer.xCreate")
      #expect(made.cause as? Planned == Planned(number: 7))
    }
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_ROW, SQLITE_DONE])
  func `the result code of a tokenizer is the error of the statement`(code: CInt) throws {
    try inMemory { db in
      db.add(tokenizer: FailingTokenizer.self)
      try db.createDocuments(FailingTokenizer.tokenizerDescriptor(arguments: ["\(code)"]))
      let expected = code == SQLITE_FULL ? ResultCode.SQLITE_FULL : .SQLITE_ERROR
      let error = try #require(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO d VALUES ('a b')") }
      #expect(error.resultCode == expected)
      try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM d") == 0)
      let tokenizer = try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor(arguments: ["\(code)"]))
      let other = try #require(throws: DatabaseError.self) { _ = try tokenizer.tokenize(document: "a b") }
      #expect(other.resultCode == expected)
    }
  }

  @Test func `tokens that are not valid UTF-8 are indexed, and omitted from lists`() throws {
    try inDocuments("bytes") { db in
      try db.execute(sql: "INSERT INTO d VALUES (CAST(X'61206220FF20C3' AS TEXT))")
      try #expect(matches(db, "d", "b") == [1])
      let tokenizer = RawTokenizer(tokens: [[0x61], [0xFF], [0xC3, 0xA9], [0xC3], []])
      try #expect(tokenizer.tokenize(document: "x").map(\.token) == ["a", "é", ""])
    }
  }

  @Test func `tokens with a NUL character leave a consistent index`() throws {
    try inMemory { db in
      db.add(tokenizer: NULTokenizer.self)
      try db.createDocuments(NULTokenizer.tokenizerDescriptor())
      try db.execute(sql: "INSERT INTO d VALUES ('one'), ('two'); INSERT INTO d (d) VALUES ('integrity-check')")
      try #expect(matches(db, "d", "x") == [1, 2])
      try db.execute(sql: "DELETE FROM d WHERE rowid = 1; INSERT INTO d (d) VALUES ('integrity-check')")
      try #expect(matches(db, "d", "x") == [2])
    }
  }

  @Test func `a tokenizer may read the database`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE synonym (word TEXT); INSERT INTO synonym VALUES ('first')")
      db.add(tokenizer: ReadingTokenizer.self)
      try db.createDocuments(ReadingTokenizer.tokenizerDescriptor())
      try db.execute(sql: "INSERT INTO d VALUES ('x')")
      try #expect(matches(db, "d", "\"first\"") == [1])
    }
  }
}

/// FTS5 with a tokenizer that the connection may lack: without a table.
private struct TokenizedModule: VirtualTableModule {
  let descriptor: FTS5TokenizerDescriptor
  var moduleName: String { "fts5" }

  func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
    let definition = FTS5().makeTableDefinition(configuration: configuration)
    definition.tokenizer = descriptor
    return definition
  }

  func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
    db.add(tokenizer: SplitterTokenizer.self)
    return try FTS5().moduleArguments(for: definition, in: db)
  }

  func database(_ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition) throws {}
}

/// A tokenizer with the name of another one.
private final class OtherSplitter: FTS5CustomTokenizer {
  static let name = "splitter"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    tokenCallback(context, 0, "other", 5, 0, nText)
  }
}

/// A tokenizer that returns the code of its argument.
private final class FailingTokenizer: FTS5CustomTokenizer {
  static let name = "failing"
  private let code: CInt

  init(db: Database, arguments: [String]) {
    code = arguments.first.flatMap { CInt($0) } ?? SQLITE_ERROR
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    code
  }
}

/// A tokenizer that finds the same tokens in each text.
final class RawTokenizer: FTS5Tokenizer {
  private let tokens: [[UInt8]]

  init(tokens: [[UInt8]]) {
    self.tokens = tokens
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    for token in tokens {
      let code = token.withUnsafeBytes { bytes in
        tokenCallback(
          context, 0, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 0, nText)
      }
      if code != SQLITE_OK { return code }
    }
    return SQLITE_OK
  }
}

/// A tokenizer whose only token contains a NUL character.
private final class NULTokenizer: FTS5CustomTokenizer {
  static let name = "nul"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    tokenCallback(context, 0, "x\u{0}y", 3, 0, nText)
  }
}

/// A tokenizer whose tokens are in a table.
private final class ReadingTokenizer: FTS5CustomTokenizer {
  static let name = "reading"
  private unowned let db: Database

  init(db: Database, arguments: [String]) {
    self.db = db
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    do {
      for word in try String.fetchAll(db, sql: "SELECT word FROM synonym") {
        let code = word.withCString { tokenCallback(context, 0, $0, CInt(word.utf8.count), 0, nText) }
        if code != SQLITE_OK { return code }
      }
      return SQLITE_OK
    } catch {
      return SQLITE_ERROR
    }
  }
}
