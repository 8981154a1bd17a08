import CSQLite

/// A database that is queried without the library, on the file system of the machine.
final class PlainDatabase {
  private var connection: OpaquePointer?

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// - Parameter keepsLog: Whether the write-ahead log stays when this is the last connection that is closed. The change
  ///   feed needs it to find out that there were no other commits.
  init(path: String, creates: Bool = false, vfs: String? = nil, keepsLog: Bool = false) throws {
    let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(path, &connection, flags, vfs) == SQLITE_OK else {
      defer { sqlite3_close(connection) }
      throw failure("open")
    }
    var isOn: CInt = 1
    if keepsLog { sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn) }
  }

  deinit { sqlite3_close(connection) }

  private func failure(_ sql: String) -> Failure {
    Failure(
      description: "\(sql): \(sqlite3_extended_errcode(connection)) \(String(cString: sqlite3_errmsg(connection)))")
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// The values of the first column.
  func texts(_ sql: String) throws -> [String] {
    try column(sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } ?? "" }
  }

  /// The values of the first column.
  func numbers(_ sql: String) throws -> [Int] {
    try column(sql) { Int(sqlite3_column_int64($0, 0)) }
  }

  private func column<Value>(_ sql: String, _ value: (OpaquePointer?) -> Value) throws -> [Value] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var values: [Value] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: values.append(value(statement))
      case SQLITE_DONE: return values
      default: throw failure(sql)
      }
    }
  }
}
