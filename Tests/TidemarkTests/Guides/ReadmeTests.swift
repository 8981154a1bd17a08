import Foundation
import Testing
import Tidemark

private let path = FileManager.default.temporaryDirectory
  .appending(path: "tidemark-readme-\(ProcessInfo.processInfo.processIdentifier).sqlite").path()

/// The program of `README.md`.
@Suite struct ReadmeTests {
  @Test func firstProgramWorks() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await firstProgram() == 1)
  }

  private func firstProgram() async throws -> Int {
    let dbQueue = try DatabaseQueue(path: path)

    try await dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, pages INTEGER)")
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
    let books = try await dbQueue.read { db in
      let request: SQLRequest<Book> = "SELECT * FROM book WHERE title IN \(titles)"
      return try request.fetchAll(db)
    }
    return books.count
  }
}
