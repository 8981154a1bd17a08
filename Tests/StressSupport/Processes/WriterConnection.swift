import CSQLite
import Tidemark

/// A connection on which random SQL is executed: with the library, or without it.
package protocol WriterConnection {
  /// Executes statements.
  ///
  /// - Returns: Whether all of them have succeeded: a random statement may fail.
  func execute(_ sql: String) -> Bool

  /// Returns the rows of a query as texts; none if it fails.
  func rows(_ sql: String) -> [[String]]

  /// Overwrites the first byte of a value with an incremental write, without the library.
  ///
  /// - Returns: Whether a byte was written.
  func overwriteByte(table: String, column: String, rowID: Int) -> Bool

  var isInTransaction: Bool { get }

  /// The number of rows that the connection has changed since it was opened.
  var changeCount: Int { get }
}

/// A connection of a queue or a pool, for the length of an access.
package struct LibraryConnection: WriterConnection {
  private let db: Database

  package init(_ db: Database) { self.db = db }

  package func execute(_ sql: String) -> Bool {
    do {
      try db.execute(sql: sql)
      return true
    } catch {
      return false
    }
  }

  package func rows(_ sql: String) -> [[String]] {
    do {
      return try Row.fetchAll(db, sql: sql).map { row in row.databaseValues.map { String.fromDatabaseValue($0) ?? "" } }
    } catch {
      return []
    }
  }

  // The library does not see such a write of its connection.
  package func overwriteByte(table: String, column: String, rowID: Int) -> Bool { false }

  package var isInTransaction: Bool { db.isInsideTransaction }
  package var changeCount: Int { db.totalChangesCount }
}

/// A connection that uses the C interface.
package final class PlainConnection: WriterConnection {
  private let connection: OpaquePointer?

  /// - Parameter creates: Whether the file is created if it does not exist.
  /// - Parameter busyMilliseconds: How long a statement waits for the locks of other processes.
  package init(path: String, creates: Bool = false, busyMilliseconds: Int) {
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &connection, flags, nil)
    precondition(code == SQLITE_OK, "\(path) cannot be opened: \(code)")
    self.connection = connection
    sqlite3_busy_timeout(connection, CInt(busyMilliseconds))
  }

  deinit { sqlite3_close(connection) }

  package func execute(_ sql: String) -> Bool { sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK }

  package func rows(_ sql: String) -> [[String]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map {
          sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }
  package var changeCount: Int { Int(sqlite3_total_changes(connection)) }

  package func overwriteByte(table: String, column: String, rowID: Int) -> Bool {
    var blob: OpaquePointer?
    defer { sqlite3_blob_close(blob) }
    guard sqlite3_blob_open(connection, "main", table, column, Int64(rowID), 1, &blob) == SQLITE_OK else {
      return false
    }
    return sqlite3_blob_bytes(blob) > 0 && sqlite3_blob_write(blob, "c", 1, 0) == SQLITE_OK
  }
}
