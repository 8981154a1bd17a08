import CSQLite

/// The Swift closures that SQLite calls on behalf of one connection.
///
/// SQLite has one slot for each kind of callback, and does not tell when it forgets it. So the
/// connection owns this object and keeps it until after it is closed; the C side borrows it. The
/// functions that C calls stand at file level: a closure written in actor-isolated code would inherit
/// that isolation, and trap when SQLite calls it on another thread (hazard S3).
final class ConnectionCallbacks {
  /// Asked again while another connection holds a lock: the number of times it was asked before in,
  /// whether to try again out.
  @exclusivity(unchecked) var busy: ((Int) -> Bool)?

  /// Told of statements and their durations.
  @exclusivity(unchecked) var trace: ((TraceSignal) -> Void)?

  /// Whether `trace` is not told for now.
  @exclusivity(unchecked) var isTraceMuted = false

  /// Asked about each thing that a statement under compilation wants to do.
  @exclusivity(unchecked) var authorizer: (any StatementAuthorizer)?

  /// Told, after a commit that has left the write-ahead log long, which database has got it, and how many frames its
  /// log has now.
  @exclusivity(unchecked) var didCommitToLog: ((_ name: String, _ frameCount: Int) -> Void)?

  /// How many frames make a log long.
  @exclusivity(unchecked) var longLogFrameCount = CInt.max

  /// Takes note of the commits of this connection, where somebody wants to tell them from those of others.
  let ownCommits = OwnCommits()

  /// The connection, for the hook of commits, which is not told it.
  @exclusivity(unchecked) fileprivate var connection: SQLiteConnection?

  /// Asked every few thousand instructions whether to stop.
  @exclusivity(unchecked) var shouldInterrupt: (() -> Bool)?

  /// Asked before each commit whether it may happen.
  @exclusivity(unchecked) var mayCommit: (() -> Bool)?

  /// Whether a commit was begun since this was last set to false. When the statement that did it fails, what it had
  /// written may be on the disk.
  @exclusivity(unchecked) var hasBegunCommit = false

  /// Whether SQLite has begun to commit, or has undone a transaction, since these were last set to false. Who wants to
  /// know how it ended looks at the first one when a statement has ended.
  @exclusivity(unchecked) var hasTransactionEnded = false
  @exclusivity(unchecked) var hasCommitted = false
  @exclusivity(unchecked) var hasRolledBack = false

  /// Told of rows that change.
  @exclusivity(unchecked) var rowChanges: (any RowChangeListener)?

  /// What SQLite reports while it traces.
  enum TraceSignal {
    case statement(SQLiteStatement, unexpandedSQL: UnsafePointer<CChar>)
    case profile(SQLiteStatement, nanoseconds: Int64)
  }

  static func borrowed(_ context: UnsafeMutableRawPointer?) -> ConnectionCallbacks {
    // SQLite gives back the pointer it was given, and that object lives as long as the connection.
    Unmanaged<ConnectionCallbacks>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// Judges what a statement under compilation wants to do.
protocol StatementAuthorizer: AnyObject {
  /// The parameters are those of `sqlite3_set_authorizer`. The answer is `SQLITE_OK`, `SQLITE_DENY` or
  /// `SQLITE_IGNORE`.
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

  /// C: `sqlite3_set_authorizer`. It expires all statements: it is installed when the connection opens,
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
        let callbacks = ConnectionCallbacks.borrowed(context)
        if callbacks.mayCommit?() == false { return 1 }
        callbacks.hasBegunCommit = true
        callbacks.hasCommitted = true
        // What was undone before is another transaction. SQLite begins one, and undoes it, to find out that the schema
        // has changed and that it must compile the statement again.
        callbacks.hasRolledBack = false
        callbacks.hasTransactionEnded = true
        if let connection = callbacks.connection { callbacks.ownCommits.willCommit(on: connection) }
        return 0
      }, callbacks.context)
  }

  /// C: `sqlite3_trace_v2`.
  func installTrace(_ callbacks: ConnectionCallbacks, mask: UInt32) throws {
    try check(sqlite3_trace_v2(pointer, mask, mask == 0 ? nil : traceDidHappen, callbacks.context))
  }

  /// Asks `shouldInterrupt` every `instructionCount` instructions of SQLite's machine. C:
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
  guard let trace = callbacks.trace, !callbacks.isTraceMuted, let statement, let detail else { return SQLITE_OK }
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
