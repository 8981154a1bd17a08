import FoundationEssentials

/// Reads the change feed for one consumer.
///
///     next ── a decoded entry is left ──► deliver
///      └── read the rows after the position ── some ──► check their digests, decode, filter
///                                           └── none ── the last commit has an entry ──► wait for a signal
///                                                   └── it has none ──► note it, read again
///
/// Catching up and following are the same: a signal only says that there may be entries. So there is no gap, and no
/// duplicate, whatever happens between two reads.
///
/// Invariants:
/// 1. The position is that of the last entry that was read: its digest is the key of the next digest.
/// 2. The count of signals is read before the feed: an entry that is added later ends the wait.
final class ChangeFeedConsumer: Sendable {
  private let core: _DatabaseCore
  private let regions: [any DatabaseRegionConvertible]
  private let signal = ChangeFeedSignal()
  private let subscription: ChangeSubscription?
  private let externalCommits: ExternalCommitListener?
  private let state = Mutex(State())

  private struct State {
    var history = ChangeDigest(low: 0, high: 0)

    /// The last entry that was read; nil before the first one.
    var position: (id: FeedID, digest: ChangeDigest)?

    /// Decoded entries, the next one last.
    var entries: [ChangeFeedEntry] = []

    var filter = ChangeFilter(region: .fullDatabase)

    /// Whether the schema may have changed since the region was resolved.
    var mustResolveRegion = false

    /// Whether a task reads the feed.
    var isReading = false
  }

  /// The bounds of a read.
  private static let rowCountMax = 512
  private static let byteCountMax = 1_000_000

  init(_ regions: [any DatabaseRegionConvertible], in core: _DatabaseCore) {
    self.core = core
    self.regions = regions.isEmpty ? [DatabaseRegion.fullDatabase] : regions
    let signal = self.signal
    subscription = core.writer?.changeBroker.subscribe(.none) { _ in signal.raise() }
    externalCommits = core.subscribeToExternalCommits { event in
      if case .fileMoved(let error) = event { signal.fail(error) } else { signal.raise() }
    }
    core.component { ChangeFeedSignals() }.add(signal, externalCommits)
  }

  /// Begins after a token, or with the first entry that is kept.
  ///
  /// - Parameter db: A connection that reads.
  func start(_ db: Database, after token: ChangeToken?) throws {
    externalCommits?.begin(with: db)
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db) else { throw ChangeFeedError.notEnabled }
    if let token {
      try db.checkHistory(of: token)
      try checkIsKept(after: token.id, tables, db)
    }
    let region = try regions.union(db)
    state.withLock { state in
      state.history = history
      state.position = token.map { ($0.id, $0.digest) }
      state.filter = ChangeFilter(region: region)
    }
  }

  /// Throws if the next entry after a position was removed.
  private func checkIsKept(after id: FeedID, _ tables: ChangeFeedTables, _ db: Database) throws {
    guard let first = try tables.first(db) else { throw ChangeFeedError.notEnabled }
    if first.id > id, !id.isFollowed(by: first.id) {
      throw ChangeFeedError.expired(oldest: DatabaseVersion(first.id.version))
    }
  }

  /// Returns the next entry; nil if the task is cancelled.
  func next() async throws -> ChangeFeedEntry? {
    var hasNoted = false
    while !Task.isCancelled {
      if let entry = state.withLock({ $0.entries.popLast() }) { return entry }
      if let error = signal.error { throw error }
      let count = signal.count
      let batch: Batch
      do {
        batch = try await core.read(isolated: true) { [self] db in try read(db) }
      } catch is CancellationError where Task.isCancelled {
        return nil
      }
      if !batch.rows.isEmpty {
        try take(batch)
        hasNoted = false
      } else if !batch.isCurrent, !hasNoted, signal.count == count {
        hasNoted = true
        if try await !noteUnknownCommits() { await signal.wait(after: count) }
      } else {
        await signal.wait(after: count)
        hasNoted = false
      }
    }
    return nil
  }

  // MARK: - Reading

  private struct Batch: Sendable {
    /// The position before the rows.
    var position: (id: FeedID, digest: ChangeDigest)?
    var rows: [(row: ChangeFeedRow, changes: [UInt8])] = []

    /// Whether the last commit has an entry.
    var isCurrent = true

    var history: ChangeDigest
  }

  private func read(_ db: Database) throws -> Batch {
    let (position, mustResolve) = state.withLock { ($0.position, $0.mustResolveRegion) }
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db) else { throw ChangeFeedError.otherHistory }
    if mustResolve {
      let region = try regions.union(db)
      state.withLock { ($0.filter, $0.mustResolveRegion) = (ChangeFilter(region: region), false) }
    }
    var batch = Batch(position: position, history: history)
    var byteCount = 0
    try tables.forEachRow(after: position?.id ?? .none, db) { row, changes in
      batch.rows.append((row, Array(changes)))
      byteCount += changes.count
      return batch.rows.count < Self.rowCountMax && byteCount < Self.byteCountMax
    }
    if let first = batch.rows.first {
      if let position, !position.id.isFollowed(by: first.row.id) {
        throw ChangeFeedError.expired(oldest: DatabaseVersion(first.row.id.version))
      }
      return batch
    }
    guard let last = try tables.last(db) else { throw ChangeFeedError.otherHistory }
    if let position, position.id != last.id || position.digest != last.digest { throw ChangeFeedError.otherHistory }
    let current = db.handle?.commitState(usesLog: nil)
    batch.isCurrent = current?.mayFollow(last.origin) ?? true
    return batch
  }

  /// Checks and decodes rows, and moves the position.
  private func take(_ batch: Batch) throws {
    try state.withLock { state in
      // Another iteration of the same stream may have read the same rows.
      guard state.position?.id == batch.position?.id else { return }
      guard batch.history == state.history else { throw ChangeFeedError.otherHistory }
      var entries: [ChangeFeedEntry] = []
      for (row, bytes) in batch.rows {
        if let position = state.position {
          let digest = bytes.withUnsafeBytes {
            ChangeDigest(after: position.digest, number: UInt64(row.id.number), $0)
          }
          guard digest == row.digest else { throw ChangeFeedError.otherHistory }
        }
        let changes: TransactionChanges
        do {
          changes = try TransactionChanges(decoding: bytes)
        } catch {
          throw ChangeFeedError.damaged(DatabaseVersion(row.id.version))
        }
        state.position = (row.id, row.digest)
        if changes.maySchemaHaveChanged, !state.filter.isUnlimited { state.mustResolveRegion = true }
        guard let filtered = state.filter.changes(changes) else { continue }
        let token = ChangeToken(history: state.history, id: row.id, digest: row.digest)
        entries.append(ChangeFeedEntry(token: token, changes: filtered))
      }
      state.entries = entries.reversed()
    }
  }

  /// Adds an entry about commits without entries, if this process writes the feed.
  ///
  /// - Returns: Whether it does.
  private func noteUnknownCommits() async throws -> Bool {
    guard let writer = core.writer else { return false }
    return try await writer.async { db in
      guard let feed = db.changeFeedWriter else { return false }
      try feed.noteUnknownCommits(db)
      return true
    }
  }
}

extension TransactionChanges {
  /// Whether tables may have other columns, or other names.
  fileprivate var maySchemaHaveChanged: Bool {
    !isComplete || elements.contains { if case .schema = $0 { true } else { false } }
  }
}

/// The signals of the consumers of a database.
private final class ChangeFeedSignals: _DatabaseCore.Component {
  private struct Reference: Sendable {
    weak var signal: ChangeFeedSignal?
    weak var externalCommits: ExternalCommitListener?
  }

  private let references = Mutex<[Reference]>([])

  func add(_ signal: ChangeFeedSignal, _ externalCommits: ExternalCommitListener?) {
    references.withLock { references in
      references.removeAll { $0.signal == nil }
      references.append(Reference(signal: signal, externalCommits: externalCommits))
    }
  }

  func willClose() { references.withLock { $0 }.forEach { $0.externalCommits?.pause() } }

  func didNotClose() { references.withLock { $0 }.forEach { $0.externalCommits?.resume() } }

  func didClose() { references.withLock { $0 }.forEach { $0.signal?.fail(Database.closedError) } }
}
