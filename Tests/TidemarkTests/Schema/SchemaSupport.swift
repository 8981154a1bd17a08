import Tidemark

/// The statements that a closure executes on a database with the example tables.
func statements(_ body: (Database) throws -> Void) throws -> [String] {
  let recorder = TraceRecorder()
  let dbQueue = try recorder.makeQueue()
  return try dbQueue.inDatabase { db in
    try db.execute(
      sql: """
        CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name, country);
        CREATE TABLE book (
          id INTEGER PRIMARY KEY, title, authorId INTEGER REFERENCES author(id), year INTEGER, isRare BOOLEAN);
        CREATE TABLE reader (id TEXT PRIMARY KEY, email UNIQUE);
        CREATE TABLE reading (
          bookId INTEGER REFERENCES book(id), readerId TEXT REFERENCES reader(id), score,
          PRIMARY KEY (bookId, readerId));
        CREATE TABLE cover (bookId INTEGER REFERENCES book(id) UNIQUE, color);
        CREATE TABLE shelf (label, room);
        """)
    recorder.clear()
    try body(db)
    return recorder.lines
  }
}

/// The SQL for the body of a table: the text after `CREATE TABLE "t" `, and the statements that follow.
func table(_ name: String = "t", _ body: (TableDefinition) throws -> Void) throws -> [String] {
  var lines = try statements { db in try db.create(table: name, body: body) }
  lines[0] = lines[0].replacing("CREATE TABLE \(name.quotedDatabaseIdentifier) ", with: "", maxReplacements: 1)
  return lines
}
