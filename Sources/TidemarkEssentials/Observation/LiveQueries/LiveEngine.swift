/// The engine of live queries of a database: it receives commits, finds the queries that they may have changed, and
/// fetches these.
///
/// Invariants, from `ARCHITECTURE.md`:
///
/// 1. A change of the result of an observed query is never missed. A query is in the index when its fetch has ended,
///    and the commits since the beginning of the fetch are checked under the same lock.
/// 2. The last state is always delivered: a query that may have changed is fetched by a fetch that begins later.
/// 3. Values move forward. The fetches of a query run one after the other, each on a newer snapshot, and an observer
///    receives the values of fetches that began after it was added.
/// 4. A writer only finds the queries: it waits for no fetch and no observer.
/// 5. Closures are called, and objects are released, outside of the lock: see `Mutex.withLock`.
/// 6. Tables that no query reads are not captured, and a commit that changes only these is not reported. So the first
///    fetch that reads a table or its columns compares the number of commits before its snapshot with the number after
///    the needs are set. If they differ, the fetch counts as outdated. A reported commit that was captured for older
///    needs than the needs of a query counts as a change of the query.
final class LiveEngine: _DatabaseCore.Component {
  let state = Mutex(LiveState(), rank: .liveEngine)

  /// Returns the engine of a database.
  static func engine(of core: _DatabaseCore) -> LiveEngine {
    core.component { LiveEngine() }
  }

  // MARK: - Observers

  /// Adds an observer. Its query is fetched soon, and whenever a commit may have changed the result.
  func start(_ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, in core: _DatabaseCore) {
    let work = state.withLock { state -> LiveWork? in
      if state.isClosed { return nil }
      open(core, &state)
      let query = state.query(key, source)
      state.add(observer, to: query)
      state.requestFetch(query, .newObserver)
      return state.nextWork()
    }
    if let work { perform(work) } else { observer.fail(Database.closedError) }
  }

  /// Adds an observer. Its query is fetched now, on this thread, and whenever a commit may have changed the result.
  func startNow(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, in core: _DatabaseCore
  ) {
    let fetchStart = state.withLock { state -> (LiveState.FetchStart, ExternalCommitSubscription?)? in
      if state.isClosed { return nil }
      open(core, &state)
      state.startingCount += 1
      return (state.begin(), state.externalCommits)
    }
    guard let (fetchStart, externalCommits) = fetchStart else { return observer.fail(Database.closedError) }
    // Uncommitted changes may be rolled back.
    var isProvisional = core.isInsideTransaction
    var fetch = LiveFetch(
      source: source, findsRegion: true, observers: [observer], isReading: !key.requiresWriteAccess,
      isDigested: externalCommits?.canReportCommits == true && !key.requiresWriteAccess, deadline: core.deadline())
    let result = Result {
      func run(_ db: Database, _ isInsideWrite: Bool) throws -> LiveFetch.Outcome? {
        // An earlier access may have left the transaction open around this one.
        if isInsideWrite { isProvisional = true }
        if isProvisional { fetch.isReading = false }
        // The version is unknown for uncommitted changes, and for a snapshot that was taken before.
        let isTaken = isProvisional || db.handle?.isReading("main") != false && !key.requiresWriteAccess
        externalCommits?.begin(with: db)
        return try (isTaken ? fetch : versioned(fetch, in: core, db))?.run(db)
      }
      for _ in 0..<databaseVersionAttemptMax {
        let outcome: LiveFetch.Outcome?
        if key.requiresWriteAccess {
          outcome = try writing(key) { willCommit in
            try core.write { db, isInsideWrite in
              let outcome = try run(db, isInsideWrite)
              if !isProvisional { willCommit() }
              return outcome
            }
          }
        } else {
          outcome = try core.read(run)
        }
        if let outcome { return outcome }
      }
      return try core.read { db, _ in try fetch.run(db) }
    }
    // Before the observer is attached: the following values are newer.
    switch result {
    case .success(let outcome):
      if let region = outcome.region { observer.events.willTrackRegion?(region) }
      _ = outcome.handOver(observer)
    case .failure(let error): observer.fail(error)
    }
    let (work, _) = state.withLock { state -> (LiveWork?, LiveState.ReleasedObjects?) in
      state.startingCount -= 1
      var work: LiveWork? = LiveWork()
      if case .success(let outcome) = result, !observer.isEnded {
        let fetchStart = outcome.ownCommit?.fetchStart ?? fetchStart
        work = state.isClosed ? nil : state.attach(observer, key, source, outcome, fetchStart, isProvisional)
      }
      state.log.end(fetchStart.commit)
      return (work, state.leaveIfUnused())
    }
    if let work { perform(work) } else { observer.fail(Database.closedError) }
  }

  /// Removes an observer.
  func stop(_ observer: AnyLiveObserver, _ key: LiveQueryKey) {
    let (cancellation, _, _) = state.withLock {
      state -> (AccessCancellation?, LiveQuery?, LiveState.ReleasedObjects?) in
      guard let query = state.queries[key], query.remove(observer), query.observers.isEmpty else {
        return (nil, nil, nil)
      }
      state.forget(query)
      return (query.cancellation, query, state.leaveIfUnused())
    }
    cancellation?.cancel()
  }

  /// Releases resources before the database is closed.
  func willClose() { state.withLock(\.externalCommits)?.pause() }

  /// Resumes after the database was not closed.
  func didNotClose() { state.withLock(\.externalCommits)?.resume() }

  /// Ends all observations after the database was closed.
  func didClose() {
    state.withLock { $0.isClosed = true }
    fail(Database.closedError)
  }

  /// Ends all observations with an error.
  private func fail(_ error: any Error) {
    let (queries, _) = state.withLock { state -> ([LiveQuery], LiveState.ReleasedObjects?) in
      let queries = Array(state.queries.values)
      queries.forEach { state.forget($0) }
      return (queries, state.leaveIfUnused())
    }
    for observer in queries.flatMap(\.observers) { observer.fail(error) }
  }

  /// Subscribes to the commits of a database.
  private func open(_ core: _DatabaseCore, _ state: inout LiveState) {
    if state.core != nil { return }
    state.core = core
    state.ownCommits = core.writer?.ownCommits
    state.follow(
      // The subscription and the engine's core are retained while there are observations: a weak reference would be
      // loaded with each commit.
      core.writer?.changeBroker.subscribe(state.index.needs) { [self] changes in didCommit(changes) })
    state.externalCommits = core.subscribeToExternalCommits { [weak self] snapshotChanges in
      switch snapshotChanges {
      case .commits: self?.externalCommitDetected()
      case .fileMoved(let error): self?.fail(error)
      }
    }
  }

  // MARK: - Work

  /// Performs work that was decided under the lock.
  func perform(_ work: LiveWork) {
    guard let core = work.core else { return }
    if work.startsReading { core.fetchLater { [self] db in fetchReadBatches(db) } }
    if let number = work.watchdog { startWatchdog(number, of: core) }
    if work.startsWriting { core.writeLater { [self] db in fetchWriteBatches(db) } }
    if let (pause, query) = work.pause {
      let endPause = core.clock.after(pause) { [self] in resume(query) }
      // The pause lasts until this object is released.
      _ = state.withLock { _ in
        defer { query.retrying?.endPause = endPause }
        return query.retrying?.endPause
      }
    }
  }

  /// Starts a watchdog, which requests another connection for the queue if the current fetches take long.
  private func startWatchdog(_ number: Int, of core: _DatabaseCore) {
    let end = core.clock.after(FetchBatch.singleProcessorHelpDelay) { [self] in
      let (work, _) = state.withLock { state in (state.endWatchdog(number), state.fetchQueues.takeWatchdog(number)) }
      perform(work)
    }
    // The watchdog runs until this object is released.
    _ = state.withLock { $0.fetchQueues.keepWatchdog(number, end) }
  }

  private func resume(_ query: LiveQuery) {
    let (work, _) = state.withLock { state in
      if state.queries[query.key] === query, query.machine.resume() { state.fetchQueues.append(query) }
      let endPause = query.retrying?.endPause
      query.retrying?.endPause = nil
      return (state.nextWork(), endPause)
    }
    perform(work)
  }
}
