// Identification of the snapshot of a fetch batch, for queries that need it.
//
// A query that is updated row by row fetches only changed rows, so these must be known for the snapshot. The engine is
// notified of commits shortly after they become visible to other connections. A snapshot with a commit that was not
// notified yet is replaced by a newer one, for a while; if there is none, all rows may have changed.

extension LiveEngine {
  /// The search for a snapshot whose commits are all known.
  struct SnapshotSearch {
    private let began: Duration
    private var attemptCount = 0

    init(began: Duration) {
      self.began = began
    }

    /// Whether to look for another snapshot because something about the last one is unknown.
    mutating func shouldContinue(
      _ unknown: SnapshotRequirements, _ clock: MonotonicClock, _ policy: LivePolicy
    ) -> Bool {
      attemptCount += 1
      if unknown.isEmpty || attemptCount >= databaseVersionAttemptMax { return false }
      // The committing thread may be waiting for this processor.
      SystemThread.yield()
      // For the database version, only a commit at the moment of the snapshot matters, so the search is not limited.
      // The notification of commits depends on the committing thread.
      return unknown.contains(.version) || clock.now() - began < policy.snapshotSearchTimeout
    }
  }

  /// Facts about a snapshot that the queries of a batch need.
  struct SnapshotRequirements: OptionSet {
    var rawValue: UInt8

    /// Its database version.
    static let version = SnapshotRequirements(rawValue: 1)

    /// The rows that have changed in it.
    static let rows = SnapshotRequirements(rawValue: 2)
  }

  /// A fetch in the transaction that has just begun, with the database version of its snapshot if it needs it; nil if
  /// another transaction may know it.
  func versioned(_ fetch: LiveFetch, in core: _DatabaseCore, _ db: Database) throws -> LiveFetch? {
    guard fetch.source.reportsVersion else { return fetch }
    guard case .known(let version) = try core.databaseVersion(db) else { return nil }
    var fetch = fetch
    fetch.snapshotChanges.version = version
    return fetch
  }

  /// Records the changed rows before a snapshot is taken: it contains all commits up to now.
  func noteRows(of batch: Batch) {
    let externalCommitCount = Int64(bitPattern: batch.core.writer?.ownCommits.externalCommitCount ?? 0)
    guarded.withLock { $0.state.rowsNoted(in: batch.number, externalCommitCount: externalCommitCount) }
  }

  /// Determines the facts about a snapshot that the queries of a batch need.
  ///
  /// - Returns: The facts that are unknown.
  func unmetRequirements(_ taken: SnapshotState, _ batch: Batch, _ db: Database) throws -> SnapshotRequirements {
    var unknown: SnapshotRequirements = []
    if batch.facts.reportsVersion {
      let version = try batch.core.databaseVersion(of: taken, db)
      let lowerBound = version.lowerBound
      guarded.withLock { $0.state.withBatch(batch.number) { $0.setVersion(lowerBound) } }
      if case .atLeast = version { unknown.insert(.version) }
    }
    if batch.facts.isIncremental, try !knowsRows(of: batch, taken.header, db) { unknown.insert(.rows) }
    return unknown
  }

  /// Whether a snapshot contains only changes of the recorded rows.
  private func knowsRows(of batch: Batch, _ header: WALIndexHeader?, _ db: Database) throws -> Bool {
    // The read prevents writes, and SQLite counts the commits of other connections.
    if batch.core.fetchesExcludeWrites {
      let version = try db.dataVersion()
      return guarded.withLock { $0.state.snapshotIdentified(in: batch.number, externalCommitCount: version) }
    }
    guard let header, let ownCommits = batch.core.writer?.ownCommits else { return false }
    if !ownCommits.hasBegun { ownCommits.begin(with: header) }
    guard let externalCommitCount = ownCommits.externalCommitCount(inReportedState: header) else { return false }
    return guarded.withLock {
      $0.state.snapshotIdentified(
        in: batch.number, externalCommitCount: Int64(bitPattern: externalCommitCount))
    }
  }
}
