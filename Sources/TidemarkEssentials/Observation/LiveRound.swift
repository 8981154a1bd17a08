/// Queries that are fetched on one state: by one connection, and by others that read the same state when it takes long.
///
/// Laws:
/// 1. All that is fetched in a round is read from one state of the database.
/// 2. Each query of a round is fetched by one connection. Those that nobody can fetch any more wait for the next round;
///    and so do, where there are other connections, those that have waited for one of the round for `endurance`.
/// 3. The round is over when nobody fetches in it.
///
/// All that can change is guarded by the lock of its engine.
final class LiveRound: @unchecked Sendable {
  /// How long one connection fetches before another one is asked for, where there is a processor for it: some times
  /// what it takes that one to come.
  static let patience = Duration.microseconds(250)

  /// The same where there is none: a query is slow by then. After this time, somebody looks, should those who fetch not
  /// find it out themselves.
  static let longPatience = Duration.milliseconds(5)

  /// How long a query waits for another one of its round before it gives up their common state: a query that never ends
  /// keeps nobody waiting.
  static let endurance = Duration.milliseconds(100)

  let ground: _DatabaseGround
  let number: Int

  /// The snapshot is newer than this.
  let begun: LiveState.Beginning

  /// Looks for the commits of others, where somebody does.
  let watching: CommitWatching?

  /// Whether others may be of help: there was more than one query.
  let isLarge: Bool

  /// Whether there are some that follow rows, and some that tell of which commits they are.
  let followsRows: Bool
  let tellsCommits: Bool

  /// The last commit that was told when it was noted which rows have changed.
  private(set) var lastNoted: CommitNumber

  /// Those that are not being fetched yet.
  private(set) var items: ArraySlice<Item>

  /// Those that nobody has fetched: what is not observed any more is released with the round, outside of the lock.
  private var rest: ArraySlice<Item> = []

  /// What the connections read; nil when that cannot be told: then there is one.
  var header: WALIndexHeader?

  /// How many connections are fetching.
  var readerCount = 1

  /// When somebody was last asked to help, or the round began.
  var askedAt: Duration

  /// When the last fetch began, or the round.
  private(set) var lastFetchAt: Duration

  struct Item {
    var query: LiveQuery
    var wishes: LiveQueryMachine.Wish
    var wokenAt: Duration?
    var news = StateNews(rows: .none)
  }

  init(
    _ ground: _DatabaseGround, number: Int, begun: LiveState.Beginning, _ watching: CommitWatching?, _ items: [Item]
  ) {
    self.ground = ground
    self.number = number
    self.begun = begun
    self.watching = watching
    isLarge = items.count > 1
    followsRows = items.contains { $0.query.source.followsRows }
    tellsCommits = items.contains { $0.query.source.tellsCommits }
    lastNoted = begun.commit
    self.items = items[...]
    askedAt = ground.clock.now()
    lastFetchAt = askedAt
  }

  /// Whether there is something to fetch for others than those who fetch.
  var wantsHelp: Bool { header != nil && !items.isEmpty }

  /// Whether some wait for one that takes very long.
  func isStuck(at now: Duration) -> Bool { !items.isEmpty && now - lastFetchAt >= Self.endurance }

  func next(_ now: Duration) -> Item? {
    lastFetchAt = now
    return items.popFirst()
  }

  /// Whether something must be known of the state before it is fetched.
  var asksForState: Bool { followsRows || tellsCommits }

  /// The last commit that the state has seen is known.
  func setCommitNumber(_ number: UInt64) {
    for index in items.indices { items[index].news.commitNumber = number }
  }

  /// The state that is read is about to be another one, after some commit that was told.
  ///
  /// - parameter othersCount: See `StateNews`.
  func noteRows(upTo commit: CommitNumber, othersCount: Int64) {
    lastNoted = commit
    for index in items.indices where items[index].query.source.followsRows {
      items[index].news.rows.formUnion(items[index].query.takeChangedRows())
      items[index].news.othersCount = othersCount
    }
  }

  /// Nothing but the rows that were noted has changed in the state that is read.
  func allRowsAreNoted(othersCount: Int64) {
    for index in items.indices {
      items[index].news.areAll = true
      items[index].news.othersCount = othersCount
    }
  }

  /// Nobody will fetch what is left.
  func takeRest() -> ArraySlice<Item> {
    defer {
      rest += items
      items = []
    }
    return items
  }
}
