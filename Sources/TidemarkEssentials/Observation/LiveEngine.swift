/// What is observed in a database: it learns of commits, finds the queries that they touch, and has these fetched.
///
/// Invariants (those of `ARCHITECTURE.md`, where they are kept):
///
/// 1. A change that alters the result of an observed query is never missed: a query stands in the index from the moment
///    its fetch has ended, and the commits since its fetch began are asked, under one lock.
/// 2. The last state is always delivered: a query that was touched is fetched by a fetch that begins later.
/// 3. Values move forward: fetches of a query come one after the other, each on a newer snapshot, and an observer is
///    given those that began after it came.
/// 4. A writer finds the queries, and nothing more: it waits for no fetch and no observer.
/// 5. Who is called is called outside of the lock, and what is let go is released outside of it: see `Mutex.withLock`.
/// 6. The tables that no query reads are not captured, and a commit that changes nothing else is not told. So a fetch
///    that is the first to read a table, or its columns, compares how many commits have written, told or not: before
///    its snapshot, and once the needs are set. When there were some meanwhile, it is no better than an old one. A
///    commit that is told, but was captured for older needs than those of a query, has touched that query.
final class LiveEngine: _DatabaseCore.Component {
  let state = Mutex(LiveState())

  /// The engine of a database.
  static func engine(of core: _DatabaseCore) -> LiveEngine {
    core.component { LiveEngine() }
  }

  // MARK: - Life of an observer

  /// Observes: fetches soon, and whenever a commit may have changed the result.
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

  /// Observes: fetches now, on this thread, and whenever a commit may have changed the result.
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
    // What is not committed may never be.
    var isProvisional = core.isInsideTransaction
    var fetch = LiveFetch(
      source: source, findsRegion: true, observers: [observer], isReading: !key.requiresWriteAccess,
      isDigested: externalCommits != nil && !key.requiresWriteAccess, deadline: core.deadline())
    let result = Result {
      func run(_ db: Database, _ isInsideWrite: Bool) throws -> LiveFetch.Outcome? {
        // An access may have left the transaction open, around this one.
        if isInsideWrite { isProvisional = true }
        if isProvisional { fetch.isReading = false }
        // Of a state that may never be committed, or that was taken before, it is not known which commit it is of.
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
    // Before it is attached: what it is given from then on is newer.
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

  /// An observer wants nothing any more.
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

  /// The database is about to be closed: nothing is held of it any more.
  func willClose() { state.withLock(\.externalCommits)?.pause() }

  /// It was not closed.
  func didNotClose() { state.withLock(\.externalCommits)?.resume() }

  /// The database was closed: all observations end.
  func didClose() {
    state.withLock { $0.isClosed = true }
    fail(Database.closedError)
  }

  /// All observations end.
  private func fail(_ error: any Error) {
    let (queries, _) = state.withLock { state -> ([LiveQuery], LiveState.ReleasedObjects?) in
      let queries = Array(state.queries.values)
      queries.forEach { state.forget($0) }
      return (queries, state.leaveIfUnused())
    }
    for observer in queries.flatMap(\.observers) { observer.fail(error) }
  }

  /// Follows the commits of a database.
  private func open(_ core: _DatabaseCore, _ state: inout LiveState) {
    if state.core != nil { return }
    state.core = core
    state.ownCommits = core.writer?.ownCommits
    state.follow(
      // Held as long as something is observed, as the engine holds the ground: a weak reference would be asked at each
      // commit.
      core.writer?.changeBroker.subscribe(state.index.needs) { [self] changes in didCommit(changes) })
    state.externalCommits = core.subscribeToExternalCommits { [weak self] snapshotChanges in
      switch snapshotChanges {
      case .commits: self?.externalCommitDetected()
      case .fileMoved(let error): self?.fail(error)
      }
    }
    if state.externalCommits == nil { state.ownCommitTracking = core.trackOwnCommits() }
  }

  // MARK: - Work

  /// Does what was decided under the lock.
  func perform(_ work: LiveWork) {
    guard let core = work.core else { return }
    if work.startsReading { core.fetchLater { [self] db in fetchReadBatches(db) } }
    if let number = work.watchdog { startWatchdog(number, of: core) }
    if work.startsWriting { core.writeLater { [self] db in fetchWriteBatches(db) } }
    if let (pause, query) = work.pause {
      let endPause = core.clock.after(pause) { [self] in resume(query) }
      // The pause lasts as long as this is kept.
      _ = state.withLock { _ in
        defer { query.retrying?.endPause = endPause }
        return query.retrying?.endPause
      }
    }
  }

  /// Has the line that was left to those who fetch served by another connection when they take long.
  private func startWatchdog(_ number: Int, of core: _DatabaseCore) {
    let end = core.clock.after(FetchBatch.singleProcessorHelpDelay) { [self] in
      let (work, _) = state.withLock { state in (state.endWatchdog(number), state.fetchQueues.takeWatchdog(number)) }
      perform(work)
    }
    // The watch lasts as long as this is kept.
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
