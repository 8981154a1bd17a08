import Synchronization

/// Reads the commits of other connections from the change feed, for live queries.
///
///     no position ── begin ──────────────► the last entry
///          └─────── next ────────────────► the last entry; the changes are unknown
///     position ──── next, each commit after it has an entry ──► the last entry; the changes are known
///          └─────── next, otherwise ─────► the last entry; the changes are unknown
///
/// Invariants:
/// 1. The position belongs to an entry that each fetch has read, or that was reported before.
/// 2. Changes are known only if the state that is read was left by the commit of the last entry, and if no entry
///    before it says otherwise. So a commit without an entry is reported as unknown: when it is found, or together
///    with the entry of a later commit that reports it, but not twice.
/// 3. A connection may read a state that is older than the position: in a transaction that had a snapshot before, or
///    while another one begins. Then the next changes are unknown, and their read is requested (`forget`).
/// 4. An entry of this connection is left out if it is certain that the connection has reported its changes.
final class ExternalChangesReader: StoredChangesReader {
  private struct State {
    var history: ChangeDigest?
    var position: (id: FeedID, digest: ChangeDigest)?

    /// What an entry stores that is added in the state whose commits were reported as unknown.
    var originAfterUnknown: CommitOrigin?
    var layouts: [TableKey: CaptureLayout] = [:]
  }

  private let ownVersions: RecordedVersions
  private let hasBegun = Atomic<Bool>(false)
  private let hasForgotten = Atomic<Bool>(false)

  /// Not locked during a read, which executes statements: there is one at a time.
  private let state = Mutex(State())

  /// The bounds of a read: more changes count as unknown.
  private static let rowCountMax = 512
  private static let byteCountMax = 1_000_000

  init(_ broker: ChangeBroker) { ownVersions = broker.recordedVersions }

  func begin(with db: Database) -> Bool {
    // A transaction that writes may see entries that it rolls back.
    if hasBegun.load(ordering: .acquiring) || db.handle?.isWriting == true { return true }
    do {
      let tables = db.moduleState(ChangeFeedTables.self)
      guard let history = try tables.history(db), let last = try tables.last(db) else { return true }
      ownVersions.begin()
      return state.withLock { state in
        defer { hasBegun.store(true, ordering: .releasing) }
        if let position = state.position { return position.id == last.id && position.digest == last.digest }
        (state.history, state.position) = (history, (last.id, last.digest))
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
    let snapshot = try db.acquireSnapshotState()
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db), let last = try tables.last(db) else { return .unknown }
    if snapshot.hasLog, snapshot.header == nil { return nil }
    let current = snapshot.header.map { CommitState.log($0) } ?? db.handle?.commitState(usesLog: nil)
    var state = self.state.withLock { $0 }
    var commits: [CommittedChanges]?
    let isForgotten = hasForgotten.exchange(false, ordering: .sequentiallyConsistent)
    if let current, !isForgotten { commits = try changes(&state, history, last, current, tables, db) }
    state.history = history
    state.position = (last.id, last.digest)
    if commits == nil {
      state.layouts = [:]
      state.originAfterUnknown = current?.origin
    }
    ownVersions.remove(through: last.id.version)
    ownVersions.begin()
    self.state.withLock { $0 = state }
    hasBegun.store(true, ordering: .releasing)
    return commits.map { .known($0) } ?? .unknown
  }

  /// The changes after the position; nil if they are unknown.
  private func changes(
    _ state: inout State, _ history: ChangeDigest, _ last: ChangeFeedRow, _ current: CommitState,
    _ tables: ChangeFeedTables, _ db: Database
  ) throws -> [CommittedChanges]? {
    guard let position = state.position, state.history == history, current.mayFollow(last.origin) else { return nil }
    let converter = FeedChangesConverter(db, state.layouts)
    var (id, digest, byteCount, rowCount) = (position.id, position.digest, 0, 0)
    var isKnown = true
    try tables.forEachRow(after: position.id, db) { row, bytes in
      (byteCount, rowCount) = (byteCount + bytes.count, rowCount + 1)
      isKnown =
        id.isFollowed(by: row.id) && byteCount <= Self.byteCountMax && rowCount <= Self.rowCountMax
        && row.digest == ChangeDigest(after: digest, number: UInt64(row.id.number), bytes)
      (id, digest) = (row.id, row.digest)
      if !isKnown || ownVersions.contains(row.id.version) { return isKnown }
      guard let changes = Self.decoded(row, bytes) else {
        isKnown = false
        return false
      }
      if case .incomplete(.unknown) = changes.completeness, changes.elements.isEmpty,
        row.origin == state.originAfterUnknown
      {
        // It stands for commits that were reported when they were found.
        return true
      }
      isKnown = try converter.add(changes)
      return isKnown
    }
    guard isKnown, id == last.id, digest == last.digest else { return nil }
    state.layouts = converter.layouts
    return converter.all
  }

  private static func decoded(_ row: ChangeFeedRow, _ bytes: UnsafeRawBufferPointer) -> TransactionChanges? {
    do {
      return try TransactionChanges(decoding: Array(bytes))
    } catch {
      Database.log(error, "Could not read version \(row.id.version) of the change feed")
      return nil
    }
  }
}
