/// Stores the changes of each transaction of a connection in the transaction itself. The change feed implements it.
protocol CommitRecorder: AnyObject {
  /// Called before a statement of the library commits the open transaction, while no statement steps.
  ///
  /// Rows that it changes with a `DirectStatement` are not captured.
  ///
  /// - Throws: An error that prevents the commit. The transaction stays open.
  func willCommit(_ db: Database) throws

  /// Called when a transaction has ended, before its changes are published.
  func transactionDidEnd(_ db: Database, _ settlement: TransactionMachine.Settlement)

  /// Called when another database has taken the place of this one.
  func contentWasReplaced()
}

extension ChangeCapture {
  /// Sets the recorder of all later transactions. From now on, statements that write outside of a transaction run in
  /// one of their own.
  func setRecorder(_ recorder: any CommitRecorder) {
    self.recorder = recorder
    db.capture.recordsCommits = true
  }

  /// Whether a statement commits the open transaction.
  func commits(_ statement: Statement) -> Bool {
    guard statement.effects.contains(.keep), !db.isInAutocommitMode else { return false }
    guard case .release(let name)? = statement.writes?.savepoint else { return true }
    return db.transaction.isBegunBySavepoint && log.isOutermost(name)
  }

  /// Lets the recorder store the changes of the open transaction.
  func record(with recorder: any CommitRecorder) throws {
    let db: Database = self.db
    guard let handle = db.handle else { return }
    if needs.haveVirtualWrites { try writePendingContentOfVirtualTables() }
    let (rowID, count, totalCount) = (handle.lastInsertedRowID, handle.changesCount, handle.totalChangesCount)
    isRecording = true
    defer {
      isRecording = false
      let recordedCount = handle.totalChangesCount - totalCount
      if recordedCount != 0 {
        // The program sees the numbers of its own statements.
        handle.setLastInsertedRowID(rowID)
        db.capture.recordedChanges.total += recordedCount
        db.capture.recordedChanges.countBefore = db.capture.recordedChanges.countBefore ?? count
      }
    }
    try recorder.willCommit(db)
  }

  /// A full-text table buffers content until the transaction is committed, or a savepoint is opened.
  private func writePendingContentOfVirtualTables() throws {
    let db: Database = self.db
    for sql in ["SAVEPOINT tidemark_content", "RELEASE tidemark_content"] {
      try db.untraced { try db.preparedStatement(sql: sql).availableStatement().runToEnd(nil) }
    }
  }
}
