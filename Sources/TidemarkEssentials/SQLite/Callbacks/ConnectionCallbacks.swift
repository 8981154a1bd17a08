import CSQLite

/// The Swift closures that SQLite calls on behalf of one connection.
///
/// SQLite has one slot for each kind of callback, and does not report when it drops it. So the
/// connection owns this object and keeps it until after it is closed; the C side borrows it. The
/// C functions are declared at file level: a closure written in actor-isolated code would inherit
/// this isolation, and trap when SQLite calls it on another thread (hazard S3).
final class ConnectionCallbacks {
  /// Called while another connection holds a lock. Receives the number of previous calls, and returns
  /// whether to try again.
  var busy: ((Int) -> Bool)?

  /// Called with statements and their durations.
  var trace: ((TraceSignal) -> Void)?

  /// Whether `trace` is disabled.
  var isTraceSuspended = false

  /// Called for each action that a statement performs, while it is compiled.
  var authorizer: (any StatementAuthorizer)?

  /// Called after a commit that leaves a long write-ahead log, with the name of its database and the number of frames
  /// of its log.
  var didCommitToLog: ((_ name: String, _ frameCount: Int) -> Void)?

  /// The number of frames that make a log long.
  var longLogFrameCount = CInt.max

  /// Records the commits of this connection, to distinguish them from external ones.
  let ownCommits = OwnCommitTracker()

  /// The connection, which SQLite does not pass to the commit hook.
  fileprivate var connection: SQLiteConnection?

  /// Called every few thousand instructions; returns whether to interrupt the statement.
  var shouldInterrupt: (() -> Bool)?

  /// Receives commits and rollbacks. Not retained: it owns this object.
  unowned(unsafe) var transactionHooks: (any TransactionHooks)?

  /// Receives changed rows.
  @exclusivity(unchecked) var rowChanges: (any RowChangeListener)?

  /// The events that SQLite traces.
  enum TraceSignal {
    case statement(SQLiteStatement, unexpandedSQL: UnsafePointer<CChar>)
    case profile(SQLiteStatement, nanoseconds: Int64)
  }

  static func borrowed(_ context: UnsafeMutableRawPointer?) -> ConnectionCallbacks {
    // SQLite returns the pointer that it was given, and the object lives as long as the connection.
    Unmanaged<ConnectionCallbacks>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  /// The same for frequent calls: the object is not retained.
  @inline(__always)
  static func withBorrowed<Result>(
    _ context: UnsafeMutableRawPointer?, _ body: (ConnectionCallbacks) -> Result
  ) -> Result {
    Unmanaged<ConnectionCallbacks>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// Receives the commit and rollback hooks of a connection. The connection cannot be used meanwhile.
protocol TransactionHooks: AnyObject {
  /// Called before each commit. Returns whether to commit.
  func commitWillBegin() -> Bool

  /// Called when a transaction is rolled back.
  func transactionDidRollBack()
}

/// Decides about the actions of a statement under compilation.
protocol StatementAuthorizer: AnyObject {
  /// Called with the parameters of `sqlite3_set_authorizer`. Returns `SQLITE_OK`, `SQLITE_DENY` or `SQLITE_IGNORE`.
  func authorize(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, _ triggerOrView: UnsafePointer<CChar>?
  ) -> CInt
}

// MARK: - Installation

extension ConnectionHandle {
  /// C: `sqlite3_busy_handler`.
  func installBusyHandler(_ callbacks: ConnectionCallbacks) throws {
    try check(
      sqlite3_busy_handler(
        pointer,
        { context, count in
          ConnectionCallbacks.borrowed(context).busy?(Int(count)) == true ? 1 : 0
        }, callbacks.context))
  }

  /// C: `sqlite3_set_authorizer`. Installing it expires all statements: it is installed when the connection opens,
  /// and never again.
  func installAuthorizer(_ callbacks: ConnectionCallbacks) throws {
    try check(
      sqlite3_set_authorizer(
        pointer,
        { context, action, first, second, database, triggerOrView in
          guard let authorizer = ConnectionCallbacks.borrowed(context).authorizer else { return SQLITE_OK }
          return authorizer.authorize(action, first, second, database, triggerOrView)
        }, callbacks.context))
  }

  /// C: `sqlite3_commit_hook`.
  func installCommitHook(_ callbacks: ConnectionCallbacks) {
    callbacks.connection = pointer
    sqlite3_commit_hook(
      pointer,
      { context in
        ConnectionCallbacks.withBorrowed(context) { callbacks in
          if callbacks.transactionHooks?.commitWillBegin() == false { return 1 }
          if let connection = callbacks.connection { callbacks.ownCommits.willCommit(on: connection) }
          return 0
        }
      }, callbacks.context)
  }

  /// C: `sqlite3_trace_v2`.
  func installTrace(_ callbacks: ConnectionCallbacks, mask: UInt32) throws {
    try check(sqlite3_trace_v2(pointer, mask, mask == 0 ? nil : traceDidHappen, callbacks.context))
  }

  /// Calls `shouldInterrupt` every `instructionCount` instructions of SQLite's virtual machine. C:
  /// `sqlite3_progress_handler`.
  func installProgressHandler(_ callbacks: ConnectionCallbacks, every instructionCount: CInt) {
    sqlite3_progress_handler(
      pointer, instructionCount,
      { context in
        ConnectionCallbacks.borrowed(context).shouldInterrupt?() == true ? 1 : 0
      }, callbacks.context)
  }

  /// C: `sqlite3_progress_handler`.
  func removeProgressHandler() {
    sqlite3_progress_handler(pointer, 0, nil, nil)
  }
}

private func traceDidHappen(
  event: UInt32, context: UnsafeMutableRawPointer?, statement: UnsafeMutableRawPointer?,
  detail: UnsafeMutableRawPointer?
) -> CInt {
  let callbacks = ConnectionCallbacks.borrowed(context)
  guard let trace = callbacks.trace, !callbacks.isTraceSuspended, let statement, let detail else { return SQLITE_OK }
  switch CInt(event) {
  case SQLITE_TRACE_STMT:
    trace(.statement(SQLiteStatement(statement), unexpandedSQL: detail.assumingMemoryBound(to: CChar.self)))
  case SQLITE_TRACE_PROFILE:
    trace(
      .profile(SQLiteStatement(statement), nanoseconds: detail.assumingMemoryBound(to: Int64.self).pointee))
  default:
    break
  }
  return SQLITE_OK
}
