import Testing
import Tidemark

/// A definition of a full-text table, and the module with its arguments in the SQL.
struct TableCase<Definition>: Sendable, CustomTestStringConvertible {
  let sql: String
  let define: @Sendable (Definition) -> Void

  init(_ sql: String, _ define: @escaping @Sendable (Definition) -> Void) {
    self.sql = sql
    self.define = define
  }

  var testDescription: String { sql }
}

/// The statements that a closure executes on a database with the table `book(id, title, body)`, without those of the
/// modules.
func fullTextStatements(
  content: String = "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
  _ body: (Database) throws -> Void
) throws -> [String] {
  let recorder = TraceRecorder()
  let dbQueue = try recorder.makeQueue()
  return try dbQueue.inDatabase { db in
    for name in ["zip", "unzip"] {
      db.add(function: DatabaseFunction(name, argumentCount: 1, pure: true) { $0[0] })
    }
    try db.execute(sql: content)
    recorder.clear()
    try body(db)
    return recorder.lines.filter { !$0.hasPrefix("--") }
  }
}

/// The module and its arguments in the statement that creates a table.
func moduleSQL<Module: VirtualTableModule>(
  _ module: Module, _ body: ((Module.TableDefinition) throws -> Void)?
) throws -> String {
  let lines = try fullTextStatements { db in try db.create(virtualTable: "d", using: module, body) }
  let creation = try #require(lines.first { $0.hasPrefix("CREATE VIRTUAL TABLE") })
  return creation.replacing(#"CREATE VIRTUAL TABLE "d" USING "#, with: "")
}

/// Some documents.
struct Doc: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "doc5"
  var title: String
  var body: String
}

/// Runs a closure on a database with the tables `doc4` and `doc5` of some documents, and a table `book` with the same
/// row IDs.
@discardableResult
func inDocuments<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.create(table: "book") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("price", .integer)
    }
    try db.create(virtualTable: "doc4", using: FTS4()) { t in
      t.column("title")
      t.column("body")
    }
    try db.create(virtualTable: "doc5", using: FTS5()) { t in
      t.column("title")
      t.column("body")
    }
    for (title, text) in documents {
      try db.execute(
        sql: """
          INSERT INTO doc4 VALUES (:title, :text);
          INSERT INTO doc5 VALUES (:title, :text);
          INSERT INTO book (price) VALUES (length(:text));
          """, arguments: ["title": title, "text": text])
    }
    return try body(db)
  }
}

private let documents = [
  ("Moby Dick", "Call me Ishmael, said the fox to the whale"),
  ("Foxes", "A fox, another fox, and foes of foxes: fox fox"),
  ("Dune", "A beginning is the time of taking the most delicate care"),
]

/// The row IDs of the rows of a full-text table that match a pattern.
func matches(_ db: Database, _ table: String, _ pattern: String) throws -> [Int] {
  let table = table.quotedDatabaseIdentifier
  return try Int.fetchAll(
    db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid", arguments: [pattern])
}
