import Synchronization

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

/// Reads what the recorders of other connections have stored. The change feed implements it.
protocol StoredChangesReader: AnyObject, Sendable {
  /// Notes the last commit before queries are first read: the changes of later ones will be returned.
  ///
  /// - Returns: False if the connection reads an older state, so that the next changes must count as unknown.
  func begin(with db: Database) -> Bool

  /// Lets the next changes count as unknown.
  func forget()

  /// Reads the changes since the last call, or since the beginning, in a transaction that has not read yet.
  ///
  /// - Returns: Nil if another connection has committed meanwhile, so that the state is not identified: try again.
  func next(_ db: Database) throws -> StoredChanges?
}

/// The changes that other connections have committed.
enum StoredChanges: Sendable {
  /// The changes of each commit.
  case known([CommittedChanges])

  /// Anything may have changed.
  case unknown
}

/// The versions of the transactions of a connection, from their end until the changes of external commits are read.
final class RecordedVersions: Sendable {
  private struct State {
    var isUsed = false

    /// In ascending order.
    var ranges: [ClosedRange<UInt64>] = []
  }

  private let state = Mutex(State())

  /// The number of ranges: an own transaction that is forgotten is handled like an external one.
  private static let countMax = 1_000

  func begin() { state.withLock { $0.isUsed = true } }

  func add(_ versions: ClosedRange<UInt64>) {
    state.withLock { state in
      guard state.isUsed else { return }
      if let last = state.ranges.last, last.upperBound + 1 == versions.lowerBound {
        state.ranges[state.ranges.count - 1] = last.lowerBound...versions.upperBound
      } else {
        if state.ranges.count == Self.countMax { state.ranges.removeFirst() }
        state.ranges.append(versions)
      }
    }
  }

  func contains(_ version: UInt64) -> Bool { state.withLock { $0.ranges.contains { $0.contains(version) } } }

  func remove(through version: UInt64) { state.withLock { $0.ranges.removeAll { $0.upperBound <= version } } }
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
