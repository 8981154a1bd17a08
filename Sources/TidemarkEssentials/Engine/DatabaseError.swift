import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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

  /// What became of the commit, when it is a commit that failed: of `COMMIT`, or of a statement that is a transaction
  /// of its own. Nil for all other errors: they committed nothing.
  public internal(set) var commitOutcome: CommitOutcome?

  /// The error behind this one: what ended a transaction, when the error is that it was aborted; what the database was
  /// stopped for, when it refuses an access.
  public internal(set) var cause: (any Error)?

  /// The identifier of the migration that failed, when there is one. See `DatabaseMigrator`.
  ///
  /// It is shown by `debugDescription`, and by no other text: what an error says does not depend on who ran the
  /// statement.
  public internal(set) var migration: String?

  /// Whether `description` shows the arguments.
  let publicStatementArguments: Bool

  /// Whether the database refuses all accesses, because the outcome of a commit is unknown, or because its file was
  /// moved or replaced; `cause` is the error of that moment. Close the database, and open it again.
  public internal(set) var isDatabaseStopped = false

  /// Whether the system lacks what others may give back: descriptors.
  var lacksResources = false

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
  /// The same error in other words.
  func saying(_ message: String) -> DatabaseError {
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

  /// The error that a connection reports of its last failure. C: `sqlite3_errmsg`.
  init(
    code: CInt, connection: SQLiteConnection?, sql: String? = nil, arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    let code = ResultCode(rawValue: code)
    var message = connection.map { String(cString: sqlite3_errmsg($0)) }
    // Where a file cannot be opened, the system knows why. C: `sqlite3_system_errno`.
    let reason = code.primaryResultCode == .SQLITE_CANTOPEN ? sqlite3_system_errno(connection) : 0
    let lacksDescriptors = reason == EMFILE || reason == ENFILE
    if lacksDescriptors { message = "\(message ?? code.description): \(String(cString: strerror(reason)))" }
    self.init(
      resultCode: code, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments)
    lacksResources = lacksDescriptors
  }
}

// MARK: - Text

extension DatabaseError: CustomStringConvertible {
  /// The code, the message and the SQL. The arguments only where they are public.
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
  /// The description, and the migration that failed, when there is one: it is what a program shows that ends with the
  /// error.
  public var debugDescription: String {
    migration.map { "\(description) - in migration \(String(reflecting: $0))" } ?? description
  }
}
