import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Author = Shelves.Author
private typealias Reader = Shelves.Reader
private typealias Reading = Shelves.Reading
private typealias Shelf = Shelves.Shelf
private let title = Column("title")

/// Rows by their keys.
@Suite struct RequestKeyTests {
  @Test(arguments: [100, 101, 1_001, 20_000])
  func manyConditionsAndKeysAreAllowed(count: Int) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE pair (a, b, PRIMARY KEY (a, b)); INSERT INTO pair VALUES (1, 2)")
      let keys = (2...count).map { ["a": $0, "b": $0] } + [["a": 1, "b": 2]]
      #expect(try Table("pair").filter(keys: keys).fetchCount(db) == 1)
      let conditions = (0..<count).map { Column("a") < $0 + 2 }
      #expect(try Table("pair").filter(conditions.joined(operator: .and)).fetchCount(db) == 1)
      #expect(try Table("pair").filter((conditions + [Column("b") == 0]).joined(operator: .and)).fetchCount(db) == 0)
    }
  }

  @Test func singleColumnPrimaryKeysSelectRows() throws {
    try inShelves { db in
      try db.expectSQL(Book.filter(key: 1), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectSQL(Book.filter(keys: [1, 2]), #"SELECT * FROM "book" WHERE "id" IN (?, ?)"#, [1, 2])
      try db.expectSQL(Book.filter(keys: [1]), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectSQL(Book.filter(keys: [Int]()), #"SELECT * FROM "book" WHERE ?"#, [0])
      try db.expectSQL(Book.filter(key: nil as Int?), #"SELECT * FROM "book" WHERE ?"#, [0])
      try db.expectSQL(Book.filter(keys: [1, nil]), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectSQL(Reader.filter(key: "r"), #"SELECT * FROM "reader" WHERE "id" = ?"#, ["r"])
      try db.expectSQL(Table("book").filter(key: 1), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
    }
  }

  @Test func tablesWithoutKeyUseRowIDs() throws {
    try inShelves { db in
      try db.expectSQL(Shelf.filter(key: 1), #"SELECT * FROM "shelf" WHERE "rowid" = ?"#, [1])
      #expect(try Shelf.fetchOne(db, key: 2)?.label == "b")
    }
  }

  @Test func identifiersSelectRows() throws {
    try inShelves { db in
      try db.expectSQL(Book.filter(id: 1), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectSQL(Book.filter(ids: [1, 2]), #"SELECT * FROM "book" WHERE "id" IN (?, ?)"#, [1, 2])
      try db.expectSQL(Author.filter(id: 1), #"SELECT * FROM "author" WHERE "id" = ?"#, [1])
      try db.expectSQL(Author.filter(id: nil), #"SELECT * FROM "author" WHERE ?"#, [0])
      try db.expectSQL(Book.selectID(), #"SELECT "id" FROM "book""#)
      try db.expectSQL(Book.selectPrimaryKey(as: Int64.self), #"SELECT "id" FROM "book""#)
      try db.expectSQL(Shelf.selectPrimaryKey(as: Int64.self), #"SELECT "rowid" FROM "shelf""#)
      #expect(try Book.filter { $0.isRare }.selectID().fetchSet(db) == [1, 3])
    }
  }

  @Test func uniqueKeysSelectRowsByName() throws {
    try inShelves { db in
      try db.expectSQL(
        Reader.filter(key: ["email": "r@x.org"]), #"SELECT * FROM "reader" WHERE "email" = ?"#, ["r@x.org"])
      try db.expectSQL(
        Reading.filter(key: ["readerId": "r", "bookId": 1]),
        #"SELECT * FROM "reading" WHERE ("bookId" = ?) AND ("readerId" = ?)"#, [1, "r"])
      try db.expectSQL(
        Reading.filter(keys: [["bookId": 1, "readerId": "r"], ["readerId": "s", "bookId": 2]]),
        """
        SELECT * FROM "reading" WHERE (("bookId" = ?) AND ("readerId" = ?)) OR (("bookId" = ?) AND ("readerId" = ?))
        """, [1, "r", 2, "s"])
      try db.expectSQL(
        Reading.filter(key: ["score": 5, "readerId": "r", "bookId": 1]),
        #"SELECT * FROM "reading" WHERE ("bookId" = ?) AND ("readerId" = ?) AND ("score" = ?)"#, [1, "r", 5])
      try db.expectSQL(Book.filter(key: ["id": nil]), #"SELECT * FROM "book" WHERE "id" IS NULL"#)
      try db.expectSQL(Book.filter(key: ["ID": 1]), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectSQL(Book.filter(key: ["rowid": 1]), #"SELECT * FROM "book" WHERE "rowid" = ?"#, [1])
    }
  }

  // The schema may come from an untrusted file.
  @Test func keysMissingInTheTableAreErrors() throws {
    try inShelves { db throws in
      #expect(
        errorText { try Book.filter(key: ["title": "x", "isRare": 1]).fetchAll(db) }
          == "SQLite error 1: table book has no unique key on column(s) isRare, title")
      #expect(
        errorText { try Table("rareBook").filter(key: ["id": 1]).fetchAll(db) }
          == "SQLite error 1: database view rareBook has no unique key on column(s) id")
    }
  }

  @Test func singleValuesForCompositeKeysAreErrors() throws {
    let error = """
      SQLite error 1: Requesting by key requires a single-column primary key in the table reading, and it has 2 \
      (bookId, readerId): name them, as in ["bookId": …]
      """
    try inShelves { db throws in
      #expect(errorText { try Reading.fetchOne(db, key: 1) as Any } == error)
      #expect(errorText { try Table("reading").filter(key: 1).fetchAll(db) } == error)
      #expect(errorText { try Table("reading").filter(keys: [1, 2]).fetchAll(db) } == error)
      #expect(errorText { try Table("reading").exists(db, key: 1) } == error)
      #expect(errorText { try Table("reading").deleteOne(db, key: 1) } == error)
      #expect(
        errorText { try Table("reading").selectPrimaryKey(as: Int.self).fetchAll(db) }
          .contains("Selecting the primary key requires a single-column primary key"))
    }
  }

  @Test func missingTablesAreNamedInErrors() throws {
    #expect(
      try inMemory { db in errorText { try Table("nope").filter(key: 1).fetchAll(db) } }
        == "SQLite error 1: no such table: nope")
    #expect(
      try inShelves { db in errorText { try Table("rareBook").filter(key: 1).fetchAll(db) } }
        == "SQLite error 1: database view rareBook has no primary key")
  }

  @Test func recordsAreFetchedByKey() throws {
    try inShelves { db throws in
      #expect(try Book.fetchOne(db, key: 2)?.title == "Solaris")
      #expect(try Book.fetchOne(db, key: 99) == nil)
      #expect(try Book.fetchOne(db, id: 3)?.title == "Eden")
      #expect(try Book.fetchOne(db, key: ["id": 1])?.title == "Rocannon")
      #expect(try Set(Book.fetchAll(db, keys: [1, 3, 99]).map(\.title)) == ["Rocannon", "Eden"])
      #expect(try Book.fetchAll(db, ids: [1]).map(\.title) == ["Rocannon"])
      #expect(try Book.fetchSet(db, keys: [2]).map(\.title) == ["Solaris"])
      #expect(try Book.fetchSet(db, ids: [2]).map(\.title) == ["Solaris"])
      #expect(try Book.fetchCursor(db, keys: [2]).next()?.title == "Solaris")
      #expect(try Book.fetchCursor(db, ids: [2]).next()?.title == "Solaris")
      #expect(try Reading.fetchAll(db, keys: [["bookId": 2, "readerId": "s"]]).map(\.score) == [4])
      #expect(try Reading.fetchCursor(db, keys: [["bookId": 2, "readerId": "s"]]).next()?.score == 4)
      #expect(try Book.fetchSet(db, keys: [["id": 2]]).map(\.title) == ["Solaris"])
      #expect(try Book.find(db, key: 2).title == "Solaris")
      #expect(try Book.find(db, id: 2).title == "Solaris")
      #expect(try Book.find(db, key: ["id": 2]).title == "Solaris")
    }
  }

  @Test func missingRecordsAreNamedInErrors() throws {
    try inShelves { db throws in
      #expect(errorText { try Book.find(db, key: 99) } == "Key not found in table book: [id:99]")
      #expect(errorText { try Book.find(db, id: 99) } == "Key not found in table book: [id:99]")
      #expect(errorText { try Book.find(db, key: nil as Int?) } == "Key not found in table book: [id:NULL]")
      #expect(errorText { try Reader.find(db, key: ["email": "x"]) } == #"Key not found in table reader: [email:"x"]"#)
      #expect("\(Book.recordNotFound(db, id: 7))" == "Key not found in table book: [id:7]")
    }
  }

  @Test func emptyKeysRunNoQuery() throws {
    let sql = try traced { db throws in
      #expect(try Book.fetchAll(db, keys: [Int]()).isEmpty)
      #expect(try Book.fetchSet(db, ids: []).isEmpty)
      #expect(try Book.fetchOne(db, key: nil as Int?) == nil)
      #expect(try Author.fetchOne(db, id: nil) == nil)
      #expect(try Author.exists(db, id: nil) == false)
      #expect(try Book.deleteAll(db, keys: [Int]()) == 0)
      #expect(try Book.deleteAll(db, keys: []) == 0)
      #expect(try Book.deleteOne(db, key: nil as Int?) == false)
      #expect(try Book.updateAll(db, []) == 0)
      #expect(try Book.updateAll(db, [title.noOverwrite]) == 0)
    }
    #expect(sql == [])
  }

  @Test func existsBuildsSQL() throws {
    let sql = try traced { db throws in
      #expect(try Book.exists(db, key: 1))
      #expect(try Book.exists(db, id: 99) == false)
      #expect(try Table("reading").exists(db, key: ["bookId": 1, "readerId": "r"]))
      #expect(try Table<Author>("author").exists(db, id: 1))
    }
    #expect(
      sql == [
        #"SELECT EXISTS (SELECT * FROM "book" WHERE "id" = 1)"#,
        #"SELECT EXISTS (SELECT * FROM "book" WHERE "id" = 99)"#,
        #"SELECT EXISTS (SELECT * FROM "reading" WHERE ("bookId" = 1) AND ("readerId" = 'r'))"#,
        #"SELECT EXISTS (SELECT * FROM "author" WHERE "id" = 1)"#,
      ])
  }
}
