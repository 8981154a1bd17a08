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
    case .commits: readStoredChanges()
    case .commitsInAttachedDatabase: externalCommitsAreUnknown()
    case .fileMoved(let error):
      for observer in report({ $0.state.observationsFailed() }).removed { observer.fail(error) }
    }
  }

  private func externalCommitsAreUnknown() {
    let now = clock.now()
    report { $0.state.externalCommitDetected(at: now) }
  }

  /// Reads stored changes later, with a connection that fetches.
  private func readStoredChanges() {
    let (core, isFirst) = guarded.withLock { guarded -> (_DatabaseCore?, Bool) in
      guard guarded.storedChangesReader != nil, let core = guarded.objects.core else { return (nil, true) }
      return (core, guarded.state.storedChanges.detected())
    }
    guard isFirst else { return }
    guard let core else { return externalCommitsAreUnknown() }
    core.fetchLater { [self] db in
      repeat { readStoredChanges(db) } while guarded.withLock { $0.state.storedChanges.end() }
    }
  }

  private func readStoredChanges(_ result: Result<Database, any Error>) {
    // The current one: another watch may have begun since the detection.
    let reader = guarded.withLock { guarded in
      guarded.state.storedChanges.begin()
      return guarded.storedChangesReader
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
  fileprivate var storedChangesReader: (any StoredChangesReader)? { objects.watch?.externalCommits?.reader }
}

/// Decides when the stored changes of external commits are read.
///
///     idle ──detected──► waiting ──begin──► reading ──end──► idle
///                         detected: stays    │  ▲
///                                     detected  begin
///                                            ▼  │
///                                           outdated
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

  /// External commits were detected.
  ///
  /// - Returns: Whether to start a read.
  mutating func detected() -> Bool {
    switch state {
    case .idle:
      state = .waiting
      return true
    case .reading: state = .outdated
    case .waiting, .outdated: break
    }
    return false
  }

  /// A read begins.
  mutating func begin() { state = .reading }

  /// The read has ended.
  ///
  /// - Returns: Whether to begin another one.
  mutating func end() -> Bool {
    defer { if state != .outdated { state = .idle } }
    return state == .outdated
  }
}
