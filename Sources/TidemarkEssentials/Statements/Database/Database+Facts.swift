import CSQLite

// Properties of a connection, and of SQLite.

extension Database {
  /// The maximum number of parameters of a statement. C: `sqlite3_limit` of `SQLITE_LIMIT_VARIABLE_NUMBER`.
  public var maximumStatementArgumentCount: Int {
    preconditionAccess()
    // A negative value leaves the limit unchanged, and returns it.
    return handle.map { Int($0.limit(SQLITE_LIMIT_VARIABLE_NUMBER, -1)) } ?? 0
  }

  /// The code of the last failure of the connection; undefined after a success. C:
  /// `sqlite3_extended_errcode`.
  public var lastErrorCode: ResultCode {
    preconditionAccess()
    return handle?.lastErrorCode ?? .SQLITE_MISUSE
  }

  /// The message of the last failure of the connection. C: `sqlite3_errmsg`.
  public var lastErrorMessage: String? {
    preconditionAccess()
    return handle?.lastErrorMessage
  }

  /// The version of the linked SQLite: 3040001 for 3.40.1. C: `sqlite3_libversion_number`.
  public static var sqliteLibVersionNumber: CInt { SQLiteLibrary.versionNumber }
}
