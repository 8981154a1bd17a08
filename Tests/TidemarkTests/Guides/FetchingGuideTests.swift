import Foundation
import Testing
import Tidemark

/// The code of `Documentation/Fetching.md`.
@Suite struct FetchingGuideTests {
  private func library() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author TEXT, pages INTEGER, subtitle TEXT);
          INSERT INTO book (title, author, pages) VALUES ('Dune', 'Frank Herbert', 412);
          INSERT INTO book (title, author, pages) VALUES ('Solaris', 'Stanisław Lem', 204);
          """)
    }
    return dbQueue
  }

  @Test func fetchFormsExampleWorks() throws {
    try library().read { db in
      let titles = try String.fetchAll(db, sql: "SELECT title FROM book ORDER BY title")
      let longest = try Int.fetchOne(db, sql: "SELECT MAX(pages) FROM book")
      let authors = try String.fetchSet(db, sql: "SELECT author FROM book")
      let rows = try Row.fetchCursor(db, sql: "SELECT title, pages FROM book")
      while let row = try rows.next() {
        let title: String = row["title"]
        let pages: Int? = row["pages"]
        print(title, pages ?? 0)
      }
      #expect(titles == ["Dune", "Solaris"])
      #expect(longest == 412)
      #expect(authors == ["Frank Herbert", "Stanisław Lem"])
    }
  }

  @Test func argumentsExampleWorks() throws {
    try library().read { db in
      let thick = try String.fetchAll(db, sql: "SELECT title FROM book WHERE pages > ?", arguments: [300])
      let same = try String.fetchAll(db, sql: "SELECT title FROM book WHERE pages > :min", arguments: ["min": 300])
      let wanted = ["Frank Herbert", "Ursula K. Le Guin"]
      let request: SQLRequest<String> = "SELECT title FROM book WHERE author IN \(wanted)"
      let chosen = try request.fetchAll(db)
      #expect(thick == ["Dune"])
      #expect(same == ["Dune"])
      #expect(chosen == ["Dune"])
    }
  }

  @Test func rowReadingExampleWorks() throws {
    try library().read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT title, pages, author, subtitle FROM book"))
      let title: String = row[0]
      let pages = row["PAGES"] as Int
      let author: String = row[Column("author")]
      let subtitle: String? = row["subtitle"]
      let shown: String? = row.coalesce(["subtitle", "title"])
      #expect(title == "Dune")
      #expect(pages == 412)
      #expect(author == "Frank Herbert")
      #expect(subtitle == nil)
      #expect(shown == "Dune")
    }
  }

  @Test func throwingExampleWorks() throws {
    try library().read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT pages FROM book"))
      let count = try row.decode(Int.self, forColumn: "pages")
      let raw: DatabaseValue = row["pages"]
      if let date = Date.fromDatabaseValue(raw) {
        print(date)
      }
      #expect(count == 412)
    }
  }

  @Test func cursorCollectionsExampleWorks() throws {
    try library().read { db in
      let pagesByTitle = try Dictionary(
        uniqueKeysWithValues: Row.fetchCursor(db, sql: "SELECT title, pages FROM book").map { row in
          (row["title"] as String, row["pages"] as Int?)
        })
      let total = try Int.fetchCursor(db, sql: "SELECT pages FROM book").reduce(0, +)
      #expect(pagesByTitle == ["Dune": 412, "Solaris": 204])
      #expect(total == 616)
    }
  }

  @Test func statementsExampleWorks() throws {
    try library().write { db in
      let statement = try db.makeStatement(sql: "UPDATE book SET pages = :pages WHERE title = :title")
      try statement.execute(arguments: ["title": "Dune", "pages": 896])
      try statement.execute(arguments: ["title": "Solaris", "pages": 204])
      #expect(try Int.fetchOne(db, sql: "SELECT pages FROM book WHERE title = 'Dune'") == 896)
    }
  }
}
