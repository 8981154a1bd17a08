// What is known of the state that a round reads, where some queries ask for it.
//
// A query that follows rows fetches those that have changed, and no others: so it must be known of a state which ones
// these are. The engine is told of commits a moment after others can see them. A state of which it was not told yet is
// given up for a newer one, for a while; if there is none, all rows may have changed.

extension LiveEngine {
  /// The search for a state of which that is known.
  struct StateSearch {
    /// A moment in which commits follow each other fast, or in which the thread that commits has no processor, is over
    /// by then; and if it is not, to fetch everything takes not much longer for most queries.
    private static let patience = Duration.milliseconds(1)

    private let began: Duration
    private var attemptCount = 0

    init(_ round: LiveRound) {
      began = round.asksForState ? round.ground.clock.now() : .zero
    }

    /// Whether to look for another state than one of which something is not known.
    mutating func goesOn(_ unknown: StateQuestions, _ round: LiveRound) -> Bool {
      attemptCount += 1
      if unknown.isEmpty || attemptCount >= commitNumberAttemptMax { return false }
      // Who commits may have to wait for this processor.
      SystemThread.yield()
      // Others commit in the moment in which a state is taken, or they do not: there is nothing to wait for. What the
      // engine was told is up to who commits.
      return unknown.contains(.number) || round.ground.clock.now() - began < Self.patience
    }
  }

  /// What the queries of a round ask of a state.
  struct StateQuestions: OptionSet {
    var rawValue: UInt8

    /// Which commit it is of.
    static let number = StateQuestions(rawValue: 1)

    /// Which rows have changed in it.
    static let rows = StateQuestions(rawValue: 2)
  }

  /// A fetch in the transaction that has just begun, which knows the number of its state if it asks for it; nil when
  /// another transaction may know it.
  func numbered(_ fetch: LiveFetch, in ground: _DatabaseGround, _ db: Database) throws -> LiveFetch? {
    guard fetch.source.tellsCommits else { return fetch }
    guard let number = try ground.commitNumber(db) else { return nil }
    var fetch = fetch
    fetch.news.commitNumber = number
    return fetch
  }

  /// Notes which rows have changed, before a state is taken: it has all commits that were told until now.
  func noteRows(of round: LiveRound) {
    let othersCount = round.ground.writer?.ownCommits.othersCount ?? 0
    state.withLock { round.noteRows(upTo: $0.log.last, othersCount: Int64(bitPattern: othersCount)) }
  }

  /// Finds out about a state what the queries of a round ask.
  ///
  /// - returns: What is not known.
  func questions(_ taken: TakenState, _ round: LiveRound, _ db: Database) throws -> StateQuestions {
    var unknown: StateQuestions = []
    if round.tellsCommits {
      let (number, mayBeOlder) = try round.ground.commitNumber(of: taken, db)
      state.withLock { _ in round.setCommitNumber(number) }
      if mayBeOlder { unknown.insert(.number) }
    }
    if round.followsRows, try !knowsRows(of: round, taken.header, db) { unknown.insert(.rows) }
    return unknown
  }

  /// Whether no rows have changed in a state but those that were noted.
  private func knowsRows(of round: LiveRound, _ header: WALIndexHeader?, _ db: Database) throws -> Bool {
    // Who reads keeps others from writing, and those that are no connections of ours are counted by SQLite.
    if round.ground.fetchesExcludeWrites {
      let version = try db.dataVersion()
      state.withLock { _ in round.allRowsAreNoted(othersCount: version) }
      return true
    }
    guard let header, let ownCommits = round.ground.writer?.ownCommits else { return false }
    if !ownCommits.hasBegun { ownCommits.begin(with: header) }
    guard let othersCount = ownCommits.othersCount(inToldState: header) else { return false }
    return state.withLock { state in
      // Told meanwhile, a commit may be of this state, or of a later one.
      guard state.log.last == round.lastNoted else { return false }
      round.allRowsAreNoted(othersCount: Int64(bitPattern: othersCount))
      return true
    }
  }
}
