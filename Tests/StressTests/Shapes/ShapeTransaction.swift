import CSQLite
import Tidemark

/// A random transaction: its statements, with those that begin and end it.
struct ShapeTransaction: Sendable {
  var statements: [ShapeStatement]
  var shapes: Set<Shape>

  /// Whether another connection executes it.
  var isExternal = false
}

/// A statement, which may fail. The following statements are executed nevertheless.
enum ShapeStatement: Sendable {
  case sql(String)

  /// A statement that is executed with the connection handle, without the library.
  case raw(String)

  /// Overwrites the first byte of a text or blob with `sqlite3_blob_write`.
  case blobWrite(schema: String, table: String, column: String, byte: UInt8)

  /// The statement in SQL, or a comment.
  var script: String {
    switch self {
    case .sql(let sql): "\(sql);"
    case .raw(let sql): "\(sql); -- with sqlite3_exec"
    case .blobWrite(let schema, let table, let column, let byte):
      "-- sqlite3_blob_write of byte \(byte) to \(schema).\(table), column \(column), row:\n"
        + "\(Self.rowID(schema: schema, table: table, column: column));"
    }
  }

  func execute(_ db: Database) {
    do {
      switch self {
      case .sql(let sql): try db.execute(sql: sql)
      case .raw(let sql): sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
      case .blobWrite(let schema, let table, let column, let byte):
        let query = Self.rowID(schema: schema, table: table, column: column)
        guard let row = try Int64.fetchOne(db, sql: query) else { return }
        var blob: OpaquePointer?
        if sqlite3_blob_open(db.sqliteConnection, schema, table, column, row, 1, &blob) == SQLITE_OK {
          sqlite3_blob_write(blob, [byte], 1, 0)
        }
        sqlite3_blob_close(blob)
      }
    } catch {
      // A random statement may violate a constraint, or concern a dropped table.
    }
  }

  private static func rowID(schema: String, table: String, column: String) -> String {
    let (table, column) = ("\(schema).\(table.quotedAsName)", column.quotedAsName)
    return "SELECT rowid FROM \(table) WHERE length(CAST(\(column) AS BLOB)) > 0 "
      + "AND typeof(\(column)) IN ('text', 'blob') ORDER BY rowid LIMIT 1"
  }
}
