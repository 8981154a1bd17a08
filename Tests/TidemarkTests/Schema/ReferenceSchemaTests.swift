import Foundation
import Testing
import Tidemark

private let (a, b) = (Column("a"), Column("b"))
private let (id, title, year, isRare) = (Column("id"), Column("title"), Column("year"), Column("isRare"))

private struct Book: TableRecord {}

/// Schemas with the exact SQL that the compatible API specifies.
@Suite struct ReferenceSchemaTests {
  @Test func columnConstraintsBuildSQL() throws {
    let lines = try table { t in
      t.column("a", .text).notNull().unique().defaults(to: "it's").collate(.nocase)
      t.column("b", .integer).notNull(onConflict: .ignore).unique(onConflict: .replace)
      t.column("c", .integer).check { $0 > 0 }.check(sql: "c < 10")
      t.column("d", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
      t.column("g", .blob).defaults(to: Data([1]))
      t.column("i", .text).defaults(to: nil as String?)
    }
    #expect(
      lines == [
        """
        ("a" TEXT NOT NULL UNIQUE DEFAULT 'it''s' COLLATE NOCASE, "b" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE ON \
        CONFLICT REPLACE, "c" INTEGER CHECK ("c" > 0) CHECK (c < 10), "d" DATETIME DEFAULT CURRENT_TIMESTAMP, "g" BLOB \
        DEFAULT X'01', "i" TEXT DEFAULT NULL)
        """
      ])
  }

  @Test func generatedColumnsBuildSQL() throws {
    let lines = try table { t in
      t.column("a", .integer)
      t.column("g1", .integer).generatedAs(a + 1)
      t.column("g2").generatedAs(sql: "a * 2", .stored)
      t.column("g3", .text).notNull().generatedAs(length(a), .virtual)
    }
    #expect(
      lines == [
        """
        ("a" INTEGER, "g1" INTEGER GENERATED ALWAYS AS ("a" + 1) VIRTUAL, "g2" GENERATED ALWAYS AS (a * 2) STORED, \
        "g3" TEXT NOT NULL GENERATED ALWAYS AS (LENGTH("a")) VIRTUAL)
        """
      ])
  }

  @Test func tableConstraintsBuildSQL() throws {
    let lines = try table { t in
      t.column("a")
      t.column("b")
      t.primaryKey(["a", "b"], onConflict: .replace)
      t.uniqueKey(["b", "a"])
      t.uniqueKey(["b"], onConflict: .ignore)
      t.check(a > b)
      t.check(sql: "a <> 3")
      t.constraint(sql: "CHECK (b > 1)")
      t.column(sql: "z INTEGER NOT NULL")
    }
    #expect(
      lines == [
        """
        ("a", "b", z INTEGER NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT REPLACE, UNIQUE ("b", "a"), UNIQUE ("b") ON \
        CONFLICT IGNORE, CHECK ("a" > "b"), CHECK (a <> 3), CHECK (b > 1))
        """
      ])
  }

  @Test func belongsToBuildsSQL() throws {
    let lines = try table("t9") { t in
      t.belongsTo("author")
      t.belongsTo("reader", onDelete: .cascade, onUpdate: .cascade, deferred: true)
      t.belongsTo("shelf")
      t.belongsTo("cover", indexed: false)
      t.belongsTo("reading")
    }
    #expect(
      lines == [
        """
        ("authorId" INTEGER REFERENCES "author"("id"), "readerId" TEXT REFERENCES "reader"("id") ON DELETE CASCADE ON \
        UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED, "shelfId" INTEGER REFERENCES "shelf"("rowid"), "coverId" INTEGER \
        REFERENCES "cover"("rowid"), "readingBookId" INTEGER, "readingReaderId" TEXT, FOREIGN KEY ("readingBookId", \
        "readingReaderId") REFERENCES "reading"("bookId", "readerId"))
        """,
        #"CREATE INDEX "index_t9_on_readingBookId_readingReaderId" ON "t9"("readingBookId", "readingReaderId")"#,
        #"CREATE INDEX "t9_on_authorId" ON "t9"("authorId")"#, #"CREATE INDEX "t9_on_readerId" ON "t9"("readerId")"#,
        #"CREATE INDEX "t9_on_shelfId" ON "t9"("shelfId")"#,
      ])
  }

  @Test func foreignKeysBuildSQL() throws {
    let lines = try table { t in
      t.column("a", .integer).references("author")
      t.column("b").references("shelf")
      t.column("c")
      t.foreignKey(
        ["a", "c"], references: "reading", onDelete: .restrict, onUpdate: .setDefault, deferred: true)
    }
    #expect(
      lines == [
        """
        ("a" INTEGER REFERENCES "author"("id"), "b" REFERENCES "shelf"("rowid"), "c", FOREIGN KEY ("a", "c") \
        REFERENCES "reading"("bookId", "readerId") ON DELETE RESTRICT ON UPDATE SET DEFAULT DEFERRABLE INITIALLY \
        DEFERRED)
        """
      ])
  }

  @Test func optionsBuildSQL() throws {
    let lines = try statements { db in
      try db.create(table: "t", options: [.temporary, .ifNotExists, .strict, .withoutRowID]) { t in
        t.primaryKey("k", .text)
      }
    }
    #expect(
      lines == [#"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("k" TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"#])
  }

  @Test func indexesViewsAndNamesBuildSQL() throws {
    let lines = try statements { db in
      try db.create(
        index: "ix2", on: "book", columns: ["year"], options: [.unique, .ifNotExists], condition: year > 1900)
      try db.create(index: "ix3c", on: "book", expressions: [SQL("year DESC")], condition: isRare && year != 3)
      try db.create(view: "v1", as: Book.filter(year > 1900).select(id, title))
      try db.create(
        view: "v2", options: [.temporary, .ifNotExists], columns: ["k", "t"], as: Book.select(id, title))
      try db.create(table: "t1") { $0.column("a") }
      try db.rename(table: "t1", to: "t1x")
      try db.drop(view: "v1")
    }
    #expect(
      lines == [
        #"CREATE UNIQUE INDEX IF NOT EXISTS "ix2" ON "book"("year") WHERE "year" > 1900"#,
        #"CREATE INDEX "ix3c" ON "book"(year DESC) WHERE "isRare" AND ("year" <> 3)"#,
        #"CREATE VIEW "v1" AS SELECT "id", "title" FROM "book" WHERE "year" > 1900"#,
        #"CREATE TEMPORARY VIEW IF NOT EXISTS "v2" ("k", "t") AS SELECT "id", "title" FROM "book""#,
        #"CREATE TABLE "t1" ("a")"#, #"ALTER TABLE "t1" RENAME TO "t1x""#, #"DROP VIEW "v1""#,
      ])
  }
}
