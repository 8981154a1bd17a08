import Foundation
import Testing
import Tidemark

/// The code of the article about dumps.
@Suite struct DumpingArticleTests {
  struct Author: Codable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)
    var id: Int64
    var name: String
  }

  struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var authorId: Int64
    var title: String
  }

  private func inAuthors(_ body: (DatabaseQueue) throws -> Void) throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author (id), title TEXT);
          INSERT INTO author VALUES (1, 'Frank'), (2, 'Ursula');
          INSERT INTO book VALUES (1, 1, 'Dune');
          """)
    }
    try body(dbQueue)
  }

  @Test func `rows are written in several formats`() throws {
    try inAuthors { dbQueue in
      try dbQueue.dumpRequest(Author.all())
      try dbQueue.dumpRequest(Author.all(), format: .debug(header: true))
      try dbQueue.dumpRequest(Author.all(), format: .json())
      try dbQueue.dumpRequest(Author.all(), format: .quote(header: true))
      try dbQueue.dumpRequest(Author.all(), format: .line())
      try dbQueue.dumpSQL("SELECT name FROM author WHERE id > \(1)")
      try dbQueue.dumpTables(["author", "book"])
      try dbQueue.dumpRequest(Author.including(all: Author.books))
      try dbQueue.dumpSchema()
      try dbQueue.dumpContent()
      try #expect(
        dumped { try dbQueue.dumpContent(to: $0) } == """
          sqlite_master
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author (id), title TEXT);

          author
          1|Frank
          2|Ursula

          book
          1|1|Dune

          """)
    }
  }

  @Test func `a dump is written to a stream`() throws {
    try inAuthors { dbQueue in
      final class TextStream: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
      }

      let stream = TextStream()
      try dbQueue.dumpContent(format: .json(), to: stream)
      #expect(stream.text.contains(#"[{"id":1,"name":"Frank"},"#))
    }
  }

  @Test func `a program defines a format`() throws {
    struct NumberedFormat: DumpFormat {
      private var count = 0

      mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        count += 1
        stream.write("\(count): \(DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0))\n")
      }

      mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        stream.write("\(count) rows\n")
      }
    }
    try inAuthors { dbQueue in
      let text = try dumped { try dbQueue.dumpSQL("SELECT name FROM author", format: NumberedFormat(), to: $0) }
      #expect(text == "1: \"Frank\"\n2: \"Ursula\"\n2 rows\n")
    }
  }
}
