import Testing
import Tidemark

@Suite struct BelongsToTests {
  @Test func columnsAreNamedAfterTheirReference() throws {
    let lines = try table("t9") { t in
      t.belongsTo("author")
      t.belongsTo("reader", onDelete: .cascade, onUpdate: .cascade, deferred: true)
      t.belongsTo("shelf")
      t.belongsTo("cover", indexed: false)
      t.belongsTo("reading")
    }
    #expect(
      lines == [
        #"("authorId" INTEGER REFERENCES "author"("id"), "#
          + #""readerId" TEXT REFERENCES "reader"("id") ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY "#
          + #"DEFERRED, "shelfId" INTEGER REFERENCES "shelf"("rowid"), "coverId" INTEGER REFERENCES "cover"("rowid"), "#
          + #""readingBookId" INTEGER, "readingReaderId" TEXT, "#
          + #"FOREIGN KEY ("readingBookId", "readingReaderId") REFERENCES "reading"("bookId", "readerId"))"#,
        #"CREATE INDEX "index_t9_on_readingBookId_readingReaderId" ON "t9"("readingBookId", "readingReaderId")"#,
        #"CREATE INDEX "t9_on_authorId" ON "t9"("authorId")"#,
        #"CREATE INDEX "t9_on_readerId" ON "t9"("readerId")"#,
        #"CREATE INDEX "t9_on_shelfId" ON "t9"("shelfId")"#,
      ])
  }

  @Test func referencesCanBeRequiredAndUnique() throws {
    let lines = try table { t in
      t.belongsTo("book").notNull(onConflict: .ignore).unique()
      t.belongsTo("best", inTable: "Reading").notNull().unique()
    }
    #expect(
      lines == [
        #"("bookId" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE REFERENCES "book"("id"), "#
          + #""bestBookId" INTEGER NOT NULL, "bestReaderId" TEXT NOT NULL, "#
          + #"FOREIGN KEY ("bestBookId", "bestReaderId") REFERENCES "Reading"("bookId", "readerId"))"#,
        #"CREATE UNIQUE INDEX "index_t_on_bestBookId_bestReaderId" ON "t"("bestBookId", "bestReaderId")"#,
      ])
  }

  @Test func referencedTableNamesKeepTheirCase() throws {
    let lines = try table { t in
      t.belongsTo("Author", indexed: false)
      t.belongsTo("writer", inTable: "AUTHOR", indexed: false)
      t.column("next").references("Book")
    }
    #expect(
      lines == [
        #"("AuthorId" INTEGER REFERENCES "Author"("id"), "writerId" INTEGER REFERENCES "AUTHOR"("id"), "#
          + #""next" REFERENCES "Book"("id"))"#
      ])
  }

  @Test func tablesCanReferToThemselves() throws {
    #expect(
      try table("employee") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("boss", inTable: "employee", indexed: false)
        t.belongsTo("employee", indexed: false)
      } == [
        #"("id" INTEGER PRIMARY KEY AUTOINCREMENT, "bossId" INTEGER REFERENCES "employee"("id"), "#
          + #""employeeId" INTEGER REFERENCES "employee"("id"))"#
      ])
    #expect(
      try table("people") { $0.belongsTo("person", indexed: false) } == [
        #"("personId" INTEGER REFERENCES "people"("rowid"))"#
      ])
    #expect(
      try table("node") { t in
        t.primaryKey("code", .text)
        t.belongsTo("parent", inTable: "Node", indexed: false)
        t.column("next", .text).references("node")
      } == [
        #"("code" TEXT PRIMARY KEY NOT NULL, "parentCode" TEXT REFERENCES "Node"("code"), "#
          + #""next" TEXT REFERENCES "node"("code"))"#
      ])
  }

  @Test func tablesCanReferToThemselvesByConstraint() throws {
    let lines = try table("pair") { t in
      t.column("a", .integer)
      t.column("b", .text)
      t.primaryKey(["b", "a"])
      t.belongsTo("other", inTable: "pair", indexed: false)
    }
    #expect(
      lines == [
        #"("a" INTEGER, "b" TEXT, "otherB" TEXT, "otherA" INTEGER, PRIMARY KEY ("b", "a"), "#
          + #"FOREIGN KEY ("otherB", "otherA") REFERENCES "pair"("b", "a"))"#
      ])
  }

  @Test func referencedTablesCanHavePluralNames() throws {
    let lines = try statements { db in
      try db.create(table: "countries") { $0.primaryKey("code", .text) }
      try db.create(table: "city") { $0.belongsTo("country", indexed: false) }
    }
    #expect(lines[1] == #"CREATE TABLE "city" ("countryCode" TEXT REFERENCES "countries"("code"))"#)
  }

  @Test func compositeForeignKeysBuildSQL() throws {
    let lines = try table { t in
      t.column("a")
      t.column("c")
      t.foreignKey(
        ["a", "c"], references: "reading", onDelete: .restrict, onUpdate: .setDefault, deferred: true)
      t.foreignKey(["a"], references: "reader", columns: ["email"], onDelete: .setNull)
    }
    #expect(
      lines == [
        #"("a", "c", FOREIGN KEY ("a", "c") REFERENCES "reading"("bookId", "readerId") ON DELETE RESTRICT "#
          + #"ON UPDATE SET DEFAULT DEFERRABLE INITIALLY DEFERRED, "#
          + #"FOREIGN KEY ("a") REFERENCES "reader"("email") ON DELETE SET NULL)"#
      ])
  }

  @Test func columnsReferToTables() throws {
    let lines = try table { t in
      t.column("a").references("author")
      t.column("b").references("shelf", onDelete: .cascade)
      t.column("c").references("reader", column: "email", deferred: true)
    }
    #expect(
      lines == [
        #"("a" REFERENCES "author"("id"), "b" REFERENCES "shelf"("rowid") ON DELETE CASCADE, "#
          + #""c" REFERENCES "reader"("email") DEFERRABLE INITIALLY DEFERRED)"#
      ])
  }

  @Test func missingTablesAreNamedInErrors() throws {
    try inMemory { db in
      for (way, name) in ["wine", "grape", "bottle", "cork"].enumerated() {
        let text = message {
          try db.create(table: "t") { t in
            switch way {
            case 0: t.belongsTo("wine")
            case 1: t.belongsTo("wine", inTable: "grape")
            case 2: t.column("a").references("bottle")
            default: t.foreignKey(["a"], references: "cork")
            }
          }
        }
        #expect(text == "SQLite error 1: no such table: \(name)")
      }
      try #expect(!db.tableExists("t"))
    }
  }

  @Test func ifNotExistsAppliesToIndexes() throws {
    let lines = try statements { db in
      try db.create(table: "t", options: .ifNotExists) { t in
        t.belongsTo("reading")
        t.belongsTo("book")
      }
    }
    #expect(
      lines.dropFirst() == [
        #"CREATE INDEX IF NOT EXISTS "index_t_on_readingBookId_readingReaderId" "#
          + #"ON "t"("readingBookId", "readingReaderId")"#,
        #"CREATE INDEX IF NOT EXISTS "t_on_bookId" ON "t"("bookId")"#,
      ])
  }

  @Test(arguments: [nil, "player"]) func primaryKeysCannotReferToThemselves(table: String?) throws {
    try inMemory { db throws in
      #expect(throws: DatabaseError.self) {
        try db.create(table: "player") { t in
          t.primaryKey { t.belongsTo("player", inTable: table) }
        }
      }
      #expect(try !db.tableExists("player"))
    }
  }
}
