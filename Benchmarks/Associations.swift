import CSQLite
import Foundation
import Tidemark

private let authorCount = 1_000
private let bookCount = 10_000

private struct Author: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String

  static let books = hasMany(Book.self)
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var authorId: Int64
  var title: String
  var year: Int

  static let author = belongsTo(Author.self)
}

private struct BookInfo: Decodable, FetchableRecord {
  var book: Book
  var author: Author
}

private struct AuthorInfo: Decodable, FetchableRecord {
  var author: Author
  var books: [Book]
}

/// Authors with their books, as nested records, in two queries.
func associations(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(
    folder, "associations", count: 0,
    more: """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
        year INTEGER NOT NULL);
      CREATE INDEX bookByAuthor ON book (authorId);
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(authorCount))
      INSERT INTO author SELECT n, 'the name of author ' || n FROM number;
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(bookCount))
      INSERT INTO book SELECT n, 1 + n % \(authorCount), 'the title of book ' || n, 1900 + n % 100 FROM number;
      """)
  let bare = Workload.Side(name: "C: authors with books") { try check(bareAuthors(databases.bare)) }
  let library = Workload.Side(name: "including(all:)") {
    try databases.library.read { db in
      check(try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db))
    }
  }
  return [
    Workload(
      name: "associations: 1,000 authors with 10,000 books", target: 2.5, count: bookCount, bare: bare,
      library: library, prepare: databases.make)
  ] + joinedRows(databases)
}

/// One book with its author: a request that is printed once, and one that is made and printed each time.
private func joinedRows(_ databases: ItemDatabases) -> [Workload] {
  let count = 1_000
  func request() -> QueryInterfaceRequest<BookInfo> {
    Book.filter(key: 7).including(required: Book.author).asRequest(of: BookInfo.self)
  }
  let bare = Workload.Side(name: "C: a joined row") { try bareJoinedRows(databases.bare, count: count) }
  let printedOnce = request()
  let same = Workload.Side(name: "the same request") {
    try databases.library.read { db in
      for _ in 0..<count { checkBook(try printedOnce.fetchOne(db)) }
    }
  }
  let new = Workload.Side(name: "new requests") {
    try databases.library.read { db in
      for _ in 0..<count { checkBook(try request().fetchOne(db)) }
    }
  }
  return [
    Workload(
      name: "associations: a joined row, same request", target: nil, count: count, bare: bare, library: same,
      prepare: databases.make),
    Workload(
      name: "associations: a joined row, new request", target: nil, count: count, bare: bare, library: new,
      prepare: databases.make),
  ]
}

private func checkBook(_ info: BookInfo?) {
  precondition(info?.book.id == 7 && info?.author.id == 8, "\(String(describing: info)) was read")
}

private func bareJoinedRows(_ bare: BareConnection, count: Int) throws {
  // One transaction, as in the library.
  try bare.execute("BEGIN")
  let statement = try bare.prepare(
    #"""
    SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = ? \#
    LIMIT 1
    """#)
  for _ in 0..<count {
    sqlite3_bind_int64(statement, 1, 7)
    precondition(sqlite3_step(statement) == SQLITE_ROW)
    let book = Book(
      id: sqlite3_column_int64(statement, 0), authorId: sqlite3_column_int64(statement, 1),
      title: String(cString: sqlite3_column_text(statement, 2)), year: Int(sqlite3_column_int64(statement, 3)))
    let author = Author(
      id: sqlite3_column_int64(statement, 4), name: String(cString: sqlite3_column_text(statement, 5)))
    checkBook(BookInfo(book: book, author: author))
    sqlite3_reset(statement)
  }
  sqlite3_finalize(statement)
  try bare.execute("COMMIT")
}

private func check(_ infos: [AuthorInfo]) {
  let found = infos.reduce(0) { $0 + $1.books.count }
  precondition(infos.count == authorCount && found == bookCount, "\(infos.count) authors and \(found) books were read")
}

/// The same two statements as the library executes, and the same structures.
private func bareAuthors(_ bare: BareConnection) throws -> [AuthorInfo] {
  var infos: [AuthorInfo] = []
  var indexes: [Int64: Int] = [:]
  let authors = try bare.prepare("SELECT * FROM author")
  while sqlite3_step(authors) == SQLITE_ROW {
    let id = sqlite3_column_int64(authors, 0)
    indexes[id] = infos.count
    let author = Author(id: id, name: String(cString: sqlite3_column_text(authors, 1)))
    infos.append(AuthorInfo(author: author, books: []))
  }
  sqlite3_finalize(authors)
  let keys = indexes.keys.sorted()
  let parameters = Array(repeating: "?", count: keys.count).joined(separator: ", ")
  let books = try bare.prepare(
    #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (\#(parameters))"#
  )
  for (index, key) in keys.enumerated() { sqlite3_bind_int64(books, CInt(index + 1), key) }
  while sqlite3_step(books) == SQLITE_ROW {
    let book = Book(
      id: sqlite3_column_int64(books, 0), authorId: sqlite3_column_int64(books, 1),
      title: String(cString: sqlite3_column_text(books, 2)), year: Int(sqlite3_column_int64(books, 3)))
    if let index = indexes[sqlite3_column_int64(books, 4)] { infos[index].books.append(book) }
  }
  sqlite3_finalize(books)
  return infos
}
