/// Queries that are fetched on one state: by one connection, and by others that read the same state when it takes long.
///
/// Invariants:
/// 1. All that is fetched in a round is read from one state of the database.
/// 2. Each query of a round is fetched by one connection. Those that nobody can fetch any more wait for the next round;
///    and so do, where there are other connections, those that have waited for one of the round for `maximumWait`.
/// 3. The round is over when nobody fetches in it.
///
/// All that can change is guarded by the lock of its engine.
final class FetchBatch: @unchecked Sendable {
  /// How long one connection fetches before another one is asked for, where there is a processor for it: some times
  /// what it takes that one to come.
  static let helpDelay = Duration.microseconds(250)

  /// The same where there is none: a query is slow by then. After this time, somebody looks, should those who fetch not
  /// find it out themselves.
  static let singleProcessorHelpDelay = Duration.milliseconds(5)

  /// How long a query waits for another one of its round before it gives up their common state: a query that never ends
  /// keeps nobody waiting.
  static let maximumWait = Duration.milliseconds(100)

  let core: _DatabaseCore
  let number: Int

  /// The snapshot is newer than this.
  let fetchStart: LiveState.FetchStart

  /// Looks for the commits of others, where somebody does.
  let externalCommits: ExternalCommitSubscription?

  /// Whether others may be of help: there was more than one query.
  let isLarge: Bool

  /// Whether there are some that follow rows, and some that tell of which commits they are.
  let isIncremental: Bool
  let reportsVersion: Bool

  /// The last commit that was told when it was noted which rows have changed.
  private(set) var lastNotedCommit: CommitNumber

  /// Those that are not being fetched yet.
  private(set) var items: ArraySlice<Item>

  /// Those that nobody has fetched: what is not observed any more is released with the round, outside of the lock.
  private var rest: ArraySlice<Item> = []

  /// What the connections read; nil when that cannot be told: then there is one.
  var header: WALIndexHeader?

  /// How many connections are fetching.
  var readerCount = 1

  /// When somebody was last asked to help, or the round began.
  var helpRequestedAt: Duration

  /// When the last fetch began, or the round.
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

  /// Whether there is something to fetch for others than those who fetch.
  var wantsHelp: Bool { header != nil && !items.isEmpty }

  /// Whether some wait for one that takes very long.
  func isStuck(at now: Duration) -> Bool { !items.isEmpty && now - lastFetchAt >= Self.maximumWait }

  func next(_ now: Duration) -> Item? {
    lastFetchAt = now
    return items.popFirst()
  }

  /// Whether something must be known of the state before it is fetched.
  var needsSnapshotState: Bool { isIncremental || reportsVersion }

  /// Sets the version of the snapshot.
  func setVersion(_ version: DatabaseVersion?) {
    for index in items.indices { items[index].snapshotChanges.version = version }
  }

  /// The state that is read is about to be another one, after some commit that was told.
  ///
  /// - parameter externalCommitCount: See `SnapshotChanges`.
  func noteRows(upTo commit: CommitNumber, externalCommitCount: Int64) {
    lastNotedCommit = commit
    for index in items.indices where items[index].query.source.isIncremental {
      items[index].snapshotChanges.rows.formUnion(items[index].query.takeChangedRows())
      items[index].snapshotChanges.externalCommitCount = externalCommitCount
    }
  }

  /// Nothing but the rows that were noted has changed in the state that is read.
  func markChangesComplete(externalCommitCount: Int64) {
    for index in items.indices {
      items[index].snapshotChanges.isComplete = true
      items[index].snapshotChanges.externalCommitCount = externalCommitCount
    }
  }

  /// Nobody will fetch what is left.
  func takeRemaining() -> ArraySlice<Item> {
    defer {
      rest += items
      items = []
    }
    return items
  }
}
