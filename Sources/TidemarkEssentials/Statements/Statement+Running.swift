import CSQLite

// The runs of a statement.
//
//     start ──► chooses the step mode ──► step, step, … ──► end
//
//     plain       sqlite3_step
//     captured    the first step bypasses capture, or is reported to the execution observer; then plain
//     followed    sqlite3_step, then the digest of results and the bound of the region
//
// After a failed step, `failure` ends the run, and determines the effects on the transaction.

extension Statement {
  /// Begins a run, and returns whether there is a row. The next start of the statement continues this run with that
  /// row.
  ///
  /// A statement that changes rows is run once this way, if the caller must know whether there is a row.
  func startHoldingRow() throws -> Bool {
    try start()
    runState.holdsRow = try step()
    if !runState.holdsRow { finish() }
    return runState.holdsRow
  }

  /// The first step of a run, or the row that `startHoldingRow` has fetched.
  func stepToFirstRow() throws -> Bool {
    if !runState.holdsRow { return try step() }
    runState.holdsRow = false
    return true
  }

  /// Begins a run, with the given arguments or those set before.
  func start(_ arguments: StatementArguments? = nil) throws {
    database.preconditionAccess()
    if runState.holdsRow { return try continueRun(arguments) }
    if database.mayBeInterrupted { try database.checkInterruption(for: self) }
    if let suspension = database.settings.suspension { try checkSuspension(suspension) }
    try database.checkMayBegin(self, arguments)
    if database.compilation.mayHaveAttachedDatabases { database.expireStatementsOfOtherSchema() }
    if let openReads = database.dialect.openReads { openReads.statementWillBegin(self) }
    if isRunning { finish() }
    if TokenizerFailure.mayExist { TokenizerFailure.discard() }
    if let arguments {
      try bind(arguments)
    } else if !argumentState.areBound {
      try bind(argumentState.current, isChecked: argumentState.areChecked)
    }
    if database.recording.readSet != nil { database.recordReads(of: self) }
    let isInsideTransaction = !database.isInAutocommitMode
    runState.wasInsideTransaction = isInsideTransaction
    if !effects.isEmpty {
      database.schema.effectCount &+= 1
      runState.mayBeginTransaction = effects.contains(.transactionControl) && !isInsideTransaction
      if effects.contains(.journalMode) { database.compilation.willSetJournalMode?() }
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
      isCaptured = writes.isAlwaysCaptured || database.capture.rowListening.isOn
    } else {
      isCaptured = mayEndTransaction && database.capture.executionObserver != nil
    }
    if database.recording.digest != nil { startDigesting(isCaptured: isCaptured) }
    if isCaptured { return .captured }
    return runState.isDigested || runState.rowCountToBound > 0 ? .followed : .plain
  }

  private var mayEndTransaction: Bool { mayWriteUnnamed || effects.contains(.transactionControl) }

  private func startDigesting(isCaptured: Bool) {
    // Statements of the library itself are not traced.
    if database.callbacks.isTraceSuspended { return }
    if isCaptured || writes != nil || mayEndTransaction {
      database.recording.digest?.isUnknown = true
    } else {
      runState.isDigested = true
    }
  }

  /// Follows the rows of the run up to a number, counted from the first row.
  func followRows(upTo count: Int) {
    if writes == nil { runState.rowCountToBound = count }
  }

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
    case .plain: return try step()
    case .captured:
      runState.mode = .plain
      return try capturedStep()
    case .followed: return try followedStep()
    }
  }

  private func capturedStep() throws -> Bool {
    if bypassesCapture(wasInsideTransaction: runState.wasInsideTransaction), let handle = database.handle {
      let (code, isCaptured) = stepBypassingCapture(on: handle)
      if isCaptured, let executionObserver = database.capture.executionObserver {
        return try endCapturedStep(code, executionObserver)
      }
      if code == SQLITE_ROW || code == SQLITE_DONE { return code == SQLITE_ROW }
      throw failure(code)
    }
    guard let executionObserver = database.capture.executionObserver else { return try step() }
    do {
      try executionObserver.willStep(self)
    } catch {
      // The commit was refused before SQLite was called.
      database.transaction.commitIsRefused(error, isByObserver: false)
      throw failure(
        DatabaseError(
          resultCode: .SQLITE_CONSTRAINT_COMMITHOOK, sql: sql, arguments: argumentState.current,
          publicStatementArguments: database.settings.publicStatementArguments))
    }
    database.compilation.stepDepth += 1
    let code = sqlite3_step(sqliteStatement)
    database.compilation.stepDepth -= 1
    return try endCapturedStep(code, executionObserver)
  }

  private func endCapturedStep(_ code: CInt, _ executionObserver: any ExecutionObserver) throws -> Bool {
    if code == SQLITE_ROW || code == SQLITE_DONE {
      executionObserver.didStep(self, error: nil)
      return code == SQLITE_ROW
    }
    // The error is created first: the execution observer may call SQLite.
    let error = database.error(code, of: self)
    executionObserver.didStep(self, error: error)
    throw failure(error)
  }

  private func followedStep() throws -> Bool {
    let code = sqlite3_step(sqliteStatement)
    guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failure(code) }
    let hasRow = code == SQLITE_ROW
    if runState.isDigested {
      let names = runState.hasDigestedNames ? nil : digestOfNames
      runState.hasDigestedNames = true
      database.recording.digest?.add(sqliteStatement, names: names, hasRow: hasRow)
    }
    if hasRow, runState.rowCountToBound > 0 {
      runState.rowCountToBound -= 1
      if runState.rowCountToBound == 0 {
        database.recordBound(of: self)
        if !runState.isDigested { runState.mode = .plain }
      }
    }
    return hasRow
  }

  /// The digest of the column names of the run. SQLite may have compiled the statement again.
  private var digestOfNames: UInt64 {
    let count = recompilationCountOfSQLite
    if let known = cached.digestOfNames, known.recompilationCount == count { return known.digest }
    let digest = ResultDigest.ofNames(of: sqliteStatement)
    cached.digestOfNames = (digest, count)
    return digest
  }

  // MARK: - Ends

  /// Handles a failed step.
  @usableFromInline
  func failure(_ code: CInt) -> any Error { failure(database.error(code, of: self)) }

  private func failure(_ error: DatabaseError) -> any Error {
    let interruption = error.mayBeCausedByInterruption ? database.interruption : nil
    end()
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
    if database.transaction.ending != .none || database.transactionWork.betweenTransactions != nil {
      database.workAfterStatement(nil)
    }
  }

  private func end() {
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
    // Release the memory of large values.
    if argumentState.bytes.hasCopies { sqlite3_clear_bindings(sqliteStatement) }
    argumentState.current = StatementArguments()
    argumentState.areBound = false
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
    (isDigested, hasDigestedNames, rowCountToBound) = (false, false, 0)
    number &+= 1
  }
}
