/// A source that is observed in a database, with those who observe it.
///
/// All that can change is guarded by the lock of its engine.
final class LiveQuery: @unchecked Sendable {
  let source: AnyLiveSource

  var observers = ShortList<AnyLiveObserver>()

  /// What the last fetch has read: nil before the first one, and when it has to be found out again.
  private(set) var lastSelection: Selection?

  /// The digest of what the last fetch has read, if all observers were given that; nil when it is not known.
  var lastDigest: ResultDigest? {
    get { hasDigest ? storedDigest : nil }
    set {
      hasDigest = newValue != nil
      if let newValue { storedDigest = newValue }
    }
  }

  private var storedDigest = ResultDigest()

  /// What of that can be observed, kept where somebody wants to be told when it is another one.
  var region: DatabaseRegion? {
    get { rare?.region }
    set { if newValue != nil || rare != nil { withRare { $0.region = newValue } } }
  }

  /// The same in the index.
  var registration: RegionIndex<LiveQuery>.Registration?

  // There are many queries: small parts stand where there is room, behind one that leaves some.
  private let requiresWriteAccess: Bool
  private var hasDigest = false
  var machine = LiveQueryMachine()

  /// That of the schema which has told what of the selection can be observed; zero when it is not known.
  private(set) var schemaVersion: Int32 = 0

  /// The version of needs since which commits tell what the region needs.
  var needsVersion = 0

  /// That of the fetch that runs: it is stopped when nobody observes the query any more.
  var cancellation: AccessCancellation?

  /// The last commit that it was woken by; zero before the first.
  var lastWake: CommitNumber = 0

  /// When it was woken, if it was not fetched since.
  var wokenAt: Duration? {
    get { wokenAtPart == 0 ? nil : Duration(attoseconds: Int128(wokenAtPart) << Self.partShift) }
    set { wokenAtPart = newValue.map { max(1, Int64(truncatingIfNeeded: $0.attoseconds >> Self.partShift)) } ?? 0 }
  }

  // In parts of about a nanosecond: to divide takes a hundred times as long as to shift, and who commits waits for it.
  private var wokenAtPart: Int64 = 0
  private static let partShift = 30

  /// What few queries have: there are many queries.
  private struct Rare {
    var region: DatabaseRegion?
    var retrying: Retrying?
    var changedRows = ChangedRows.any
  }

  // None or one.
  private var rareParts: [Rare] = []
  private var rare: Rare? { rareParts.first }

  private func withRare(_ body: (inout Rare) -> Void) {
    if rareParts.isEmpty { rareParts.append(Rare()) }
    body(&rareParts[0])
  }

  /// What there is after a failure for a passing reason, until a fetch succeeds.
  final class Retrying {
    /// How many fetches in a row have failed.
    var failureCount = 0

    /// Ends the pause.
    var endPause: (@Sendable () -> Void)?
  }

  var retrying: Retrying? {
    get { rare?.retrying }
    set { if newValue != nil || rare != nil { withRare { $0.retrying = newValue } } }
  }

  /// The rows that have changed since the last fetch began, of a source that follows rows.
  private(set) var changedRows: ChangedRows {
    get { rare?.changedRows ?? .any }
    set { withRare { $0.changedRows = newValue } }
  }

  /// Rows have changed that the query may read: if it follows them, they are noted.
  func note(_ rows: ChangedRows) {
    if source.followsRows { changedRows.formUnion(rows) }
  }

  /// The same, with what a commit has changed.
  func note(_ changes: TableCommit) {
    if source.followsRows { changedRows.insert(changes) }
  }

  /// The rows that have changed, for a fetch that begins.
  func takeChangedRows() -> ChangedRows {
    guard source.followsRows else { return .any }
    defer { changedRows = .none }
    return changedRows
  }

  init(_ key: LiveQueryKey, _ source: AnyLiveSource) {
    requiresWriteAccess = key.requiresWriteAccess
    self.source = source
  }

  var key: LiveQueryKey { LiveQueryKey(source, requiresWriteAccess: requiresWriteAccess) }

  /// What a fetch has read is known.
  ///
  /// - parameter schemaVersion: That of the schema it was read with; zero when it is not known.
  func note(_ selection: Selection?, schemaVersion: Int32 = 0) {
    lastSelection = selection
    self.schemaVersion = schemaVersion
  }

  /// What is read has to be found out again.
  func forgetSelection() { lastSelection = nil }

  func add(_ observer: AnyLiveObserver) {
    observer.place = observers.count
    observers.append(observer)
  }

  /// - returns: Whether it was there.
  func remove(_ observer: AnyLiveObserver) -> Bool {
    guard let place = observer.place, let last = observers.last else { return false }
    observers[place] = last
    last.place = place
    observers.removeLast()
    observer.place = nil
    return true
  }

  /// Whether what it reads has to be looked at in the next fetch.
  var mustFindRegion: Bool {
    switch source.tracking {
    case .whatIsRead: true
    case .whatIsReadFirst, .regions: lastSelection == nil
    }
  }
}

extension LiveQuery: Hashable {
  static func == (one: LiveQuery, other: LiveQuery) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Which query a source is, in a database.
struct LiveQueryKey: Hashable, Sendable {
  private let source: ObjectIdentifier
  let requiresWriteAccess: Bool

  init(_ source: AnyLiveSource, requiresWriteAccess: Bool) {
    self.source = ObjectIdentifier(source)
    self.requiresWriteAccess = requiresWriteAccess
  }
}
