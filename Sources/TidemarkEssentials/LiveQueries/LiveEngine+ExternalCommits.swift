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
    _ reader: (any StoredChangesReader)?, _ result: Result<Database, any Error>, from start: Duration
  ) {
    defer {
      let end = clock.now()
      guarded.withLock { $0.state.storedChangesReadEnded(from: start, to: end) }
    }
    guard let reader else { return externalCommitsAreUnknown() }
    do {
      let db = try result.get()
      for _ in 0..<Self.attemptCountMax {
        guard let changes = try db.isolatedRead({ try reader.next($0) }) else { continue }
        guard case .known(let commits) = changes else { break }
        let now = clock.now()
        report { $0.state.externalCommitsReported(commits, at: now) }
        return
      }
    } catch {
      Database.log(error, "Could not read the stored changes of external commits")
    }
    externalCommitsAreUnknown()
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
