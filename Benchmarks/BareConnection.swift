import CSQLite

/// A connection without any library, for the loops in C of `Baseline`.
final class BareConnection {
  let connection: OpaquePointer

  init(_ path: String) throws {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let connection else { throw BareError(code: code) }
    self.connection = connection
  }

  deinit { sqlite3_close(connection) }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    if code != SQLITE_OK { throw BareError(code: code) }
  }

  /// Runs a loop in C, and checks the number of rows that it returns.
  func run(_ count: Int, _ loop: (OpaquePointer) -> Int64) throws {
    let result = loop(connection)
    if result < 0 { throw BareError(code: CInt(-result)) }
    precondition(result == count, "\(result) rows were read or written, of \(count)")
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw BareError(code: code) }
    return statement
  }
}

struct BareError: Error {
  let code: CInt
}
