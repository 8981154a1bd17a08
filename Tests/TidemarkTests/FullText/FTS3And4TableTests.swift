import Testing
import Tidemark

/// The creation of FTS3 and FTS4 tables.
@Suite struct FTS3And4TableTests {
  // swift-format-ignore
  static let fts3: [TableCase<FTS3TableDefinition>] = [
    TableCase("fts3") { _ in },
    TableCase("fts3(a, b)") { t in t.column("a"); t.column("b") },
    TableCase("fts3(tokenize=simple)") { t in t.tokenizer = .simple },
    TableCase("fts3(a, tokenize=porter)") { t in t.tokenizer = .porter; t.column("a") },
    TableCase("fts3(a, tokenize=unicode61)") { t in t.column("a"); t.tokenizer = .unicode61() },
    TableCase(#"fts3(tokenize=unicode61 "remove_diacritics=0")"#) { t in t.tokenizer = .unicode61(diacritics: .keep) },
    TableCase("fts3(tokenize=unicode61)") { t in t.tokenizer = .unicode61(diacritics: .removeLegacy) },
    TableCase(#"fts3(tokenize=unicode61 "remove_diacritics=2" "separators=-" "tokenchars=#_")"#) { t in
      t.tokenizer = .unicode61(diacritics: .remove, separators: ["-"], tokenCharacters: ["_", "#"])
    },
    TableCase(#"fts3(a, tokenize=unicode61 "tokenchars='()=")"#) { t in
      t.column("a")
      t.tokenizer = .unicode61(tokenCharacters: ["=", ")", "(", "'"])
    },
  ]

  @Test(arguments: fts3)
  func `definitions of FTS3 tables become SQL`(definition: TableCase<FTS3TableDefinition>) throws {
    try #expect(moduleSQL(FTS3(), definition.define) == definition.sql)
  }

  // swift-format-ignore
  static let fts4: [TableCase<FTS4TableDefinition>] = [
    TableCase("fts4") { _ in },
    TableCase("fts4(a, b)") { t in t.column("a"); t.column("b") },
    TableCase("fts4(tokenize=simple)") { t in t.tokenizer = .simple },
    TableCase(#"fts4(a, tokenize=unicode61 "tokenchars=-")"#) { t in
      t.column("a")
      t.tokenizer = .unicode61(tokenCharacters: ["-"])
    },
    TableCase("fts4(a, b, notindexed=b, c)") { t in t.column("a"); t.column("b").notIndexed(); t.column("c") },
    TableCase(#"fts4(a, languageid="lang", b)"#) { t in t.column("a"); t.column("lang").asLanguageId(); t.column("b") },
    TableCase(#"fts4(a, prefix="2,4")"#) { t in t.column("a"); t.prefixes = [4, 2] },
    TableCase("fts4(a)") { t in t.column("a"); t.prefixes = [] },
    TableCase(#"fts4(a, compress="zip", uncompress="unzip")"#) { t in
      t.uncompress = "unzip"
      t.compress = "zip"
      t.column("a")
    },
    TableCase(#"fts4(a, matchinfo="fts3")"#) { t in t.column("a"); t.matchinfo = "fts3" },
    TableCase(#"fts4(title, content="book")"#) { t in t.column("title"); t.content = "book" },
    TableCase(#"fts4(title, content="")"#) { t in t.column("title"); t.content = "" },
    TableCase(
      #"fts4(a, b, notindexed=b, languageid="lang", tokenize=simple, content="", compress="zip", "#
        + #"uncompress="unzip", matchinfo="fts3", prefix="2,4")"#
    ) { t in
      t.prefixes = [2, 4]
      t.compress = "zip"
      t.uncompress = "unzip"
      t.matchinfo = "fts3"
      t.content = ""
      t.tokenizer = .simple
      t.column("a")
      t.column("b").notIndexed()
      t.column("lang").asLanguageId()
    },
  ]

  @Test(arguments: fts4)
  func `definitions of FTS4 tables become SQL`(definition: TableCase<FTS4TableDefinition>) throws {
    try #expect(moduleSQL(FTS4(), definition.define) == definition.sql)
  }

  @Test func `a table is created in a transaction or a savepoint, with its options`() throws {
    let lines = try fullTextStatements { db in
      try db.create(virtualTable: "a", using: FTS3())
      try db.create(virtualTable: "a", options: .ifNotExists, using: FTS3()) { t in t.column("x") }
      try db.create(virtualTable: "a", ifNotExists: true, using: FTS4())
      try db.create(virtualTable: "b", options: .temporary, using: FTS4()) { t in t.column("x") }
      try db.inTransaction {
        try db.create(virtualTable: "c d", using: FTS3())
        return .commit
      }
    }
    #expect(
      lines == [
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "a" USING fts3"#, "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE IF NOT EXISTS "a" USING fts3(x)"#, "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE IF NOT EXISTS "a" USING fts4"#, "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE temp."b" USING fts4(x)"#, "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", "SAVEPOINT grdb", #"CREATE VIRTUAL TABLE "c d" USING fts3"#,
        "RELEASE SAVEPOINT grdb", "COMMIT TRANSACTION",
      ])
  }

  @Test func `names that are no words are quoted`() throws {
    try inMemory { db in
      try db.create(virtualTable: "d", using: FTS4()) { t in
        t.column("a b")
        t.column("select").notIndexed()
        t.tokenizer = .unicode61(tokenCharacters: ["\"", "-"])
      }
      try db.execute(sql: #"INSERT INTO d VALUES ('a"b-c d', 'e')"#)
      try #expect(db.columns(in: "d").map(\.name) == ["a b", "select"])
      try #expect(terms(db, of: "d") == [#"a"b-c"#, "d"])
    }
  }

  @Test func `columns that are not indexed are stored`() throws {
    try inMemory { db in
      try db.create(virtualTable: "d", using: FTS4()) { t in
        t.column("a")
        t.column("b").notIndexed()
        t.column("lang").asLanguageId()
      }
      try db.execute(sql: "INSERT INTO d (a, b, lang) VALUES ('red', 'blue', 1)")
      try #expect(String.fetchAll(db, sql: "SELECT b FROM d") == ["blue"])
      try #expect(matches(db, "d", "blue") == [])
      try #expect(matches(db, "d", "red") == [])
      try #expect(Int.fetchAll(db, sql: "SELECT rowid FROM d WHERE d MATCH 'red' AND lang = 1") == [1])
    }
  }

  @Test func `unknown tokenizers and options are errors, and leave no table`() throws {
    struct Unknown: VirtualTableModule {
      var moduleName: String { "fts4" }
      func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
        FTS4().makeTableDefinition(configuration: configuration)
      }
      func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
        FTS4().moduleArguments(for: definition, in: db) + ["tokenize=zzz"]
      }
      func database(_ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition) throws {}
    }
    var summary: [String] = []
    let recorder = TraceRecorder()
    try recorder.makeQueue().inDatabase { db in
      #expect(
        message { try db.create(virtualTable: "d", using: Unknown()) { t in t.column("a") } }
          == "SQLite error 1: unknown tokenizer: zzz - "
          + #"while executing `CREATE VIRTUAL TABLE "d" USING fts4(a, tokenize=zzz)`"#)
      try #expect(!db.tableExists("d"))
      try db.inTransaction {
        recorder.clear()
        #expect(throws: DatabaseError.self) { try db.create(virtualTable: "d", using: Unknown()) }
        summary = recorder.lines.filter { !$0.hasPrefix("--") }
        return .rollback
      }
    }
    #expect(
      summary == [
        "SAVEPOINT grdb", #"CREATE VIRTUAL TABLE "d" USING fts4(tokenize=zzz)"#,
        "ROLLBACK TRANSACTION TO SAVEPOINT grdb", "RELEASE SAVEPOINT grdb",
      ])
  }

  @Test func `setting the content ends a synchronization`() throws {
    let lines = try fullTextStatements { db in
      try db.create(virtualTable: "d", using: FTS4()) { t in
        #expect(t.content == nil)
        t.synchronize(withTable: "book")
        #expect(t.content == "book")
        t.content = "book"
        t.column("title")
      }
    }
    #expect(
      lines == [
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "d" USING fts4(title, content="book")"#,
        "COMMIT TRANSACTION",
      ])
  }
}

/// The terms of an FTS3 or FTS4 table.
private func terms(_ db: Database, of table: String) throws -> [String] {
  try db.execute(sql: "CREATE VIRTUAL TABLE terms USING fts4aux(\(table))")
  return try String.fetchAll(db, sql: "SELECT term FROM terms WHERE col = '*' ORDER BY term")
}
