import Testing
import Tidemark

/// Expressions of the query interface in the schema, with their values as literals.
@Suite struct SchemaExpressionTests {
  private let a = Column("a")
  private let b = Column("b")
  private let year = Column("year")
  private let isRare = Column("isRare")

  @Test func columnsAreCheckedAndGenerated() throws {
    let lines = try table { t in
      t.column("a", .integer).check { $0 > 0 }
      t.column("b", .text).check { length($0) > 0 && $0 != "it's" }
      t.column("g1", .integer).generatedAs(a + 1)
      t.column("g2", .text).notNull().generatedAs(length(b), .stored)
      t.check(a > b)
      t.check(a == nil || [1, 2].contains(a))
    }
    #expect(
      lines == [
        #"("a" INTEGER CHECK ("a" > 0), "b" TEXT CHECK ((LENGTH("b") > 0) AND ("b" <> 'it''s')), "#
          + #""g1" INTEGER GENERATED ALWAYS AS ("a" + 1) VIRTUAL, "#
          + #""g2" TEXT NOT NULL GENERATED ALWAYS AS (LENGTH("b")) STORED, CHECK ("a" > "b"), "#
          + #"CHECK (("a" IS NULL) OR ("a" IN (1, 2))))"#
      ])
  }

  @Test func indexesHaveExpressionsAndConditions() throws {
    let lines = try statements { db in
      try db.create(
        index: "ix2", on: "book", columns: ["year"], options: [.unique, .ifNotExists], condition: year > 1900)
      try db.create(
        index: "ix3", on: "book", expressions: [Column("title").collating(.nocase), year + 1],
        condition: isRare && year != 3)
      try db.create(indexOn: "book", columns: ["title"], condition: isRare)
    }
    #expect(
      lines == [
        #"CREATE UNIQUE INDEX IF NOT EXISTS "ix2" ON "book"("year") WHERE "year" > 1900"#,
        #"CREATE INDEX "ix3" ON "book"("title" COLLATE NOCASE, "year" + 1) WHERE "isRare" AND ("year" <> 3)"#,
        #"CREATE INDEX "index_book_on_title" ON "book"("title") WHERE "isRare""#,
      ])
  }

  @Test func viewsAreMadeOfRequests() throws {
    let lines = try statements { db in
      let book = Table("book")
      try db.create(view: "v1", as: book.filter(year > 1900).select(Column("id"), Column("title")))
      try db.create(
        view: "v2", options: [.temporary, .ifNotExists], columns: ["k", "t"],
        as: book.select(Column("id"), Column("title")))
      try db.create(view: "v3", as: book.filter(Column("title") == "it's").order(year.desc).limit(3))
    }
    #expect(
      lines == [
        #"CREATE VIEW "v1" AS SELECT "id", "title" FROM "book" WHERE "year" > 1900"#,
        #"CREATE TEMPORARY VIEW IF NOT EXISTS "v2" ("k", "t") AS SELECT "id", "title" FROM "book""#,
        #"CREATE VIEW "v3" AS SELECT * FROM "book" WHERE "title" = 'it''s' ORDER BY "year" DESC LIMIT 3"#,
      ])
  }
}
