import Tidemark

/// Runs a closure on a new database in memory.
@discardableResult
func inMemory<T>(
  _ configuration: Configuration = Configuration(), _ body: (Database) throws -> T
) throws -> T {
  try DatabaseQueue(configuration: configuration).inDatabase(body)
}

/// Runs a closure on a new database in memory, with the tables of most examples.
@discardableResult
func inLibrary<T>(
  _ configuration: Configuration = Configuration(), _ body: (Database) throws -> T
) throws -> T {
  try inMemory(configuration) { db in
    try db.execute(
      sql: """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, authorId INTEGER);
        INSERT INTO author VALUES (7, 'Frank');
        INSERT INTO book VALUES (1, 'Dune', 7), (2, NULL, 7), (3, 'Solaris', NULL);
        """)
    return try body(db)
  }
}

/// The first row of a query, as a copy.
func firstRow(_ sql: String, adapter: (any RowAdapter)? = nil) throws -> Row {
  try inMemory { db in
    guard let row = try Row.fetchOne(db, sql: sql, adapter: adapter) else { throw NoRow() }
    return row
  }
}

/// The result of a closure for the first row of a query, in a cursor.
@discardableResult
func withLiveRow<T>(
  _ sql: String, arguments: StatementArguments = [], adapter: (any RowAdapter)? = nil,
  _ body: (Row) throws -> T
) throws -> T {
  try inMemory { db in
    let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)
    guard let row = try cursor.next() else { throw NoRow() }
    return try withExtendedLifetime(cursor) { try body(row) }
  }
}

struct NoRow: Error {}

/// The description of the error that a closure throws.
func errorText(_ body: () throws -> some Any) -> String {
  do {
    return "no error, but \(try body())"
  } catch {
    return "\(error)"
  }
}
