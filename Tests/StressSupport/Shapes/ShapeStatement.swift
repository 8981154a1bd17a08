import CSQLite
import Tidemark

/// A statement, which may fail. The following statements are executed nevertheless.
package enum ShapeStatement: Codable, Sendable {
  case sql(String)

  /// A statement that is executed with the connection handle, without the library.
  case raw(String)

  /// A statement that is reset after its first row.
  case unfinished(String)

  /// Overwrites the first byte of a text or blob with `sqlite3_blob_write`.
  case blobWrite(schema: String, table: String, column: String, byte: UInt8)

  /// Statements in a savepoint of the library, which is rolled back.
  case undone([String])

  /// Replaces the database by a copy of itself, in which statements were executed.
  case restore([String])

  /// Detaches the attached database, and attaches another file with its tables, in which statements were executed.
  case attachAgain([String])

  /// The statement in SQL, or a comment.
  package var script: String {
    switch self {
    case .sql(let sql): "\(sql);"
    case .raw(let sql): "\(sql); -- with sqlite3_exec"
    case .unfinished(let sql): "\(sql); -- reset after its first row"
    case .blobWrite(let schema, let table, let column, let byte):
      "-- sqlite3_blob_write of byte \(byte) to \(schema).\(table), column \(column), row:\n"
        + "\(Self.rowID(schema: schema, table: table, column: column));"
    case .undone(let statements):
      "SAVEPOINT l;\n\(statements.joined(separator: ";\n"));\nROLLBACK TO l;\nRELEASE l; -- with `inSavepoint`"
    case .restore(let statements):
      "-- replaced by a copy, after:\n--   \(statements.joined(separator: ";\n--   "))"
    case .attachAgain(let statements):
      "-- another file is attached as aux, after:\n--   \(statements.joined(separator: ";\n--   "))"
    }
  }

  /// Executes the statement with the library.
  package func execute(_ db: Database, at site: ShapeSite) {
    do {
      switch self {
      case .sql(let sql): try db.execute(sql: sql)
      case .raw(let sql): sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
      case .unfinished(let sql):
        let cursor = try Row.fetchCursor(db, sql: sql)
        _ = try cursor.next()
        withExtendedLifetime(cursor) {}
      case .blobWrite(let schema, let table, let column, let byte):
        let query = Self.rowID(schema: schema, table: table, column: column)
        guard let row = try Int64.fetchOne(db, sql: query) else { return }
        Self.writeBlob(db.sqliteConnection, schema, table, column, row, byte)
      case .undone(let statements):
        try db.inSavepoint {
          for statement in statements { ShapeStatement.sql(statement).execute(db, at: site) }
          return .rollback
        }
      case .restore(let statements):
        let copy = try site.makeCopy(of: db, executing: statements)
        try copy.inDatabase { try $0.backup(to: db) }
      case .attachAgain(let statements): try site.attachAgain(db, executing: statements)
      }
    } catch {
      // A random statement may violate a constraint, or concern a dropped table.
    }
  }

  /// Executes the statement with a connection that does not use the library.
  func execute(_ connection: ConnectionWithoutLibrary) {
    switch self {
    case .sql(let sql), .raw(let sql): connection.execute(sql)
    case .unfinished(let sql): connection.executeFirstStep(sql)
    case .blobWrite(let schema, let table, let column, let byte):
      let query = Self.rowID(schema: schema, table: table, column: column)
      guard let row = connection.integer(query) else { return }
      Self.writeBlob(connection.handle, schema, table, column, row, byte)
    case .undone(let statements):
      connection.execute("SAVEPOINT l")
      for statement in statements { connection.execute(statement) }
      connection.execute("ROLLBACK TO l; RELEASE l")
    case .restore(let statements): connection.restore(executing: statements)
    case .attachAgain: break
    }
  }

  private static func writeBlob(
    _ connection: OpaquePointer?, _ schema: String, _ table: String, _ column: String, _ row: Int64, _ byte: UInt8
  ) {
    var blob: OpaquePointer?
    if sqlite3_blob_open(connection, schema, table, column, row, 1, &blob) == SQLITE_OK {
      sqlite3_blob_write(blob, [byte], 1, 0)
    }
    sqlite3_blob_close(blob)
  }

  private static func rowID(schema: String, table: String, column: String) -> String {
    let (table, column) = ("\(schema).\(table.quotedAsName)", column.quotedAsName)
    return "SELECT rowid FROM \(table) WHERE length(CAST(\(column) AS BLOB)) > 0 "
      + "AND typeof(\(column)) IN ('text', 'blob') ORDER BY rowid LIMIT 1"
  }
}

extension String {
  /// The name in SQL, quoted if it must be.
  package var quotedAsName: String {
    let isPlain =
      allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      && !["order", "group", "select"].contains(lowercased())
    return isPlain ? self : "\"\(replacing("\"", with: "\"\""))\""
  }
}
