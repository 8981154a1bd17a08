/// Queries that are fetched from one snapshot: by one connection, or by several if it takes long.
///
/// Invariants:
/// 1. All fetches of a batch read one state of the database.
/// 2. Each query of a batch is fetched by one connection. Remaining queries wait for the next batch. If there are other
///    connections, so do queries that have waited for `maximumWait`.
/// 3. The batch ends when no connection fetches in it.
///
/// The lock of the engine guards all mutable state.
final class FetchBatch: @unchecked Sendable {
  /// How long one connection fetches before another one is requested, if a processor is available: a multiple of the
  /// time that the request takes.
  static let helpDelay = Duration.microseconds(250)

  /// The same if no other processor is available, for slow queries. After this time a watchdog checks the batch, in
  /// case no fetch has ended.
  static let singleProcessorHelpDelay = Duration.milliseconds(5)

  /// How long a query waits for another query of its batch before it leaves the batch. A query that never ends delays
  /// no other query.
  static let maximumWait = Duration.milliseconds(100)

  let core: _DatabaseCore
  let number: Int

  /// The beginning of the fetch, before the snapshot.
  let fetchStart: LiveState.FetchStart

  /// The detection of external commits, if it is enabled.
  let externalCommits: ExternalCommitSubscription?

  /// Whether other connections may help: there was more than one query.
  let isLarge: Bool

  /// Whether there are queries with incremental results, and queries that report the version.
  let isIncremental: Bool
  let reportsVersion: Bool

  /// The last reported commit when the changed rows were noted.
  private(set) var lastNotedCommit: CommitNumber

  /// The queries that are not being fetched yet.
  private(set) var items: ArraySlice<Item>

  /// The queries that no connection has fetched. Queries without observers are released with the batch, outside of the
  /// lock.
  private var rest: ArraySlice<Item> = []

  /// The state that the connections read; nil if it is unknown: then there is one connection.
  var header: WALIndexHeader?

  /// The number of connections that fetch.
  var readerCount = 1

  /// The time of the last request for help, or of the beginning of the batch.
  var helpRequestedAt: Duration

  /// The time when the last fetch began, or the batch.
  private(set) var lastFetchAt: Duration

  struct Item {
    var query: LiveQuery
    var pendingReasons: LiveQueryMachine.FetchReasons
    var wokenAt: Duration?
    var snapshotChanges = SnapshotChanges(rows: .none)
  }

  init(
    _ core: _DatabaseCore, number: Int, fetchStart: LiveState.FetchStart,
    _ externalCommits: ExternalCommitSubscription?, _ items: [Item]
  ) {
    self.core = core
    self.number = number
    self.fetchStart = fetchStart
    self.externalCommits = externalCommits
    isLarge = items.count > 1
    isIncremental = items.contains { $0.query.source.isIncremental }
    reportsVersion = items.contains { $0.query.source.reportsVersion }
    lastNotedCommit = fetchStart.commit
    self.items = items[...]
    helpRequestedAt = core.clock.now()
    lastFetchAt = helpRequestedAt
  }

  /// Whether other connections could fetch queries of the batch.
  var wantsHelp: Bool { header != nil && !items.isEmpty }

  /// Whether queries wait for a very long fetch.
  func isStuck(at now: Duration) -> Bool { !items.isEmpty && now - lastFetchAt >= Self.maximumWait }

  func next(_ now: Duration) -> Item? {
    lastFetchAt = now
    return items.popFirst()
  }

  /// Whether the state must be identified before it is fetched.
  var needsSnapshotState: Bool { isIncremental || reportsVersion }

  /// Sets the version of the snapshot.
  func setVersion(_ version: DatabaseVersion?) {
    for index in items.indices { items[index].snapshotChanges.version = version }
  }

  /// Notes the changed rows before the snapshot changes, after a reported commit.
  ///
  /// - Parameter externalCommitCount: See `SnapshotChanges`.
  func noteRows(upTo commit: CommitNumber, externalCommitCount: Int64) {
    lastNotedCommit = commit
    for index in items.indices where items[index].query.source.isIncremental {
      items[index].snapshotChanges.rows.formUnion(items[index].query.takeChangedRows())
      items[index].snapshotChanges.externalCommitCount = externalCommitCount
    }
  }

  /// Confirms that only the noted rows have changed in the snapshot.
  func markChangesComplete(externalCommitCount: Int64) {
    for index in items.indices {
      items[index].snapshotChanges.isComplete = true
      items[index].snapshotChanges.externalCommitCount = externalCommitCount
    }
  }

  /// Removes and returns the queries that no connection will fetch.
  func takeRemaining() -> ArraySlice<Item> {
    defer {
      rest += items
      items = []
    }
    return items
  }
}
