import Testing
import Tidemark

/// The creation of FTS5 tables.
@Suite struct FTS5TableTests {
  // swift-format-ignore
  static let cases: [TableCase<FTS5TableDefinition>] = [
    TableCase("fts5(a)") { t in t.column("a") },
    TableCase("fts5(a UNINDEXED, b)") { t in t.column("a").notIndexed(); t.column("b") },
    TableCase("fts5(a, tokenize='''ascii''')") { t in t.column("a"); t.tokenizer = .ascii() },
    TableCase("fts5(a, tokenize='''ascii'' ''separators'' ''a'' ''tokenchars'' ''-_''')") { t in
      t.column("a")
      t.tokenizer = .ascii(separators: ["a"], tokenCharacters: ["_", "-"])
    },
    TableCase("fts5(a, tokenize='''porter''')") { t in t.column("a"); t.tokenizer = .porter() },
    TableCase("fts5(a, tokenize='''porter'' ''ascii''')") { t in t.column("a"); t.tokenizer = .porter(wrapping: .ascii()) },
    TableCase("fts5(a, tokenize='''unicode61''')") { t in t.column("a"); t.tokenizer = .unicode61() },
    TableCase("fts5(a, tokenize='''unicode61'' ''remove_diacritics'' ''0''')") { t in
      t.column("a")
      t.tokenizer = .unicode61(diacritics: .keep)
    },
    TableCase(
      "fts5(a, tokenize='''unicode61'' ''remove_diacritics'' ''2'' ''categories'' ''L* N*'' ''separators'' ''-'' "
        + "''tokenchars'' ''_''')"
    ) { t in
      t.column("a")
      t.tokenizer = .unicode61(
        diacritics: .remove, categories: "L* N*", separators: ["-"], tokenCharacters: ["_"])
    },
    TableCase("fts5(a, tokenize='''trigram''')") { t in t.column("a"); t.tokenizer = .trigram() },
    TableCase("fts5(a, tokenize='''trigram'' ''case_sensitive'' ''1''')") { t in
      t.column("a")
      t.tokenizer = .trigram(matching: .caseSensitive)
    },
    TableCase("fts5(a, prefix='2 4')") { t in t.column("a"); t.prefixes = [4, 2] },
    TableCase("fts5(a)") { t in t.column("a"); t.prefixes = [] },
    TableCase("fts5(a, columnSize=0)") { t in t.column("a"); t.columnSize = 0 },
    TableCase("fts5(a, detail=column)") { t in t.column("a"); t.detail = "column" },
    TableCase("fts5(title, content='')") { t in t.column("title"); t.content = "" },
    TableCase("fts5(title, content='book')") { t in t.column("title"); t.content = "book" },
    TableCase("fts5(title, content='book', content_rowid='id')") { t in
      t.column("title")
      t.contentRowID = "id"
      t.content = "book"
    },
    TableCase(
      "fts5(a UNINDEXED, b, tokenize='''porter'' ''unicode61'' ''remove_diacritics'' ''2''', prefix='2 4', "
        + "columnSize=0, detail=none)"
    ) { t in
      t.detail = "none"
      t.columnSize = 0
      t.prefixes = [4, 2]
      t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
      t.column("a").notIndexed()
      t.column("b")
    },
  ]

  @Test(arguments: cases)
  func `definitions of FTS5 tables become SQL`(definition: TableCase<FTS5TableDefinition>) throws {
    try #expect(moduleSQL(FTS5(), definition.define) == definition.sql)
  }

  // swift-format-ignore
  @Test func `descriptors have components`() {
    #expect(FTS5TokenizerDescriptor.ascii().components == ["ascii"])
    #expect(FTS5TokenizerDescriptor.porter().components == ["porter"])
    #expect(FTS5TokenizerDescriptor.porter(wrapping: .unicode61(diacritics: .keep)).components
      == ["porter", "unicode61", "remove_diacritics", "0"])
    #expect(FTS5TokenizerDescriptor.unicode61(categories: "L* N*", separators: ["z", "-"], tokenCharacters: ["_"]).components
      == ["unicode61", "categories", "L* N*", "separators", "-z", "tokenchars", "_"])
    #expect(FTS5TokenizerDescriptor.trigram().components == ["trigram"])
    #expect(FTS5TokenizerDescriptor.trigram(matching: .caseSensitive).components == ["trigram", "case_sensitive", "1"])
    #expect(FTS5TokenizerDescriptor.trigram(matching: .caseInsensitiveRemovingDiacritics).components
      == ["trigram", "remove_diacritics", "1"])
    #expect(FTS5TokenizerDescriptor(components: ["splitter", "x", "it's"]).components == ["splitter", "x", "it's"])
  }

  @Test func `a table is created in a transaction or a savepoint, with its options`() throws {
    let lines = try fullTextStatements { db in
      try db.create(virtualTable: "d x", using: FTS5()) { t in t.column("a") }
      try db.create(virtualTable: "d x", options: .ifNotExists, using: FTS5()) { t in t.column("a") }
      try db.create(virtualTable: "b", options: [.temporary, .ifNotExists], using: FTS5()) { t in t.column("a") }
      try db.inTransaction {
        try db.create(virtualTable: "c", using: FTS5()) { t in t.column("a") }
        return .commit
      }
    }
    #expect(
      lines == [
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "d x" USING fts5(a)"#, "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE IF NOT EXISTS "d x" USING fts5(a)"#,
        "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE IF NOT EXISTS temp."b" USING fts5(a)"#,
        "COMMIT TRANSACTION",
        "BEGIN IMMEDIATE TRANSACTION", "SAVEPOINT grdb", #"CREATE VIRTUAL TABLE "c" USING fts5(a)"#,
        "RELEASE SAVEPOINT grdb", "COMMIT TRANSACTION",
      ])
  }

  @Test func `an unknown tokenizer is an error, and leaves no table`() throws {
    try inMemory { db in
      #expect(
        message {
          try db.create(virtualTable: "d", using: FTS5()) { t in
            t.column("a")
            t.tokenizer = FTS5TokenizerDescriptor(components: ["zzz", "it's"])
          }
        } == "SQLite error 1: no such tokenizer: zzz - while executing "
          + "`CREATE VIRTUAL TABLE \"d\" USING fts5(a, tokenize='''zzz'' ''it''''s''')`")
      try #expect(!db.tableExists("d"))
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `an error of the definition creates nothing`() throws {
    let lines = try fullTextStatements { db in
      #expect(throws: Planned.self) {
        try db.create(virtualTable: "d", using: FTS5()) { t in
          t.column("a")
          throw Planned()
        }
      }
    }
    #expect(lines == [])
  }

  @Test func `names that are no words are quoted`() throws {
    try inMemory { db in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.column("a b")
        t.column("it's").notIndexed()
      }
      try db.execute(sql: "INSERT INTO d VALUES ('red', 'blue')")
      try #expect(db.columns(in: "d").map(\.name) == ["a b", "it's"])
      try #expect(matches(db, "d", "red") == [1])
      try #expect(matches(db, "d", "blue") == [])
    }
  }

  @Test func `an option with other characters is a literal`() throws {
    try inMemory { db in
      #expect(
        message {
          try db.create(virtualTable: "d", using: FTS5()) { t in
            t.column("a")
            t.detail = "none, b"
          }
        }.contains("USING fts5(a, detail='none, b')"))
    }
  }

  @Test func `the content and its row ID are properties`() throws {
    _ = try moduleSQL(FTS5()) { t in
      t.column("title")
      #expect(t.content == nil && t.contentRowID == nil)
      t.contentRowID = "id"
      t.synchronize(withTable: "book")
      #expect(t.content == "book" && t.contentRowID == nil)
      t.content = "book"
      #expect(t.content == "book" && t.contentRowID == nil)
    }
  }

  @Test func `setting the row ID ends a synchronization, and removes its table`() throws {
    let lines = try fullTextStatements { db in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.contentRowID = "id"
        t.column("title")
        #expect(t.content == nil && t.contentRowID == "id")
      }
    }
    #expect(lines.contains(#"CREATE VIRTUAL TABLE "d" USING fts5(title, content_rowid='id')"#))
    #expect(!lines.contains { $0.hasPrefix("CREATE TRIGGER") })
  }

  @Test func `modules can be used without a connection of their own`() throws {
    try inMemory { db in
      let api = FTS5.api(db)
      #expect(api.pointee.iVersion >= 2)
      #expect(FTS5.api(db) == api)
    }
    #expect(FTS3().moduleName == "fts3")
    #expect(FTS4().moduleName == "fts4")
    #expect(FTS5().moduleName == "fts5")
    #expect(Set([FTS3.Diacritics.keep, .remove, .removeLegacy, .keep]).count == 3)
    #expect(Set([FTS5.Diacritics.keep, .remove, .removeLegacy, .keep]).count == 3)
  }
}
