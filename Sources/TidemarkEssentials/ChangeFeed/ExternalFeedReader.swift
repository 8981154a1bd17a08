/// Reads the transactions of other connections from the change feed, for one change stream.
///
/// Invariants, in addition to the invariants of `FeedCursor`:
/// 1. The position belongs to an entry that precedes the stream, or that was returned, or does not concern the stream.
/// 2. Own transactions are not returned. The cursor does not pass one that concerns the stream before the stream has
///    received it.
final class ExternalFeedReader: ExternalTransactionsReader {
  private struct State {
    var cursor = FeedCursor()
    var filter = ChangeFilter(region: .fullDatabase)

    /// Whether a part of the current transaction was returned.
    var hasBegunTransaction = true

    var large: LargeTransaction?

    /// The transaction whose entries are read, and whether it is an own one. The position may be inside it, where this
    /// cannot be determined any more.
    var current: (version: UInt64, isOwn: Bool)?

    /// The versions of the current transaction, as its first entry shows them. The last entry may show later ones: it
    /// also stands for later commits without entries.
    var versions: ClosedRange<DatabaseVersion>?
  }

  /// The last transaction with several entries.
  private enum LargeTransaction: Equatable {
    /// Each of its entries is a part.
    case inParts(version: UInt64)

    /// All of its entries are one transaction without rows.
    case withoutRows(version: UInt64)

    var version: UInt64 {
      switch self {
      case .inParts(let version), .withoutRows(let version): version
      }
    }
  }

  private let ownVersions: RecordedVersions.Reader

  /// Not locked during a read, which executes statements: there is one at a time.
  private let state = Mutex(State())

  /// The bounds of a read.
  private static let rowCountMax = 512
  private static let byteCountMax = 1_000_000

  init(_ broker: ChangeBroker) {
    ownVersions = broker.recordedVersions.addReader()
  }

  func restart(_ db: Database, region: DatabaseRegion) throws {
    var new = State()
    new.filter = ChangeFilter(region: region)
    let tables = db.moduleState(ChangeFeedTables.self)
    if let history = try tables.history(db), let last = try tables.last(db) {
      // The state of the file may be newer than the snapshot.
      new.cursor.moveToEnd(FeedSnapshot(history: history, last: last, state: nil, header: nil))
      ownVersions.pass(through: last.id.version)
    }
    state.withLock { $0 = new }
  }

  func forget() { state.withLock { $0.cursor.forget() } }

  func next(_ db: Database, _ request: ExternalTransactions.Request) throws -> ExternalTransactions? {
    let feed: FeedSnapshot
    switch try FeedSnapshot.find(db) {
    case .feed(let found): feed = found
    case .noFeed: return ExternalTransactions(ending: .unknown)
    case .changing: return nil
    }
    var state = self.state.withLock { $0 }
    var read = Read(state: state, feed, request, ownVersions)
    var ending = ExternalTransactions.Ending.unknown
    if let position = state.cursor.position, ownVersions.areKnown(after: position.id.version) {
      ending = try read.run(&state.cursor, db)
    }
    (state.hasBegunTransaction, state.large) = (read.hasBegunTransaction, read.large)
    (state.current, state.versions) = (read.current, read.versions)
    if ending == .unknown {
      state.cursor.moveToEnd(feed)
      state.current = nil
    }
    if let position = state.cursor.position { ownVersions.pass(through: position.id.version) }
    self.state.withLock { $0 = state }
    let version = feed.header.flatMap { request.version?($0) }
    return ExternalTransactions(transactions: read.transactions, ending: ending, version: version)
  }
}

extension ExternalFeedReader {
  /// One read.
  private struct Read {
    private(set) var transactions: [TransactionChanges] = []
    private(set) var hasBegunTransaction: Bool
    private(set) var large: LargeTransaction?
    private(set) var current: (version: UInt64, isOwn: Bool)?
    private(set) var versions: ClosedRange<DatabaseVersion>?

    private let feed: FeedSnapshot
    private let request: ExternalTransactions.Request
    private let ownVersions: RecordedVersions.Reader
    private let filter: ChangeFilter
    private var rowCount = 0
    private var byteCount = 0

    /// A transaction that was read although it may have changed the schema.
    private var changedSchemaVersion: UInt64?

    /// The parts of a large transaction so far, without rows.
    private var partsWithoutRows: TransactionChanges?

    /// Why the read has stopped before an entry.
    private var stop = Stop.ending(.more)

    private enum Stop {
      case ending(ExternalTransactions.Ending)

      /// The rows of the large transaction that follows must be counted.
      case mustCount
    }

    init(
      state: State, _ feed: FeedSnapshot, _ request: ExternalTransactions.Request,
      _ ownVersions: RecordedVersions.Reader
    ) {
      (self.feed, self.request, self.ownVersions) = (feed, request, ownVersions)
      filter = state.filter
      (hasBegunTransaction, large) = (state.hasBegunTransaction, state.large)
      (current, versions) = (state.current, state.versions)
    }

    mutating func run(_ cursor: inout FeedCursor, _ db: Database) throws -> ExternalTransactions.Ending {
      while true {
        let start = cursor
        switch try cursor.advance(feed, db, { try add($0, $1, start) }) {
        case .atEnd: return .atEnd
        case .unknown: return .unknown
        case .stopped:
          switch stop {
          case .ending(let ending): return ending
          case .mustCount: try count(cursor, db)
          }
        }
      }
    }

    /// Adds an entry. Returns false to stop before it.
    private mutating func add(
      _ row: ChangeFeedRow, _ bytes: UnsafeRawBufferPointer, _ cursor: FeedCursor
    ) throws -> Bool {
      if rowCount >= Self.entryCountMax || byteCount >= ExternalFeedReader.byteCountMax, partsWithoutRows == nil {
        return stops(.ending(.more))
      }
      let version = row.id.version
      if current?.version != version {
        current = (version, ownVersions.isOwn(version, mark: row.digest.low))
      }
      let isOwn = current?.isOwn == true
      if isOwn, version <= request.lastOwnVersion { return true }
      rowCount += 1
      byteCount += bytes.count
      guard let changes = cursor.changes(row, bytes) else { return stops(.ending(.unknown)) }
      if cursor.isReported(row, changes) { return true }
      if isOwn {
        return filter.changes(changes) == nil || stops(.ending(.ownTransaction(recordedVersion: version)))
      }
      if changes.mayChangeRegion, !filter.isUnlimited, partsWithoutRows == nil, !readsSchemaChange(in: version) {
        return stops(.ending(.changedSchema))
      }
      return add(changes, row)
    }

    private mutating func readsSchemaChange(in version: UInt64) -> Bool {
      guard request.includesSchemaChange, changedSchemaVersion ?? version == version else { return false }
      changedSchemaVersion = version
      return true
    }

    private static let entryCountMax = ExternalFeedReader.rowCountMax

    private mutating func stops(_ stop: Stop) -> Bool {
      self.stop = stop
      return false
    }

    // MARK: Transactions

    private mutating func add(_ changes: TransactionChanges, _ row: ChangeFeedRow) -> Bool {
      let version = row.id.version
      if row.id.part == 0 {
        hasBegunTransaction = false
        versions = versions(of: row)
        if changes.isContinued, large?.version != version {
          if request.limits.hasParts, request.limits.rowCount < .max { return stops(.mustCount) }
          large = request.limits.hasParts ? .inParts(version: version) : .withoutRows(version: version)
        }
      }
      let isPart = large == .inParts(version: version)
      if row.id.part > 0 || changes.isContinued, !isPart { return addWithoutRows(changes) }
      guard var changes = filter.changes(changes, endsTransaction: hasBegunTransaction) else { return true }
      if !isPart { changes.limitRows(to: request.limits.rowCount) }
      hasBegunTransaction = true
      append(changes)
      return true
    }

    private mutating func addWithoutRows(_ part: TransactionChanges) -> Bool {
      var all = partsWithoutRows ?? part
      if partsWithoutRows != nil { all.elements += part.elements }
      if !part.isComplete { all.completeness = part.completeness }
      all.isContinued = false
      all.removeRows()
      partsWithoutRows = all
      if part.isContinued { return true }
      partsWithoutRows = nil
      // Which of its rows belong to the region may depend on the new schema.
      if all.mayChangeRegion, !filter.isUnlimited { return stops(.ending(.unknown)) }
      if let changes = filter.changes(all) { append(changes) }
      return true
    }

    private mutating func append(_ changes: TransactionChanges) {
      var changes = changes
      changes.versions = versions
      if changes.standsForUnknownCommits { changes.completeness = .incomplete(.externalCommit) }
      transactions.append(changes)
    }

    /// The versions of the database that a transaction leads to, as the streams of this process number them.
    private func versions(of row: ChangeFeedRow) -> ClosedRange<DatabaseVersion>? {
      guard let header = feed.header, let version = request.version?(header),
        case .log(let commitCount, _, _) = row.origin
      else { return nil }
      // The count starts again when the log is recovered.
      guard commitCount <= header.commitCount else { return nil }
      let laterCount = UInt64(header.commitCount - commitCount)
      guard laterCount < version else { return nil }
      return DatabaseVersion(version - laterCount)...DatabaseVersion(version - laterCount)
    }

    // MARK: Large transactions

    /// Counts the rows of the transaction after a position, and decides whether its parts are returned.
    private mutating func count(_ cursor: FeedCursor, _ db: Database) throws {
      var (probe, count, isEnd, version): (FeedCursor, Int, Bool, UInt64?) = (cursor, 0, false, nil)
      _ = try probe.advance(feed, db) { row, bytes in
        version = version ?? row.id.version
        if isEnd || row.id.version != version { return false }
        guard let changes = cursor.changes(row, bytes) else { return false }
        count += filter.changes(changes)?.rowCount ?? 0
        isEnd = !changes.isContinued
        return true
      }
      guard let version else { return }
      large = count <= request.limits.rowCount ? .inParts(version: version) : .withoutRows(version: version)
    }
  }
}

extension TransactionChanges {
  /// Whether regions may be other ones after the transaction.
  fileprivate var mayChangeRegion: Bool {
    switch completeness {
    case .complete, .incomplete(.notReported), .incomplete(.tooManyRows), .incomplete(.notStored):
      elements.contains { if case .schema = $0 { true } else { false } }
    case .incomplete: true
    }
  }
}
