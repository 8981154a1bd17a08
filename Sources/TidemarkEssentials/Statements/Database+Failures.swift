// The effects of a failed statement on its transaction, and on the database.
//
//     idle --BEGIN--> open --COMMIT, ROLLBACK--> idle
//                      |
//                      +-- a statement fails, and SQLite rolls back the transaction
//                      v
//                   aborted --the scope ends, rollback(), BEGIN, the access ends--> idle
//
//     any --a commit fails with an unknown outcome--> stopped
//
// Idle and open are SQLite's own states (`sqlite3_get_autocommit`), which are checked after each failure; aborted is
// `abortCause`, or a scope of ours while SQLite is idle; stopped is in `DatabaseHealth`.
//
// Invariants:
// 1. In an aborted transaction no statement begins: SQLite would commit it on its own.
// 2. If the outcome of a commit is unknown, the error says so, and the database is stopped.
// 3. While a transaction is open whose rollback has failed, no statement begins except a rollback.

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
    let refusal = commitRefusal
    commitRefusal = nil
    if let refusal = refusal as? DatabaseError { error = refusal }
    let isIdle = isInAutocommitMode
    let isCommit = statement.effects.contains(.keep)
    // Changes of `INSERT OR FAIL` before its failure are committed.
    let isKept =
      isIdle && !isCommit && error.resultCode == .SQLITE_CONSTRAINT && callbacks.hasCommitted
      && !callbacks.hasRolledBack
    let hasBegunCommit = callbacks.hasBegunCommit && !isKept && (isCommit || !statement.isReadonly)
    if hasBegunCommit || isCommit || error.extendedResultCode == .SQLITE_READONLY_DBMOVED {
      let isUnknown =
        hasBegunCommit && isIdle && settings.isInFile && error.extendedResultCode.leavesCommitUnknown
      error.commitOutcome = isUnknown ? .unknown : .notCommitted
      if isUnknown { stop(because: error) }
    }
    let failure = refusal.flatMap { $0 is DatabaseError ? nil : $0 } ?? interruption ?? error
    if wasInsideTransaction, isIdle, abortCause == nil { abortCause = failure }
    return failure
  }

  /// Runs a step of a backup into this database, whose last one commits it.
  func interpretingCopyFailure<Result>(_ step: () throws -> Result) throws -> Result {
    // A backup is committed without a call of the commit hook.
    if settings.isInFile, handle?.hasMoved() == true, !mayCommit(), let refusal = commitRefusal {
      commitRefusal = nil
      throw refusal
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
    if transactionDepth > 0 || abortCause != nil { try checkTransactionIsAlive(for: statement, arguments) }
    if pendingRollback != nil { try checkNoPendingRollback(statement, arguments) }
  }

  private func checkHealth(for statement: Statement) throws {
    let isUndo = statement.effects.contains(.undo) && !settings.health.isInherited
    if !isUndo, let refusal = settings.health.refusal { throw refusal }
  }

  /// Throws if the transaction of the current access is not open any more.
  ///
  /// SQLite rolls back by itself after some failures, and a program may execute COMMIT. The following statements
  /// would run outside of the transaction, and be committed immediately.
  private func checkTransactionIsAlive(for statement: Statement, _ arguments: StatementArguments?) throws {
    guard let handle, handle.isInAutocommitMode else { return }
    if transactionDepth == 0, !statement.effects.isDisjoint(with: [.undo, .begin]) {
      // These statements show that the program knows about the end of the transaction. SQLite reports that there is
      // nothing to roll back; BEGIN starts another transaction.
      abortCause = nil
      return
    }
    throw abortedError(sql: statement.sql, arguments: arguments ?? statement.currentArguments)
  }

  // Invariant 3.
  private func checkNoPendingRollback(_ statement: Statement, _ arguments: StatementArguments?) throws {
    if isInAutocommitMode {
      pendingRollback = nil
    } else if !statement.effects.contains(.undo) {
      var error = abortedError(sql: statement.sql, arguments: arguments ?? statement.currentArguments)
      error.cause = pendingRollback
      throw error
    }
  }

  /// The error for a transaction that has ended before its scope.
  func abortedError(sql: String? = nil, arguments: StatementArguments? = nil) -> DatabaseError {
    var error = DatabaseError(
      resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql, arguments: arguments,
      publicStatementArguments: settings.publicStatementArguments)
    error.cause = abortCause
    return error
  }

  /// Runs a closure whose statements are allowed in an aborted transaction.
  func withoutTransactionChecks<Result>(_ body: () throws -> Result) rethrows -> Result {
    let state = (transactionDepth, abortCause, pendingRollback)
    (transactionDepth, abortCause, pendingRollback) = (0, nil, nil)
    defer { (transactionDepth, abortCause, pendingRollback) = state }
    return try body()
  }

  // MARK: - Moved files

  /// Called by SQLite before each commit.
  ///
  /// A commit into a file that was moved, deleted or replaced would be lost (hazard F5).
  func mayCommit() -> Bool {
    guard settings.isInFile, handle?.hasMoved() == true else {
      guard let executionObserver else { return true }
      do {
        try executionObserver.willCommit()
        return true
      } catch {
        commitRefusal = error
        return false
      }
    }
    let error = Self.movedError(path: handle?.filePath(of: "main"))
    commitRefusal = error
    stop(because: error)
    return false
  }

  static func movedError(path: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_READONLY_DBMOVED,
      message: "the database file was moved, deleted or replaced while it was open: \(path ?? "")")
  }
}
