import FoundationEssentials

/// Reads the change feed for one consumer.
///
///     next ── a row is left ──► check its digest, decode, select, deliver
///      └── read the rows after the position ── some ──► keep them
///                                           └── none ── the last commit has an entry ──► wait for a signal
///                                                   └── it has none ──► note it, read again
///
/// A row is decoded when its entry is delivered: the decoded values of all rows of a read would not fit in the cache of
/// the processor (Benchmarks: `feed`).
///
/// Catching up and following are the same: a signal only says that there may be entries. So entries are neither
/// missed nor repeated, whatever happens between two reads.
///
/// Invariants:
/// 1. The position belongs to the last row that was decoded: its digest is the key of the next digest. The rows that
///    are kept follow it.
/// 2. The count of signals is read before the feed: an entry that is added later ends the wait.
/// 3. A notification is an entry of its own for a consumer of its channel. The notifications of a transaction are added
///    together, so that concurrent iterations receive them in their order.
final class ChangeFeedConsumer: Sendable {
  /// The part of the feed that a consumer receives.
  enum Selection: Sendable {
    /// The changes of regions; all changes if there are none.
    case regions([any DatabaseRegionConvertible])

    /// The notifications of a channel.
    case channel(String)
  }

  private let core: _DatabaseCore
  private let regions: [any DatabaseRegionConvertible]
  private let channel: String?
  private let signal = AsyncSignal()
  private let subscription: ChangeSubscription?
  private let externalCommits: ExternalCommitListener?
  private let state = Mutex(State())

  fileprivate struct State {
    var history = ChangeDigest(low: 0, high: 0)

    /// The last row that was decoded; nil before the first one.
    var position: (id: FeedID, digest: ChangeDigest)?

    /// The first entry, until there is a position.
    var firstID: FeedID?

    /// Rows that were read and not decoded yet.
    var rows = StoredRows()

    /// Notifications of one row, the next one last.
    var notifications: [ChangeFeedEntry] = []

    /// The error that has ended the stream.
    var failure: (any Error)?

    /// The tables that were decoded last.
    var tables = TransactionChanges.DecodedTables()

    var filter = ChangeFilter(region: .fullDatabase)

    /// Whether the schema may have changed since the region was resolved.
    var mustResolveRegion = false

    /// Whether a part of the current transaction was delivered, perhaps before the token.
    var hasBegunTransaction = true
  }

  /// The bounds of a read.
  private static let rowCountMax = 512
  private static let byteCountMax = 1_000_000

  init(_ selection: Selection, in core: _DatabaseCore) {
    self.core = core
    switch selection {
    case .regions(let regions): (self.regions, channel) = (regions, nil)
    case .channel(let name): (regions, channel) = ([], name)
    }
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
    let region = try region(db)
    let first = try token == nil ? tables.firstTransaction(db) : nil
    state.withLock { state in
      state.firstID = first
      state.history = history
      state.position = token.map { ($0.id, $0.digest) }
      state.filter = ChangeFilter(region: region)
    }
  }

  private func region(_ db: Database) throws -> DatabaseRegion {
    regions.isEmpty ? .fullDatabase : try regions.union(db)
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
    do {
      while !Task.isCancelled {
        // Before the entries: a signal follows when another iteration has read some.
        let count = signal.count
        let (entry, failure) = state.withLock { ($0.nextEntry(of: channel), $0.failure) }
        if let entry { return entry }
        if let error = failure ?? signal.error { throw error }
        try await readOrWait(after: count)
      }
    } catch is CancellationError where Task.isCancelled {
      return nil
    }
    return nil
  }

  /// Reads entries. If there are none, waits until there may be some.
  ///
  /// - Parameter count: The number of signals so far.
  private func readOrWait(after count: UInt64) async throws {
    var batch = try await core.read(isolated: true) { [self] db in try read(db) }
    if batch.rows.isEmpty, !batch.isCurrent {
      // An entry may have been added between the read and the check.
      batch = try await core.read(isolated: true) { [self] db in try read(db) }
    }
    if !batch.rows.isEmpty { return take(batch) }
    // Commits without entries have no notifications.
    if batch.isCurrent || channel != nil || signal.count != count { return await signal.wait(after: count) }
    switch try await noteUnknownCommits() {
    case .noted:
      let batch = try await core.read(isolated: true) { [self] db in try read(db) }
      if batch.rows.isEmpty { await signal.wait(after: count) } else { take(batch) }
    case .notWriting: await signal.wait(after: count)
    // Another connection holds the write lock.
    case .busy: try await Task.sleep(for: .milliseconds(20))
    }
  }

  // MARK: - Reading

  /// Rows in the order of the feed. Their changes are in one array: an array for each row takes longer than decoding
  /// small changes (Benchmarks: `feed`, the replay of entries with one row).
  fileprivate struct StoredRows: Sendable {
    private var rows: [(row: ChangeFeedRow, end: Int)] = []
    private var changes: [UInt8] = []
    private var passedCount = 0

    var isEmpty: Bool { passedCount == rows.count }

    var first: ChangeFeedRow? { isEmpty ? nil : rows[passedCount].row }

    /// Whether the rows are as many or as large as a read may return.
    var isFull: Bool { rows.count >= rowCountMax || changes.count >= byteCountMax }

    mutating func append(_ row: ChangeFeedRow, _ bytes: UnsafeRawBufferPointer) {
      changes.append(contentsOf: bytes)
      rows.append((row, changes.count))
    }

    /// Removes the first row. The storage is released together with the last row.
    mutating func popFirst() -> (row: ChangeFeedRow, changes: ArraySlice<UInt8>)? {
      if isEmpty { return nil }
      let (row, end) = rows[passedCount]
      let slice = changes[(passedCount == 0 ? 0 : rows[passedCount - 1].end)..<end]
      passedCount += 1
      if isEmpty { self = StoredRows() }
      return (row, slice)
    }
  }

  private struct Batch: Sendable {
    /// The position before the rows.
    var position: (id: FeedID, digest: ChangeDigest)?
    var rows = StoredRows()

    /// Whether the last commit has an entry.
    var isCurrent = true

    var history: ChangeDigest
  }

  private func read(_ db: Database) throws -> Batch {
    let (position, first, mustResolve) = state.withLock { ($0.position, $0.firstID, $0.mustResolveRegion) }
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db) else { throw ChangeFeedError.otherHistory }
    if mustResolve {
      let region = try region(db)
      state.withLock { ($0.filter, $0.mustResolveRegion) = (ChangeFilter(region: region), false) }
    }
    var batch = Batch(position: position, history: history)
    try tables.forEachRow(after: position?.id ?? first?.predecessor ?? .none, db) { row, changes in
      batch.rows.append(row, changes)
      return !batch.rows.isFull
    }
    if let first = batch.rows.first {
      if let position, !position.id.isFollowed(by: first.id) {
        throw ChangeFeedError.expired(oldest: DatabaseVersion(first.id.version))
      }
      return batch
    }
    guard let last = try tables.last(db) else { throw ChangeFeedError.otherHistory }
    if let position, position.id != last.id || position.digest != last.digest { throw ChangeFeedError.otherHistory }
    let current = db.handle?.commitState(usesLog: nil)
    batch.isCurrent = current?.mayFollow(last.origin) ?? true
    return batch
  }

  /// Keeps rows that follow the position.
  private func take(_ batch: Batch) {
    state.withLock { state in
      // Another iteration of the same stream may have read the same rows.
      guard state.rows.isEmpty, state.position?.id == batch.position?.id, state.failure == nil else { return }
      if batch.history == state.history {
        state.rows = batch.rows
      } else {
        state.failure = ChangeFeedError.otherHistory
      }
    }
    // For the other iterations of the same stream.
    signal.raise()
  }

  private enum Note {
    case noted

    /// This database does not write the feed.
    case notWriting

    /// Another connection writes.
    case busy
  }

  /// Adds an entry about commits without entries.
  private func noteUnknownCommits() async throws -> Note {
    guard let writer = core.writer else { return .notWriting }
    do {
      return try await writer.async { db in
        guard let feed = db.changeFeedWriter else { return .notWriting }
        try feed.noteUnknownCommits(db)
        return .noted
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED {
      return .busy
    }
  }
}

extension ChangeFeedConsumer.State {
  /// Returns the next entry; nil if no row is left, or if one cannot be delivered.
  fileprivate mutating func nextEntry(of channel: String?) -> ChangeFeedEntry? {
    if let notification = notifications.popLast() { return notification }
    while let (row, bytes) = rows.popFirst() {
      var entry: ChangeFeedEntry?
      do {
        if let channel {
          notifications = try notifications(of: channel, row, bytes).reversed()
          entry = notifications.popLast()
        } else {
          entry = try self.entry(row, bytes)
        }
      } catch {
        (failure, rows) = (error, ChangeFeedConsumer.StoredRows())
      }
      // The region is resolved in the new schema before later rows are read.
      if mustResolveRegion { rows = ChangeFeedConsumer.StoredRows() }
      if let entry { return entry }
    }
    return nil
  }

  /// Checks and decodes a row, and moves the position behind it. Returns nil if it does not concern the region.
  fileprivate mutating func entry(_ row: ChangeFeedRow, _ bytes: ArraySlice<UInt8>) throws -> ChangeFeedEntry? {
    let changes = try decode(row, bytes)
    if changes.maySchemaHaveChanged, !filter.isUnlimited { mustResolveRegion = true }
    if row.id.part == 0 { hasBegunTransaction = false }
    guard let filtered = filter.changes(changes, endsTransaction: hasBegunTransaction) else { return nil }
    hasBegunTransaction = true
    return ChangeFeedEntry(token: token(of: row), changes: filtered)
  }

  /// Checks and decodes a row, and moves the position behind it. Returns each notification of a channel as an entry.
  /// All except the last one are continued.
  fileprivate mutating func notifications(
    of channel: String, _ row: ChangeFeedRow, _ bytes: ArraySlice<UInt8>
  ) throws -> [ChangeFeedEntry] {
    guard TransactionChanges.mayHaveNotifications(encoded: bytes) else {
      try check(row, bytes)
      position = (row.id, row.digest)
      return []
    }
    let changes = try decode(row, bytes)
    let elements = changes.elements.filter { element in
      if case .notification(let name, _) = element { name.utf8.elementsEqual(channel.utf8) } else { false }
    }
    return elements.enumerated().map { index, element in
      var part = changes
      (part.elements, part.isContinued) = ([element], index < elements.count - 1)
      return ChangeFeedEntry(token: token(of: row), changes: part)
    }
  }

  private func token(of row: ChangeFeedRow) -> ChangeToken {
    ChangeToken(history: history, id: row.id, digest: row.digest)
  }

  /// Throws if a row does not follow the position.
  private func check(_ row: ChangeFeedRow, _ bytes: ArraySlice<UInt8>) throws {
    if let position {
      let digest = bytes.withUnsafeBytes { ChangeDigest(after: position.digest, number: UInt64(row.id.number), $0) }
      guard digest == row.digest else { throw ChangeFeedError.otherHistory }
    } else if let firstID, row.id != firstID {
      throw ChangeFeedError.expired(oldest: DatabaseVersion(row.id.version))
    }
  }

  /// Checks and decodes a row, and moves the position behind it.
  private mutating func decode(_ row: ChangeFeedRow, _ bytes: ArraySlice<UInt8>) throws -> TransactionChanges {
    try check(row, bytes)
    let changes: TransactionChanges
    do {
      changes = try bytes.withUnsafeBytes { try TransactionChanges($0, &tables) }
    } catch {
      throw ChangeFeedError.damaged(DatabaseVersion(row.id.version))
    }
    position = (row.id, row.digest)
    return changes
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
    weak var signal: AsyncSignal?
    weak var externalCommits: ExternalCommitListener?
  }

  private let references = Mutex<[Reference]>([])

  func add(_ signal: AsyncSignal, _ externalCommits: ExternalCommitListener?) {
    references.withLock { references in
      references.removeAll { $0.signal == nil }
      references.append(Reference(signal: signal, externalCommits: externalCommits))
    }
  }

  func willClose() { references.withLock { $0 }.forEach { $0.externalCommits?.pause() } }

  func didNotClose() { references.withLock { $0 }.forEach { $0.externalCommits?.resume() } }

  func didClose() { references.withLock { $0 }.forEach { $0.signal?.fail(Database.closedError) } }
}
