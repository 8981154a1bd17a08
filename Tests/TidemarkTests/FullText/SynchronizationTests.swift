import Testing
import Tidemark

/// Full-text tables that index the content of another table.
@Suite struct SynchronizationTests {
  private static let fts4Triggers = [
    """
    CREATE TRIGGER "__d_bu" BEFORE UPDATE ON "book" BEGIN
        DELETE FROM "d" WHERE docid=old."id";
    END
    """,
    """
    CREATE TRIGGER "__d_bd" BEFORE DELETE ON "book" BEGIN
        DELETE FROM "d" WHERE docid=old."id";
    END
    """,
    """
    CREATE TRIGGER "__d_au" AFTER UPDATE ON "book" BEGIN
        INSERT INTO "d"("docid", "title", "body") VALUES(new."id", new."title", new."body");
    END
    """,
    """
    CREATE TRIGGER "__d_ai" AFTER INSERT ON "book" BEGIN
        INSERT INTO "d"("docid", "title", "body") VALUES(new."id", new."title", new."body");
    END
    """,
  ]

  private static let fts5Triggers = [
    """
    CREATE TRIGGER "__d_ai" AFTER INSERT ON "book" BEGIN
        INSERT INTO "d"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
    END
    """,
    """
    CREATE TRIGGER "__d_ad" AFTER DELETE ON "book" BEGIN
        INSERT INTO "d"("d", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
    END
    """,
    """
    CREATE TRIGGER "__d_au" AFTER UPDATE ON "book" BEGIN
        INSERT INTO "d"("d", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
        INSERT INTO "d"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
    END
    """,
  ]

  @Test func `triggers synchronize an FTS4 table`() throws {
    let lines = try fullTextStatements { db in try Self.create(4, db) }
    #expect(
      lines == ["BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "d" USING fts4(title, body, content="book")"#]
        + Self.fts4Triggers + [#"INSERT INTO "d"("d") VALUES('rebuild')"#, "COMMIT TRANSACTION"])
  }

  @Test func `triggers synchronize an FTS5 table`() throws {
    let lines = try fullTextStatements { db in try Self.create(5, db) }
    let creation = #"CREATE VIRTUAL TABLE "d" USING fts5(title, body, content='book', content_rowid='id')"#
    #expect(
      lines == ["BEGIN IMMEDIATE TRANSACTION", creation]
        + Self.fts5Triggers + [#"INSERT INTO "d"("d") VALUES('rebuild')"#, "COMMIT TRANSACTION"])
  }

  @Test(arguments: [4, 5], ["", "id TEXT PRIMARY KEY, "])
  func `without an integer primary key, triggers use the row ID`(version: Int, key: String) throws {
    let content = "CREATE TABLE book (\(key)title TEXT, body TEXT)"
    let lines = try fullTextStatements(content: content) { db in try Self.create(version, db) }
    let triggers = (version == 4 ? Self.fts4Triggers : Self.fts5Triggers).map {
      $0.replacing(#"old."id""#, with: #"old."rowid""#).replacing(#"new."id""#, with: #"new."rowid""#)
    }
    let option = version == 4 ? #"content="book""# : "content='book'"
    #expect(
      lines == [
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "d" USING fts\#(version)(title, body, \#(option))"#,
      ] + triggers + [#"INSERT INTO "d"("d") VALUES('rebuild')"#, "COMMIT TRANSACTION"])
  }

  @Test(arguments: [4, 5])
  func `existing triggers are kept if the table may exist`(version: Int) throws {
    let lines = try fullTextStatements { db in
      try Self.create(version, db)
      try Self.create(version, db, options: .ifNotExists)
    }
    let triggers = lines.filter { $0.hasPrefix("CREATE TRIGGER IF NOT EXISTS \"__d_") }
    #expect(triggers.count == (version == 4 ? 4 : 3))
    #expect(lines.filter { $0 == #"INSERT INTO "d"("d") VALUES('rebuild')"# }.count == 2)
  }

  @Test func `triggers name all columns`() throws {
    let content = "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, url TEXT, lang INTEGER)"
    let fts4 = try fullTextStatements(content: content) { db in
      try db.create(virtualTable: "d", using: FTS4()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
        t.column("url").notIndexed()
        t.column("lang").asLanguageId()
      }
    }
    #expect(
      fts4.contains {
        $0.contains(
          #"INTO "d"("docid", "title", "url", "lang") VALUES(new."id", new."title", new."url", new."lang")"#)
      })
    let fts5 = try fullTextStatements(content: content) { db in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
        t.column("url").notIndexed()
      }
    }
    #expect(
      fts5.contains { $0.contains(#"INTO "d"("rowid", "title", "url") VALUES (new."id", new."title", new."url")"#) })
  }

  @Test(arguments: [4, 5])
  func `a missing content table is an error, and nothing is created`(version: Int) throws {
    try inMemory { db in
      #expect(
        message { try Self.create(version, db, content: "nope") }.hasPrefix("SQLite error 1: no such table: nope"))
      try #expect(!db.tableExists("d"))
      #expect(!db.isInsideTransaction)
    }
  }

  @Test(arguments: [4, 5])
  func `a missing column is an error, and nothing is created`(version: Int) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)")
      #expect(
        message { try Self.create(version, db) }.hasPrefix("SQLite error 1: "))
      try #expect(!db.tableExists("d"))
      try #expect(!db.triggerExists("__d_ai"))
    }
  }

  @Test(arguments: [4, 5])
  func `changes of the content are found`(version: Int) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
          INSERT INTO book VALUES (7, 'Dune', 'sand'), (8, 'Emma', 'love');
          """)
      try Self.create(version, db)
      try #expect(matches(db, "d", "sand") == [7])
      try db.execute(sql: "INSERT INTO book VALUES (9, 'Persuasion', 'love again')")
      try #expect(matches(db, "d", "love") == [8, 9])
      try db.execute(sql: "UPDATE book SET body = 'hate' WHERE id = 8")
      try #expect(matches(db, "d", "love") == [9])
      try #expect(matches(db, "d", "hate") == [8])
      try db.execute(sql: "UPDATE book SET id = 10 WHERE id = 9; DELETE FROM book WHERE id = 7")
      try #expect(matches(db, "d", "love") == [10])
      try #expect(matches(db, "d", "sand") == [])
      try #expect(String.fetchAll(db, sql: "SELECT title FROM d ORDER BY rowid") == ["Emma", "Persuasion"])
    }
  }

  @Test(arguments: [4, 5])
  func `a replaced row keeps its tokens unless triggers are recursive`(version: Int) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
      try Self.create(version, db)
      try db.execute(
        sql: """
          INSERT INTO book VALUES (1, 'a', 'red');
          INSERT OR REPLACE INTO book VALUES (1, 'a', 'blue');
          """)
      try #expect(matches(db, "d", "red") == [1])
      try #expect(matches(db, "d", "blue") == [1])
      try db.execute(
        sql: """
          PRAGMA recursive_triggers = ON;
          INSERT OR REPLACE INTO book VALUES (1, 'a', 'green');
          """)
      try #expect(matches(db, "d", "blue") == [])
      try #expect(matches(db, "d", "green") == [1])
    }
  }

  @Test(arguments: [4, 5])
  func `the triggers of a dropped table are dropped separately`(version: Int) throws {
    let lines = try fullTextStatements { db in
      try Self.create(version, db)
      try db.drop(table: "d")
      #expect(
        message { try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')") }
          == "SQLite error 1: no such table: main.d - while executing `INSERT INTO book (title) VALUES ('Dune')`")
      for _ in 0..<2 {
        if version == 4 {
          try db.dropFTS4SynchronizationTriggers(forTable: "d")
        } else {
          try db.dropFTS5SynchronizationTriggers(forTable: "d")
        }
      }
      try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')")
    }
    let drops = (version == 4 ? ["bu", "bd", "au", "ai"] : ["ai", "ad", "au"]).map {
      "DROP TRIGGER IF EXISTS \"__d_\($0)\""
    }
    #expect(lines.filter { $0.hasPrefix("DROP TRIGGER") } == drops + drops)
  }

  @Test func `a table without content is written by its row IDs`() throws {
    try inMemory { db in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.content = ""
        t.column("title")
      }
      try db.execute(sql: "INSERT INTO d (rowid, title) VALUES (3, 'red sand'), (4, 'blue')")
      try #expect(matches(db, "d", "red") == [3])
      try #expect(String?.fetchOne(db, sql: "SELECT title FROM d") == .some(nil))
      try db.execute(sql: "INSERT INTO d (d, rowid, title) VALUES ('delete', 3, 'red sand')")
      try #expect(matches(db, "d", "red") == [])
    }
  }

  @Test func `other content tables are refused with the reason`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE w (k TEXT PRIMARY KEY, title TEXT, body TEXT) WITHOUT ROWID;
          CREATE VIEW v AS SELECT * FROM w;
          """)
      for table in ["w", "v"] {
        for version in [4, 5] {
          let text = message { try Self.create(version, db, content: table) }
          #expect(text.hasPrefix("SQLite error 1: synchronize(withTable:) requires a"), "\(text)")
        }
      }
      try #expect(!db.tableExists("d"))
    }
  }

  @Test func `a table without row IDs and with an integer key is synchronized with FTS5`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT) WITHOUT ROWID")
      try Self.create(5, db)
      try db.execute(sql: "INSERT INTO book VALUES (4, 'Dune', 'sand')")
      try #expect(matches(db, "d", "sand") == [4])
      #expect(message { try Self.create(4, db) }.hasPrefix("SQLite error 1: "))
    }
  }

  private static func create(
    _ version: Int, _ db: Database, content: String = "book", options: VirtualTableOptions = []
  ) throws {
    if version == 4 {
      try db.create(virtualTable: "d", options: options, using: FTS4()) { t in
        t.synchronize(withTable: content)
        t.column("title")
        t.column("body")
      }
    } else {
      try db.create(virtualTable: "d", options: options, using: FTS5()) { t in
        t.column("title")
        t.column("body")
        t.synchronize(withTable: content)
      }
    }
  }
}
