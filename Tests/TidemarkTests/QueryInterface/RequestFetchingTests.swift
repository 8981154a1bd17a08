import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Reader = Shelves.Reader
private typealias Reading = Shelves.Reading
private let id = Column("id")
private let title = Column("title")
private let year = Column("year")
private let isRare = Column("isRare")

/// The SQL for fetching one row, for counting rows, and for existence checks.
@Suite struct RequestFetchingTests {
  @Test func fetchOneAddsALimitUnlessTheFilterIsUnique() throws {
    try inShelves { db in
      try db.expectOne(Book.all(), #"SELECT * FROM "book" LIMIT 1"#)
      try db.expectOne(Book.filter(id == 1), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectOne(Book.filter(1 == id), #"SELECT * FROM "book" WHERE ? = "id""#, [1])
      try db.expectOne(Book.filter(id == 1 && isRare), #"SELECT * FROM "book" WHERE ("id" = ?) AND "isRare""#, [1])
      try db.expectOne(
        Book.filter(id == 1 || isRare), #"SELECT * FROM "book" WHERE ("id" = ?) OR "isRare" LIMIT 1"#, [1])
      try db.expectOne(Book.filter(id == nil as Int?), #"SELECT * FROM "book" WHERE "id" IS NULL"#)
      try db.expectOne(Book.filter(id === 1), #"SELECT * FROM "book" WHERE "id" IS ?"#, [1])
      try db.expectOne(Book.filter(id != 1), #"SELECT * FROM "book" WHERE "id" <> ? LIMIT 1"#, [1])
      try db.expectOne(Book.filter(.rowID == 1), #"SELECT * FROM "book" WHERE "rowid" = ?"#, [1])
      try db.expectOne(Reader.filter(Column("email") == id), #"SELECT * FROM "reader" WHERE "email" = "id" LIMIT 1"#)
      try db.expectOne(Reader.filter(Column("email") == "x"), #"SELECT * FROM "reader" WHERE "email" = ?"#, ["x"])
      try db.expectOne(
        Reader.filter(id.collating(.nocase) == "R"), #"SELECT * FROM "reader" WHERE "id" = ? COLLATE NOCASE LIMIT 1"#,
        ["R"])
      try db.expectOne(
        Reading.filter(Column("bookId") == 1), #"SELECT * FROM "reading" WHERE "bookId" = ? LIMIT 1"#, [1])
      try db.expectOne(
        Reading.filter(Column("bookId") == 1).filter(Column("readerId") == "r"),
        #"SELECT * FROM "reading" WHERE ("bookId" = ?) AND ("readerId" = ?)"#, [1, "r"])
      try db.expectOne(Book.filter(key: 1), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectOne(Book.limit(5), #"SELECT * FROM "book" LIMIT 5"#)
      try db.expectOne(Book.select(max(year)), #"SELECT MAX("year") FROM "book""#)
      try db.expectOne(
        Book.select(max(year)).group(isRare), #"SELECT MAX("year") FROM "book" GROUP BY "isRare" LIMIT 1"#)
      try db.expectOne(Table("rareBook").filter(id == 1), #"SELECT * FROM "rareBook" WHERE "id" = ? LIMIT 1"#, [1])
      try db.expectOne(SQLRequest<Row>("SELECT 1"), "SELECT 1")
    }
  }

  @Test func countsAvoidSubqueriesWherePossible() throws {
    let sql = try traced { db throws in
      #expect(try Book.fetchCount(db) == 3)
      #expect(try Book.filter(isRare).order(year).fetchCount(db) == 2)
      #expect(try Book.select(id, year).fetchCount(db) == 3)
      #expect(try Book.all().distinct().fetchCount(db) == 3)
      #expect(try Book.select(year + 1).distinct().fetchCount(db) == 3)
      #expect(try Book.select(id, year).distinct().fetchCount(db) == 3)
      #expect(try Book.select(sql: "year").fetchCount(db) == 3)
      #expect(try Book.order(year).limit(2).fetchCount(db) == 2)
      #expect(try Book.all().group(year).having(count(id) > 1).fetchCount(db) == 0)
      #expect(try Table("book").fetchCount(db) == 3)
    }
    #expect(
      sql == [
        #"SELECT COUNT(*) FROM "book""#,
        #"SELECT COUNT(*) FROM "book" WHERE "isRare""#,
        #"SELECT COUNT(*) FROM "book""#,
        #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "book")"#,
        #"SELECT COUNT(DISTINCT "year" + 1) FROM "book""#,
        #"SELECT COUNT(*) FROM (SELECT DISTINCT "id", "year" FROM "book")"#,
        #"SELECT COUNT(*) FROM (SELECT year FROM "book")"#,
        #"SELECT COUNT(*) FROM (SELECT * FROM "book" LIMIT 2)"#,
        #"SELECT COUNT(*) FROM (SELECT * FROM "book" GROUP BY "year" HAVING COUNT("id") > 1)"#,
        #"SELECT COUNT(*) FROM "book""#,
      ])
  }

  @Test func aggregatesOfAllRowsAreOneRow() throws {
    try inShelves { db throws in
      #expect(try Book.select(max(year)).fetchCount(db) == 1)
      #expect(try Book.filter(id == 99).select(max(year)).fetchCount(db) == 1)
    }
  }

  @Test func isEmptyBuildsSQL() throws {
    let sql = try traced { db throws in
      #expect(try Book.filter(isRare).order(year).limit(1).isEmpty(db) == false)
      #expect(try Book.none().isEmpty(db))
    }
    #expect(
      sql == [
        #"SELECT EXISTS (SELECT * FROM "book" WHERE "isRare" ORDER BY "year" LIMIT 1)"#,
        #"SELECT EXISTS (SELECT * FROM "book" WHERE 0)"#,
      ])
  }

  @Test func rowsDecodeAsTheRequestedType() throws {
    try inShelves { db in
      let books: [Book] = try Book.order(id).fetchAll(db)
      #expect(books.map(\.title) == ["Rocannon", "Solaris", "Eden"])
      #expect(
        try Book.select(title).order(id).asRequest(of: String.self).fetchAll(db) == ["Rocannon", "Solaris", "Eden"])
      #expect(try Book.select(max(year), as: Int.self).fetchOne(db) == 1966)
      #expect(try Book.select({ $0.title }, as: String.self).fetchSet(db) == ["Rocannon", "Solaris", "Eden"])
      #expect(try Book.select([year], as: Int?.self).fetchAll(db).count == 3)
      #expect(try Book.select(sql: "year", as: Int.self).fetchCursor(db).next() == 1966)
      #expect(try Book.select(literal: "year + \(1)", as: Int.self).fetchOne(db) == 1967)
      #expect(
        try Table("book").filter(id == 2).fetchOne(db) == [
          "id": 2, "title": "Solaris", "authorId": 2, "year": 1961, "isRare": 0,
        ])
      #expect(try Table<Book>("rareBook").fetchAll(db).count == 2)
      #expect(try Table<Int>("book").fetchAll(db) == [1, 2, 3])
      #expect(try Table<String>("reader").fetchSet(db) == ["r", "s"])
      #expect(try Book.fetchAll(db).count == 3)
      #expect(try Book.fetchSet(db).count == 3)
      #expect(try Book.fetchOne(db)?.id == 1)
      #expect(try Book.fetchCursor(db).next()?.id == 1)
      #expect(try Row.fetchAll(db, Book.all()).count == 3)
    }
  }

  @Test func rowsAreAdapted() throws {
    try inShelves { db throws in
      let request = Book.select(id.forKey("ignored"), id, title).filter(id == 2)
      #expect(try request.adapted { _ in SuffixRowAdapter(fromIndex: 1) }.fetchOne(db)?.title == "Solaris")
    }
  }

  @Test func countsCoverTheWholeRequest() throws {
    try inShelves { db throws in
      #expect(try "\(Book.select(title).databaseRegion(db))" == "book(title)")
      #expect(try "\(Table("SHELF").databaseRegion(db))" == "SHELF(*)")
      #expect(try "\(Table("rareBook").databaseRegion(db))" == "book(authorId,id,isRare,title,year),rareBook(*)")
    }
  }
}
