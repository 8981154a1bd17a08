/// Queries that are fetched from one snapshot: by one connection, or by several if it takes long.
///
/// Invariants:
/// 1. All fetches of a batch read one state of the database.
/// 2. Each query of a batch is fetched by one connection. Remaining queries wait for the next batch. If there are other
///    connections, so do queries that have waited for `LivePolicy.batchDelayMax`.
/// 3. The batch ends when no connection fetches in it.
struct FetchBatch: Sendable {
  /// The constant facts about a batch, which its connections know.
  struct Facts: Sendable {
    let number: Int

    /// The beginning of the fetch. The snapshot includes all commits up to it.
    let fetchStart: LiveState.FetchStart

    /// Whether other connections may help: there was more than one query.
    let isLarge: Bool

    /// Whether there are queries that follow external commits.
    let isExternal: Bool

    /// Whether there are queries with incremental results, and queries that report the version.
    let isIncremental: Bool
    let reportsVersion: Bool

    /// Whether the state must be identified before it is fetched.
    var needsSnapshotState: Bool { isIncremental || reportsVersion }
  }

  struct Item: Sendable {
    var query: LiveQueryID
    var pendingReasons: LiveQueryMachine.FetchReasons
    var wokenAt: Duration?
    var isIncremental: Bool
    var snapshotChanges = SnapshotChanges(rows: .none)
  }

  let facts: Facts

  /// The queries that are not being fetched yet.
  private(set) var items: ArraySlice<Item>

  /// The last reported commit when the changed rows were noted.
  private(set) var lastNotedCommit: CommitNumber

  /// The state that the connections read; nil if it is unknown: then there is one connection.
  private(set) var header: WALIndexHeader?

  /// Whether the snapshot was taken, and other connections may fetch queries of the batch.
  private(set) var isShared = false

  /// The number of connections that fetch.
  var readerCount = 1

  /// The time of the last request for help, or of the beginning of the batch.
  var helpRequestedAt: Duration

  /// The time when the last fetch began, or the batch.
  private(set) var lastFetchAt: Duration

  init(_ facts: Facts, _ items: [Item], at now: Duration) {
    self.facts = facts
    self.items = ArraySlice(items)
    lastNotedCommit = facts.fetchStart.commit
    helpRequestedAt = now
    lastFetchAt = now
  }

  mutating func share(_ header: WALIndexHeader?) {
    self.header = header
    isShared = true
  }

  /// Whether other connections could fetch queries of the batch.
  var wantsHelp: Bool { header != nil && !items.isEmpty }

  /// Whether queries of a shared batch wait for a fetch.
  var hasWaitingQueries: Bool { isShared && !items.isEmpty }

  /// Whether queries wait for a very long fetch.
  func isStuck(at now: Duration, _ policy: LivePolicy) -> Bool {
    hasWaitingQueries && now - lastFetchAt >= policy.batchDelayMax
  }

  mutating func next(_ now: Duration) -> Item? {
    lastFetchAt = now
    return items.popFirst()
  }

  /// Sets the version of the snapshot.
  mutating func setVersion(_ version: DatabaseVersion?) {
    for index in items.indices { items[index].snapshotChanges.version = version }
  }

  /// Notes the changed rows before the snapshot changes, after a reported commit.
  ///
  /// - Parameter externalCommits: See `SnapshotChanges`.
  /// - Parameter takeRows: Removes and returns the changed rows of a query.
  mutating func noteRows(
    upTo commit: CommitNumber, externalCommits: Int64, _ takeRows: (LiveQueryID) -> ChangedRows
  ) {
    lastNotedCommit = commit
    for index in items.indices where items[index].isIncremental {
      items[index].snapshotChanges.rows.formUnion(takeRows(items[index].query))
      items[index].snapshotChanges.externalCommits = externalCommits
    }
  }

  /// Confirms that only the noted rows have changed in the snapshot.
  mutating func markChangesComplete(externalCommits: Int64) {
    for index in items.indices {
      items[index].snapshotChanges.isComplete = true
      items[index].snapshotChanges.externalCommits = externalCommits
    }
  }

  /// Removes and returns the queries that no connection will fetch.
  mutating func takeRemaining() -> ArraySlice<Item> {
    defer { items = [] }
    return items
  }
}
