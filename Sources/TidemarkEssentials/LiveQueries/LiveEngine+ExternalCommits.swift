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

  /// Reads stored changes, with a connection that fetches.
  ///
  /// - Parameter reader: Nil if they are not stored any more.
  func readStoredChanges(
    _ reader: (any StoredChangesReader)?, _ result: Result<Database, any Error>, _ core: _DatabaseCore,
    from start: Duration
  ) {
    defer {
      let end = clock.now()
      guarded.withLock { $0.state.storedChangesReadEnded(from: start, to: end) }
    }
    guard let reader else { return externalCommitsAreUnknown() }
    do {
      let db = try result.get()
      for _ in 0..<Self.attemptCountMax {
        guard let (changes, count) = try db.isolatedRead({ try read(reader, $0, core) }) else { continue }
        guard case .known(let commits, _) = changes else { break }
        let now = clock.now()
        report { $0.state.externalCommitsReported(commits, externalCommitCount: count, at: now) }
        return
      }
    } catch {
      Database.log(error, "Could not read the stored changes of external commits")
    }
    externalCommitsAreUnknown()
  }

  /// Reads stored changes, and the number of external commits in the state that is read, if it is known.
  private func read(
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
