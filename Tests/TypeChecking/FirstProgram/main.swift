import Tidemark

// The first program of README.md, at the top level of a package's main.swift: it compiles without a warning.

let dbQueue = try DatabaseQueue(path: "library.sqlite")

try dbQueue.write { db in
  try db.execute(sql: "CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, pages INTEGER)")
  try db.execute(
    sql: "INSERT INTO book (title, pages) VALUES (?, ?)",
    arguments: ["Solaris", 204])
}

struct Book: FetchableRecord {
  var title: String
  var pages: Int?

  init(row: Row) throws {
    title = row["title"]
    pages = row["pages"]
  }
}

let titles = ["Solaris", "Dune"]
let books = try dbQueue.read { db in
  let request: SQLRequest<Book> = "SELECT * FROM book WHERE title IN \(titles)"
  return try request.fetchAll(db)
}

func printTitles() async throws {
  // In asynchronous code, the same methods are awaited.
  let allTitles = try await dbQueue.read { db in
    try String.fetchAll(db, sql: "SELECT title FROM book")
  }
  print(allTitles)
}

print(books.map(\.title))
try await printTitles()
