import CSQLite

// Statements that write outside of a transaction, while the changes of each transaction are stored.
//
//     start ──► BEGIN ──► step ──► no row ──► COMMIT
//                                    └──► row ──► step ──► … ──► no row, or the run is ended ──► COMMIT
//                                    └──► failure ──► ROLLBACK, or COMMIT if changes have stayed (`OR FAIL`)
//
// Otherwise, SQLite would commit such a statement in its step, and nothing could be added to its transaction.
//
// Invariant: the transaction ends with the run, and the run with the access. While it is open, `transactionOwner` is
// the statement.

extension Statement {
  /// Whether the run needs a transaction of its own.
  var needsOwnTransaction: Bool {
    guard let writes, writes.changesContent else { return false }
    return database.isInAutocommitMode
  }

  /// Begins a transaction, and executes the first step in it.
  func beginOwnTransaction() throws -> Bool {
    do {
      // Without the lock of the main database, if the statement writes only to others.
      try database.beginTransaction(writes?.changesMainDatabase == true ? .immediate : .deferred)
    } catch {
      end()
      throw attributed(error)
    }
    database.transaction.statementTransactionDidBegin()
    database.access.transactionOwner = self
    if try firstCapturedStep() {
      runState.mode = .inOwnTransaction
      return true
    }
    try commitOwnTransaction()
    return false
  }

  /// Executes a later step.
  func stepInOwnTransaction() throws -> Bool {
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw failure(code) }
    try commitOwnTransaction()
    return false
  }

  private func commitOwnTransaction() throws {
    runState.mode = .plain
    database.access.transactionOwner = nil
    do {
      try database.commit()
    } catch {
      undoOwnTransaction()
      end()
      throw attributed(error)
    }
  }

  /// Commits when the program has ended the run before its last row.
  func commitOwnTransactionAtLast() {
    database.access.transactionOwner = nil
    if database.isInAutocommitMode { return }
    do {
      try database.commit()
    } catch {
      undoOwnTransaction()
      // The end of a run cannot throw. The next statement of the access does.
      database.transaction.statementDidFail(error, wasOpen: true, isOpen: !database.isInAutocommitMode)
      Database.log(error, "Could not commit a statement that was ended before its last row")
    }
  }

  /// Ends the transaction of a failed statement. Like SQLite, keeps what `OR FAIL` has changed before.
  func endOwnTransaction(after error: DatabaseError) {
    database.access.transactionOwner = nil
    if database.isInAutocommitMode { return }
    guard database.capture.changeObserver?.keepsChanges(of: self, after: error) == true else {
      return undoOwnTransaction()
    }
    do {
      try database.commit()
    } catch {
      undoOwnTransaction()
      Database.log(error, "Could not commit the changes of a statement before its failure")
    }
  }

  private func undoOwnTransaction() {
    if database.isInAutocommitMode { return }
    do {
      try database.shielded { try database.rollback() }
    } catch {
      Database.log(error, "Could not roll back a failed statement")
      database.transaction.rollbackDidFail(error)
    }
  }

  /// The error of BEGIN or COMMIT, as an error of this statement.
  private func attributed(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return error.attributed(
      to: sql, argumentState.current, publicStatementArguments: database.settings.publicStatementArguments)
  }
}
