import Testing
import Tidemark

/// The exact SQL of table changes, indexes, views and virtual tables.
@Suite struct SchemaChangeSQLTests {
  @Test func tablesAreAltered() throws {
    let lines = try statements { db in
      try db.alter(table: "shelf") { t in
        t.add(column: "h", .double).notNull().defaults(to: 1)
        t.add(column: "i", .text).indexed()
        t.rename(column: "room", to: "place")
        t.drop(column: "h")
        t.addColumn(sql: "w TEXT")
        t.addColumn(literal: "v INTEGER DEFAULT \(2)")
      }
    }
    #expect(
      lines == [
        #"ALTER TABLE "shelf" ADD COLUMN "h" DOUBLE NOT NULL DEFAULT 1"#,
        #"ALTER TABLE "shelf" ADD COLUMN "i" TEXT"#, #"CREATE INDEX "shelf_on_i" ON "shelf"("i")"#,
        #"ALTER TABLE "shelf" RENAME COLUMN "room" TO "place""#, #"ALTER TABLE "shelf" DROP COLUMN "h""#,
        #"ALTER TABLE "shelf" ADD COLUMN w TEXT"#, #"ALTER TABLE "shelf" ADD COLUMN v INTEGER DEFAULT 2"#,
      ])
  }

  @Test func addedColumnsCanReferToATable() throws {
    let lines = try statements { db in
      try db.alter(table: "author") { t in
        t.add(column: "bookId", .integer).references("book", onDelete: .setNull)
        t.add(column: "mentorId", .integer).references("author")
      }
    }
    #expect(
      lines == [
        #"ALTER TABLE "author" ADD COLUMN "bookId" INTEGER REFERENCES "book"("id") ON DELETE SET NULL"#,
        #"ALTER TABLE "author" ADD COLUMN "mentorId" INTEGER REFERENCES "author"("id")"#,
      ])
  }

  @Test func tablesAreRenamedAndDropped() throws {
    let lines = try statements { db in
      try db.rename(table: "shelf", to: "rack")
      try db.drop(table: "rack")
    }
    #expect(lines == [#"ALTER TABLE "shelf" RENAME TO "rack""#, #"DROP TABLE "rack""#])
  }

  @Test func indexesAreCreated() throws {
    let lines = try statements { db in
      try db.create(index: "ix1", on: "book", columns: ["title", "year"])
      try db.create(
        index: "ix2", on: "book", columns: ["year"], options: [.unique, .ifNotExists],
        condition: "\(Column("year")) > \(1900)" as SQL)
      try db.create(
        index: "ix3", on: "book", expressions: [SQL("year DESC"), Column("title")],
        condition: SQL("\(Column("isRare")) AND (year <> \(3))"))
      try db.create(indexOn: "book", columns: ["title", "isRare"], options: .unique)
      try db.create(index: "ix4", on: "book", columns: ["year"], unique: true, ifNotExists: true)
      try db.create(index: "ix5", on: "book", columns: ["year"], unique: false)
    }
    #expect(
      lines == [
        #"CREATE INDEX "ix1" ON "book"("title", "year")"#,
        #"CREATE UNIQUE INDEX IF NOT EXISTS "ix2" ON "book"("year") WHERE "year" > 1900"#,
        #"CREATE INDEX "ix3" ON "book"(year DESC, "title") WHERE "isRare" AND (year <> 3)"#,
        #"CREATE UNIQUE INDEX "index_book_on_title_isRare" ON "book"("title", "isRare")"#,
        #"CREATE UNIQUE INDEX IF NOT EXISTS "ix4" ON "book"("year")"#, #"CREATE INDEX "ix5" ON "book"("year")"#,
      ])
  }

  @Test func indexesAreDropped() throws {
    let lines = try statements { db in
      try db.execute(
        sql:
          "CREATE INDEX one ON book (year, title); CREATE INDEX two ON book (year); CREATE INDEX three ON book (year)")
      try db.drop(indexOn: "book", columns: ["title", "year"])
      try db.drop(indexOn: "book", columns: ["year"])
      try db.drop(indexOn: "reader", columns: ["email"])
      try db.drop(indexOn: "book", columns: ["YEAR", "title"])
      try db.drop(index: "three")
      try db.drop(indexOn: "book", columns: ["year"])
      try db.reindex(collation: .nocase)
      try db.reindex(collation: .unicodeCompare)
    }
    #expect(
      lines.dropFirst(3) == [
        #"DROP INDEX "one""#, #"DROP INDEX "three""#, #"DROP INDEX "two""#, "REINDEX NOCASE", "REINDEX swiftCompare",
      ])
  }

  @Test func indexesOfACollationWithAnyNameAreRebuilt() throws {
    try inMemory { db in
      let collation = DatabaseCollation(#"an "odd" name"#) { $0.count == $1.count ? .orderedSame : .orderedAscending }
      db.add(collation: collation)
      try db.create(table: "t") { $0.column("a").collate(collation).indexed() }
      try db.reindex(collation: collation)
      try db.reindex(collation: Database.CollationName(rawValue: collation.name))
    }
  }

  @Test func temporaryIndexesAreDropped() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE u (a); CREATE INDEX t_on_a ON u (a)")
      try db.create(table: "t", options: .temporary) { $0.column("a").indexed() }
      try db.drop(indexOn: "t", columns: ["a"])
      #expect(try db.indexes(on: "t").isEmpty)
      #expect(try db.indexes(on: "u").count == 1)
    }
  }

  @Test func missingIndexesAndTablesAreNamedInErrors() throws {
    try inLibrary { db in
      #expect(message { try db.drop(indexOn: "shelf", columns: ["a"]) } == "SQLite error 1: no such table: shelf")
      #expect(
        message { try db.drop(table: "shelf") }
          == #"SQLite error 1: no such table: shelf - while executing `DROP TABLE "shelf"`"#)
      #expect(message { try db.drop(index: "i") }.contains("no such index: i"))
      #expect(message { try db.drop(view: "v") }.contains("no such view: v"))
      #expect(message { try db.alter(table: "shelf") { $0.drop(column: "a") } }.contains("no such table: shelf"))
      #expect(message { try db.alter(table: "book") { $0.drop(column: "a") } }.contains("no such column"))
    }
  }

  @Test func viewsAreCreated() throws {
    let lines = try statements { db in
      try db.create(view: "v1", as: SQLRequest<Row>("SELECT id, title FROM book WHERE year > \(1900)"))
      try db.create(
        view: "v2", options: [.temporary, .ifNotExists], columns: ["k", "t"],
        asLiteral: "SELECT \("it's"), \(nil as Int?)")
      try db.drop(view: "v1")
    }
    #expect(
      lines == [
        #"CREATE VIEW "v1" AS SELECT id, title FROM book WHERE year > 1900"#,
        #"CREATE TEMPORARY VIEW IF NOT EXISTS "v2" ("k", "t") AS SELECT 'it''s', NULL"#, #"DROP VIEW "v1""#,
      ])
  }
}

/// Virtual tables by module.
@Suite struct VirtualTableTests {
  /// A module whose definition is a list of columns, and which inserts a row after the table is created.
  struct RTree: VirtualTableModule {
    final class TableDefinition {
      var columns: [String] = []
      func column(_ name: String) { columns.append(name) }
    }

    var fails = false
    var moduleName: String { "rtree" }

    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { TableDefinition() }

    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { definition.columns }

    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {
      try db.execute(literal: "INSERT INTO \(identifier: tableName) VALUES (1, 2, 3)")
      if fails { throw Planned() }
    }
  }

  private func define(_ t: RTree.TableDefinition) {
    t.column("id")
    t.column("minX")
    t.column("maxX")
  }

  // SQLite writes shadow tables by statements of its own.
  private func ours(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("--") } }

  @Test func modulesDefineTheirTable() throws {
    let lines = try statements { db in try db.create(virtualTable: "place", using: RTree(), define) }
    #expect(
      ours(lines) == [
        "BEGIN IMMEDIATE TRANSACTION", #"CREATE VIRTUAL TABLE "place" USING rtree(id, minX, maxX)"#,
        #"INSERT INTO "place" VALUES (1, 2, 3)"#, "COMMIT TRANSACTION",
      ])
  }

  @Test func nestedCreationUsesASavepoint() throws {
    let lines = try statements { db in
      try db.inTransaction {
        try db.create(virtualTable: "place", options: [.ifNotExists, .temporary], using: RTree(), define)
        return .commit
      }
    }
    #expect(
      ours(lines).dropFirst() == [
        "SAVEPOINT grdb", #"CREATE VIRTUAL TABLE IF NOT EXISTS temp."place" USING rtree(id, minX, maxX)"#,
        #"INSERT INTO "place" VALUES (1, 2, 3)"#, "RELEASE SAVEPOINT grdb", "COMMIT TRANSACTION",
      ])
  }

  @Test func failingModulesCreateNothing() throws {
    try inMemory { db in
      #expect(throws: Planned.self) { try db.create(virtualTable: "place", using: RTree(fails: true), define) }
      try #expect(!db.tableExists("place"))
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func modulesCanBeNamed() throws {
    let lines = try statements { db in
      try db.create(virtualTable: "a", using: "fts5(title)")
      try db.create(virtualTable: "a", options: .ifNotExists, using: "fts5(title)")
      try db.create(virtualTable: "a", ifNotExists: true, using: "fts5(title)")
      try db.create(virtualTable: "b", ifNotExists: true, using: RTree(), define)
    }
    #expect(lines.first == #"CREATE VIRTUAL TABLE "a" USING fts5(title)"#)
    #expect(lines.filter { $0 == #"CREATE VIRTUAL TABLE IF NOT EXISTS "a" USING fts5(title)"# }.count == 2)
    #expect(lines.contains(#"CREATE VIRTUAL TABLE IF NOT EXISTS "b" USING rtree(id, minX, maxX)"#))
  }

  @Test func unknownModulesAreNamedInErrors() throws {
    try inMemory { db in
      #expect(message { try db.create(virtualTable: "a", using: "nope") }.contains("no such module: nope"))
    }
  }
}
