/// What is observed in a database: it learns of commits, finds the queries that they touch, and has these fetched.
///
/// Laws (those of `ARCHITECTURE.md`, where they are kept):
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
final class LiveEngine: _DatabaseGround.Tenant {
  let state = Mutex(LiveState())

  /// The engine of a database.
  static func engine(of ground: _DatabaseGround) -> LiveEngine {
    ground.tenant { LiveEngine() }
  }

  // MARK: - Life of an observer

  /// Observes: fetches soon, and whenever a commit may have changed the result.
  func start(_ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, in ground: _DatabaseGround) {
    let work = state.withLock { state -> LiveWork? in
      if state.isClosed { return nil }
      open(ground, &state)
      let query = state.query(key, source)
      state.add(observer, to: query)
      state.ask(query, .newcomer)
      return state.nextWork()
    }
    if let work { perform(work) } else { observer.fail(Database.closedError) }
  }

  /// Observes: fetches now, on this thread, and whenever a commit may have changed the result.
  func startNow(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, in ground: _DatabaseGround
  ) {
    let beginning = state.withLock { state -> (LiveState.Beginning, CommitWatching?)? in
      if state.isClosed { return nil }
      open(ground, &state)
      state.startingCount += 1
      return (state.begin(), state.watching)
    }
    guard let (begun, watching) = beginning else { return observer.fail(Database.closedError) }
    // What is not committed may never be.
    var isProvisional = ground.isInsideTransaction
    var fetch = LiveFetch(
      source: source, findsRegion: true, observers: [observer], isReading: !key.requiresWriteAccess,
      isDigested: watching != nil && !key.requiresWriteAccess, deadline: ground.deadline())
    let result = Result {
      func run(_ db: Database, _ isInsideWrite: Bool) throws -> LiveFetch.Outcome? {
        // An access may have left the transaction open, around this one.
        if isInsideWrite { isProvisional = true }
        if isProvisional { fetch.isReading = false }
        // Of a state that may never be committed, or that was taken before, it is not known which commit it is of.
        let isTaken = isProvisional || db.handle?.isReading("main") != false && !key.requiresWriteAccess
        watching?.begin(with: db)
        return try (isTaken ? fetch : versioned(fetch, in: ground, db))?.run(db)
      }
      for _ in 0..<databaseVersionAttemptMax {
        let outcome: LiveFetch.Outcome?
        if key.requiresWriteAccess {
          outcome = try writing(key) { willCommit in
            try ground.write { db, isInsideWrite in
              let outcome = try run(db, isInsideWrite)
              if !isProvisional { willCommit() }
              return outcome
            }
          }
        } else {
          outcome = try ground.read(run)
        }
        if let outcome { return outcome }
      }
      return try ground.read { db, _ in try fetch.run(db) }
    }
    // Before it is attached: what it is given from then on is newer.
    switch result {
    case .success(let outcome):
      if let region = outcome.region { observer.events.willTrackRegion?(region) }
      _ = outcome.handOver(observer)
    case .failure(let error): observer.fail(error)
    }
    let (work, _) = state.withLock { state -> (LiveWork?, LiveState.Leftovers?) in
      state.startingCount -= 1
      var work: LiveWork? = LiveWork()
      if case .success(let outcome) = result, !observer.isOver {
        let begun = outcome.ownCommit?.begun ?? begun
        work = state.isClosed ? nil : state.attach(observer, key, source, outcome, begun, isProvisional)
      }
      state.log.end(begun.commit)
      return (work, state.leaveIfUnused())
    }
    if let work { perform(work) } else { observer.fail(Database.closedError) }
  }

  /// An observer wants nothing any more.
  func stop(_ observer: AnyLiveObserver, _ key: LiveQueryKey) {
    let (cancellation, _, _) = state.withLock { state -> (AccessCancellation?, LiveQuery?, LiveState.Leftovers?) in
      guard let query = state.queries[key], query.remove(observer), query.observers.isEmpty else {
        return (nil, nil, nil)
      }
      state.forget(query)
      return (query.cancellation, query, state.leaveIfUnused())
    }
    cancellation?.cancel()
  }

  /// The database is about to be closed: nothing is held of it any more.
  func willClose() { state.withLock(\.watching)?.pause() }

  /// It was not closed.
  func didNotClose() { state.withLock(\.watching)?.resume() }

  /// The database was closed: all observations end.
  func didClose() {
    state.withLock { $0.isClosed = true }
    fail(Database.closedError)
  }

  /// All observations end.
  private func fail(_ error: any Error) {
    let (queries, _) = state.withLock { state -> ([LiveQuery], LiveState.Leftovers?) in
      let queries = Array(state.queries.values)
      queries.forEach { state.forget($0) }
      return (queries, state.leaveIfUnused())
    }
    for observer in queries.flatMap(\.observers) { observer.fail(error) }
  }

  /// Follows the commits of a database.
  private func open(_ ground: _DatabaseGround, _ state: inout LiveState) {
    if state.ground != nil { return }
    state.ground = ground
    state.ownCommits = ground.writer?.ownCommits
    state.follow(
      // Held as long as something is observed, as the engine holds the ground: a weak reference would be asked at each
      // commit.
      ground.writer?.changeBroker.subscribe(state.index.needs) { [self] changes in didCommit(changes) })
    state.watching = ground.watchCommitsByOthers { [weak self] news in
      switch news {
      case .commits: self?.othersDidCommit()
      case .moved(let error): self?.fail(error)
      }
    }
    if state.watching == nil { state.notes = ground.noteOwnCommits() }
  }

  // MARK: - Work

  /// Does what was decided under the lock.
  func perform(_ work: LiveWork) {
    guard let ground = work.ground else { return }
    if work.startsReading { ground.fetchLater { [self] db in readRounds(db) } }
    if let number = work.watch { watchLine(number, of: ground) }
    if work.startsWriting { ground.writeLater { [self] db in writeRounds(db) } }
    if let (pause, query) = work.pause {
      let endPause = ground.clock.after(pause) { [self] in resume(query) }
      // The pause lasts as long as this is kept.
      _ = state.withLock { _ in
        defer { query.retrying?.endPause = endPause }
        return query.retrying?.endPause
      }
    }
  }

  /// Has the line that was left to those who fetch served by another connection when they take long.
  private func watchLine(_ number: Int, of ground: _DatabaseGround) {
    let end = ground.clock.after(LiveRound.longPatience) { [self] in
      let (work, _) = state.withLock { state in (state.endWatch(number), state.lines.takeWatch(number)) }
      perform(work)
    }
    // The watch lasts as long as this is kept.
    _ = state.withLock { $0.lines.keepWatch(number, end) }
  }

  private func resume(_ query: LiveQuery) {
    let (work, _) = state.withLock { state in
      if state.queries[query.key] === query, query.machine.resume() { state.lines.append(query) }
      let endPause = query.retrying?.endPause
      query.retrying?.endPause = nil
      return (state.nextWork(), endPause)
    }
    perform(work)
  }
}
