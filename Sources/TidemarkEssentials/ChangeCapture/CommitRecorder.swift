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
  ///
  /// - Returns: The version under which its changes are stored; nil if they are not, or if this is uncertain.
  func transactionDidEnd(_ db: Database, _ settlement: TransactionMachine.Settlement) -> UInt64?

  /// Called when the transaction that `willCommit` was called for is complete, and will be committed with others. The
  /// next calls concern another transaction.
  ///
  /// - Returns: The version under which its changes are stored, if they are.
  func transactionIsComplete(_ db: Database) -> UInt64?

  /// Called when the changes since the last complete transaction were rolled back, and stored changes with them.
  func transactionWasUndone(_ db: Database)

  /// Called when another database has taken the place of this one.
  func contentWasReplaced()

  /// Frees memory that was kept for later transactions.
  func releaseMemory()
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
  ///
  /// - Parameter state: The state that was read, which contains them; nil without a write-ahead log.
  case known([CommittedChanges], state: WALIndexHeader?)

  /// Anything may have changed.
  case unknown
}

/// The versions under which a connection has stored the changes of its transactions: readers tell them from the
/// transactions of others.
///
/// Invariants:
/// 1. A version is known before its transaction is visible to others.
/// 2. A version is kept until all readers have passed it, or until there are too many ranges of versions. Then the
///    oldest ones are forgotten.
final class RecordedVersions: Sendable {
  private struct State {
    /// The last versions that the readers have passed.
    var passed: [Int: UInt64] = [:]
    var lastID = 0

    /// In ascending order.
    var ranges: [ClosedRange<UInt64>] = []

    /// The greatest forgotten version.
    var forgotten: UInt64 = 0

    /// The open transaction, or those that will be committed together: the version, and a number of the first entry
    /// that hardly any other entry has. After a rollback, another connection may store a transaction under the same
    /// version.
    var open = ShortList<(version: UInt64, mark: UInt64)>()

    mutating func add(_ version: UInt64) {
      if let last = ranges.last, last.upperBound + 1 == version {
        ranges[ranges.count - 1] = last.lowerBound...version
      } else {
        if ranges.count == RecordedVersions.rangeCountMax { forgotten = ranges.removeFirst().upperBound }
        ranges.append(version...version)
      }
    }

    mutating func removePassed() {
      let version = passed.values.min() ?? .max
      ranges.removeAll { $0.upperBound <= version }
    }
  }

  private let state = Mutex(State())

  private static let rangeCountMax = 1_000

  // MARK: Readers

  /// A reader of transactions, until it is released.
  final class Reader: Sendable {
    private let versions: RecordedVersions
    private let id: Int

    fileprivate init(_ versions: RecordedVersions, id: Int) { (self.versions, self.id) = (versions, id) }

    deinit { versions.remove(id) }

    /// Notes that the reader has passed all versions up to one.
    func pass(through version: UInt64) {
      versions.state.withLock { state in
        // With another history, the versions begin again.
        if let last = state.passed[id], version < last { state.ranges = [] }
        state.passed[id] = version
        state.removePassed()
      }
    }

    /// Whether the connection has stored a transaction, or is about to.
    ///
    /// - Parameter mark: The number of its first entry.
    func isOwn(_ version: UInt64, mark: UInt64) -> Bool {
      versions.state.withLock { state in
        state.open.contains { $0.version == version && $0.mark == mark }
          || state.ranges.contains { $0.contains(version) }
      }
    }

    /// Whether no version after this one is forgotten.
    func areKnown(after version: UInt64) -> Bool { versions.state.withLock { $0.forgotten <= version } }
  }

  /// Adds a reader of all later transactions.
  func addReader() -> Reader {
    let id = state.withLock { state in
      state.lastID += 1
      state.passed[state.lastID] = 0
      return state.lastID
    }
    return Reader(self, id: id)
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      state.passed[id] = nil
      state.removePassed()
    }
  }

  // MARK: The connection

  /// The changes of an open transaction are stored.
  func transactionIsStored(_ version: UInt64, mark: UInt64) {
    // There may be a reader before it is committed.
    state.withLock { state in
      // An undone transaction may have had the same version.
      while state.open.last?.version ?? 0 >= version { state.open.removeLast() }
      state.open.append((version, mark))
    }
  }

  /// The transaction has ended.
  ///
  /// - Parameter version: Its version, if it was committed.
  /// - Parameter completed: The versions of transactions that were committed with it.
  func transactionDidEnd(_ version: UInt64?, and completed: [UInt64] = []) {
    state.withLock { state in
      state.open = ShortList()
      if !completed.isEmpty, !state.passed.isEmpty { completed.forEach { state.add($0) } }
      if let version, !state.passed.isEmpty { state.add(version) }
    }
  }
}

extension ChangeCapture {
  /// Sets the recorder of all later transactions. From now on, statements that write outside of a transaction run in
  /// one of their own.
  func setRecorder(_ recorder: any CommitRecorder) {
    self.recorder = recorder
    db.capture.recordsCommits = true
  }

  /// Frees the memory that was kept for the changes of later transactions.
  func releaseMemory() {
    log.releaseMemory()
    recorder?.releaseMemory()
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
    if needs.haveVirtualWrites { try db.flushVirtualTables() }
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
}
