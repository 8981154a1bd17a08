import Synchronization

// A connection belongs to one thread at a time. The compiler refuses to send a `Database` to another
// task, but a closure can still put it in a variable: these checks tell.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread, as an integer.
@usableFromInline typealias ThreadID = UInt

/// The thread that asks. C: `pthread_self`.
@inline(__always)
func currentThreadID() -> ThreadID {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

extension Database {
  /// Runs a closure that may use the connection, on the target queue if there is one.
  ///
  /// Whoever calls it has exclusive access to the connection.
  ///
  /// It is inlined, as are all functions between an access and its closure: a generic function hands a result of any
  /// type on through memory, and there are several of them, one inside the other (Benchmarks: `access: pool.read`).
  /// What is the same for all results stands in functions of its own.
  @inline(__always)
  func withAccess<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    if let queue = settings.targetQueue { return try queue.sync { try withAccessHere(body) } }
    return try withAccessHere(body)
  }

  /// Runs a closure of the library that may use the connection, on the calling thread.
  @inline(__always)
  func withAccessHere<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    let previous = beginAccess()
    defer { endAccess(previous) }
    return try body(self)
  }

  private func beginAccess() -> ThreadID {
    // Not exchanged, which would be an instruction that all processors wait for: nobody else writes it meanwhile.
    let previous = accessor.load(ordering: .relaxed)
    accessor.store(currentThreadID(), ordering: .relaxed)
    abortCause = nil
    if settings.health.isInherited {
      becomeInherited()
    } else if deferredReleases.isPending {
      runningCount -= deferredReleases.performPending()
    }
    // Even if the program uses no statement of the library.
    if rowListening.isOn != isListeningToRows { executionObserver?.listeningDidChange() }
    return previous
  }

  private func endAccess(_ previous: ThreadID) {
    // What the program has done without the library is told before somebody else has the connection.
    if callbacks.hasTransactionEnded { executionObserver?.transactionMayHaveEnded(after: nil) }
    if isHandleExposed { executionObserver?.sharedAccessWillEnd() }
    accessor.store(previous, ordering: .relaxed)
  }

  /// Traps when the connection is used outside of its access.
  @inline(__always)
  func preconditionAccess() {
    if !isAccessible { accessViolation() }
  }

  @inline(never)
  private func accessViolation() -> Never {
    fatalError(
      """
      Database was not used on the correct thread. A database connection can only be used inside the closure \
      of the access that gave it (read, write…), and on the thread that runs this closure. Fetch what you need \
      as arrays or values, and return them from the closure.
      """)
  }

  /// Whether the calling thread may use the connection.
  @inline(__always)
  var isAccessible: Bool { accessor.load(ordering: .relaxed) == currentThreadID() }

  /// The open connection.
  ///
  /// - throws: An error of code `SQLITE_MISUSE` when it was closed; another one when the database was stopped.
  func openHandle() throws -> ConnectionHandle {
    if !settings.health.isUsable, let refusal = settings.health.refusal { throw refusal }
    guard let handle else { throw Self.closedError }
    return handle
  }

  /// Whether no transaction is open.
  var isInAutocommitMode: Bool { handle?.isInAutocommitMode ?? true }

  /// Whether this is a child, made by `fork`, of the process that opened the connection.
  var isInherited: Bool { settings.health.isInherited }

  static var inheritedError: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        the database was opened before fork(), and this is the child: open it again here, or start programs with \
        posix_spawn
        """)
  }

  static var closedError: DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
  }
}

extension Database {
  /// Closes the connection.
  ///
  /// It finalizes the statements that the library keeps. Statements that the program still holds
  /// prevent it: the error says so, and the connection stays usable.
  func close() throws {
    if settings.health.isInherited { becomeInherited() }
    guard let handle else { return }
    forgetStatements()
    runningCount -= deferredReleases.performPending()
    try handle.close()
    RowChangeRegistry.remove(handle.pointer)
    executionObserver = nil
    InvalidText.forget(handle.pointer)
    self.handle = nil
  }

  /// Closes the connection also when the program holds statements: SQLite frees it when the last of them is released.
  /// None of them runs any more.
  func closeWithStatements() {
    guard let handle, !settings.health.isInherited else { return }
    handle.closeEventually()
    RowChangeRegistry.remove(handle.pointer)
    executionObserver = nil
    InvalidText.forget(handle.pointer)
    self.handle = nil
    closeAfterLastStatement()
  }

  /// Logs the statements that keep the connection from being closed.
  func logUnfinalizedStatements(_ error: any Error) {
    guard let handle, let error = error as? DatabaseError, error.resultCode == .SQLITE_BUSY else { return }
    for sql in handle.statementTexts { ErrorLog.write(error.resultCode, "unfinalized statement: \(sql)") }
  }

  /// Lets go of the connection in a child made by `fork`: it stays open, as the parent has it, and nobody touches it.
  private func becomeInherited() {
    handle = nil
    forgetStatements()
  }

  /// Gives the connection up without closing it: SQLite closes it when the last statement is gone that the program
  /// holds. There is no access any more.
  func closeAfterLastStatement() {
    forgetStatements()
    deferredReleases.becomeOrphaned()
  }

  /// Frees the statements that the library keeps.
  func forgetStatements() {
    statements.removeAll()
    publicStatements.removeAll()
    controlStatements = []
    moduleStates.forEach { $0.moduleState.forgetStatements() }
  }
}
