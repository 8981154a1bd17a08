import Synchronization

// One thread at a time uses a connection. The compiler prevents sending a `Database` to another task, but a closure can
// still store it in a variable. These checks detect that.

extension Database {
  /// Runs a closure that may use the connection, on the target queue if there is one. The caller must have exclusive
  /// access to the connection.
  ///
  /// This function is inlined, as are all functions between an access and its closure: nested generic functions would
  /// pass each result through memory (Benchmarks: `access: pool.read`). Code that does not depend on the type of the
  /// result is in separate functions.
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

  /// Runs a closure of the library that changes nothing, on the calling thread, which may hold locks: changes that the
  /// program has made without the library are reported by the next access.
  func withUnreportedAccess<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    let previous = beginAccess()
    defer { accessor.store(previous, ordering: .relaxed) }
    return try body(self)
  }

  private func beginAccess() -> ThreadID {
    // A load and a store avoid the cost of an atomic exchange: no other thread writes the value meanwhile.
    let previous = accessor.load(ordering: .relaxed)
    accessor.store(currentThreadID(), ordering: .relaxed)
    transaction.acknowledgeAbort()
    if settings.health.isInherited {
      becomeInherited()
    } else if deferredReleases.isPending {
      access.runningStatementCount -= deferredReleases.performPending()
    }
    // Even if the program uses no statement of the library.
    if capture.rowNeeds.exist != capture.receivesRows { capture.changeObserver?.rowNeedsDidChange() }
    return previous
  }

  private func endAccess(_ previous: ThreadID) {
    // Changes that the program made without the library are reported before the next access.
    if transaction.ending != .none { capture.changeObserver?.transactionMayHaveEnded(on: self, after: nil) }
    if capture.isHandleExposed { capture.changeObserver?.sharedAccessWillEnd() }
    accessor.store(previous, ordering: .relaxed)
  }

  /// Traps if the connection is used outside of its access.
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

  /// Returns the open connection.
  ///
  /// - Throws: An error of code `SQLITE_MISUSE` if it was closed, or the error that stopped the database.
  func openHandle() throws -> ConnectionHandle {
    if !settings.health.isUsable, let refusal = settings.health.refusal { throw refusal }
    guard let handle else { throw Self.closedError }
    return handle
  }

  /// Whether no transaction is open.
  var isInAutocommitMode: Bool { handle?.isInAutocommitMode ?? true }

  /// Whether this process is a child, created by `fork`, of the process that opened the connection.
  var isInherited: Bool { settings.health.isInherited }

  static var inheritedError: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        the database was opened before fork() and cannot be used in the child process: open it again in the child, \
        or start programs with posix_spawn
        """)
  }

  static var closedError: DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
  }
}

extension Database {
  /// Closes the connection, after finalizing the cached statements. If the program still retains a statement, the
  /// method throws, and the connection stays usable.
  func close() throws {
    if settings.health.isInherited { becomeInherited() }
    guard let handle else { return }
    forgetStatements()
    access.runningStatementCount -= deferredReleases.performPending()
    try handle.close()
    RowChangeRegistry.remove(handle.pointer)
    releaseObservers()
    InvalidText.forget(handle.pointer)
    self.handle = nil
  }

  /// Closes the connection even if the program retains statements: SQLite frees it when the last of them is finalized.
  /// None of them can run any more.
  func closeWithStatements() {
    guard let handle, !settings.health.isInherited else { return }
    handle.closeEventually()
    RowChangeRegistry.remove(handle.pointer)
    releaseObservers()
    InvalidText.forget(handle.pointer)
    self.handle = nil
    closeAfterLastStatement()
  }

  /// Releases what is called for statements: a closure of the program may refer to this connection.
  private func releaseObservers() {
    setChangeObserver(nil)
    callbacks.trace = nil
  }

  /// Logs the statements that prevent the connection from being closed.
  func logUnfinalizedStatements(_ error: any Error) {
    guard let handle, let error = error as? DatabaseError, error.resultCode == .SQLITE_BUSY else { return }
    for sql in handle.statementTexts { ErrorLog.write(error.resultCode, "unfinalized statement: \(sql)") }
  }

  /// Abandons the connection in a child created by `fork`. It stays open, because it belongs to the parent.
  private func becomeInherited() {
    handle = nil
    forgetStatements()
  }

  /// Marks the connection as closed without closing it: SQLite closes it when the last statement of the program is
  /// finalized. No access follows.
  func closeAfterLastStatement() {
    forgetStatements()
    deferredReleases.becomeOrphaned()
  }

  /// Releases the cached statements.
  func forgetStatements() {
    caches.removeAll()
    moduleStates.forEach { $0.moduleState.forgetStatements() }
  }
}
