// Identification of the snapshot of a fetch batch, for queries that need it.
//
// A query that is updated row by row fetches only changed rows, so these must be known for the snapshot. The engine is
// notified of commits shortly after they become visible to other connections. A snapshot with a commit that was not
// notified yet is replaced by a newer one, for a while; if there is none, all rows may have changed.

extension LiveEngine {
  /// The search for a snapshot whose commits are all known.
  struct StateSearch {
    /// After this time, a quick series of commits has ended, or a committing thread without a processor has continued;
    /// if not, fetching everything does not take much longer for most queries.
    private static let patience = Duration.milliseconds(1)

    private let began: Duration
    private var attemptCount = 0

    init(_ round: LiveRound) {
      began = round.asksForState ? round.ground.clock.now() : .zero
    }

    /// Whether to look for another snapshot because something about the last one is unknown.
    mutating func goesOn(_ unknown: StateQuestions, _ round: LiveRound) -> Bool {
      attemptCount += 1
      if unknown.isEmpty || attemptCount >= commitNumberAttemptMax { return false }
      // The committing thread may be waiting for this processor.
      SystemThread.yield()
      // For the database version, only a commit at the moment of the snapshot matters, so the search is not limited.
      // The notification of commits depends on the committing thread.
      return unknown.contains(.number) || round.ground.clock.now() - began < Self.patience
    }
  }

  /// Facts about a snapshot that the queries of a batch need.
  struct StateQuestions: OptionSet {
    var rawValue: UInt8

    /// Its database version.
    static let number = StateQuestions(rawValue: 1)

    /// The rows that have changed in it.
    static let rows = StateQuestions(rawValue: 2)
  }

  /// A fetch in the transaction that has just begun, with the database version of its snapshot if it needs it; nil if
  /// another transaction may know it.
  func numbered(_ fetch: LiveFetch, in ground: _DatabaseGround, _ db: Database) throws -> LiveFetch? {
    guard fetch.source.tellsCommits else { return fetch }
    guard let number = try ground.commitNumber(db) else { return nil }
    var fetch = fetch
    fetch.news.commitNumber = number
    return fetch
  }

  /// Records the changed rows before a snapshot is taken: it contains all commits up to now.
  func noteRows(of round: LiveRound) {
    let othersCount = round.ground.writer?.ownCommits.othersCount ?? 0
    state.withLock { round.noteRows(upTo: $0.log.last, othersCount: Int64(bitPattern: othersCount)) }
  }

  /// Determines the facts about a snapshot that the queries of a batch need.
  ///
  /// - returns: The facts that are unknown.
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

  /// Whether a snapshot contains only changes of the recorded rows.
  private func knowsRows(of round: LiveRound, _ header: WALIndexHeader?, _ db: Database) throws -> Bool {
    // The read prevents writes, and SQLite counts the commits of other connections.
    if round.ground.fetchesExcludeWrites {
      let version = try db.dataVersion()
      state.withLock { _ in round.allRowsAreNoted(othersCount: version) }
      return true
    }
    guard let header, let ownCommits = round.ground.writer?.ownCommits else { return false }
    if !ownCommits.hasBegun { ownCommits.begin(with: header) }
    guard let othersCount = ownCommits.othersCount(inToldState: header) else { return false }
    return state.withLock { state in
      // A commit that was notified meanwhile may belong to this snapshot, or to a later one.
      guard state.log.last == round.lastNoted else { return false }
      round.allRowsAreNoted(othersCount: Int64(bitPattern: othersCount))
      return true
    }
  }
}
