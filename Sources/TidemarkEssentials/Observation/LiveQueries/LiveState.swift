/// The state and the decisions of a live engine. It uses no threads and no connections: the engine keeps it under its
/// lock, and acts on its decisions afterwards.
struct LiveState {
  /// Retained while there are observations.
  var core: _DatabaseCore?

  var queries: [LiveQueryKey: LiveQuery] = [:]
  let index = RegionIndex<LiveQuery>()
  var log = CommitLog<TableCommit>()
  var subscription: ChangeSubscription?

  /// The detection of external commits.
  var externalCommits: ExternalCommitSubscription?

  var ownCommits: OwnCommitTracker?

  /// The number of queries with incremental results.
  private(set) var incrementalQueryCount = 0

  var fetchQueues = FetchQueues()

  /// The fetch whose transaction is being committed.
  var ownCommit: OwnCommit?

  /// The number of observers that fetch their first value on their own threads.
  var startingCount = 0

  /// The number of begun fetch batches.
  var batchNumber = 0

  /// The batches with queries that other connections can fetch.
  var sharedBatches: [FetchBatch] = []

  var polling = LivePolling()

  var isClosed = false
  var metrics = ObservationMetrics()

  private var needsVersion = 0

  /// The last published version of the needs. Commits captured for this version or a later one report all regions of
  /// the index.
  private(set) var publishedNeedsVersion = 0

  /// The queues of pending fetches.
  enum FetchQueue {
    case reading
    case writing
  }

  /// Queries that wait for a fetch.
  struct FetchQueues {
    var reading = ShortList<LiveQuery>()
    var writing = ShortList<LiveQuery>()

    /// The number of connections that fetch, or were requested.
    var readerCount = 0
    var hasWriter = false

    /// The time when a connection last began a fetch, or was requested.
    var lastActivity = Duration.zero

    /// The number of the running watchdog, which checks later whether the queue still waits, and a closure that ends
    /// it.
    private(set) var watchdog: Int?
    private var watchdogCount = 0
    private var watchdogCancellation: (number: Int, end: @Sendable () -> Void)?

    mutating func beginWatchdog() -> Int {
      watchdogCount += 1
      watchdog = watchdogCount
      return watchdogCount
    }

    /// - Returns: An object to release outside of the lock.
    mutating func keepWatchdog(_ number: Int, _ end: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
      guard watchdog == number else { return nil }
      defer { watchdogCancellation = (number, end) }
      return watchdogCancellation?.end
    }

    /// - Returns: An object to release outside of the lock.
    mutating func takeWatchdog(_ number: Int) -> (@Sendable () -> Void)? {
      guard let (own, end) = watchdogCancellation, own == number else { return nil }
      watchdogCancellation = nil
      return end
    }

    mutating func endWatchdog(_ number: Int) {
      if watchdog == number { watchdog = nil }
    }

    /// Removes and returns the waiting queries.
    mutating func take(_ queue: FetchQueue) -> ShortList<LiveQuery> {
      var waiting = ShortList<LiveQuery>()
      switch queue {
      case .reading: swap(&waiting, &reading)
      case .writing: swap(&waiting, &writing)
      }
      return waiting
    }

    mutating func append(_ query: LiveQuery) {
      if query.key.requiresWriteAccess {
        writing.append(query)
      } else {
        reading.append(query)
      }
    }
  }

  /// The moment before a snapshot is taken.
  struct FetchStart {
    /// The last reported commit.
    var commit: CommitNumber

    /// The number of commits that have written, including unreported ones; nil if no other connection can write during
    /// the fetch.
    var writeCount: UInt64?

    /// The version of the needs for which later commits may have been captured.
    var needsVersion: Int

    /// A later, reported commit of the fetch itself.
    var ownCommit: CommitNumber?
  }

  /// Objects to release outside of the lock, because their release may end other activities.
  struct ReleasedObjects {
    var core: _DatabaseCore?
    var subscription: ChangeSubscription?
    var externalCommits: ExternalCommitSubscription?
  }

  // MARK: Queries

  /// Returns the query of a source.
  mutating func query(_ key: LiveQueryKey, _ source: AnyLiveSource) -> LiveQuery {
    if let query = queries[key] { return query }
    let query = LiveQuery(key, source)
    queries[key] = query
    if source.isIncremental { incrementalQueryCount += 1 }
    return query
  }

  mutating func add(_ observer: AnyLiveObserver, to query: LiveQuery) {
    observer.arrival = batchNumber
    query.add(observer)
  }

  /// Removes a query without observers.
  mutating func forget(_ query: LiveQuery) {
    if queries.removeValue(forKey: query.key) != nil, query.source.isIncremental { incrementalQueryCount -= 1 }
    untrack(query)
    publishNeeds()
  }

  /// Releases all resources when the last observation has ended.
  mutating func leaveIfUnused() -> ReleasedObjects? {
    guard queries.isEmpty, startingCount == 0, core != nil else { return nil }
    defer {
      core = nil
      subscription = nil
      externalCommits = nil
    }
    return ReleasedObjects(core: core, subscription: subscription, externalCommits: externalCommits)
  }

  /// Adds an observer that has fetched its first value itself.
  ///
  /// - Parameter isProvisional: Whether the fetch has read uncommitted changes. A rollback is not reported.
  mutating func attach(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, _ outcome: LiveFetch.Outcome,
    _ fetchStart: FetchStart, _ isProvisional: Bool
  ) -> LiveWork {
    let query = query(key, source)
    observer.isNew = false
    add(observer, to: query)
    guard let region = outcome.region else { preconditionFailure("The first fetch must determine the region") }
    let known = query.lastReadSet
    if known == nil { track(region, query) }
    // The index may have the region of another fetch, which needs less.
    let reasons = reasons(region, of: query, since: fetchStart, mayNeedMore: known != nil && known != outcome.readSet)
    if known == nil, reasons == nil { query.note(outcome.readSet) }
    // Other observers may have received another value.
    query.lastDigest = query.observers.count == 1 || query.lastDigest == outcome.digest ? outcome.digest : nil
    if isProvisional || outcome.ownCommit?.isOfQuery == true && query.observers.count > 1 {
      requestFetch(query, .change)
    } else if let reasons {
      requestFetch(query, reasons)
    }
    return nextWork()
  }

  // MARK: Regions

  /// Sets the region that a query has read.
  ///
  /// - Returns: Whether the needs of the index have changed.
  @discardableResult
  mutating func track(_ region: DatabaseRegion, _ query: LiveQuery) -> Bool {
    if query.region == region { return false }
    untrack(query)
    let reportsRegion = query.observers.contains { $0.events.willTrackRegion != nil }
    if reportsRegion { query.region = region }
    query.registration = index.insert(region, query, reportsRows: query.source.isIncremental)
    publishNeeds()
    query.needsVersion = publishedNeedsVersion
    return reportsRegion
  }

  private mutating func untrack(_ query: LiveQuery) {
    if let registration = query.registration { index.remove(registration, query) }
    query.registration = nil
    query.region = nil
  }

  private mutating func publishNeeds() {
    if index.needsVersion == needsVersion { return }
    needsVersion = index.needsVersion
    publishedNeedsVersion = subscription?.setNeeds(index.needs) ?? publishedNeedsVersion
  }

  /// Sets the subscription to the commits of a database.
  mutating func follow(_ subscription: ChangeSubscription?) {
    self.subscription = subscription
    publishedNeedsVersion = subscription?.version ?? 0
  }

  /// Begins a fetch, whose snapshot is taken later.
  mutating func begin(isAlone: Bool = false) -> FetchStart {
    FetchStart(
      commit: log.begin(), writeCount: isAlone ? nil : subscription?.writeCount, needsVersion: publishedNeedsVersion)
  }

  /// Returns the reasons for another fetch, if a commit since the beginning of a fetch may have changed its result.
  ///
  /// - Parameter mayNeedMore: Whether the index may not contain the region of the fetch.
  func reasons(
    _ region: DatabaseRegion, of query: LiveQuery, since fetchStart: FetchStart, mayNeedMore: Bool = false
  ) -> LiveQueryMachine.FetchReasons? {
    // Invariant 6. The count is read after the needs are set.
    if query.needsVersion > fetchStart.needsVersion || mayNeedMore, let writeCount = fetchStart.writeCount,
      subscription?.writeCount != writeCount
    {
      return .change
    }
    if log.contains(
      after: fetchStart.commit, but: fetchStart.ownCommit, needsVersion: query.needsVersion,
      where: { $0.touches(region) })
    {
      return .change
    }
    return log.hasExternalCommits(after: fetchStart.commit) ? .externalCommit : nil
  }

  // MARK: Fetches

  /// Ends a watchdog, and returns the connections to request.
  mutating func endWatchdog(_ number: Int) -> LiveWork {
    fetchQueues.endWatchdog(number)
    return checkBatches()
  }

  /// Requests a fetch of a query.
  ///
  /// Its changes are noted before: see `LiveQuery.note`.
  mutating func requestFetch(_ query: LiveQuery, _ reasons: LiveQueryMachine.FetchReasons) {
    if query.machine.requestFetch(reasons) { fetchQueues.append(query) }
  }

  /// Returns the connections to request for waiting queries.
  mutating func nextWork() -> LiveWork {
    guard let core else { return LiveWork() }
    var work = LiveWork(core: core)
    if !fetchQueues.reading.isEmpty, !polling.notify(), fetchQueues.readerCount < core.fetchCountMax {
      let now = core.clock.now()
      if fetchQueues.readerCount == 0 || now - fetchQueues.lastActivity >= responseTimeout {
        if fetchQueues.readerCount == 0 { polling.idleEnded(at: now) }
        fetchQueues.readerCount += 1
        fetchQueues.lastActivity = now
        work.startsReading = true
      } else if fetchQueues.watchdog == nil {
        // Unless a fetch takes long, a connection that is fetching takes these queries earlier than another connection
        // could.
        work.watchdog = fetchQueues.beginWatchdog()
      }
    }
    if !fetchQueues.writing.isEmpty, !fetchQueues.hasWriter {
      fetchQueues.hasWriter = true
      work.startsWriting = true
    }
    return work
  }
}

/// The work to perform after the lock is released.
struct LiveWork {
  var core: _DatabaseCore?
  var startsReading = false
  var startsWriting = false

  /// The number of a watchdog to start. It checks later whether the queue still waits.
  var watchdog: Int?
  var pause: (Duration, LiveQuery)?
}
