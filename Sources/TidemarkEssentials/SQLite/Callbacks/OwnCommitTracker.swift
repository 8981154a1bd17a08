import CSQLite
import Synchronization

/// Distinguishes the commits of one connection from all others, in a database with a write-ahead log.
///
///     commit hook ── the connection holds the write lock: the header shows the state that others have left
///     log hook ───── the header is one commit ahead of this state: the commit is the connection's own
///     a check ────── the header is another one: an external commit
///
/// Invariants:
/// 1. An external commit never counts as own. A state is the connection's own if it is exactly one commit after a state
///    that was known while the connection held the write lock; anything uncertain counts as external.
/// 2. The known state is recorded before the first read that relies on it: commits after this read are detected.
/// 3. A commit in progress is neither, until it is reported: a check at that moment is repeated. The report of the
///    external commits that follow would include it.
/// 4. `externalCommitCount` changes whenever there were external commits before a known state.
final class OwnCommitTracker: Sendable {
  private struct State {
    /// The last known state: found by a check, or made by an own commit.
    var known: WALIndexHeader?

    /// The WAL-index, from the beginning of an own commit until its end is reported.
    var inFlight: WALIndexMemory?

    /// The state before the own commit in progress, as found under the write lock: the commit follows it immediately.
    var beforeInFlight: WALIndexHeader?

    /// The state before the last own commit, from its end until it is reported.
    var beforeUnreported: WALIndexHeader?

    /// SQLite's number of the state before the own commit in progress, as found under the write lock, until the commit
    /// is reported. See `ConnectionHandle.dataVersionCounter`.
    var dataVersionCounter: UInt32?

    /// Whether there were external commits before the known state that no check has reported.
    var hasUnreportedExternalCommit = false
  }

  /// Counters that are never reset: their users compare old and new values.
  private struct Counts {
    /// The number of own commits with a known state.
    var own: UInt64 = 0

    /// The number of own commits whose preceding state was known.
    var numbered: UInt64 = 0

    /// The number of the last own commit that has been reported to the observers.
    var reported: UInt64 = 0

    /// The number of times that external commits, or possible ones, were found.
    var external: UInt64 = 0
  }

  /// The result of a check.
  enum Finding: Equatable {
    /// No external commit was found since the last check.
    case unchanged
    case externalCommit

    /// A commit is in progress.
    case inconclusive
  }

  private struct Record {
    var state = State()
    var counts = Counts()

    mutating func restart(_ state: State) {
      let old = self.state
      self.state = state
      (self.state.beforeInFlight, self.state.beforeUnreported) = (old.beforeInFlight, old.beforeUnreported)
      self.state.dataVersionCounter = old.dataVersionCounter
      counts.external += 1
    }

    mutating func noteUnreportedCommit(after header: WALIndexHeader) {
      state.beforeUnreported = header
      counts.numbered += 1
    }

    mutating func noteExternalCommit() {
      state.hasUnreportedExternalCommit = true
      counts.external += 1
    }
  }

  /// The number of users that have begun and not ended: they may overlap.
  private let userCount = Atomic<Int>(0)

  /// Whether `dataVersionCounter` is recorded.
  private let recordsDataVersions = Atomic<Bool>(false)
  private let record = Mutex(Record())

  // MARK: Checks

  /// Records commits until `end` is called, as often as `begin` was. No state is known at first.
  func begin() {
    record.withLock { $0.restart(State()) }
    userCount.add(1, ordering: .sequentiallyConsistent)
  }

  /// Stops recording, unless there is another user.
  func end() {
    userCount.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Whether a state is known.
  var hasBegun: Bool { record.withLock { $0.state.known != nil } }

  /// Records the state before the first read: external commits after it will be detected.
  func begin(with header: WALIndexHeader) {
    record.withLock { $0.state.known = $0.state.known ?? header }
  }

  /// Forgets the known state, because the log may be removed. External commits are not detected meanwhile.
  func forget() {
    record.withLock {
      $0.restart(
        State(known: nil, hasUnreportedExternalCommit: $0.state.known != nil || $0.state.hasUnreportedExternalCommit))
    }
  }

  /// Checks whether there were external commits since the last check.
  ///
  /// - Parameter waitsForOwnCommit: Whether to wait for the end of an own commit, and of its report.
  /// - Parameter found: A header that was read a moment before.
  /// - Parameter read: Reads the header of the WAL-index.
  func check(
    _ waitsForOwnCommit: Bool = true, found: WALIndexHeader? = nil, _ read: () -> WALIndexHeader?
  ) -> Finding {
    record.withLock { record in
      // If it is not the known state, it is read again under the lock, so that the known state is never newer.
      let knownHeader = found.flatMap { found in record.state.known.map(found.hasSameContent) == true ? found : nil }
      guard let header = knownHeader ?? read() else { return .inconclusive }
      if record.state.known.map(header.hasSameContent) ?? true {
        record.state.known = header
        defer { record.state.hasUnreportedExternalCommit = false }
        return record.state.hasUnreportedExternalCommit ? .externalCommit : .unchanged
      }
      let isCommitting = record.state.inFlight != nil || record.state.beforeUnreported != nil
      if isCommitting, waitsForOwnCommit { return .inconclusive }
      record.restart(State(known: header))
      return .externalCommit
    }
  }

  /// The number of times that external commits were found. An external commit changes it before a state that contains
  /// the commit is known.
  var externalCommitCount: UInt64 { record.withLock(\.counts.external) }

  /// `externalCommitCount`, if a state results from the last own commit, and the observers know this commit; otherwise
  /// nil.
  func externalCommitCount(inReportedState header: WALIndexHeader) -> UInt64? {
    record.withLock { record in
      let (known, counts) = (record.state.known, record.counts)
      guard let known, header.hasSameContent(as: known), counts.reported == counts.own else { return nil }
      return counts.external
    }
  }

  /// `externalCommitCount`, if a connection knows the changes of all external commits before a state that it reads, and
  /// the observers know all own ones; otherwise nil.
  func externalCommitCount(inReadState header: WALIndexHeader) -> UInt64? {
    record.withLock { record in
      guard let known = record.state.known, record.state.inFlight == nil, record.counts.reported == record.counts.own
      else { return nil }
      if !header.hasSameContent(as: known) {
        if header.isOlder(than: known) { return nil }
        // No check has found these commits yet.
        record.noteExternalCommit()
        record.state.known = header
      }
      return record.counts.external
    }
  }

  /// The state before the own commit that is being reported; nil if the commit has not changed the main database, or if
  /// the state is unknown. With the number of own commits whose preceding state was known, this one included.
  var unreportedCommit: (stateBefore: WALIndexHeader?, ownCommitCount: UInt64) {
    record.withLock { ($0.state.beforeUnreported, $0.counts.numbered) }
  }

  /// The number of the state before the own commit that is being reported, if the connection records it.
  var dataVersionCounterBeforeCommit: UInt32? { record.withLock(\.state.dataVersionCounter) }

  /// The last known state without an own commit that is still being reported, with the number of own commits that it
  /// contains and whose preceding state was known.
  var reportedState: (header: WALIndexHeader?, ownCommitCount: UInt64) {
    record.withLock { record in
      let (known, before) = (record.state.known, record.state.beforeUnreported)
      if let known, let before, known.isNext(to: before) { return (before, record.counts.numbered - 1) }
      return (known, record.counts.numbered)
    }
  }

  /// The last known state, with the number of own commits that it contains and whose preceding state was known.
  var knownState: (header: WALIndexHeader?, ownCommitCount: UInt64) {
    record.withLock { ($0.state.known, $0.counts.numbered) }
  }

  // MARK: The connection

  /// Records `dataVersionCounterBeforeCommit` from the next commit on. The connection of a queue is the only one that
  /// reads its database, and identifies its commits with it.
  func recordDataVersions() { recordsDataVersions.store(true, ordering: .relaxed) }

  /// Whether commits are recorded.
  var isTracking: Bool { userCount.load(ordering: .relaxed) > 0 }

  /// Reports that a commit begins.
  ///
  /// - Parameter connection: The connection that commits.
  func willCommit(on connection: SQLiteConnection) {
    // The commit may concern another database of the connection.
    guard isTracking else { return }
    let isWriting = sqlite3_txn_state(connection, "main") == SQLITE_TXN_WRITE
    if recordsDataVersions.load(ordering: .relaxed) {
      let counter = isWriting ? ConnectionHandle.dataVersionCounter(of: connection) : nil
      record.withLock { $0.state.dataVersionCounter = counter }
    }
    guard isWriting else { return }
    record.withLock { record in
      // Without a known state there may be no log, and SQLite would create a WAL-index when asked for it.
      guard let known = record.state.known, let memory = WALIndexMemory(connection), let header = memory.header else {
        return
      }
      if !header.hasSameContent(as: known) { record.noteExternalCommit() }
      record.state.known = header
      (record.state.beforeInFlight, record.state.beforeUnreported) = (header, nil)
      record.state.inFlight = memory
    }
  }

  /// Reports that a `VACUUM` begins, which calls no commit hook. It does not hold the write lock yet.
  func vacuumWillBegin(on connection: SQLiteConnection) {
    guard isTracking else { return }
    record.withLock { record in
      guard record.state.known != nil, let memory = WALIndexMemory(connection) else { return }
      record.state.inFlight = memory
    }
  }

  /// Reports that a commit has ended, and the number of frames in the log.
  func didCommit(frameCount: UInt32) {
    guard isTracking else { return }
    record.withLock { record in
      let before = record.state.beforeInFlight.take()
      if let before { record.noteUnreportedCommit(after: before) }
      guard let memory = record.state.inFlight.take() else { return }
      // If another connection is already committing, the next check decides.
      guard let header = memory.header, let known = record.state.known else { return }
      if !header.isNext(to: known) || header.frameCount != frameCount {
        record.noteExternalCommit()
      } else if before == nil {
        // The commit of a VACUUM is the only one since the known state.
        record.noteUnreportedCommit(after: known)
      }
      record.state.known = header
      record.counts.own += 1
    }
  }

  /// Reports that the observers know the last commit.
  func didReport() {
    guard isTracking else { return }
    record.withLock { record in
      record.counts.reported = record.counts.own
      (record.state.beforeUnreported, record.state.dataVersionCounter) = (nil, nil)
    }
  }

  /// Reports that an observer knows the last commit, while others are being notified.
  func didReportToObserver() {
    guard isTracking else { return }
    record.withLock { $0.counts.reported = $0.counts.own }
  }

  /// Reports that a commit has failed, or that a transaction ended without one.
  func didNotCommit() {
    guard isTracking else { return }
    record.withLock { ($0.state.inFlight, $0.state.beforeInFlight) = (nil, nil) }
  }
}
