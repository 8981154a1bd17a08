// What a failed statement means for the transaction it was in, and for the database.
//
//     idle --BEGIN--> open --COMMIT, ROLLBACK--> idle
//                      |
//                      +-- a statement fails, and SQLite has no transaction any more
//                      v
//                   aborted --the scope ends, rollback(), BEGIN, the access ends--> idle
//
//     any --a commit fails, and nobody knows its outcome--> stopped
//
// Idle and open are SQLite's own (`sqlite3_get_autocommit`), which is asked after each failure; aborted is
// `abortCause`, or a scope of ours in which SQLite is idle; stopped is in `DatabaseStanding`.
//
// Laws:
// 1. In an aborted transaction no statement begins: SQLite would commit it on its own.
// 2. When the outcome of a commit is unknown, the error says so, and the database is stopped.
// 3. As long as a transaction is open that could not be undone, no statement begins but one that undoes it.

extension Database {
  /// What a failure means.
  ///
  /// - parameter interruption: Why the statement was stopped, if it was.
  /// - parameter wasInsideTransaction: Whether a transaction was open when the statement began.
  /// - returns: What is to be thrown.
  func judge(
    _ error: DatabaseError, of statement: Statement, interruption: (any Error)?, wasInsideTransaction: Bool
  ) -> any Error {
    var error = error
    let refusal = commitRefusal
    commitRefusal = nil
    if let refusal = refusal as? DatabaseError { error = refusal }
    let isIdle = isInAutocommitMode
    let isCommit = statement.effects.contains(.keep)
    // What `INSERT OR FAIL` has done before it failed is committed.
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
    let told = refusal.flatMap { $0 is DatabaseError ? nil : $0 } ?? interruption ?? error
    if wasInsideTransaction, isIdle, abortCause == nil { abortCause = told }
    return told
  }

  /// Runs a step of a copy into this database, whose last one commits it.
  func judgingCopy<Result>(_ step: () throws -> Result) throws -> Result {
    // A copy is committed without a word to the hook.
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

  /// Has this database refuse all accesses until it is opened again.
  ///
  /// The log stays as it is: when the file is opened again, SQLite finds out what is in it.
  func stop(because error: DatabaseError) {
    settings.standing.stop(because: error)
    do {
      try handle?.set(.noCheckpointOnClose, true)
    } catch {
      Self.log(error, "The log of a database that was stopped may be checkpointed when it is closed")
    }
  }

  /// Stops the database after a sync that failed: the system may have forgotten what it could not write, and say next
  /// time that all is written (hazard D5).
  func stopIfDiskIsNotKnown(after error: any Error) {
    guard let error = error as? DatabaseError, error.extendedResultCode == .SQLITE_IOERR_FSYNC else { return }
    stop(because: error)
  }

  /// Throws when a statement must not begin.
  @inline(__always)
  func checkMayBegin(_ statement: Statement, _ arguments: StatementArguments?) throws {
    if !settings.standing.isSound { try checkStanding(for: statement) }
    // A statement may outlive its connection.
    if handle == nil { throw Self.closedError }
    if transactionDepth > 0 || abortCause != nil { try checkTransactionIsAlive(for: statement, arguments) }
    if owedRollback != nil { try checkNoRollbackIsOwed(statement, arguments) }
  }

  private func checkStanding(for statement: Statement) throws {
    let isUndo = statement.effects.contains(.undo) && !settings.standing.isInherited
    if !isUndo, let refusal = settings.standing.refusal { throw refusal }
  }

  /// Throws when the transaction of the current access is not open any more.
  ///
  /// SQLite rolls back on its own after some failures, and a program may write COMMIT. What would be run
  /// next would be run outside of the transaction, and committed at once.
  private func checkTransactionIsAlive(for statement: Statement, _ arguments: StatementArguments?) throws {
    guard let handle, handle.isInAutocommitMode else { return }
    if transactionDepth == 0, !statement.effects.isDisjoint(with: [.undo, .begin]) {
      // Nobody writes these who does not know that the transaction is over. SQLite will say that there is nothing to
      // undo; what is begun is another one.
      abortCause = nil
      return
    }
    throw abortedError(sql: statement.sql, arguments: arguments ?? statement.currentArguments)
  }

  // Law 3.
  private func checkNoRollbackIsOwed(_ statement: Statement, _ arguments: StatementArguments?) throws {
    if isInAutocommitMode {
      owedRollback = nil
    } else if !statement.effects.contains(.undo) {
      var error = abortedError(sql: statement.sql, arguments: arguments ?? statement.currentArguments)
      error.cause = owedRollback
      throw error
    }
  }

  /// The error of a transaction that has ended before its scope.
  func abortedError(sql: String? = nil, arguments: StatementArguments? = nil) -> DatabaseError {
    var error = DatabaseError(
      resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql, arguments: arguments,
      publicStatementArguments: settings.publicStatementArguments)
    error.cause = abortCause
    return error
  }

  /// Runs what must be run whatever became of the transaction around it.
  func outsideOfTransactionLaw<Result>(_ body: () throws -> Result) rethrows -> Result {
    let state = (transactionDepth, abortCause, owedRollback)
    (transactionDepth, abortCause, owedRollback) = (0, nil, nil)
    defer { (transactionDepth, abortCause, owedRollback) = state }
    return try body()
  }

  // MARK: - Moved files

  /// Asked by SQLite before each commit.
  ///
  /// What is committed into a file that was moved, deleted or replaced is found by nobody (hazard F5).
  func mayCommit() -> Bool {
    guard settings.isInFile, handle?.hasMoved() == true else {
      guard let watcher else { return true }
      do {
        try watcher.willCommit()
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
      message: "the file of the database was moved, deleted or replaced while it was open: \(path ?? "")")
  }
}
