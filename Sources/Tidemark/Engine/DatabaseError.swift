import CSQLite
public import Foundation

/// SQLite, or the library on its behalf, could not do what was asked.
///
/// ```swift
/// do {
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
/// } catch let error as DatabaseError {
///   error.resultCode          // 19 (constraint failed)
///   error.extendedResultCode  // 2067 (constraint failed)
///   error.message             // "UNIQUE constraint failed: book.title"
///   error.sql                 // "INSERT INTO book (title) VALUES (?)"
/// }
/// ```
///
/// The values bound to the statement are kept apart from the text: `description` does not show them
/// unless `Configuration.publicStatementArguments` is set, since they may be secrets that end up in a log.
public struct DatabaseError: Error {
  /// The code without its detail.
  public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

  /// The code with its detail.
  public let extendedResultCode: ResultCode

  /// What went wrong, in words.
  public let message: String?

  /// The statement that failed, when there is one.
  public let sql: String?

  /// The values that were bound to the statement, when there is one.
  public let arguments: StatementArguments?

  /// The identifier of the migration that failed, when there is one. See `DatabaseMigrator`.
  public internal(set) var migration: String?

  /// Whether `description` shows the arguments.
  let publicStatementArguments: Bool

  /// An error. Without a message, it says what SQLite says of the code.
  public init(
    resultCode: ResultCode = .SQLITE_ERROR,
    message: String? = nil,
    sql: String? = nil,
    arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    self.extendedResultCode = resultCode
    self.message = message ?? resultCode.text
    self.sql = sql
    self.arguments = arguments
    self.publicStatementArguments = publicStatementArguments
  }

  /// Whether the failure comes from an interruption, or from a transaction that was aborted.
  public var isInterruptionError: Bool {
    resultCode == .SQLITE_ABORT || resultCode == .SQLITE_INTERRUPT
  }
}

// MARK: - What SQLite says

extension DatabaseError {
  /// The error that a connection reports of its last failure. C: `sqlite3_errmsg`.
  init(
    code: CInt, connection: SQLiteConnection?, sql: String? = nil, arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    self.init(
      resultCode: ResultCode(rawValue: code),
      message: connection.map { String(cString: sqlite3_errmsg($0)) },
      sql: sql,
      arguments: arguments,
      publicStatementArguments: publicStatementArguments)
  }
}

// MARK: - Text

extension DatabaseError: CustomStringConvertible {
  /// The code, the message and the SQL, and the migration that failed. The arguments only where they are public.
  public var description: String { describe(showsArguments: publicStatementArguments) }

  /// The code, the message, the SQL and the arguments.
  public var expandedDescription: String { describe(showsArguments: true) }

  private func describe(showsArguments: Bool) -> String {
    var text = "SQLite error \(resultCode.rawValue)"
    if let message { text += ": \(message)" }
    if let sql { text += " - while executing `\(sql.trimmedSQLStatement)`" }
    if showsArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
    if let migration { text += " - in migration \(String(reflecting: migration))" }
    return text
  }
}

extension DatabaseError: CustomNSError {
  /// The domain of these errors, as Foundation sees them.
  public static var errorDomain: String { "GRDB.DatabaseError" }

  /// The extended result code.
  public var errorCode: Int { Int(extendedResultCode.rawValue) }

  /// The description, and the message as the failure reason.
  public var errorUserInfo: [String: Any] {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    userInfo[NSLocalizedFailureReasonErrorKey] = message
    return userInfo
  }
}
