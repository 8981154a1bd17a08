import CSQLite

// The runs of a statement.
//
//     start ──► chooses the step mode ──► step, step, … ──► end
//
//     plain       sqlite3_step
//     captured    the first step bypasses capture, or the change observer observes it; then plain
//     followed    sqlite3_step, then the observers of the run
//     inOwnTransaction    sqlite3_step; at the end, COMMIT
//
// After a failed step, `failure` ends the run, and determines the effects on the transaction.

extension Statement {
  /// Begins a run, and returns whether there is a row. The next start of the statement continues this run with that
  /// row.
  ///
  /// A statement that changes rows is run once this way, if the caller must know whether there is a row.
  func startHoldingRow() throws -> Bool {
    try start()
    runState.holdsRow = try stepToFirstRow()
    if !runState.holdsRow { finish() }
    return runState.holdsRow
  }

  /// The first step of a run, or the row that `startHoldingRow` has fetched.
  func stepToFirstRow() throws -> Bool {
    if runState.holdsRow {
      runState.holdsRow = false
      return true
    }
    let hasRow = try step()
    if runState.isPassedToProgram { runState.insertedRowID = database.lastInsertedRowID }
    return hasRow
  }

  /// Whether a run affects the transaction as a whole, the schema, or the connection.
  var affectsTransaction: Bool {
    // A statement of the library itself.
    if database.callbacks.isTraceSuspended { return false }
    if let writes, !writes.schemaChanges.isEmpty || writes.writesSchemaTable { return true }
    // In a group, a savepoint with the name of the library's would replace it.
    if let savepoint = writes?.savepoint { return savepoint.isOfGroup }
    return !effects.isEmpty
  }

  /// Begins a run, with the given arguments or those set before.
  func start(_ arguments: StatementArguments? = nil) throws {
    database.preconditionAccess()
    if runState.holdsRow { return try continueRun(arguments) }
    if database.mayBeInterrupted { try database.checkInterruption(for: self) }
    if let suspension = database.settings.suspension { try checkSuspension(suspension) }
    try database.checkMayBegin(self, arguments)
    if database.access.groupRole != .none { try database.checkGroupRole(of: self) }
    if database.compilation.mayHaveAttachedDatabases { database.expireStatementsOfOtherSchema() }
    if let openReads = database.dialect.openReads { openReads.statementWillBegin(self) }
    if isRunning { finish() }
    if TokenizerFailure.mayExist { TokenizerFailure.discard() }
    if let arguments {
      try bind(arguments)
    } else if !argumentState.areBound {
      try bind(isInternal ? StatementArguments() : argumentState.current, isChecked: argumentState.areChecked)
    }
    if let observer = database.recording.observer { observer.willRead(self) }
    let isInsideTransaction = !database.isInAutocommitMode
    runState.wasInsideTransaction = isInsideTransaction
    if !effects.isEmpty {
      database.schema.effectCount &+= 1
      runState.mayBeginTransaction = effects.contains(.transactionControl) && !isInsideTransaction
      if effects.contains(.journalMode) { database.compilation.willSetJournalMode?() }
      if database.capture.recordsCommits, !effects.contains(.transactionControl), !isReadonly {
        database.capture.mayHaveWritten = true
      }
    }
    database.transaction.statementWillBegin(isOpen: isInsideTransaction)
    runState.mode = stepMode()
    runState.isRunning = true
    database.access.runningStatementCount += 1
    runState.number &+= 1
  }

  private func continueRun(_ arguments: StatementArguments?) throws {
    if arguments != nil {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the statement already runs with its arguments: fetch its rows without passing arguments", sql: sql)
    }
    runState.number &+= 1
  }

  @inline(__always)
  private func stepMode() -> StepMode {
    let isCaptured: Bool
    if let writes {
      isCaptured = writes.isAlwaysCaptured || database.capture.rowNeeds.exist
    } else {
      isCaptured = mayEndTransaction && database.capture.changeObserver != nil
    }
    if let digest = database.recording.digest, digest.includesRun(of: self, isCaptured: isCaptured) {
      runState.observers.append(digest)
    }
    if isCaptured { return .captured }
    return runState.observers.isEmpty ? .plain : .followed
  }

  /// Whether a run may end a transaction.
  var mayEndTransaction: Bool { mayWriteUnnamed || effects.contains(.transactionControl) }

  /// Adds an observer of all steps to the run that starts, unless change capture observes it.
  func addObserver(_ observer: any StepObserver) { runState.observers.append(observer) }

  // MARK: - Steps

  /// Returns whether there is another row. C: `sqlite3_step`.
  @inlinable
  func step() throws -> Bool {
    guard case .plain = runState.mode else { return try observedStep() }
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  @usableFromInline
  func observedStep() throws -> Bool {
    switch runState.mode {
    case .plain: preconditionFailure("A plain step is not observed")
    case .captured:
      runState.mode = .plain
      return try capturedStep()
    case .followed: return try followedStep()
    case .inOwnTransaction: return try stepInOwnTransaction()
    }
  }

  private func capturedStep() throws -> Bool {
    if database.capture.recordsCommits {
      if writes?.tables.isEmpty == false { database.capture.recordedChanges.countBefore = nil }
      if mayWriteUnnamed { database.capture.mayHaveWritten = true }
      if needsOwnTransaction { return try beginOwnTransaction() }
    }
    return try firstCapturedStep()
  }

  /// The first step of a captured run, in the transaction in which its changes are stored.
  func firstCapturedStep() throws -> Bool {
    if bypassesCapture(wasInsideTransaction: runState.wasInsideTransaction), let handle = database.handle {
      let (code, isCaptured) = stepBypassingCapture(on: handle)
      if isCaptured, let changeObserver = database.capture.changeObserver {
        return try endCapturedStep(code, changeObserver)
      }
      if code == SQLITE_ROW || code == SQLITE_DONE { return code == SQLITE_ROW }
      throw failure(code)
    }
    guard let changeObserver = database.capture.changeObserver else { return try step() }
    let isInsideTransaction = !database.isInAutocommitMode
    do {
      try changeObserver.willStep(self)
    } catch {
      // The commit was refused before SQLite was called.
      database.transaction.commitIsRefused(error, isByObserver: false)
      throw failure(
        DatabaseError(
          resultCode: .SQLITE_CONSTRAINT_COMMITHOOK, sql: sql, arguments: argumentState.current,
          publicStatementArguments: database.settings.publicStatementArguments))
    }
    if isInsideTransaction, database.isInAutocommitMode, !effects.contains(.undo) {
      throw transactionHasEnded(changeObserver)
    }
    database.compilation.counts.runningSteps += 1
    let code = sqlite3_step(sqliteStatement)
    database.compilation.counts.runningSteps -= 1
    return try endCapturedStep(code, changeObserver)
  }

  /// The failure of a step that was not executed.
  ///
  /// Change capture reads the schema before the step. If that fails, for lack of memory for instance, SQLite may have
  /// rolled back the transaction, and would commit the step at once.
  private func transactionHasEnded(_ changeObserver: any ChangeObserver) -> any Error {
    let error = database.abortedError(
      database.transaction.abortCause, sql: sql, arguments: argumentState.current)
    changeObserver.didStep(self, .failed(error))
    return failure(error)
  }

  private func endCapturedStep(_ code: CInt, _ changeObserver: any ChangeObserver) throws -> Bool {
    // The change observer may read the schema, and may have read it in the step, before the statement changed it.
    if !effects.isEmpty { database.schema.effectCount &+= 1 }
    if code == SQLITE_ROW || code == SQLITE_DONE {
      changeObserver.didStep(self, code == SQLITE_ROW ? .row(1) : .done(rowCount: 0))
      return code == SQLITE_ROW
    }
    // The error is created first: the change observer may call SQLite.
    let error = database.error(code, of: self)
    // SQLite has undone the statement, and writes the pages that it had changed.
    if writes != nil { database.capture.mayHaveWritten = true }
    changeObserver.didStep(self, .failed(error))
    throw failure(error)
  }

  private func followedStep() throws -> Bool {
    for observer in runState.observers { try observer.willStep(self) }
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_ROW { runState.rowCount += 1 }
    let result: StepResult
    switch code {
    case SQLITE_ROW: result = .row(runState.rowCount)
    case SQLITE_DONE: result = .done(rowCount: runState.rowCount)
    default: result = .failed(database.error(code, of: self))
    }
    for observer in runState.observers { observer.didStep(self, result) }
    if let error = result.error { throw failure(error) }
    return code == SQLITE_ROW
  }

  // MARK: - Ends

  /// Handles a failed step.
  @usableFromInline
  func failure(_ code: CInt) -> any Error { failure(database.error(code, of: self)) }

  private func failure(_ error: DatabaseError) -> any Error {
    let interruption = error.mayBeCausedByInterruption ? database.interruption : nil
    end()
    if database.access.transactionOwner === self { endOwnTransaction(after: error) }
    // The statement is compiled again next time: a schema change may have caused the failure.
    database.caches.fetchStatements.remove(self)
    database.caches.programStatements.remove(self)
    // The access may know why SQLite was interrupted or did not get a lock.
    let failure = database.interpretFailure(
      error, of: self, interruption: interruption, wasInsideTransaction: runState.wasInsideTransaction)
    database.workAfterStatement(error)
    return failure
  }

  /// Ends a run. C: `sqlite3_reset`.
  func finish() {
    end()
    if database.access.transactionOwner === self { commitOwnTransactionAtLast() }
    if database.transaction.ending != .none || database.transactionWork.betweenTransactions != nil {
      database.workAfterStatement(nil)
    }
  }

  func end() {
    // The code repeats the failure of the last step, which was thrown then.
    sqlite3_reset(sqliteStatement)
    if isRunning { database.access.runningStatementCount -= 1 }
    if isInternal, parameterCount > 0 { forgetArguments() }
    if !effects.isEmpty || mayWriteUnnamed { database.schema.effectCount &+= 1 }
    let mayHaveBegunTransaction = runState.mayBeginTransaction
    runState.end()
    if mayHaveBegunTransaction, !database.isInAutocommitMode { database.transactionWork.didBegin?(database) }
  }

  private func forgetArguments() {
    argumentState.areBound = false
    // SQLite may refer to the values until others are bound. Only large ones are worth the time to unbind them.
    if argumentState.current.values.byteCount + argumentState.ordered.byteCount > 4096 { unbindArguments() }
  }

  /// Ends a run, unless it has ended already. Called on the thread that releases the cursor.
  func finish(run: UInt) {
    if !database.isAccessible {
      database.deferredReleases.addReset(of: self, run: run)
    } else if isRunning, self.run == run {
      finish()
    }
  }

  /// This statement, or another one of the same text when this one is running.
  @inline(__always)
  func availableStatement() throws -> Statement {
    if !isRunning || runState.holdsRow { return self }
    return try copy()
  }
}

extension Statement.RunState {
  /// The run has ended. Whether a transaction was open when it began is still known.
  @inline(__always)
  fileprivate mutating func end() {
    (mode, isRunning, holdsRow, mayBeginTransaction) = (.plain, false, false, false)
    if !observers.isEmpty { (observers, rowCount) = ([], 0) }
    number &+= 1
  }
}
