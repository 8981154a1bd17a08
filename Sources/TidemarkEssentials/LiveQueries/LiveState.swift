/// The state and the decisions of the live queries of a database, as a value.
///
/// It has no objects, no threads, no clocks, no locks and no connections: queries and observers are known by their ids,
/// and times are arguments. (The region index is a class, because a copy would be expensive; nothing else refers to
/// it.) Each method is an event. It changes the state, and adds to `work` what must be done. `LiveEngine` calls it
/// under a lock, takes the work, releases the lock, and then performs the work. The state cannot be copied: there may
/// be many queries.
///
/// States of the watch of a database:
///
///     none --first observer--> beginning --watchBegan--> active --last observer has left--> none
///
/// Queries are fetched while it is active. `LiveQueryMachine` describes the states of a query, and `FetchBatch` the
/// states of fetches.
///
/// The needs of the index change under the lock, and are published afterwards, by one thread at a time: if they have
/// changed again by then (`needsPublished`), it publishes them again. A fetch whose region is not covered by the
/// published needs is *unconfirmed* until then.
///
/// Invariants:
/// 1. A change of the result of an observed query is never missed. A query is in the index when its fetch has ended,
///    and the commits since the beginning of the fetch are checked then, and again when its needs are published.
/// 2. The last state is always delivered: a query that may have changed is fetched again, from a snapshot with this
///    change.
/// 3. Values move forward. The fetches of a query run one after the other, none on an older snapshot, and an observer
///    receives the values of snapshots that were taken after it was added.
/// 4. Tables that no query reads are not captured, and a commit that changes only these is not reported. So the first
///    fetch that reads a table or its columns compares the number of commits before its snapshot with the number after
///    the needs are published. If they differ, the fetch counts as outdated. A reported commit that was captured for
///    older needs than the needs of a query counts as a change of the query.
/// 5. An id that was removed has no effect: a fetch may end, and a timer may fire, after its query was removed.
struct LiveState: ~Copyable {
  let policy: LivePolicy

  var queries = IDTable<LiveQueryTag, LiveQuery>()
  private var queryIDs: [LiveQueryKey: LiveQueryID] = [:]
  private var observers = IDTable<LiveObserverTag, ObserverLocation>()

  /// The number of observers that were ever added.
  private(set) var observerNumber = 0

  /// The observers that continue after transient errors.
  private(set) var retryPolicies: [LiveObserverID: RetryPolicy] = [:]

  let index = RegionIndex<LiveQueryID>()
  var log = CommitLog<TableCommit>()

  var watch = Watch.none
  var watchNumber = 0
  var published = PublishedNeeds()

  /// Fetches whose regions are not covered by the published needs.
  var unconfirmed: [UnconfirmedFetch] = []

  /// The number of queries with incremental results.
  private(set) var incrementalQueryCount = 0

  /// The number of observers that fetch their first value on their own threads.
  private(set) var immediateFetchCount = 0

  var readers = Readers()

  /// The number of begun fetch batches, and the batches that have not ended.
  var batchNumber = 0
  var batches: [FetchBatch] = []

  var unknownCommits = UnknownCommits()
  var pace: ExternalCommitPace

  /// The number of queries that are not idle.
  var busyQueryCount = 0

  var storedChanges = StoredChangesMachine()
  var externalCommitNumbering = ExternalCommitNumbering()

  /// Whether an observer wants to be notified of each commit.
  var notifiesOfCommits = false

  /// The fetch whose transaction is being committed.
  var ownCommit: OwnCommit?

  private(set) var isClosed = false
  var metrics = ObservationMetrics()

  /// The work for the engine.
  var work = LiveWork()

  init(_ policy: LivePolicy = LivePolicy()) {
    self.policy = policy
    pace = ExternalCommitPace(policy.externalCommitLimit, processorCount: policy.processorCount)
  }

  // It is not private: the compiler (6.3.1) would fail, because `IDTable` has a `deinit`.
  struct ObserverLocation: Sendable {
    var query: LiveQueryID
    var index: Int
  }

  enum Watch {
    case none
    case beginning

    /// - Parameter readerCountMax: The maximum number of concurrent fetches.
    case active(readerCountMax: Int)
  }

  /// The external commits with unknown changes, which concern all queries.
  ///
  /// Such a commit is counted, and visits no query. A query is outdated if its last fetch began before the last commit.
  /// When this fetch ends, the query is queued again. Idle queries are queued when the next batch begins.
  struct UnknownCommits {
    private(set) var count: UInt64 = 0
    private(set) var last = Duration.zero

    /// Whether there may be idle queries that are outdated.
    var concernIdleQueries = false

    mutating func add(at now: Duration) {
      count += 1
      last = now
    }
  }

  /// The connections that fetch, and the queries that wait for them.
  struct Readers {
    var reading = ShortList<LiveQueryID>()
    var writing = ShortList<LiveQueryID>()

    /// Deferred queries, until `pace` allows to fetch them. Some may have been queued since.
    var deferred: [LiveQueryID] = []

    /// The number of connections that fetch, or were requested.
    var count = 0
    var hasWriter = false

    /// The time when a connection last began a fetch, or was requested.
    var lastActivity = Duration.zero

    /// The number of the running watchdog.
    var watchdog: Int?
    var watchdogCount = 0
  }

  struct PublishedNeeds {
    /// Whether a thread is publishing needs.
    var isPublishing = false

    /// The published version of the index, and the version under which commits are captured for it.
    var indexVersion = -1
    var version = 0
  }

  struct UnconfirmedFetch {
    var query: LiveQueryID
    var region: DatabaseRegion
    var start: FetchStart
    var indexVersion: Int
  }

  /// A moment up to which the snapshot includes all commits.
  struct FetchStart: Sendable {
    /// The last reported commit.
    var commit: CommitNumber

    /// The number of commits that have written, including unreported ones; nil if no other connection can write during
    /// the fetch.
    var writeCount: UInt64?

    /// The version of the needs for which later commits may have been captured.
    var needsVersion: Int

    /// Whether commits were not received yet.
    var isUnwatched = false

    /// A later, reported commit of the fetch itself.
    var ownCommit: CommitNumber?
  }

  // MARK: Observers

  /// An observer was added. Its query is to be fetched.
  ///
  /// - Returns: Its id, and whether the query is new; nil if the database is closed.
  mutating func observerAdded(
    _ facts: LiveQuery.Facts, _ interests: ObservationEvents.Interests = [], _ retry: RetryPolicy? = nil,
    at now: Duration
  ) -> (observer: LiveObserverID, query: LiveQueryID)? {
    if isClosed { return nil }
    let query = query(facts)
    let observer = add(interests, retry, to: query)
    beginWatch()
    requestFetch(query, .newObserver)
    requestReaders(at: now)
    return (observer, query)
  }

  private mutating func query(_ facts: LiveQuery.Facts) -> LiveQueryID {
    if let query = queryIDs[facts.key] { return query }
    let query = queries.insert(LiveQuery(facts))
    queries[query].unknownCommitCount = unknownCommits.count
    queryIDs[facts.key] = query
    if facts.isIncremental { incrementalQueryCount += 1 }
    return query
  }

  private mutating func add(
    _ interests: ObservationEvents.Interests, _ retry: RetryPolicy?, to query: LiveQueryID, isNew: Bool = true
  ) -> LiveObserverID {
    if interests.contains(.databaseDidChange) { notifiesOfCommits = true }
    observerNumber += 1
    let observer = observers.insert(ObserverLocation(query: query, index: queries[query].observers.count))
    queries[query].add(
      LiveQuery.Observer(id: observer, arrival: batchNumber, interests: interests, isNew: isNew))
    if let retry { retryPolicies[observer] = retry }
    return observer
  }

  /// An observer was cancelled.
  mutating func observerCancelled(_ observer: LiveObserverID) {
    guard observers.contains(observer) else { return }
    let query = observers[observer].query
    remove(observer)
    if queries[query].observers.isEmpty { remove(query) }
    endWatchIfUnused()
  }

  mutating func remove(_ observer: LiveObserverID) {
    let location = observers.remove(observer)
    if let moved = queries[location.query].removeObserver(at: location.index) {
      observers[moved].index = location.index
    }
    if !retryPolicies.isEmpty { retryPolicies[observer] = nil }
    work.removedObservers.append(observer)
  }

  /// Removes a query, and its observers.
  mutating func remove(_ query: LiveQueryID) {
    while let observer = queries[query].observers.last { remove(observer.id) }
    untrack(query)
    if !queries[query].machine.isIdle { busyQueryCount -= 1 }
    let facts = queries.remove(query).facts
    queryIDs[facts.key] = nil
    if facts.isIncremental { incrementalQueryCount -= 1 }
    work.removedQueries.append(query)
    publishNeeds()
  }

  /// All observations have failed: the file was moved.
  mutating func observationsFailed() {
    for query in queries.ids { remove(query) }
    endWatchIfUnused()
  }

  /// The database was closed.
  mutating func databaseClosed() {
    isClosed = true
    observationsFailed()
  }

  // MARK: Immediate fetches

  /// A new observer will fetch its first value on its own thread, until `immediateObserverLeft`.
  ///
  /// - Returns: Whether it may: false if the database is closed.
  mutating func immediateObserverAnnounced() -> Bool {
    if isClosed { return false }
    immediateFetchCount += 1
    beginWatch()
    return true
  }

  /// The observer has fetched its first value, or failed.
  mutating func immediateObserverLeft() {
    immediateFetchCount -= 1
    endWatchIfUnused()
  }

  /// The fetch has ended, and the observer has received the value.
  ///
  /// - Parameter isProvisional: Whether the fetch has read uncommitted changes. A rollback is not reported.
  /// - Returns: See `observerAdded`.
  mutating func immediateFetchEnded(
    _ begun: FetchStart, _ facts: LiveQuery.Facts, _ interests: ObservationEvents.Interests, _ retry: RetryPolicy?,
    _ result: LiveFetch.Facts, isProvisional: Bool, writeCount: UInt64?, at now: Duration
  ) -> (observer: LiveObserverID, query: LiveQueryID)? {
    defer { log.end(begun.commit) }
    if isClosed { return nil }
    let fetchStart = result.ownCommit?.fetchStart ?? begun
    let query = query(facts)
    let observer = add(interests, retry, to: query, isNew: false)
    guard let region = result.region else { preconditionFailure("The first fetch must determine the region") }
    let known = queries[query].lastReadSet
    if known == nil { track(region, query) }
    // The index may have the region of another fetch, which needs less.
    let reasons = reasons(
      region, of: query, since: fetchStart, writeCount: writeCount,
      mayNeedMore: known != nil && known != result.readSet)
    if known == nil, reasons == nil { queries[query].note(result.readSet) }
    // Other observers may have received another value.
    let isAlone = queries[query].observers.count == 1
    queries[query].lastDigest = isAlone || queries[query].lastDigest == result.digest ? result.digest : nil
    if isProvisional || result.ownCommit?.isOfQuery == true && !isAlone {
      requestFetch(query, .change)
    } else if let reasons {
      requestFetch(query, reasons)
    }
    confirm(query, region, fetchStart)
    requestReaders(at: now)
    return (observer, query)
  }
}
