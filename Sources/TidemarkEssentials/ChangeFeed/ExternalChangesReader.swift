import Synchronization

/// Reads the commits of other connections from the change feed, for live queries.
///
///     no position ── begin ──────────────► the last entry
///          └─────── next ────────────────► the last entry; the changes are unknown
///     position ──── next, each commit after it has an entry ──► the last entry; the changes are known
///          └─────── next, otherwise ─────► the last entry; the changes are unknown
///
/// Invariants, in addition to the invariants of `FeedCursor`:
/// 1. The position belongs to an entry that each fetch has read, or that was reported before.
/// 2. A connection may read a state that is older than the position: in a transaction that had a snapshot before, or
///    while another one begins. Then the next changes are unknown, and their read is requested (`forget`).
/// 3. An entry of this connection is left out if it is certain that the connection has reported its changes.
final class ExternalChangesReader: StoredChangesReader {
  private struct State {
    var cursor = FeedCursor()
    var layouts: [TableKey: FeedChangesConverter.Layout] = [:]
  }

  private let ownVersions: RecordedVersions.Reader
  private let hasBegun = Atomic<Bool>(false)
  private let hasForgotten = Atomic<Bool>(false)

  /// Not locked during a read, which executes statements: there is one at a time.
  private let state = Mutex(State())

  /// The bounds of a read: more changes count as unknown.
  private static let rowCountMax = 512
  private static let byteCountMax = 1_000_000

  init(_ broker: ChangeBroker) {
    ownVersions = broker.recordedVersions.addReader()
  }

  func begin(with db: Database) -> Bool {
    // A transaction that writes may see entries that it rolls back.
    if hasBegun.load(ordering: .acquiring) || db.handle?.isWriting == true { return true }
    do {
      let tables = db.moduleState(ChangeFeedTables.self)
      guard let history = try tables.history(db), let last = try tables.last(db) else { return true }
      return state.withLock { state in
        defer { hasBegun.store(true, ordering: .releasing) }
        if let position = state.cursor.position { return position.id == last.id && position.digest == last.digest }
        state.cursor.moveToEnd(FeedSnapshot(history: history, last: last, state: nil, header: nil))
        return true
      }
    } catch {
      // The changes of the first external commits will be unknown.
      Database.log(error, "Could not read the position in the change feed")
      return true
    }
  }

  func forget() { hasForgotten.store(true, ordering: .sequentiallyConsistent) }

  func next(_ db: Database) throws -> StoredChanges? {
    let feed: FeedSnapshot
    switch try FeedSnapshot.find(db) {
    case .feed(let found): feed = found
    case .noFeed: return .unknown
    case .changing: return nil
    }
    var state = self.state.withLock { $0 }
    if hasForgotten.exchange(false, ordering: .sequentiallyConsistent) { state.cursor.forget() }
    let commits = try changes(&state, feed, db)
    if commits == nil {
      state.layouts = [:]
      state.cursor.moveToEnd(feed)
    }
    ownVersions.pass(through: feed.last.id.version)
    self.state.withLock { $0 = state }
    hasBegun.store(true, ordering: .releasing)
    return commits.map { .known($0, state: feed.header) } ?? .unknown
  }

  /// The changes after the position; nil if they are unknown.
  private func changes(_ state: inout State, _ feed: FeedSnapshot, _ db: Database) throws -> [CommittedChanges]? {
    let converter = FeedChangesConverter(db, state.layouts)
    let cursor = state.cursor
    var (byteCount, rowCount) = (0, 0)
    let ending = try state.cursor.advance(feed, db) { row, bytes in
      (byteCount, rowCount) = (byteCount + bytes.count, rowCount + 1)
      guard byteCount <= Self.byteCountMax, rowCount <= Self.rowCountMax else { return false }
      if ownVersions.isOwn(row.id.version, mark: row.digest.low) { return true }
      guard let changes = cursor.changes(row, bytes) else { return false }
      return try cursor.isReported(row, changes) || converter.add(changes)
    }
    guard case .atEnd = ending else { return nil }
    state.layouts = converter.layouts
    return converter.all
  }
}
