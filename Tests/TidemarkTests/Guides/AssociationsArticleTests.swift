import TestSupport
import Testing
import Tidemark

/// The code of the article about associations.
@Suite(.untilItHangs) struct AssociationsArticleTests {
  struct Author: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var countryCode: String?

    static let books = hasMany(Book.self)
    static let genres = hasMany(Genre.self, through: books, using: Book.genres)
  }

  struct Book: Codable, FetchableRecord, PersistableRecord {
    enum Columns {
      static let title = Column(CodingKeys.title)
      static let year = Column(CodingKeys.year)
    }
    var id: Int64
    var authorId: Int64?
    var title: String
    var year: Int

    static let author = belongsTo(Author.self)
    static let bookGenres = hasMany(BookGenre.self)
    static let genres = hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)
  }

  struct Genre: Codable, FetchableRecord, PersistableRecord {
    var name: String
  }

  struct BookGenre: Codable, FetchableRecord, PersistableRecord {
    var bookId: Int64
    var genreName: String

    static let genre = belongsTo(Genre.self)
  }

  struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
  }

  private func createTables(_ db: Database) throws {
    try db.create(table: "author") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("countryCode", .text)
    }
    try db.create(table: "book") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("author", onDelete: .cascade)
      t.column("title", .text).notNull()
      t.column("year", .integer).notNull()
    }
    try db.create(table: "genre") { t in
      t.primaryKey("name", .text)
    }
    try db.create(table: "bookGenre") { t in
      t.belongsTo("book", onDelete: .cascade).notNull()
      t.belongsTo("genre", onDelete: .cascade).notNull()
      t.primaryKey(["bookId", "genreName"])
    }
  }

  private func inShop(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try createTables(db)
      try db.execute(
        sql: """
          INSERT INTO author VALUES (1, 'Ann', 'FR'), (2, 'Bob', NULL), (3, 'Cy', 'FR');
          INSERT INTO book VALUES
            (1, 1, 'Red', 2001), (2, 1, 'Blue', 1999), (3, 2, 'Bob', 2005), (4, NULL, 'Anon', 1990);
          INSERT INTO genre VALUES ('crime'), ('poems');
          INSERT INTO bookGenre VALUES (1, 'crime'), (1, 'poems'), (2, 'crime');
          """)
      try body(db)
    }
  }

  @Test func `one related record`() throws {
    try inShop { db throws in
      struct BookInfo: Decodable, FetchableRecord {
        var book: Book
        var author: Author?
      }

      // SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
      let infos = try Book.including(optional: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(infos.map(\.author?.name) == ["Ann", "Ann", "Bob", nil])
    }
  }

  @Test func `all related records`() throws {
    try inShop { db throws in
      struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
      }

      // SELECT * FROM "author"
      // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2) ORDER BY "year"
      let authors = try Author.including(all: Author.books.order { $0.year })
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
      #expect(authors.map { $0.books.map(\.title) } == [["Blue", "Red"], ["Bob"], []])
      let nested = try Row.fetchAll(db, Author.including(all: Author.books.including(all: Book.genres)))
      #expect(nested[0].prefetchedRows["books"]?.map { $0.prefetchedRows["genres"]?.count } == [2, 1])
    }
  }

  @Test func `related records behind other tables`() throws {
    try inShop { db in
      struct BookWithGenres: Decodable, FetchableRecord {
        var book: Book
        var genres: [Genre]
      }

      // SELECT * FROM "book"
      // SELECT "genre".*, "bookGenre"."bookId" AS "grdb_bookId" FROM "genre" JOIN "bookGenre"
      // ON ("bookGenre"."genreName" = "genre"."name") AND ("bookGenre"."bookId" IN (1, 2, 3, 4)) ORDER BY "genre"."name"
      let books = try Book.including(all: Book.genres.order(Column("name")))
        .asRequest(of: BookWithGenres.self)
        .fetchAll(db)

      let poets = try Author.joining(required: Author.genres.filter(key: "poems")).distinct().fetchAll(db)
      #expect(books.map { $0.genres.map(\.name) } == [["crime", "poems"], ["crime"], [], []])
      #expect(poets.map(\.name) == ["Ann"])
    }
  }

  struct Employee: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var managerId: Int64?

    static let manager = belongsTo(Employee.self, key: "manager")
    static let reports = hasMany(Employee.self, key: "reports")
  }

  @Test func `a table that is related to itself`() throws {
    try inMemory { db in
      try db.create(table: "employee") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.belongsTo("manager", inTable: "employee")
      }
      try db.execute(sql: "INSERT INTO employee VALUES (1, 'Ann', NULL), (2, 'Bob', 1), (3, 'Cy', 2)")
      // SELECT "employee1".*, "employee2".*, "employee3".* FROM "employee" "employee1" LEFT JOIN …
      let chains = try Row.fetchAll(
        db, Employee.including(optional: Employee.manager.including(optional: Employee.manager.forKey("director"))))
      let managers = try Employee.having(Employee.reports.count > 0).fetchAll(db)
      #expect(chains.map { $0.scopesTree["director"]?["name"] as String? } == [nil, nil, "Ann"])
      #expect(managers.map(\.name) == ["Ann", "Bob"])
    }
  }

  @Test func `filters and orders by related records`() throws {
    try inShop { db throws in
      // SELECT "book".* FROM "book" JOIN "author"
      // ON ("author"."id" = "book"."authorId") AND ("author"."countryCode" = 'FR') ORDER BY "author"."name"
      let french =
        try Book
        .joining(
          required: Book.author
            .filter(Column("countryCode") == "FR")
            .order(Column("name"))
        )
        .fetchAll(db)
      #expect(french.map(\.id).sorted() == [1, 2])
    }
  }

  @Test func `columns of two tables`() throws {
    try inShop { db throws in
      let author = TableAlias<Author>()
      let eponymous =
        try Book
        .joining(required: Book.author.aliased(author))
        .filter { $0.title == author[Column("name")] }
        .fetchAll(db)
      #expect(eponymous.map(\.id) == [3])
    }
  }

  @Test func `columns of a related record`() throws {
    try inShop { db throws in
      struct BookLine: Decodable, FetchableRecord {
        var title: String
        var authorName: String?
      }

      let lines =
        try Book
        .annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
        .asRequest(of: BookLine.self)
        .fetchAll(db)
      #expect(lines.map(\.authorName) == ["Ann", "Ann", "Bob", nil])
    }
  }

  @Test func `counts of related records`() throws {
    try inShop { db throws in
      struct AuthorSummary: Decodable, FetchableRecord {
        var author: Author
        var bookCount: Int
        var maxBookYear: Int?
      }

      let summaries =
        try Author
        .annotated(with: Author.books.count, Author.books.max(Column("year")))
        .asRequest(of: AuthorSummary.self)
        .fetchAll(db)

      let busy = try Author.having(Author.books.count >= 2).fetchAll(db)
      let idle = try Author.having(Author.books.isEmpty).fetchAll(db)
      #expect(summaries.map(\.bookCount) == [2, 1, 0])
      #expect(summaries.map(\.maxBookYear) == [2001, 2005, nil])
      #expect(busy.map(\.name) == ["Ann"])
      #expect(idle.map(\.name) == ["Cy"])
    }
  }

  @Test func `counts with two filters`() throws {
    try inShop { db throws in
      let request = Author.annotated(
        with: Author.books.filter { $0.year < 2000 }.forKey("oldBooks").count,
        Author.books.filter { $0.year >= 2000 }.forKey("newBooks").count)
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { [$0["oldBookCount"], $0["newBookCount"]] as [Int] } == [[1, 1], [0, 1], [0, 0]])
    }
  }

  @Test func `the related records of a record`() throws {
    try inShop { db throws in
      let author = try #require(try Author.fetchOne(db, key: 1))
      // SELECT * FROM "book" WHERE "authorId" = 1 ORDER BY "title"
      let books = try author.request(for: Author.books).order { $0.title }.fetchAll(db)
      #expect(books.map(\.title) == ["Blue", "Red"])
    }
  }

  @Test func `changes of joined requests`() throws {
    try inShop { db throws in
      let count =
        try Book
        .joining(required: Book.author.filter(Column("countryCode") == "FR"))
        .updateAll(db, Column("year").set(to: 2000))
      #expect(count == 2)
    }
  }

  @Test func `rows that belong to the largest value of a group`() throws {
    try inShop { db throws in
      let newest = CommonTableExpression(
        named: "newest",
        request: Book.select { [Column("authorId"), max($0.year).forKey("year")] }.group(Column("authorId")))
      let isNewest = Book.association(to: newest) { book, newest in
        book[Column("authorId")] == newest[Column("authorId")] && book.year == newest[Column("year")]
      }

      // WITH "newest" AS (SELECT "authorId", MAX("year") AS "year" FROM "book" GROUP BY "authorId")
      // SELECT "book".* FROM "book" JOIN "newest" ON …
      let books = try Book.with(newest).joining(required: isNewest).fetchAll(db)
      #expect(books.map(\.id).sorted() == [1, 3])
    }
  }

  @Test func `recursive queries`() throws {
    try inShop { db throws in
      let numbers = CommonTableExpression<Int>(
        recursive: true, named: "number", columns: ["n"],
        sql: "VALUES(1) UNION ALL SELECT n + 1 FROM number WHERE n < ?", arguments: [10])
      let values = try numbers.all().with(numbers).fetchAll(db)
      #expect(values == Array(1...10))
    }
  }

  @Test func `observations ignore the books of other authors`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { db in
      try createTables(db)
      try db.execute(sql: "INSERT INTO author VALUES (1, 'Ann', 'FR'), (2, 'Bob', NULL)")
    }
    let observation = ValueObservation.tracking { db in
      try Author.filter(key: 1).including(all: Author.books).asRequest(of: AuthorInfo.self).fetchOne(db)
    }
    var titles = observation.values(in: dbQueue).map { $0?.books.map(\.title) }.makeAsyncIterator()
    #expect(try await titles.next() == [])
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO book VALUES (1, 2, 'Other', 2000)") }
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO book VALUES (2, 1, 'Own', 2000)") }
    #expect(try await titles.next() == ["Own"])
  }
}
