// The effects of a failed statement on its transaction, as `TransactionMachine` decides, and on the database.
//
// Invariant: If the outcome of a commit is unknown, the error says so, and the database is stopped (`DatabaseHealth`).

extension Database {
  /// Determines the error to be thrown for a failure, and its effects.
  ///
  /// - Parameter interruption: The reason why the statement was stopped, if it was.
  /// - Parameter wasInsideTransaction: Whether a transaction was open when the statement began.
  /// - Returns: The error to be thrown.
  func interpretFailure(
    _ error: DatabaseError, of statement: Statement, interruption: (any Error)?, wasInsideTransaction: Bool
  ) -> any Error {
    var error = error
    let refusal = transaction.takeRefusal()
    if let refusal = refusal as? DatabaseError { error = refusal }
    let isEmptyOpen = !isInAutocommitMode && statement.effects.contains(.keep) && transaction.hasRolledBack
    // Before the database is stopped.
    let rollbackFailure = isEmptyOpen ? endEmptyTransaction() : nil
    let isOpen = !isInAutocommitMode && !isEmptyOpen
    let outcome = transaction.commitOutcome(
      of: TransactionMachine.Failure(
        isCommit: statement.effects.contains(.keep), mayWrite: !statement.isReadonly,
        isConstraint: error.resultCode == .SQLITE_CONSTRAINT,
        leavesCommitUnknown: settings.isInFile && error.extendedResultCode.leavesCommitUnknown,
        isFileMoved: error.extendedResultCode == .SQLITE_READONLY_DBMOVED),
      isOpen: isOpen)
    if let outcome { error.commitOutcome = outcome }
    if outcome == .unknown { stop(because: error) }
    let failure = refusal.flatMap { $0 is DatabaseError ? nil : $0 } ?? interruption ?? error
    transaction.statementDidFail(
      failure, wasOpen: wasInsideTransaction, isOpen: isOpen,
      mayHaveUndonePart: statement.effects.contains(.undo) && error.resultCode.isOfDiskOrMemory)
    if let rollbackFailure { transaction.rollbackDidFail(rollbackFailure) }
    return failure
  }

  /// Ends the transaction that SQLite leaves open when a RELEASE has failed to commit. The changes were rolled back, so
  /// later statements must not be committed without them.
  ///
  /// - Returns: The reason why the transaction is still open.
  private func endEmptyTransaction() -> (any Error)? {
    do {
      let rollback = try DirectStatement("ROLLBACK", on: self)
      defer { rollback.reset() }
      _ = try rollback.step()
      return nil
    } catch {
      Self.log(error, "Could not roll back a transaction whose commit has failed")
      return error
    }
  }

  /// Runs a step of a backup into this database, whose last one commits it.
  func interpretingCopyFailure<Result>(_ step: () throws -> Result) throws -> Result {
    // A backup is committed without a call of the commit hook.
    if settings.isInFile, handle?.hasMoved() == true {
      refuseCommitIntoMovedFile()
      if let refusal = transaction.takeRefusal() { throw refusal }
    }
    do {
      return try step()
    } catch var error as DatabaseError {
      let code = error.extendedResultCode
      let isOfSource = code == .SQLITE_IOERR_READ || code == .SQLITE_IOERR_SHORT_READ
      let isUnknown = settings.isInFile && code.leavesCommitUnknown && !isOfSource
      error.commitOutcome = isUnknown ? .unknown : .notCommitted
      if isUnknown { stop(because: error) }
      throw error
    }
  }

  /// Makes this database refuse all accesses until it is opened again.
  ///
  /// The log stays as it is: when the file is opened again, SQLite determines which of its frames are valid.
  func stop(because error: DatabaseError) {
    settings.health.stop(because: error)
    do {
      try handle?.set(.noCheckpointOnClose, true)
    } catch {
      Self.log(error, "Could not prevent a checkpoint when the stopped database is closed")
    }
  }

  /// Stops the database after a failed sync: the system may have discarded data that it could not write, and report
  /// success next time (hazard D5).
  func stopIfDiskIsNotKnown(after error: any Error) {
    guard let error = error as? DatabaseError, error.extendedResultCode == .SQLITE_IOERR_FSYNC else { return }
    stop(because: error)
  }

  /// Throws if a statement must not begin.
  @inline(__always)
  func checkMayBegin(_ statement: Statement, _ arguments: StatementArguments?) throws {
    if !settings.health.isUsable { try checkHealth(for: statement) }
    // A statement may outlive its connection.
    if handle == nil { throw Self.closedError }
    if !transaction.grantsEverything(isOpen: !isInAutocommitMode) {
      // An internal statement inside a step belongs to its transaction. In a COMMIT, in which virtual tables write
      // their buffered changes, SQLite reports that the transaction has ended.
      if compilation.counts.runningSteps > 0, isInAutocommitMode { return }
      try checkPermission(for: statement, arguments)
    }
  }

  private func checkHealth(for statement: Statement) throws {
    let isUndo = statement.effects.contains(.undo) && !settings.health.isInherited
    if !isUndo, let refusal = settings.health.refusal { throw refusal }
  }

  /// Throws if the transaction of the current access is not open any more, or must be rolled back.
  ///
  /// SQLite rolls back by itself after some failures, and a program may execute COMMIT. The following statements
  /// would run outside of the transaction, and be committed immediately.
  private func checkPermission(for statement: Statement, _ arguments: StatementArguments?) throws {
    let awaitedRollback = transaction.awaitsRollback
    let permission = transaction.permission(
      isOpen: !isInAutocommitMode, isRollback: statement.effects.contains(.undo),
      isBegin: statement.effects.contains(.begin))
    if awaitedRollback, !transaction.awaitsRollback { forgetPagesOfFailedRollback() }
    let cause: (any Error)?
    switch permission {
    case .granted: return
    case .transactionIsAborted(let known): cause = known
    case .transactionMustBeRolledBack(let known): cause = known
    }
    throw abortedError(cause, sql: statement.sql, arguments: arguments ?? statement.argumentState.current)
  }

  /// Empties the page cache, when a transaction has been rolled back at last. After a failed `ROLLBACK TO`, SQLite may
  /// keep pages with the changes of the savepoint in it, so that later writes fail with `SQLITE_CORRUPT`. C:
  /// `sqlite3_db_release_memory`.
  func forgetPagesOfFailedRollback() { handle?.releaseMemory() }

  /// The error for a transaction that has ended before its scope.
  func abortedError(
    _ cause: (any Error)?, sql: String? = nil, arguments: StatementArguments? = nil
  ) -> DatabaseError {
    var error = DatabaseError(
      resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql, arguments: arguments,
      publicStatementArguments: settings.publicStatementArguments)
    error.cause = cause
    return error
  }

  /// Runs a closure whose statements are allowed in an aborted transaction.
  func withoutTransactionChecks<Result>(_ body: () throws -> Result) rethrows -> Result {
    let suspended = transaction.suspendChecks()
    defer { transaction.resumeChecks(suspended) }
    return try body()
  }
}

extension Database: TransactionHooks {
  func commitWillBegin() -> Bool {
    guard mayCommit() else { return false }
    transaction.commitWillBegin()
    return true
  }

  func transactionDidRollBack() { transaction.didRollBack() }

  /// Asks the transaction observers, and checks the file.
  ///
  /// A commit into a file that was moved, deleted or replaced would be lost (hazard F5).
  private func mayCommit() -> Bool {
    if hasMoved() {
      refuseCommitIntoMovedFile()
      return false
    }
    guard let changeObserver = capture.changeObserver else { return true }
    do {
      try changeObserver.willCommit()
      return true
    } catch {
      transaction.commitIsRefused(error, isByObserver: true)
      return false
    }
  }

  private func refuseCommitIntoMovedFile() {
    let error = Self.movedError(path: handle?.filePath(of: "main"))
    transaction.commitIsRefused(error, isByObserver: false)
    stop(because: error)
  }

  /// Whether the file was moved, deleted or replaced. Looking at its path takes a tenth of a small transaction.
  private func hasMoved() -> Bool {
    guard settings.isInFile, let handle, transactionWork.fileMoveCheck.mustLook(path: { watchablePath(handle) }) else {
      return false
    }
    return handle.hasMoved()
  }

  /// The path of the file; nil if events of the system do not report what happens to it.
  private func watchablePath(_ handle: ConnectionHandle) -> String? {
    guard handle.usesDefaultFileLayer, let path = handle.filePath(of: "main") else { return nil }
    return DatabaseFile.isRemote(atPath: path) ? nil : path
  }

  static func movedError(path: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_READONLY_DBMOVED, message: "\(DatabaseError.movedMessage): \(path ?? "")")
  }
}

extension ResultCode {
  /// Whether the disk or the memory has failed, and not the statement.
  fileprivate var isOfDiskOrMemory: Bool {
    switch self {
    case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_FULL, .SQLITE_CORRUPT, .SQLITE_CANTOPEN: true
    default: false
    }
  }
}
