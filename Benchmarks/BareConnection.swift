import CSQLite

/// A connection and its statements without any library, as a program in C would use them.
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

/// Makes SQLite copy the bound bytes.
let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
