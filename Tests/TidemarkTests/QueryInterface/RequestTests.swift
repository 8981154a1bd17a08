import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Author = Shelves.Author
private typealias Reader = Shelves.Reader
private typealias Reading = Shelves.Reading
private typealias Shelf = Shelves.Shelf
private let id = Column("id")
private let title = Column("title")
private let year = Column("year")
private let isRare = Column("isRare")

/// The SQL of requests, clause by clause.
@Suite struct RequestTests {
  @Test func allRowsAreSelected() throws {
    try inShelves { db in
      try db.expectSQL(Book.all(), #"SELECT * FROM "book""#)
      try db.expectSQL(Table("book"), #"SELECT * FROM "book""#)
      try db.expectSQL(Table<Book>("rareBook").all(), #"SELECT * FROM "rareBook""#)
      try db.expectSQL(Book.none(), #"SELECT * FROM "book" WHERE ?"#, [0])
      try db.expectSQL(Book.all().distinct(), #"SELECT DISTINCT * FROM "book""#)
    }
  }

  @Test func clausesAreWrittenInSQLOrder() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.limit(3).order(year.desc).filter(year > 10).filter(title == "a"),
        #"SELECT * FROM "book" WHERE ("year" > ?) AND ("title" = ?) ORDER BY "year" DESC LIMIT 3"#, [10, "a"])
      try db.expectSQL(
        Book.select(year, count(id)).limit(1, offset: 2).order(year).having(count(id) > 1).group(year).filter(isRare)
          .distinct(),
        """
        SELECT DISTINCT "year", COUNT("id") FROM "book" WHERE "isRare" GROUP BY "year" HAVING COUNT("id") > ? \
        ORDER BY "year" LIMIT 1 OFFSET 2
        """, [1])
    }
  }

  @Test func filtersAccumulate() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.filter(year == 1 || isRare).filter(title == "x"),
        #"SELECT * FROM "book" WHERE (("year" = ?) OR "isRare") AND ("title" = ?)"#, [1, "x"])
      try db.expectSQL(
        Book.filter(sql: "year = 1 OR isRare").filter(title == "x"),
        #"SELECT * FROM "book" WHERE (year = 1 OR isRare) AND ("title" = ?)"#, ["x"])
      try db.expectSQL(
        Book.filter(sql: "year = ?", arguments: [1]), #"SELECT * FROM "book" WHERE year = ?"#, [1])
      try db.expectSQL(
        Book.filter(literal: "year = \(1)").filter(isRare), #"SELECT * FROM "book" WHERE (year = ?) AND "isRare""#, [1])
      try db.expectSQL(
        Book.filter(isRare && year == 1).filter(id == 2 && title == "x"),
        #"SELECT * FROM "book" WHERE "isRare" AND ("year" = ?) AND ("id" = ?) AND ("title" = ?)"#, [1, 2, "x"])
      try db.expectSQL(
        Book.all().filterWhenConnected { try id == Int.fetchOne($0, sql: "SELECT 7") },
        #"SELECT * FROM "book" WHERE "id" = ?"#, [7])
    }
  }

  @Test func selectionsReplaceAndAnnotationsAppend() throws {
    try inShelves { db in
      try db.expectSQL(Book.select(id, title), #"SELECT "id", "title" FROM "book""#)
      try db.expectSQL(Book.select([id, title]).select(year), #"SELECT "year" FROM "book""#)
      try db.expectSQL(Book.select((year + 1).forKey("next")), #"SELECT "year" + ? AS "next" FROM "book""#, [1])
      try db.expectSQL(Book.select(.allColumns, .rowID), #"SELECT *, "rowid" FROM "book""#)
      try db.expectSQL(
        Book.select(.allColumns(excluding: ["year", "ISRARE"])), #"SELECT "id", "title", "authorId" FROM "book""#)
      try db.expectSQL(
        Book.select(.allColumns(excluding: [Column("year"), Column("isRare")])),
        #"SELECT "id", "title", "authorId" FROM "book""#)
      try db.expectSQL(
        Book.select(literal: "id, \(year + 1) AS n"), #"SELECT id, "year" + ? AS n FROM "book""#, [1])
      try db.expectSQL(Book.select(sql: "id, ?", arguments: [1]), #"SELECT id, ? FROM "book""#, [1])
      try db.expectSQL(Book.select(SQL("\(year) * 2").forKey("dbl")), #"SELECT "year" * 2 AS "dbl" FROM "book""#)
      try db.expectSQL(
        Book.select(count(id), max(year).forKey("m")), #"SELECT COUNT("id"), MAX("year") AS "m" FROM "book""#)
      try db.expectSQL(
        Book.annotated(with: (year + 1).forKey("next")), #"SELECT *, "year" + ? AS "next" FROM "book""#, [1])
      try db.expectSQL(
        Book.select(id).annotated(with: [year]).annotated(with: title), #"SELECT "id", "year", "title" FROM "book""#)
    }
  }

  @Test func orderReplacesTheEarlierOne() throws {
    try inShelves { db in
      try db.expectSQL(Book.order(year).order(title, id.desc), #"SELECT * FROM "book" ORDER BY "title", "id" DESC"#)
      try db.expectSQL(Book.order([year.asc]), #"SELECT * FROM "book" ORDER BY "year" ASC"#)
      try db.expectSQL(Book.order(sql: "year + ?", arguments: [1]), #"SELECT * FROM "book" ORDER BY year + ?"#, [1])
      try db.expectSQL(Book.order(literal: "year + \(1)"), #"SELECT * FROM "book" ORDER BY year + ?"#, [1])
      try db.expectSQL(Book.order(year).unordered(), #"SELECT * FROM "book""#)
      try db.expectSQL(Book.order([]), #"SELECT * FROM "book""#)
      try db.expectSQL(Book.orderByPrimaryKey(), #"SELECT * FROM "book" ORDER BY "id""#)
      try db.expectSQL(Reading.orderByPrimaryKey(), #"SELECT * FROM "reading" ORDER BY "bookId", "readerId""#)
      try db.expectSQL(Shelf.orderByPrimaryKey(), #"SELECT * FROM "shelf" ORDER BY "rowid""#)
      try db.expectSQL(
        Book.order(year.collating(.nocase).desc), #"SELECT * FROM "book" ORDER BY "year" COLLATE NOCASE DESC"#)
    }
  }

  @Test func reversedOrderIsInverted() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.order(year, title.asc, id.desc).reversed(),
        #"SELECT * FROM "book" ORDER BY "year" DESC, "title" DESC, "id" ASC"#)
      try db.expectSQL(
        Book.order(year.ascNullsLast, id.descNullsFirst).reversed(),
        #"SELECT * FROM "book" ORDER BY "year" DESC NULLS FIRST, "id" ASC NULLS LAST"#)
      try db.expectSQL(Book.order(year.desc).reversed(), #"SELECT * FROM "book" ORDER BY "year" ASC"#)
      try db.expectSQL(Book.all().reversed(), #"SELECT * FROM "book""#)
    }
  }

  @Test func twoReversalsLeaveTheOrderAsItWasWritten() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.order(year, title.asc, id.desc).reversed().reversed(),
        #"SELECT * FROM "book" ORDER BY "year", "title" ASC, "id" DESC"#)
      try db.expectSQL(
        Book.order(year).withStableOrder().reversed().reversed(), #"SELECT * FROM "book" ORDER BY "year", "id""#)
      try db.expectSQL(
        Book.order(year).reversed().withStableOrder().reversed(),
        #"SELECT * FROM "book" ORDER BY "year", "id" DESC"#)
      try db.expectSQL(Book.order(sql: "year").reversed().reversed(), #"SELECT * FROM "book" ORDER BY year"#)
    }
  }

  @Test func rawOrderCannotBeReversed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inShelves { db in _ = try Book.order(sql: "year").reversed().fetchAll(db) }
    }
    #expect(result.words.contains("A raw SQL ordering cannot be reversed"))
  }

  @Test func stableOrderEndsWithThePrimaryKey() throws {
    try inShelves { db in
      try db.expectSQL(
        Reading.order(Column("score")).withStableOrder(),
        #"SELECT * FROM "reading" ORDER BY "score", "bookId", "readerId""#)
      try db.expectSQL(Shelf.all().withStableOrder(), #"SELECT * FROM "shelf" ORDER BY "rowid""#)
      try db.expectSQL(Table("rareBook").all().withStableOrder(), #"SELECT * FROM "rareBook" ORDER BY 1, 2, 3, 4, 5"#)
      try db.expectSQL(Table("rareBook").select(id).withStableOrder(), #"SELECT "id" FROM "rareBook" ORDER BY 1"#)
      try db.expectSQL(
        Book.order(year).withStableOrder().reversed(), #"SELECT * FROM "book" ORDER BY "year" DESC, "id" DESC"#)
    }
  }

  @Test func limitsAreWrittenOut() throws {
    try inShelves { db in
      try db.expectSQL(Book.limit(3, offset: 5), #"SELECT * FROM "book" LIMIT 3 OFFSET 5"#)
      try db.expectSQL(Book.limit(3).limit(1), #"SELECT * FROM "book" LIMIT 1"#)
      try db.expectSQL(Table("book").limit(3), #"SELECT * FROM "book" LIMIT 3"#)
    }
  }

  @Test func groupsBuildSQL() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.select(year, count(id)).group(year), #"SELECT "year", COUNT("id") FROM "book" GROUP BY "year""#)
      try db.expectSQL(
        Book.all().group(sql: "year").having(sql: "COUNT(*) > ?", arguments: [1]),
        #"SELECT * FROM "book" GROUP BY year HAVING COUNT(*) > ?"#, [1])
      try db.expectSQL(
        Book.all().group(literal: "year + \(1)").having(literal: "COUNT(*) > \(2)"),
        #"SELECT * FROM "book" GROUP BY year + ? HAVING COUNT(*) > ?"#, [1, 2])
      try db.expectSQL(
        Book.all().group(year).having(count(id) > 1).having(max(id) < 9),
        #"SELECT * FROM "book" GROUP BY "year" HAVING (COUNT("id") > ?) AND (MAX("id") < ?)"#, [1, 9])
      try db.expectSQL(Book.all().group([year, id]).group(title), #"SELECT * FROM "book" GROUP BY "title""#)
      try db.expectSQL(Book.all().groupByPrimaryKey(), #"SELECT * FROM "book" GROUP BY "id""#)
      try db.expectSQL(Reader.all().groupByPrimaryKey(), #"SELECT * FROM "reader" GROUP BY "rowid""#)
    }
  }

  @Test func closuresReceiveTheRecordsColumns() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.filter { $0.year > 1960 && $0.title != "x" }.order { [$0.year.desc, $0.title] },
        #"SELECT * FROM "book" WHERE ("year" > ?) AND ("title" <> ?) ORDER BY "year" DESC, "title""#, [1960, "x"])
      try db.expectSQL(Book.select { [$0.id, $0.title] }, #"SELECT "id", "title" FROM "book""#)
      try db.expectSQL(Book.select { $0.title }, #"SELECT "title" FROM "book""#)
      try db.expectSQL(Book.select({ max($0.year) }, as: Int.self), #"SELECT MAX("year") FROM "book""#)
      try db.expectSQL(Book.select({ [$0.id, $0.year] }, as: Row.self), #"SELECT "id", "year" FROM "book""#)
      try db.expectSQL(Book.annotated { ($0.year + 1).forKey("n") }, #"SELECT *, "year" + ? AS "n" FROM "book""#, [1])
      try db.expectSQL(Book.annotated { [$0.year, $0.id] }, #"SELECT *, "year", "id" FROM "book""#)
      try db.expectSQL(
        Book.filter { $0.isOld }.order { $0.year }, #"SELECT * FROM "book" WHERE "year" < ? ORDER BY "year""#, [1960])
      try db.expectSQL(
        Book.all().group { $0.year }.having { count($0.id) > 1 },
        #"SELECT * FROM "book" GROUP BY "year" HAVING COUNT("id") > ?"#, [1])
      try db.expectSQL(Book.all().group { [$0.year, $0.title] }, #"SELECT * FROM "book" GROUP BY "year", "title""#)
      try db.expectSQL(
        Table<Book>("rareBook").filter { $0.year == 1 }, #"SELECT * FROM "rareBook" WHERE "year" = ?"#, [1])
      try db.expectSQL(Author.filter { $0.name == "x" }, #"SELECT * FROM "author" WHERE "name" = ?"#, ["x"])
    }
  }

  @Test func requestsCanBeExtended() throws {
    try inShelves { db in
      try db.expectSQL(
        Book.all().published(after: 1960).inOrder(),
        #"SELECT * FROM "book" WHERE "year" > ? ORDER BY "year", "title""#, [1960])
    }
  }

  @Test func recordsDefineTheirSelection() throws {
    struct Partial: TableRecord {
      static let databaseTableName = "book"
      static var databaseSelection: [any SQLSelectable] { [Column("id"), .rowID, title.forKey("t")] }
    }
    try inShelves { db in
      try db.expectSQL(Partial.all(), #"SELECT "id", "rowid", "title" AS "t" FROM "book""#)
      try expectSQL(
        "\(columnsOf: Partial.self, tableAlias: "k")", #""k"."id", "k"."rowid", "k"."title" AS "t""#)
      #expect(try Partial.numberOfSelectedColumns(db) == 3)
      #expect(try Book.numberOfSelectedColumns(db) == 5)
    }
  }
}

extension DerivableRequest<Book> {
  fileprivate func published(after limit: Int) -> Self { filter { $0.year > limit } }
  fileprivate func inOrder() -> Self { order { [$0.year, $0.title] } }
}
