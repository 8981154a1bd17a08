import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Author = Shelves.Author
private typealias Reader = Shelves.Reader
private typealias Reading = Shelves.Reading
private let id = Column("id")
private let title = Column("title")
private let year = Column("year")
private let isRare = Column("isRare")
private let name = Column("name")

/// Table aliases, and subqueries.
@Suite struct TableAliasTests {
  @Test func aliasesQualifyColumns() throws {
    let k = TableAlias<Book>(name: "k")
    try inShelves { db in
      try db.expectSQL(
        Book.aliased(k).filter(k.year > 1960 && isRare).order(k.title.desc),
        """
        SELECT "k".* FROM "book" "k" WHERE ("k"."year" > ?) AND "k"."isRare" ORDER BY "k"."title" DESC
        """, [1960])
      try db.expectSQL(
        Book.all().aliased(k).select(k.id, title, k[year + 1].forKey("n"), k[.allColumns]),
        #"SELECT "k"."id", "k"."title", "k"."year" + ? AS "n", "k".* FROM "book" "k""#, [1])
      try db.expectSQL(
        Table<Book>("book").aliased(k).select(.allColumns(excluding: ["id", "title", "authorId"])),
        #"SELECT "k"."year", "k"."isRare" FROM "book" "k""#)
      try db.expectSQL(Book.aliased(k).filter(k.isOld), #"SELECT "k".* FROM "book" "k" WHERE "k"."year" < ?"#, [1960])
      try db.expectSQL(
        Book.aliased(k).filter(k["year"] == 1), #"SELECT "k".* FROM "book" "k" WHERE "k"."year" = ?"#, [1])
      try db.expectSQL(
        Book.aliased(k).order(k[title.desc], year.detached),
        #"SELECT "k".* FROM "book" "k" ORDER BY "k"."title" DESC, "year""#)
      #expect(try Book.aliased(k).filter(k.year > 1960).fetchCount(db) == 2)
    }
  }

  @Test func unaliasedTablesAreQualifiedOnlyInSubqueries() throws {
    let book = TableAlias<Book>()
    let reading = TableAlias(name: "r")
    try inShelves { db in
      try db.expectSQL(Book.aliased(book).filter(book.year == 1), #"SELECT * FROM "book" WHERE "year" = ?"#, [1])
      try db.expectSQL(
        Book.aliased(book).filter(Reading.filter(Column("bookId") == book.id).exists()),
        #"SELECT * FROM "book" WHERE EXISTS (SELECT * FROM "reading" WHERE "bookId" = "book"."id")"#)
      try db.expectSQL(
        Book.aliased(book).filter(
          Reading.aliased(reading).filter(reading[Column("bookId")] == book.id).exists()),
        """
        SELECT * FROM "book" WHERE EXISTS (SELECT "r".* FROM "reading" "r" WHERE "r"."bookId" = "book"."id")
        """)
      #expect(
        try Book.aliased(book).filter(!Reading.filter(Column("bookId") == book.id).exists()).selectID().fetchAll(db)
          == [3])
    }
  }

  @Test func aliasesAreAvailableInRawSQL() throws {
    let book = TableAlias<Book>()
    let k = TableAlias<Book>(name: "k")
    try inShelves { db in
      try db.expectSQL(
        Book.aliased(book).filter(literal: "\(book.id) IN (\(SQLRequest<Int>("SELECT \(book.year) + \(year)")))"),
        #"SELECT * FROM "book" WHERE "id" IN (SELECT "book"."year" + "year")"#)
      try db.expectSQL(
        Book.aliased(k).filter(sql: "k.year > ?", arguments: [1]),
        #"SELECT "k".* FROM "book" "k" WHERE k.year > ?"#, [1])
      try db.expectSQL(
        Book.aliased(k).select(literal: "\(year), \(k[SQL("\(id) + 1")])"),
        #"SELECT "k"."year", "k"."id" + 1 FROM "book" "k""#)
    }
  }

  @Test func queriesAreValues() throws {
    try inShelves { db in
      let best = Book.select(max(year))
      try db.expectSQL(
        Book.filter(year == best), #"SELECT * FROM "book" WHERE "year" = (SELECT MAX("year") FROM "book")"#)
      try db.expectSQL(
        Book.annotated(with: best.forKey("best")),
        #"SELECT *, (SELECT MAX("year") FROM "book") AS "best" FROM "book""#)
      try db.expectSQL(
        Book.filter(Author.select(id).filter(name == "x").contains(Column("authorId"))),
        """
        SELECT * FROM "book" WHERE "authorId" IN (SELECT "id" FROM "author" WHERE "name" = ?)
        """, ["x"])
    }
  }

  @Test func aliasedTablesAreChanged() throws {
    let k = TableAlias<Book>(name: "k")
    let sql = try traced { db in
      let count = try Book.aliased(k).filter(k.year == 1961).updateAll(db, year.set(to: k.year + 1))
      let deleted = try Book.aliased(k).filter(k.year == 1962).deleteAndFetchAll(db)
      #expect(count == 1)
      #expect(deleted.map(\.title) == ["Solaris"])
    }
    #expect(
      sql == [
        #"UPDATE "book" AS "k" SET "year" = "k"."year" + 1 WHERE "k"."year" = 1961"#,
        #"DELETE FROM "book" AS "k" WHERE "k"."year" = 1962 RETURNING *"#,
      ])
  }

  @Test func unusedAliasesThrow() throws {
    let stranger = TableAlias<Book>()
    #expect(
      try inShelves { db in errorText { try Book.filter(stranger.id == 1).fetchAll(db) } }
        == """
        SQLite error 21: a TableAlias without a name is used in a query that does not contain its table: call \
        aliased(_:) on the request of that table
        """)
  }

  @Test func existsInSubqueriesBuildsSQL() throws {
    let book = TableAlias<Book>()
    let reader = TableAlias<Reader>(name: "x")
    try inShelves { db in
      try db.expectSQL(Book.aliased(book).filter(book.exists), #"SELECT * FROM "book" WHERE "id" IS NOT NULL"#)
      try db.expectSQL(
        Reader.aliased(reader).filter(reader.exists && Column("email") == 1),
        #"SELECT "x".* FROM "reader" "x" WHERE ("x"."rowid" IS NOT NULL) AND ("x"."email" = ?)"#, [1])
    }
  }
}
