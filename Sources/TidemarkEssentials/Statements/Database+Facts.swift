import CSQLite

// What SQLite says of a connection, and of itself.

extension Database {
  /// How many parameters a statement can have. C: `sqlite3_limit` of `SQLITE_LIMIT_VARIABLE_NUMBER`.
  public var maximumStatementArgumentCount: Int {
    preconditionAccess()
    // A negative value changes nothing, and answers what it is.
    return handle.map { Int($0.limit(SQLITE_LIMIT_VARIABLE_NUMBER, -1)) } ?? 0
  }

  /// The code of the last failure of the connection; what it is after a success, SQLite does not say. C:
  /// `sqlite3_extended_errcode`.
  public var lastErrorCode: ResultCode {
    preconditionAccess()
    return handle?.lastErrorCode ?? .SQLITE_MISUSE
  }

  /// The words for the last failure of the connection. C: `sqlite3_errmsg`.
  public var lastErrorMessage: String? {
    preconditionAccess()
    return handle?.lastErrorMessage
  }

  /// The version of the SQLite at hand: 3040001 for 3.40.1. C: `sqlite3_libversion_number`.
  public static var sqliteLibVersionNumber: CInt { SQLiteLibrary.versionNumber }
}
