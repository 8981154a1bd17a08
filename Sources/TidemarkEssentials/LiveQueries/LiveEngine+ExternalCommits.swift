// External commits.
//
//     detected ── their changes are not stored ──► each query is fetched
//        └─────── their changes are stored ─────► a reader reads them ── known ──► the index finds the queries
//                                                                    └── unknown ──► each query is fetched

extension LiveEngine {
  /// The number of attempts to read stored changes while other connections commit. Then they count as unknown.
  private static var attemptCountMax: Int { 8 }

  /// Handles an event of the thread that detects external commits.
  func didDetect(_ event: ExternalCommitMonitor.Event) {
    switch event {
    case .commits:
      let now = clock.now()
      report { guarded in
        if guarded.storedChangesReader == nil {
          guarded.state.externalCommitDetected(at: now)
        } else {
          guarded.state.storedChangesDetected(at: now)
        }
      }
    case .commitsInAttachedDatabase: externalCommitsAreUnknown()
    case .fileMoved(let error):
      for observer in report({ $0.state.observationsFailed() }).removed { observer.fail(error) }
    }
  }

  private func externalCommitsAreUnknown() {
    let now = clock.now()
    report { $0.state.externalCommitDetected(at: now) }
  }

  /// Reads stored changes, with a connection that fetches. If they concern one query, it is fetched from the same
  /// snapshot.
  ///
  /// - Parameter reader: Nil if they are not stored any more.
  /// - Returns: The batch of this query. The connection must leave it.
  func readStoredChanges(
    _ reader: (any StoredChangesReader)?, _ result: Result<Database, any Error>, _ core: _DatabaseCore,
    _ read: LiveState.StoredChangesRead
  ) -> Batch? {
    var (batch, isReported): (Batch?, Bool) = (nil, false)
    do {
      let db = try result.get()
      for _ in 0..<Self.attemptCountMax where !isReported {
        guard let reader else { break }
        try db.isolatedRead { db in
          guard let (changes, count) = try changes(reader, db, core) else { return }
          isReported = true
          guard case .known(let commits, _) = changes else { return changesAreUnknown(read) }
          batch = report(commits, externalCommitCount: count, read, core)
          if let batch { fetchAll(batch, from: db) }
        }
      }
    } catch {
      if let batch { fail(batch, error) } else { Database.log(error, "Could not read stored changes") }
    }
    if !isReported { changesAreUnknown(read) }
    return batch
  }

  private func changesAreUnknown(_ read: LiveState.StoredChangesRead) {
    let now = clock.now()
    report { guarded in
      guarded.state.externalCommitDetected(at: now)
      guarded.state.storedChangesReadEnded(read, at: now)
    }
  }

  /// - Returns: The batch of the query that the changes concern, if it may be fetched from the same snapshot.
  private func report(
    _ commits: [CommittedChanges], externalCommitCount: Int64?, _ read: LiveState.StoredChangesRead,
    _ core: _DatabaseCore
  ) -> Batch? {
    let now = clock.now()
    return report { guarded in
      guarded.state.externalCommitsReported(commits, externalCommitCount: externalCommitCount, at: now)
      guarded.state.storedChangesReadEnded(read, at: now)
      let facts = guarded.state.batchBegan(
        in: read, commitCount: commits.count, writeCount: guarded.objects.writeCount, at: now)
      return guarded.batch(facts, core, at: now)
    }.result
  }

  /// Reads stored changes, and the number of external commits in the state that is read, if it is known.
  private func changes(
    _ reader: any StoredChangesReader, _ db: Database, _ core: _DatabaseCore
  ) throws -> (StoredChanges, externalCommitCount: Int64?)? {
    guard let changes = try reader.next(db) else { return nil }
    if core.fetchesExcludeWrites { return (changes, try db.dataVersion()) }
    guard case .known(_, let header?) = changes else { return (changes, nil) }
    return (changes, core.writer?.ownCommits.externalCommitCount(inReadState: header).map(Int64.init(bitPattern:)))
  }
}

extension _DatabaseCore {
  /// Reads the changes of external commits; nil if they count as unknown.
  var changesReader: (any StoredChangesReader)? {
    guard let writer else { return nil }
    if let reader = configuration.writerExtension?.storedChangesReader(writer.changeBroker) { return reader }
    return configuration.findsTablesOfExternalCommits && !fetchesExcludeWrites ? ChangedPagesReader() : nil
  }
}

extension LiveEngine.Guarded {
  var storedChangesReader: (any StoredChangesReader)? { objects.watch?.externalCommits?.reader }
}

/// Numbers the external commits such that two states have the same number if the rows of all external commits between
/// them have been reported. So a result that is updated row by row can be updated from one state to the other.
///
/// Invariant: two states with different counts of external commits have the same number only if the changes between
/// them were reported by reads that followed each other without a gap.
struct ExternalCommitNumbering {
  /// The last state whose external commits were reported: their count, and its number.
  private var last: (count: Int64, number: Int64)?

  /// The number of a state.
  func number(of count: Int64) -> Int64 {
    if let last, last.count == count { return last.number }
    return count
  }

  /// A fetch reads a state in which all own commits are reported.
  mutating func stateIsRead(_ count: Int64) { last = last ?? (count, count) }

  /// All external commits up to a state were reported, since the last state or since an earlier one.
  ///
  /// - Parameter count: Nil if the state is not known.
  mutating func rowsAreReported(upTo count: Int64?) { last = count.map { ($0, last?.number ?? $0) } }

  /// The changes of external commits are unknown.
  mutating func changesAreUnknown() { last = nil }
}
