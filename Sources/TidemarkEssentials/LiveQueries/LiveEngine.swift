import Synchronization

/// The engine of live queries of a database: it receives commits, finds the queries that they may have changed, and
/// fetches these.
///
/// `LiveState` decides everything, and describes the invariants. The engine calls it under its lock, and performs the
/// work afterwards. While the lock is held,
///
/// 1. no other lock is taken, and no closure of the program, of a clock or of another component is called;
/// 2. no object is released: see `LiveObjects.Tasks`, and `Mutex.withLock`.
///
/// A writer only finds the queries: it waits for no fetch and no observer.
final class LiveEngine: _DatabaseCore.Component {
  /// The state, and the objects behind its ids.
  struct Guarded: ~Copyable {
    var state: LiveState
    var objects = LiveObjects()

    /// Removes and returns the work of an event.
    mutating func tasks() -> LiveObjects.Tasks {
      defer { state.work = LiveWork() }
      return objects.tasks(state.work)
    }
  }

  let guarded: Mutex<Guarded>
  let policy: LivePolicy
  let clock: MonotonicClock

  private init(_ policy: LivePolicy, _ clock: MonotonicClock) {
    self.policy = policy
    self.clock = clock
    guarded = Mutex(Guarded(state: LiveState(policy)))
  }

  /// Returns the engine of a database.
  static func engine(of core: _DatabaseCore) -> LiveEngine {
    core.component {
      LiveEngine(LivePolicy(externalCommitLimit: core.configuration.externalCommitLimit), core.clock)
    }
  }

  /// Reports an event to the state, and performs its work.
  ///
  /// - Returns: The result of the event, and the observers that it has removed.
  @discardableResult
  func report<Result: Sendable>(
    _ event: (inout sending Guarded) -> sending Result
  ) -> (result: Result, removed: [any LiveObserver]) {
    let (result, tasks) = guarded.withLock { guarded in
      let result = event(&guarded)
      return (result, guarded.tasks())
    }
    perform(tasks)
    return (result, tasks.removedObservers)
  }

  // MARK: - Observers

  /// Adds an observer. Its query is fetched soon, and whenever a commit may have changed the result.
  ///
  /// - Returns: An id for `stop`; nil if the observer has failed.
  func start(
    _ observer: any LiveObserver, _ source: any LiveSource, requiresWriteAccess: Bool, in core: _DatabaseCore
  ) -> LiveObserverID? {
    let (facts, now) = (source.facts(requiresWriteAccess: requiresWriteAccess), clock.now())
    let (interests, retry) = (observer.events.interests, observer.retry)
    let id = report { guarded -> LiveObserverID? in
      guard let ids = guarded.state.observerAdded(facts, interests, retry, at: now) else { return nil }
      guarded.objects.add(observer, source, as: ids, in: core)
      return ids.observer
    }.result
    if id == nil { observer.fail(Database.closedError) }
    return id
  }

  /// Adds an observer. Its query is fetched now, on this thread, and whenever a commit may have changed the result.
  ///
  /// - Returns: See `start`.
  func startNow(
    _ observer: any LiveObserver, _ source: any LiveSource, requiresWriteAccess: Bool, in core: _DatabaseCore
  ) -> LiveObserverID? {
    let facts = source.facts(requiresWriteAccess: requiresWriteAccess)
    let isOpen = report { guarded in
      let isOpen = guarded.state.immediateObserverAnnounced()
      if isOpen { guarded.objects.retain(core) }
      return isOpen
    }.result
    guard isOpen else {
      observer.fail(Database.closedError)
      return nil
    }
    // The commits of the database are received by now, unless another thread is about to begin that.
    let (fetchStart, externalCommits) = guarded.withLock { guarded in
      (guarded.state.beginFetch(writeCount: guarded.objects.writeCount), guarded.objects.watch?.externalCommits)
    }
    var isProvisional = false
    let result = Result {
      try fetchNow(observer, source, facts.key, externalCommits, in: core, isProvisional: &isProvisional)
    }
    // Before the observer is attached: the following values are newer.
    switch result {
    case .success(let outcome):
      if let region = outcome.facts.region { observer.events.willTrackRegion?(region) }
      _ = observer.receive(outcome.value)
    case .failure(let error): observer.fail(error)
    }
    return attach(
      observer, source, facts, try? result.get().facts, fetchStart, isProvisional: isProvisional, in: core)
  }

  /// Adds an observer after its fetch; nil facts are those of a failed one.
  private func attach(
    _ observer: any LiveObserver, _ source: any LiveSource, _ facts: LiveQuery.Facts, _ result: LiveFetch.Facts?,
    _ fetchStart: LiveState.FetchStart, isProvisional: Bool, in core: _DatabaseCore
  ) -> LiveObserverID? {
    guard let result, !observer.isEnded else {
      report { guarded in
        guarded.state.log.end(fetchStart.commit)
        guarded.state.immediateObserverLeft()
      }
      return nil
    }
    let (interests, retry, now) = (observer.events.interests, observer.retry, clock.now())
    let id = report { guarded -> LiveObserverID? in
      let ids = guarded.state.immediateFetchEnded(
        fetchStart, facts, interests, retry, result, isProvisional: isProvisional,
        writeCount: guarded.objects.writeCount, at: now)
      if let ids { guarded.objects.add(observer, source, as: ids, in: core) }
      guarded.state.immediateObserverLeft()
      return ids?.observer
    }.result
    if id == nil { observer.fail(Database.closedError) }
    return id
  }

  /// Fetches the first value of an observer on this thread.
  ///
  /// - Parameter isProvisional: Set if the fetch has read uncommitted changes, which may be rolled back.
  private func fetchNow(
    _ observer: any LiveObserver, _ source: any LiveSource, _ key: LiveQueryKey,
    _ externalCommits: ExternalCommitListener?, in core: _DatabaseCore, isProvisional: inout Bool
  ) throws -> LiveFetch.Outcome {
    var isUncommitted = core.isInsideTransaction
    defer { isProvisional = isUncommitted }
    var fetch = LiveFetch(
      source: source, findsRegion: true, observers: [observer], isReading: !key.requiresWriteAccess,
      isDigested: externalCommits?.canReportCommits == true && !key.requiresWriteAccess, deadline: core.deadline())
    func run(_ db: Database, _ isInsideWrite: Bool) throws -> LiveFetch.Outcome? {
      // An earlier access may have left the transaction open around this one.
      if isInsideWrite { isUncommitted = true }
      if isUncommitted { fetch.isReading = false }
      // The version is unknown for uncommitted changes, and for a snapshot that was taken before.
      let isTaken = isUncommitted || db.handle?.isReading("main") != false && !key.requiresWriteAccess
      externalCommits?.begin(with: db)
      return try (isTaken ? fetch : versioned(fetch, in: core, db))?.run(db)
    }
    for _ in 0..<databaseVersionAttemptMax {
      let outcome: LiveFetch.Outcome?
      if key.requiresWriteAccess {
        outcome = try writing(key) { willCommit in
          try core.write { db, isInsideWrite in
            let outcome = try run(db, isInsideWrite)
            if !isUncommitted { willCommit() }
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

  /// Removes an observer.
  func stop(_ observer: LiveObserverID) { report { $0.state.observerCancelled(observer) } }

  /// Releases resources before the database is closed.
  func willClose() { guarded.withLock({ $0.objects.watch })?.externalCommits?.pause() }

  /// Resumes after the database was not closed.
  func didNotClose() { guarded.withLock({ $0.objects.watch })?.externalCommits?.resume() }

  /// Ends all observations after the database was closed.
  func didClose() {
    for observer in report({ $0.state.databaseClosed() }).removed { observer.fail(Database.closedError) }
  }

  // MARK: - Commits

  /// Handles a successful commit, on the committing thread.
  private func didCommit(_ changes: CommittedChanges) {
    let now = clock.now()
    let tasks = guarded.withLock { guarded -> LiveObjects.Tasks? in
      let subscription = guarded.objects.watch?.subscription
      let hasWork = guarded.state.commitReported(
        changes, isUnknown: changes.isUnknown(forSubscription: subscription), writeCount: subscription?.writeCount,
        at: now)
      return hasWork ? guarded.tasks() : nil
    }
    if let tasks { perform(tasks) }
  }

  // MARK: - Work

  /// Performs the work of an event.
  func perform(_ tasks: LiveObjects.Tasks) {
    let work = tasks.work
    // Connections that start to fetch compare their snapshots with the confirmed commits.
    if work.confirmsCommit { tasks.core?.writer?.ownCommits.didReportToObserver() }
    for observer in tasks.notified { observer.events.databaseDidChange?() }
    guard let core = tasks.core else { return }
    if let needs = work.beginsWatch { beginWatch(needs, of: core) }
    if let needs = work.publishesNeeds, let subscription = tasks.subscription { publish(needs, subscription) }
    if work.startsReading { core.fetchLater { [self] db in fetchReadBatches(db, core) } }
    if let (number, delay) = work.watchdog { startWatchdog(number, delay) }
    if work.startsWriting { core.writeLater { [self] db in fetchWriteBatches(db, core) } }
    if let (pause, query) = work.pause { startPause(pause, query) }
  }

  /// Begins to receive the commits of a database.
  private func beginWatch(_ needs: LiveWork.Needs, of core: _DatabaseCore) {
    let subscription = core.writer?.changeBroker.subscribe(needs.needs) { [self] changes in didCommit(changes) }
    let externalCommits = core.subscribeToExternalCommits(reader: core.changesReader) { [weak self] event in
      self?.didDetect(event)
    }
    let watch = LiveObjects.Watch(subscription: subscription, externalCommits: externalCommits)
    let (readerCountMax, writeCount, now) = (core.fetchCountMax, subscription?.writeCount, clock.now())
    report { guarded in
      guarded.objects.begin(watch)
      guarded.state.watchBegan(
        needs, version: subscription?.version ?? 0, readerCountMax: readerCountMax, writeCount: writeCount, at: now)
    }
  }

  private func publish(_ needs: LiveWork.Needs, _ subscription: ChangeSubscription) {
    let version = subscription.setNeeds(needs.needs)
    let (writeCount, now) = (subscription.writeCount, clock.now())
    report { $0.state.needsPublished(needs, version: version, writeCount: writeCount, at: now) }
  }

  /// Starts a watchdog, which requests another connection for the queue if the current fetches take long.
  private func startWatchdog(_ number: Int, _ delay: Duration) {
    let end = clock.after(delay) { [self] in
      let now = clock.now()
      report { guarded in
        guarded.state.watchdogEnded(number, at: now)
        return guarded.objects.endWatchdog(number)
      }
    }
    _ = guarded.withLock { guarded -> (@Sendable () -> Void)? in
      guard guarded.state.readers.watchdog == number else { return nil }
      return guarded.objects.keep(end, ofWatchdog: number)
    }
  }

  private func startPause(_ pause: Duration, _ query: LiveQueryID) {
    let end = clock.after(pause) { [self] in
      let now = clock.now()
      report { guarded in
        guarded.state.pauseEnded(query, at: now)
        return guarded.objects.endPause(of: query)
      }
    }
    _ = guarded.withLock { guarded -> (@Sendable () -> Void)? in
      guard guarded.state.isPausing(query) else { return nil }
      return guarded.objects.keep(end, pausing: query)
    }
  }
}
