/// The change feed in a snapshot.
struct FeedSnapshot {
  let history: ChangeDigest
  let last: ChangeFeedRow

  /// The state of the file; nil if it is unknown.
  let state: CommitState?

  /// The header of the WAL-index; nil in a file without a write-ahead log.
  let header: WALIndexHeader?

  /// The result of looking at the feed.
  enum Finding {
    case feed(FeedSnapshot)
    case noFeed

    /// Another connection has committed meanwhile, so that the state of the file is not known: try again.
    case changing
  }

  /// Reads the end of the feed, in a transaction that has not read yet.
  static func find(_ db: Database) throws -> Finding {
    let snapshot = try db.acquireSnapshotState()
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db), let last = try tables.last(db) else { return .noFeed }
    if snapshot.hasLog, snapshot.header == nil { return .changing }
    let state = snapshot.header.map { CommitState.log($0) } ?? db.handle?.commitState(usesLog: nil)
    return .feed(FeedSnapshot(history: history, last: last, state: state, header: snapshot.header))
  }
}

/// A position in the change feed, which passes the entries of all commits in their order.
///
/// Invariants:
/// 1. If entries are passed, all commits after the former position have entries: none is missing before the last entry,
///    because a connection that adds an entry also adds one about unknown commits before it; and the state that is read
///    was left by the commit of the last entry.
/// 2. Otherwise the changes are unknown, and the cursor is moved to the end. If a connection adds an entry about
///    unknown commits before this state, `isReported` returns true: they are reported once.
struct FeedCursor {
  private var history: ChangeDigest?
  private(set) var position: (id: FeedID, digest: ChangeDigest)?

  /// What an entry stores that is added in the state to which the cursor was moved.
  private var originAfterEnd: CommitOrigin?

  /// What happened to the entries after the position.
  enum Ending {
    /// All of them are passed.
    case atEnd

    /// The closure has stopped before an entry.
    case stopped

    /// The changes are unknown: the cursor must be moved to the end.
    case unknown
  }

  /// Moves to the end. Nothing that was committed before is reported later.
  mutating func moveToEnd(_ feed: FeedSnapshot) {
    (history, position) = (feed.history, (feed.last.id, feed.last.digest))
    originAfterEnd = feed.state?.origin
  }

  mutating func forget() { position = nil }

  /// Passes entries to a closure, until it returns false.
  mutating func advance(
    _ feed: FeedSnapshot, _ db: Database, _ body: (ChangeFeedRow, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Ending {
    guard let start = position, history == feed.history, feed.state?.mayFollow(feed.last.origin) == true else {
      return .unknown
    }
    var (id, digest, isSound, isStopped) = (start.id, start.digest, true, false)
    try db.moduleState(ChangeFeedTables.self).forEachRow(after: id, db) { row, bytes in
      isSound =
        id.isFollowed(by: row.id)
        && row.digest == ChangeDigest(after: digest, number: UInt64(row.id.number), bytes)
      guard isSound else { return false }
      isStopped = try !body(row, bytes)
      if isStopped { return false }
      (id, digest) = (row.id, row.digest)
      return true
    }
    if !isSound || !isStopped && (id != feed.last.id || digest != feed.last.digest) { return .unknown }
    position = (id, digest)
    return isStopped ? .stopped : .atEnd
  }

  /// Decodes an entry. Nil if it is damaged.
  func changes(_ row: ChangeFeedRow, _ bytes: UnsafeRawBufferPointer) -> TransactionChanges? {
    do {
      return try TransactionChanges(decoding: bytes)
    } catch {
      Database.log(error, "Could not read version \(row.id.version) of the change feed")
      return nil
    }
  }

  /// Whether an entry stands for commits before the state to which the cursor was moved.
  func isReported(_ row: ChangeFeedRow, _ changes: TransactionChanges) -> Bool {
    changes.standsForUnknownCommits && row.origin == originAfterEnd
  }
}

extension TransactionChanges {
  /// Whether an entry says that commits before it have no entry.
  var standsForUnknownCommits: Bool { completeness == .incomplete(.unknown) && elements.isEmpty }
}
