import CBaseline
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
  let bare = Workload.Side(name: "C: authors with books") {
    try databases.bare.run(bookCount, baseline_read_authors)
  }
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
  let bare = Workload.Side(name: "C: a joined row") {
    try databases.bare.run(count) { baseline_read_joined_rows($0, Int64(count)) }
  }
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

private func check(_ infos: [AuthorInfo]) {
  let found = infos.reduce(0) { $0 + $1.books.count }
  precondition(infos.count == authorCount && found == bookCount, "\(infos.count) authors and \(found) books were read")
}
