/// What an engine decides, and what it decides by. No thread, no connection: the engine has it under its lock, and does
/// what it says afterwards.
struct LiveState {
  /// Kept as long as something is observed.
  var ground: _DatabaseGround?

  var queries: [LiveQueryKey: LiveQuery] = [:]
  var index = RegionIndex<LiveQuery>()
  var log = CommitLog<TableCommit>()
  var subscription: ChangeSubscription?
  var lines = Lines()

  /// How many observers are fetching their first value on their own threads.
  var startingCount = 0

  /// How many rounds of fetches were begun.
  var roundNumber = 0

  var isClosed = false
  var metrics = LiveMetrics()

  private var needsVersion = 0

  /// Queries that wait for a fetch.
  struct Lines {
    var reading: [LiveQuery] = []
    var writing: [LiveQuery] = []

    /// How many connections are fetching, or were asked for.
    var readerCount = 0
    var hasWriter = false

    mutating func append(_ query: LiveQuery) {
      if query.key.requiresWriteAccess {
        writing.append(query)
      } else {
        reading.append(query)
      }
    }
  }

  /// Fetches on one snapshot.
  struct Round {
    var ground: _DatabaseGround
    var number: Int

    /// The commit that the snapshot is at least as new as.
    var begun: CommitNumber

    var items: [Item]

    struct Item {
      var query: LiveQuery
      var wishes: LiveQueryMachine.Wish
      var wokenAt: Duration?
    }
  }

  /// What is let go outside of the lock, since it may end what it holds.
  struct Leftovers {
    var ground: _DatabaseGround?
    var subscription: ChangeSubscription?
  }

  // MARK: Queries

  /// The query of a source.
  mutating func query(_ key: LiveQueryKey, _ source: AnyLiveSource) -> LiveQuery {
    if let query = queries[key] { return query }
    let query = LiveQuery(key, source)
    queries[key] = query
    return query
  }

  mutating func add(_ observer: AnyLiveObserver, to query: LiveQuery) {
    observer.arrival = roundNumber
    query.add(observer)
  }

  /// Nobody observes a query any more.
  mutating func forget(_ query: LiveQuery) {
    queries[query.key] = nil
    untrack(query)
  }

  /// When nothing is observed, nothing is held.
  mutating func leaveIfUnused() -> Leftovers? {
    guard queries.isEmpty, startingCount == 0, ground != nil else { return nil }
    defer {
      ground = nil
      subscription = nil
    }
    return Leftovers(ground: ground, subscription: subscription)
  }

  /// Adds an observer that has been given its first value, by a fetch of its own.
  ///
  /// - parameter isProvisional: Whether the fetch has seen what may be rolled back. A rollback is not told.
  mutating func attach(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, _ outcome: LiveFetch.Outcome,
    _ begun: CommitNumber, _ isProvisional: Bool
  ) -> LiveWork {
    let query = query(key, source)
    observer.isNew = false
    add(observer, to: query)
    guard let region = outcome.region else { preconditionFailure("The first fetch finds the region") }
    let isTouched = isTouched(region, after: begun)
    if query.lastSelection == nil {
      track(region, query)
      if !isTouched { query.lastSelection = outcome.selection }
    }
    if isProvisional || isTouched { ask(query, .change) }
    return nextWork()
  }

  // MARK: Regions

  /// What a query reads is known.
  ///
  /// - returns: Whether it is not what it was, as far as somebody wants to know.
  @discardableResult
  mutating func track(_ region: DatabaseRegion, _ query: LiveQuery) -> Bool {
    if query.region == region { return false }
    untrack(query)
    let isToBeTold = query.observers.contains { $0.events.willTrackRegion != nil }
    if isToBeTold { query.region = region }
    query.registration = index.insert(region, query)
    tellNeeds()
    return isToBeTold
  }

  private mutating func untrack(_ query: LiveQuery) {
    if let registration = query.registration { index.remove(registration, query) }
    query.registration = nil
    query.region = nil
  }

  private mutating func tellNeeds() {
    if index.needsVersion == needsVersion { return }
    needsVersion = index.needsVersion
    _ = subscription?.setNeeds(index.needs)
  }

  /// Whether a commit after some other one may have changed what is in a region.
  func isTouched(_ region: DatabaseRegion, after number: CommitNumber) -> Bool {
    log.contains(after: number) { $0.touches(region) }
  }

  // MARK: Fetches

  /// Somebody wants a query to be fetched.
  mutating func ask(_ query: LiveQuery, _ wish: LiveQueryMachine.Wish) {
    if query.machine.ask(wish) { lines.append(query) }
  }

  /// Whom to call for queries that wait.
  mutating func nextWork() -> LiveWork {
    guard let ground else { return LiveWork() }
    var work = LiveWork(ground: ground)
    if !lines.reading.isEmpty, lines.readerCount < ground.fetchCountMax {
      lines.readerCount += 1
      work.startsReading = true
    }
    if !lines.writing.isEmpty, !lines.hasWriter {
      lines.hasWriter = true
      work.startsWriting = true
    }
    return work
  }

  /// Begins to fetch all queries of a line.
  mutating func beginRound(_ line: WritableKeyPath<Lines, [LiveQuery]>) -> Round? {
    let waiting = lines[keyPath: line].filter { queries[$0.key] === $0 }
    lines[keyPath: line] = []
    guard let ground, !waiting.isEmpty else { return nil }
    roundNumber += 1
    return Round(
      ground: ground, number: roundNumber, begun: log.begin(),
      items: waiting.map { query in
        defer { query.wokenAt = nil }
        return Round.Item(query: query, wishes: query.machine.begin(), wokenAt: query.wokenAt)
      })
  }
}

/// What is to be done once the lock is released.
struct LiveWork {
  var ground: _DatabaseGround?
  var startsReading = false
  var startsWriting = false
  var pause: (Duration, LiveQuery)?
}
