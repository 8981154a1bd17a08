import Foundation
import Testing
import Tidemark

private struct TemporaryFile: ~Copyable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite").path
  deinit {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}

/// A cached `SELECT *` returns the columns of the current schema, not those at its compilation.
@Suite struct SchemaChangeTests {
  private static let sql = "SELECT * FROM book"
  private static let changes: [(String, String)] = [
    ("ALTER TABLE book ADD COLUMN pages DEFAULT 412", #"[id:1 title:"Dune" pages:412]"#),
    ("ALTER TABLE book DROP COLUMN id", #"[title:"Dune"]"#),
    ("ALTER TABLE book RENAME COLUMN title TO name", #"[id:1 name:"Dune"]"#),
    ("DROP TABLE book; CREATE TABLE book (a, b, c); INSERT INTO book VALUES (1, 2, 3)", "[a:1 b:2 c:3]"),
    ("DROP TABLE book; CREATE TABLE book (title, id); INSERT INTO book VALUES ('Dune', 1)", #"[title:"Dune" id:1]"#),
  ]

  /// A database with the table, and a closure that changes it: on the same connection, or on another one.
  private func withBook(byAnother: Bool, _ body: (DatabaseQueue, (String) throws -> Void) throws -> Void) throws {
    let file = TemporaryFile()
    let queue = try DatabaseQueue(path: file.path)
    try queue.write { try $0.execute(sql: "CREATE TABLE book (id, title); INSERT INTO book VALUES (1, 'Dune')") }
    let other = byAnother ? try DatabaseQueue(path: file.path) : queue
    try body(queue) { sql in try other.write { try $0.execute(sql: sql) } }
  }

  @Test(arguments: changes.indices, [true, false])
  func cachedStatementsFollowTheSchema(index: Int, byAnother: Bool) throws {
    let (change, text) = Self.changes[index]
    try withBook(byAnother: byAnother) { queue, alter in
      func fetch() throws -> [String] {
        try queue.read { db throws in
          let kept = try Row.fetchAll(db, sql: Self.sql).map(\.description)
          let one = try Row.fetchOne(db, sql: Self.sql)?.description
          let cursor = try Row.fetchCursor(db.cachedStatement(sql: Self.sql))
          let live = try cursor.next()?.description
          let cached = try SQLRequest<Row>(sql: Self.sql, cached: true).fetchAll(db).map(\.description)
          return kept + [one, live].compactMap { $0 } + cached
        }
      }
      #expect(try fetch() == Array(repeating: #"[id:1 title:"Dune"]"#, count: 4))
      try alter(change)
      #expect(try fetch() == Array(repeating: text, count: 4))
      #expect(try fetch() == Array(repeating: text, count: 4))
    }
  }

  @Test(arguments: [true, false])
  func renamedColumnsAreFound(byAnother: Bool) throws {
    try withBook(byAnother: byAnother) { queue, alter in
      func title() throws -> String? {
        try queue.read { db throws in
          let cursor = try Row.fetchCursor(db, sql: Self.sql)
          let row = try #require(try cursor.next())
          return row.coalesce(["name", "title"])
        }
      }
      #expect(try title() == "Dune")
      try alter(
        "DROP TABLE book; CREATE TABLE book (x, y, name, title); INSERT INTO book VALUES (1, 2, 'Solaris', 'no')")
      #expect(try title() == "Solaris")
      try alter("ALTER TABLE book DROP COLUMN name")
      #expect(try title() == "no")
    }
  }

  // swift-format-ignore
  private static let adapters: [(any RowAdapter, before: String, after: String)] = [
    (SuffixRowAdapter(fromIndex: 1), #"[title:"Dune"]"#, #"[id:1 title:"Dune"]"#),
    (RangeRowAdapter(0..<2), #"[id:1 title:"Dune"]"#, "[isbn:9 id:1]"),
    (ColumnMapping(["t": "title", "i": "id"]), #"[i:1 t:"Dune"]"#, #"[i:1 t:"Dune"]"#),
    (RenameColumnAdapter { $0 + "_" }, #"[id_:1 title_:"Dune"]"#, #"[isbn_:9 id_:1 title_:"Dune"]"#),
  ]

  @Test(arguments: adapters.indices, [true, false])
  func adaptersSeeNewColumns(index: Int, byAnother: Bool) throws {
    let (adapter, before, after) = Self.adapters[index]
    try withBook(byAnother: byAnother) { queue, alter in
      func fetch() throws -> [String] {
        try queue.read { db throws in
          let cursor = try Row.fetchCursor(db, sql: Self.sql, adapter: adapter)
          let live = try cursor.next()?.description
          return try Row.fetchAll(db, sql: Self.sql, adapter: adapter).map(\.description) + [live ?? ""]
        }
      }
      #expect(try fetch() == [before, before])
      try alter("DROP TABLE book; CREATE TABLE book (isbn, id, title); INSERT INTO book VALUES (9, 1, 'Dune')")
      #expect(try fetch() == [after, after])
    }
  }

  @Test(arguments: [true, false])
  func mappingsFindAddedColumns(byAnother: Bool) throws {
    try withBook(byAnother: byAnother) { queue, alter in
      let mapping = ColumnMapping(["p": "pages"])
      func fetch() throws -> [String] {
        try queue.read { try Row.fetchAll($0, sql: Self.sql, adapter: mapping).map(\.description) }
      }
      #expect(throws: DatabaseError.self) { try fetch() }
      try alter("ALTER TABLE book ADD COLUMN pages DEFAULT 412")
      #expect(try fetch() == ["[p:412]"])
      try alter("ALTER TABLE book DROP COLUMN pages")
      #expect(throws: DatabaseError.self) { try fetch() }
      #expect(throws: DatabaseError.self) { try fetch() }
    }
  }

  @Test func statementsOfDroppedTablesThrowAndRecover() throws {
    try withBook(byAnother: false) { queue, alter in
      #expect(try queue.read { try Row.fetchAll($0, sql: Self.sql).count } == 1)
      try alter("ALTER TABLE book RENAME TO shelf")
      let error = #expect(throws: DatabaseError.self) { try queue.read { try Row.fetchAll($0, sql: Self.sql) } }
      #expect(error?.message == "no such table: book")
      try alter("ALTER TABLE shelf RENAME TO book")
      #expect(try queue.read { try Row.fetchAll($0, sql: Self.sql).count } == 1)
    }
  }
}
