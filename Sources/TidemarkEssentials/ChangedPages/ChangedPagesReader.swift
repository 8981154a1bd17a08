import Synchronization

/// Finds the tables that commits have changed, from the pages in the write-ahead log: for live queries after commits of
/// programs that store no changes.
///
///     no position ── begin ────────────────────► the state before the first fetch
///     no map ─────── next ─────────────────────► the map is made; the tables that were changed since the position
///     map ────────── next, it can be updated ──► the changed tables, or anything if a page has no owner
///        └────────── next, otherwise ──────────► the map is made again; the changes are unknown
///
/// Invariants:
/// 1. The map describes the state that was read last. Each fetch reads the last known state, or a newer one: see
///    `begin`.
/// 2. All commits between two states are in the log, or the changes are unknown: the number of commits in the frames is
///    the difference of the numbers in the headers. See `LoggedPages` for a log that was restarted.
/// 3. Pages of the log are used after a check that the log was not restarted meanwhile.
///
/// Commits of this database object are included: their frames are not distinguished.
final class ChangedPagesReader: StoredChangesReader {
  private struct State {
    var known: (map: PageMap, header: WALIndexHeader, tables: TablesOfPages)?
    var start = Start.none

    /// Whether the database can have a map.
    var isSupported = true
    var budget = ReadBudget()
  }

  /// The state before the first fetch, until the first read of changes.
  private enum Start {
    case none
    case state(WALIndexHeader)

    /// A fetch may have read an older state.
    case unknown

    /// Changes were read: fetches follow the state that was read last.
    case passed
  }

  /// How many pages may be read to make the map. Each read of changes adds some, so that the map of a large database is
  /// not made for each change of its schema.
  struct ReadBudget {
    private(set) var pageCount = pageCountMax

    /// The number that is needed, as far as it is known.
    private var neededPageCount = 0

    private static let pageCountMax = 16_384
    private static let growth = 64

    mutating func grow() { pageCount = min(pageCount + Self.growth, Self.pageCountMax) }

    var suffices: Bool { neededPageCount <= pageCount }

    /// Pages were read, and the map was made, or has not been because the budget was used up.
    mutating func use(_ count: Int) {
      if count >= pageCount {
        neededPageCount = pageCount == Self.pageCountMax ? .max : min(2 * pageCount, Self.pageCountMax)
      } else {
        neededPageCount = count
      }
      pageCount = max(pageCount - count, 0)
    }
  }

  /// Not locked during a read: there is one at a time.
  private let state = Mutex(State())
  private let hasForgotten = Atomic<Bool>(false)

  func begin(with db: Database) -> Bool {
    // A snapshot that is taken later is not older than the state that was read.
    let isNew = db.handle.map { !$0.isReading("main") || $0.isWriting } ?? true
    return state.withLock { state in
      switch state.start {
      case .passed: return isNew
      case .unknown: break
      case .none: state.start = (isNew ? db.handle?.walIndexHeader : nil).map { .state($0) } ?? .unknown
      case .state: if !isNew { state.start = .unknown }
      }
      return true
    }
  }

  func forget() { hasForgotten.store(true, ordering: .sequentiallyConsistent) }

  func next(_ db: Database) throws -> StoredChanges? {
    let snapshot = try db.acquireSnapshotState()
    if snapshot.hasLog, snapshot.header == nil { return nil }
    var state = self.state.withLock { state in
      // The map is not copied when it is changed.
      defer { (state.known, state.start) = (nil, .passed) }
      return state
    }
    state.budget.grow()
    let hasForgotten = hasForgotten.exchange(false, ordering: .sequentiallyConsistent)
    let tables = try changedTables(&state, snapshot.header, db)
    state.start = .passed
    self.state.withLock { $0 = state }
    guard let tables, !hasForgotten else { return .unknown }
    return .known(tables.isEmpty ? [] : [CommittedChanges(unknownRowsOf: tables)], state: snapshot.header)
  }

  /// The tables that were changed since the last read; nil if they are unknown.
  private func changedTables(_ state: inout State, _ header: WALIndexHeader?, _ db: Database) throws -> [TableKey]? {
    let known = state.known.take()
    guard state.isSupported, let header, let handle = db.handle, let pages = StoredPages(handle, header) else {
      return nil
    }
    if var known {
      let changes = try Self.unlessUnavailable {
        let changes = try known.map.update(LoggedPages(pages, since: known.header))
        try pages.checkLog()
        return changes
      }
      if let changes {
        known.header = header
        state.known = known
        return changes.areCertain ? known.tables.keys(of: changes.owners) : nil
      }
    }
    guard state.budget.suffices, let tables = try TablesOfPages(db) else { return nil }
    guard let map = try newMap(&state, pages, tables) else { return nil }
    state.known = (map, header, tables)
    guard case .state(let start) = state.start else { return nil }
    let changes = try Self.unlessUnavailable {
      let changes = try map.changes(LoggedPages(pages, since: start), pageCountBefore: start.pageCount)
      try pages.checkLog()
      return changes
    }
    return changes.flatMap { $0.areCertain ? tables.keys(of: $0.owners) : nil }
  }

  private func newMap(_ state: inout State, _ pages: StoredPages, _ tables: TablesOfPages) throws -> PageMap? {
    var readCount = 0
    defer { state.budget.use(readCount) }
    do {
      return try Self.unlessUnavailable {
        let snapshot = try LoggedPages(pages, since: nil)
        let map = try PageMap(
          roots: tables.roots, pageCount: pages.header.pageCount, readLimit: state.budget.pageCount
        ) { page, body in
          readCount += 1
          try snapshot.withContent(of: page, body)
        }
        try pages.checkLog()
        return map
      }
    } catch is PageMap.Unsupported {
      // Unless the pages belong to a later state than the snapshot.
      if try Self.unlessUnavailable(pages.checkLog) != nil { state.isSupported = false }
      return nil
    }
  }

  /// Returns nil if the map cannot follow a change, or if pages are not in the log any more.
  private static func unlessUnavailable<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch is PageMap.Invalid {
      return nil
    } catch is StoredPages.Unavailable {
      return nil
    }
  }
}

/// The pages that are in the log.
///
/// If the log was restarted after a state, commits to the former log may be missing. The number of commits shows it.
/// SQLite repeats the last frame of a commit on disks that may destroy the rest of a sector: such a log counts as
/// unknown. It also counts from zero again after a process was killed while it wrote the header of the WAL-index. As
/// everywhere in the library, it is assumed that the number is not the expected one then.
private struct LoggedPages: PageMap.WrittenPages {
  private let pages: StoredPages

  /// The last frame of each page.
  private var frames: [UInt32: UInt32] = [:]

  private static let frameCountMax: UInt32 = 100_000

  /// - Parameter last: The state after which the frames are read; nil to read all of them.
  /// - Throws: `PageMap.Invalid` if some commits since this state are not in the log any more, or if there are too many
  ///   frames.
  init(_ pages: StoredPages, since last: WALIndexHeader?) throws {
    self.pages = pages
    let isRestarted = last.map { $0.logSalt != pages.header.logSalt } ?? false
    let first = isRestarted ? 0 : last?.frameCount ?? 0
    guard pages.header.frameCount <= first + Self.frameCountMax else { throw PageMap.Invalid() }
    var commitCount: UInt32 = 0
    var lastCommitPage: UInt32?
    try pages.forEachFrame(after: first) { frame in
      frames[frame.page] = frame.index
      if frame.endsCommit {
        if isRestarted, frame.page == lastCommitPage { throw PageMap.Invalid() }
        commitCount += 1
      }
      lastCommitPage = frame.endsCommit ? frame.page : nil
      return true
    }
    if let last, pages.header.commitCount &- last.commitCount != commitCount { throw PageMap.Invalid() }
  }

  var numbers: [UInt32] { Array(frames.keys) }
  func contains(_ page: UInt32) -> Bool { frames[page] != nil }
  var pageCount: UInt32 { pages.header.pageCount }

  /// Reads a page: in the log, or in the file if it is not in the log.
  func withContent<Result>(of page: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    try withUnsafeTemporaryAllocation(byteCount: pages.header.pageSize, alignment: 8) { bytes in
      try pages.read(page, in: frames[page], into: bytes)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }
}
