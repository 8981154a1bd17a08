import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A failure of SQLite, or of the library on behalf of it.
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
/// The values of the statement's arguments are stored separately: `description` does not show them
/// unless `Configuration.publicStatementArguments` is set, since logs should not contain secrets.
public struct DatabaseError: Error {
  /// The primary result code.
  public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

  /// The extended result code.
  public let extendedResultCode: ResultCode

  /// The message that describes the failure.
  public let message: String?

  /// The statement that failed, if any.
  public let sql: String?

  /// The arguments of the statement that failed, if any.
  public let arguments: StatementArguments?

  /// The outcome of a failed commit: of `COMMIT`, or of a statement in autocommit mode.
  /// Nil for all other errors, which have committed nothing.
  public internal(set) var commitOutcome: CommitOutcome?

  /// The underlying error: the reason why a transaction was aborted, or why a stopped database
  /// refuses an access; or the error that a full-text tokenizer has thrown.
  public internal(set) var cause: (any Error)?

  /// The identifier of the failed migration, if any. See ``DatabaseMigrator``.
  ///
  /// Only `debugDescription` shows it: other descriptions of an error do not depend on the code that executed
  /// the statement.
  public internal(set) var migration: String?

  /// Whether `description` shows the arguments.
  let publicStatementArguments: Bool

  /// Whether the database refuses all accesses, because the outcome of a commit is unknown, or because its file was
  /// moved or replaced. ``cause`` is the original error. Close the database, and open it again.
  public internal(set) var isDatabaseStopped = false

  /// Whether a system resource is missing that may become free again: file descriptors.
  var lacksResources = false

  /// The same error, as the failure of another statement.
  func attributed(
    to sql: String, _ arguments: StatementArguments, publicStatementArguments: Bool
  ) -> DatabaseError {
    var error = DatabaseError(
      resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments)
    (error.commitOutcome, error.cause, error.migration) = (commitOutcome, cause, migration)
    (error.isDatabaseStopped, error.lacksResources) = (isDatabaseStopped, lacksResources)
    return error
  }

  /// Creates an error. Without a message, it has SQLite's standard message for the code.
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

// MARK: - Errors of connections

extension DatabaseError {
  /// Returns the same error with another message.
  func withMessage(_ message: String) -> DatabaseError {
    var error = DatabaseError(
      resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments)
    error.commitOutcome = commitOutcome
    error.cause = cause
    error.migration = migration
    error.isDatabaseStopped = isDatabaseStopped
    error.lacksResources = lacksResources
    return error
  }

  /// Creates an error from the last failure of a connection. C: `sqlite3_errmsg`.
  init(
    code: CInt, connection: SQLiteConnection?, sql: String? = nil, arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    let code = ResultCode(rawValue: code)
    // For some misuses, SQLite leaves the code and the message of an earlier failure.
    let hasMessage = code != .SQLITE_MISUSE || ResultCode(rawValue: sqlite3_errcode(connection)) == code
    var message = hasMessage ? connection.map { String(cString: sqlite3_errmsg($0)) } : nil
    // If a file cannot be opened, the system error has the reason. C: `sqlite3_system_errno`.
    let reason = code.primaryResultCode == .SQLITE_CANTOPEN ? sqlite3_system_errno(connection) : 0
    let lacksDescriptors = reason == EMFILE || reason == ENFILE
    if lacksDescriptors { message = "\(message ?? code.description): \(String(cString: strerror(reason)))" }
    // SQLite's message says only that the database cannot be written.
    if code == .SQLITE_READONLY_DBMOVED { message = Self.movedMessage }
    self.init(
      resultCode: code, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments)
    lacksResources = lacksDescriptors
    if TokenizerFailure.mayExist { cause = TokenizerFailure.take(code.rawValue) }
  }
}

extension DatabaseError {
  /// The message of `SQLITE_READONLY_DBMOVED`.
  static let movedMessage = "the database file was moved, deleted or replaced while it was open"
}

// MARK: - Text

extension DatabaseError: CustomStringConvertible {
  /// The code, the message and the SQL. The arguments are included only if they are public.
  public var description: String { describe(showsArguments: publicStatementArguments) }

  /// The code, the message, the SQL and the arguments.
  public var expandedDescription: String { describe(showsArguments: true) }

  private func describe(showsArguments: Bool) -> String {
    var text = "SQLite error \(resultCode.rawValue)"
    if let message { text += ": \(message)" }
    if let sql { text += " - while executing `\(sql.trimmedSQLStatement)`" }
    if showsArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
    return text
  }
}

extension DatabaseError: CustomDebugStringConvertible {
  /// The description, and the failed migration, if any: the text that a program shows when it ends with the
  /// error.
  public var debugDescription: String {
    migration.map { "\(description) - in migration \(String(reflecting: $0))" } ?? description
  }
}
