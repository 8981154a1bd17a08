/// What an engine decides, and what it decides by. No thread, no connection: the engine has it under its lock, and does
/// what it says afterwards.
struct LiveState {
  /// Kept as long as something is observed.
  var ground: _DatabaseGround?

  var queries: [LiveQueryKey: LiveQuery] = [:]
  let index = RegionIndex<LiveQuery>()
  var log = CommitLog<TableCommit>()
  var subscription: ChangeSubscription?

  /// Looks for the commits of others, where somebody does.
  var watching: CommitWatching?

  /// Where nobody does, those who follow rows want to know of the others all the same.
  var notes: OwnCommitNotes?
  var ownCommits: OwnCommits?

  /// How many of the queries follow rows.
  private(set) var followerCount = 0

  var lines = Lines()

  /// The fetch whose transaction is being committed.
  var ownCommit: OwnCommit?

  /// How many observers are fetching their first value on their own threads.
  var startingCount = 0

  /// How many rounds of fetches were begun.
  var roundNumber = 0

  /// Those that have queries for which there are other connections.
  var sharedRounds: [LiveRound] = []

  var polling = LivePolling()

  var isClosed = false
  var metrics = LiveMetrics()

  private var needsVersion = 0

  /// The version of needs that was told last: commits of that version, or a later one, tell what all regions of the
  /// index need.
  private(set) var toldVersion = 0

  /// What a line of queries waits for.
  enum Line {
    case reading
    case writing
  }

  /// Queries that wait for a fetch.
  struct Lines {
    var reading = ShortList<LiveQuery>()
    var writing = ShortList<LiveQuery>()

    /// How many connections are fetching, or were asked for.
    var readerCount = 0
    var hasWriter = false

    /// When one of them last began a fetch, or was asked for.
    var lastSign = Duration.zero

    /// Somebody looks in a while whether the line still waits: the number of that watch, and what ends it.
    private(set) var watch: Int?
    private var watchCount = 0
    private var watchEnd: (number: Int, end: @Sendable () -> Void)?

    mutating func beginWatch() -> Int {
      watchCount += 1
      watch = watchCount
      return watchCount
    }

    /// - returns: What is to be released outside of the lock.
    mutating func keepWatch(_ number: Int, _ end: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
      guard watch == number else { return nil }
      defer { watchEnd = (number, end) }
      return watchEnd?.end
    }

    /// - returns: What is to be let go outside of the lock.
    mutating func takeWatch(_ number: Int) -> (@Sendable () -> Void)? {
      guard let (own, end) = watchEnd, own == number else { return nil }
      watchEnd = nil
      return end
    }

    mutating func endWatch(_ number: Int) {
      if watch == number { watch = nil }
    }

    /// Takes those who wait.
    mutating func take(_ line: Line) -> ShortList<LiveQuery> {
      var waiting = ShortList<LiveQuery>()
      switch line {
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
  struct Beginning {
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
  struct Leftovers {
    var ground: _DatabaseGround?
    var subscription: ChangeSubscription?
    var watching: CommitWatching?
    var notes: OwnCommitNotes?
  }

  // MARK: Queries

  /// The query of a source.
  mutating func query(_ key: LiveQueryKey, _ source: AnyLiveSource) -> LiveQuery {
    if let query = queries[key] { return query }
    let query = LiveQuery(key, source)
    queries[key] = query
    if source.followsRows { followerCount += 1 }
    return query
  }

  mutating func add(_ observer: AnyLiveObserver, to query: LiveQuery) {
    observer.arrival = roundNumber
    query.add(observer)
  }

  /// Nobody observes a query any more.
  mutating func forget(_ query: LiveQuery) {
    if queries.removeValue(forKey: query.key) != nil, query.source.followsRows { followerCount -= 1 }
    untrack(query)
    tellNeeds()
  }

  /// When nothing is observed, nothing is held.
  mutating func leaveIfUnused() -> Leftovers? {
    guard queries.isEmpty, startingCount == 0, ground != nil else { return nil }
    defer {
      ground = nil
      subscription = nil
      watching = nil
      notes = nil
    }
    return Leftovers(ground: ground, subscription: subscription, watching: watching, notes: notes)
  }

  /// Adds an observer that has been given its first value, by a fetch of its own.
  ///
  /// - parameter isProvisional: Whether the fetch has seen what may be rolled back. A rollback is not told.
  mutating func attach(
    _ observer: AnyLiveObserver, _ key: LiveQueryKey, _ source: AnyLiveSource, _ outcome: LiveFetch.Outcome,
    _ begun: Beginning, _ isProvisional: Bool
  ) -> LiveWork {
    let query = query(key, source)
    observer.isNew = false
    add(observer, to: query)
    guard let region = outcome.region else { preconditionFailure("The first fetch finds the region") }
    let known = query.lastSelection
    if known == nil { track(region, query) }
    // What stands in the index may be what another fetch has read, which needs less.
    let wish = wish(region, of: query, since: begun, mayNeedMore: known != nil && known != outcome.selection)
    if known == nil, wish == nil { query.note(outcome.selection) }
    // What the others were given may be something else.
    query.lastDigest = query.observers.count == 1 || query.lastDigest == outcome.digest ? outcome.digest : nil
    if isProvisional || outcome.ownCommit?.isOfQuery == true && query.observers.count > 1 {
      ask(query, .change)
    } else if let wish {
      ask(query, wish)
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
    let isToBeTold = query.observers.contains { $0.events.willTrackRegion != nil }
    if isToBeTold { query.region = region }
    query.registration = index.insert(region, query, tellsRows: query.source.followsRows)
    tellNeeds()
    query.needsVersion = toldVersion
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
    toldVersion = subscription?.setNeeds(index.needs) ?? toldVersion
  }

  /// Follows the commits of a database.
  mutating func follow(_ subscription: ChangeSubscription?) {
    self.subscription = subscription
    toldVersion = subscription?.version ?? 0
  }

  /// A fetch begins: its snapshot is taken after this.
  mutating func begin(isAlone: Bool = false) -> Beginning {
    Beginning(
      commit: log.begin(), writeCount: isAlone ? nil : subscription?.writeCount, needsVersion: toldVersion)
  }

  /// The wish for another fetch, if a commit since a fetch began may have changed what it has read.
  ///
  /// - parameter mayNeedMore: Whether what it has read may not stand in the index.
  func wish(
    _ region: DatabaseRegion, of query: LiveQuery, since begun: Beginning, mayNeedMore: Bool = false
  ) -> LiveQueryMachine.Wish? {
    // Law 6. The count is read once the needs are set.
    if query.needsVersion > begun.needsVersion || mayNeedMore, let writeCount = begun.writeCount,
      subscription?.writeCount != writeCount
    {
      return .change
    }
    if log.contains(
      after: begun.commit, but: begun.ownCommit, needsVersion: query.needsVersion, where: { $0.touches(region) })
    {
      return .change
    }
    return log.hasOthers(after: begun.commit) ? .others : nil
  }

  // MARK: Fetches

  /// The moment has come to look whether the line still waits.
  mutating func endWatch(_ number: Int) -> LiveWork {
    lines.endWatch(number)
    return lookAfterRounds()
  }

  /// Somebody wants a query to be fetched.
  ///
  /// What has changed is noted before: see `LiveQuery.note`.
  mutating func ask(_ query: LiveQuery, _ wish: LiveQueryMachine.Wish) {
    if query.machine.ask(wish) { lines.append(query) }
  }

  /// Whom to call for queries that wait.
  mutating func nextWork() -> LiveWork {
    guard let ground else { return LiveWork() }
    var work = LiveWork(ground: ground)
    if !lines.reading.isEmpty, !polling.tell(), lines.readerCount < ground.fetchCountMax {
      let now = ground.clock.now()
      if lines.readerCount == 0 || now - lines.lastSign >= patience {
        if lines.readerCount == 0 { polling.restIsOver(at: now) }
        lines.readerCount += 1
        lines.lastSign = now
        work.startsReading = true
      } else if lines.watch == nil {
        // Who fetches goes on with these, sooner than another one would be there, unless it takes long.
        work.watch = lines.beginWatch()
      }
    }
    if !lines.writing.isEmpty, !lines.hasWriter {
      lines.hasWriter = true
      work.startsWriting = true
    }
    return work
  }
}

/// What is to be done once the lock is released.
struct LiveWork {
  var ground: _DatabaseGround?
  var startsReading = false
  var startsWriting = false

  /// The number of a watch that begins: to look in a while whether the line still waits.
  var watch: Int?
  var pause: (Duration, LiveQuery)?
}
