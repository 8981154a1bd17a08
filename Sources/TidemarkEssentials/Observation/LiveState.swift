/// What an engine decides, and what it decides by. No thread, no connection: the engine has it under its lock, and does
/// what it says afterwards.
struct LiveState {
  /// Kept as long as something is observed.
  var core: _DatabaseCore?

  var queries: [LiveQueryKey: LiveQuery] = [:]
  let index = RegionIndex<LiveQuery>()
  var log = CommitLog<TableCommit>()
  var subscription: ChangeSubscription?

  /// Looks for the commits of others, where somebody does.
  var externalCommits: ExternalCommitSubscription?

  /// Where nobody does, those who follow rows want to know of the others all the same.
  var ownCommitTracking: OwnCommitTracking?
  var ownCommits: OwnCommitTracker?

  /// How many of the queries follow rows.
  private(set) var incrementalQueryCount = 0

  var fetchQueues = FetchQueues()

  /// The fetch whose transaction is being committed.
  var ownCommit: OwnCommit?

  /// How many observers are fetching their first value on their own threads.
  var startingCount = 0

  /// How many rounds of fetches were begun.
  var batchNumber = 0

  /// Those that have queries for which there are other connections.
  var sharedBatches: [FetchBatch] = []

  var polling = LivePolling()

  var isClosed = false
  var metrics = ObservationMetrics()

  private var needsVersion = 0

  /// The version of needs that was told last: commits of that version, or a later one, tell what all regions of the
  /// index need.
  private(set) var publishedNeedsVersion = 0

  /// What a line of queries waits for.
  enum FetchQueue {
    case reading
    case writing
  }

  /// Queries that wait for a fetch.
  struct FetchQueues {
    var reading = ShortList<LiveQuery>()
    var writing = ShortList<LiveQuery>()

    /// How many connections are fetching, or were asked for.
    var readerCount = 0
    var hasWriter = false

    /// When one of them last began a fetch, or was asked for.
    var lastActivity = Duration.zero

    /// Somebody looks in a while whether the line still waits: the number of that watch, and what ends it.
    private(set) var watchdog: Int?
    private var watchdogCount = 0
    private var watchdogCancellation: (number: Int, end: @Sendable () -> Void)?

    mutating func beginWatchdog() -> Int {
      watchdogCount += 1
      watchdog = watchdogCount
      return watchdogCount
    }

    /// - returns: What is to be released outside of the lock.
    mutating func keepWatchdog(_ number: Int, _ end: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
      guard watchdog == number else { return nil }
      defer { watchdogCancellation = (number, end) }
      return watchdogCancellation?.end
    }

    /// - returns: What is to be let go outside of the lock.
    mutating func takeWatchdog(_ number: Int) -> (@Sendable () -> Void)? {
      guard let (own, end) = watchdogCancellation, own == number else { return nil }
      watchdogCancellation = nil
      return end
    }

    mutating func endWatchdog(_ number: Int) {
      if watchdog == number { watchdog = nil }
    }

    /// Takes those who wait.
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
    /// The last commit that was told.
    var commit: CommitNumber

    /// How many commits have written, told or not; nil when nobody else can write until the fetch has ended.
    var writeCount: UInt64?

    /// The version of needs that commits may have been captured for since.
    var needsVersion: Int

    /// A later commit that the fetch has made itself, if it was reported.
    var ownCommit: CommitNumber?
  }

  /// What is let go outside of the lock, since it may end what it holds.
  struct ReleasedObjects {
    var core: _DatabaseCore?
    var subscription: ChangeSubscription?
    var externalCommits: ExternalCommitSubscription?
    var ownCommitTracking: OwnCommitTracking?
  }

  // MARK: Queries

  /// The query of a source.
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

  /// Nobody observes a query any more.
  mutating func forget(_ query: LiveQuery) {
    if queries.removeValue(forKey: query.key) != nil, query.source.isIncremental { incrementalQueryCount -= 1 }
    untrack(query)
    publishNeeds()
  }

  /// When nothing is observed, nothing is held.
  mutating func leaveIfUnused() -> ReleasedObjects? {
    guard queries.isEmpty, startingCount == 0, core != nil else { return nil }
    defer {
      core = nil
      subscription = nil
      externalCommits = nil
      ownCommitTracking = nil
    }
    return ReleasedObjects(
      core: core, subscription: subscription, externalCommits: externalCommits, ownCommitTracking: ownCommitTracking)
  }

  /// Adds an observer that has been given its first value, by a fetch of its own.
  ///
  /// - parameter isProvisional: Whether the fetch has seen what may be rolled back. A rollback is not told.
  mutating func attach(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, _ outcome: LiveFetch.Outcome,
    _ fetchStart: FetchStart, _ isProvisional: Bool
  ) -> LiveWork {
    let query = query(key, source)
    observer.isNew = false
    add(observer, to: query)
    guard let region = outcome.region else { preconditionFailure("The first fetch finds the region") }
    let known = query.lastReadSet
    if known == nil { track(region, query) }
    // What stands in the index may be what another fetch has read, which needs less.
    let reasons = reasons(region, of: query, since: fetchStart, mayNeedMore: known != nil && known != outcome.readSet)
    if known == nil, reasons == nil { query.note(outcome.readSet) }
    // What the others were given may be something else.
    query.lastDigest = query.observers.count == 1 || query.lastDigest == outcome.digest ? outcome.digest : nil
    if isProvisional || outcome.ownCommit?.isOfQuery == true && query.observers.count > 1 {
      requestFetch(query, .change)
    } else if let reasons {
      requestFetch(query, reasons)
    }
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

  /// Follows the commits of a database.
  mutating func follow(_ subscription: ChangeSubscription?) {
    self.subscription = subscription
    publishedNeedsVersion = subscription?.version ?? 0
  }

  /// A fetch begins: its snapshot is taken after this.
  mutating func begin(isAlone: Bool = false) -> FetchStart {
    FetchStart(
      commit: log.begin(), writeCount: isAlone ? nil : subscription?.writeCount, needsVersion: publishedNeedsVersion)
  }

  /// The wish for another fetch, if a commit since a fetch began may have changed what it has read.
  ///
  /// - parameter mayNeedMore: Whether what it has read may not stand in the index.
  func reasons(
    _ region: DatabaseRegion, of query: LiveQuery, since fetchStart: FetchStart, mayNeedMore: Bool = false
  ) -> LiveQueryMachine.FetchReasons? {
    // Invariant 6. The count is read once the needs are set.
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

  /// The moment has come to look whether the line still waits.
  mutating func endWatchdog(_ number: Int) -> LiveWork {
    fetchQueues.endWatchdog(number)
    return checkBatches()
  }

  /// Somebody wants a query to be fetched.
  ///
  /// What has changed is noted before: see `LiveQuery.note`.
  mutating func requestFetch(_ query: LiveQuery, _ reasons: LiveQueryMachine.FetchReasons) {
    if query.machine.requestFetch(reasons) { fetchQueues.append(query) }
  }

  /// Whom to call for queries that wait.
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
        // Who fetches goes on with these, sooner than another one would be there, unless it takes long.
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

/// What is to be done once the lock is released.
struct LiveWork {
  var core: _DatabaseCore?
  var startsReading = false
  var startsWriting = false

  /// The number of a watch that begins: to look in a while whether the line still waits.
  var watchdog: Int?
  var pause: (Duration, LiveQuery)?
}
