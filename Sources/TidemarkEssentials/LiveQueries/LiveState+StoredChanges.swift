// External commits whose changes are stored.
//
// A connection reads the changes, and fetches the queries that they concern. If this is one query, it can be fetched
// from the snapshot of the read: without another transaction, its value is delivered earlier.

extension LiveState {
  /// A read of stored changes.
  struct StoredChangesRead: Sendable {
    let start: Duration

    /// Nil if fetches are running, whose snapshots may be newer.
    fileprivate let moment: Moment?
  }

  /// A moment before a snapshot is taken. At an equal moment, a fetch that begins may read the snapshot: no commit was
  /// reported meanwhile, nor was another snapshot taken, nor an observer added that expects a newer state.
  fileprivate struct Moment: Equatable, Sendable {
    var commit: CommitNumber
    let writeCount: UInt64?
    let needsVersion: Int
    let batchNumber: Int
    let observerNumber: Int
  }

  private func moment(writeCount: UInt64?) -> Moment {
    Moment(
      commit: log.last, writeCount: writeCount, needsVersion: published.version, batchNumber: batchNumber,
      observerNumber: observerNumber)
  }

  /// External commits were detected whose changes may be stored: a connection reads these.
  mutating func storedChangesDetected(at now: Duration) {
    storedChanges.detected()
    requestReaders(at: now)
  }

  /// A connection is available to read stored changes, in a snapshot that it takes later.
  ///
  /// - Parameter writeCount: The number of commits that have written.
  /// - Returns: Nil if there is nothing to read.
  mutating func storedChangesReadBegan(writeCount: UInt64?, at now: Duration) -> StoredChangesRead? {
    guard readerCountMax > 0, pace.pause(at: now) == .zero, storedChanges.begin() else { return nil }
    readers.lastActivity = now
    return StoredChangesRead(start: now, moment: batches.isEmpty ? moment(writeCount: writeCount) : nil)
  }

  /// A connection has read stored changes.
  mutating func storedChangesReadEnded(_ read: StoredChangesRead, at now: Duration) {
    storedChanges.end()
    pace.worked(from: read.start, to: now)
  }

  /// External commits were read whose changes are known.
  ///
  /// - Parameter externalCommitCount: The count in the state that was read; nil if it is unknown.
  mutating func externalCommitsReported(
    _ commits: [CommittedChanges], externalCommitCount: Int64?, at now: Duration
  ) {
    metrics.externalCommitCount += 1
    externalCommitNumbering.rowsAreReported(upTo: externalCommitCount)
    for changes in commits {
      log.append(changes.tables, rowCount: changes.log.records.count, isUnknown: false, needsVersion: .max)
      for table in changes.tables {
        index.match(table) { query in
          if queries[query].lastWake != log.last { queries[query].note(table) }
          wake(query, .externalChange, at: now)
        }
      }
    }
    // The connection that has read the changes continues with the queries.
  }

  /// The changes of a read were reported. If they concern one query, its fetch begins, in the snapshot of the read.
  ///
  /// - Parameter commitCount: The number of commits that were read.
  /// - Parameter writeCount: The number of commits that have written.
  mutating func batchBegan(
    in read: StoredChangesRead, commitCount: Int, writeCount: UInt64?, at now: Duration
  ) -> FetchBatch.Facts? {
    guard var expected = read.moment, readers.reading.count == 1, let query = readers.reading.first else { return nil }
    expected.commit += CommitNumber(commitCount)
    guard moment(writeCount: writeCount) == expected, !unknownCommits.concernIdleQueries, readers.deferred.isEmpty,
      queries.contains(query), !queries[query].facts.isIncremental, !queries[query].facts.reportsVersion
    else { return nil }
    return batchBegan(writeCount: writeCount, at: now)
  }
}

/// Decides when the stored changes of external commits are read.
///
///     idle ──detected──► waiting ──begin──► reading ──end──► idle
///                           ▲                  │
///                           │               detected
///                           │                  ▼
///                           └─────end────── outdated
///
/// Invariants:
/// 1. There is one read at a time.
/// 2. A read begins after each detection, so that it includes the commit. While one waits to begin, others need none.
struct StoredChangesMachine: Equatable {
  private enum State {
    case idle
    case waiting
    case reading

    /// There was another commit since the read has begun.
    case outdated
  }

  private var state = State.idle

  /// Whether a read is to begin.
  var isWaiting: Bool { state == .waiting }

  /// External commits were detected.
  mutating func detected() {
    switch state {
    case .idle: state = .waiting
    case .reading: state = .outdated
    case .waiting, .outdated: break
    }
  }

  /// Begins a read if one is to begin.
  mutating func begin() -> Bool {
    guard state == .waiting else { return false }
    state = .reading
    return true
  }

  /// The read has ended.
  mutating func end() { state = state == .outdated ? .waiting : .idle }

  /// The changes are not needed any more. A read that has begun continues.
  mutating func cancel() {
    switch state {
    case .waiting: state = .idle
    case .outdated: state = .reading
    case .idle, .reading: break
    }
  }
}
