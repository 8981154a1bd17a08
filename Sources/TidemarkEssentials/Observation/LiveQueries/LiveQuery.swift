/// An observed source in a database, with its observers.
///
/// The lock of its engine protects all mutable state.
final class LiveQuery: @unchecked Sendable {
  let source: AnyLiveSource

  var observers = ShortList<AnyLiveObserver>()

  /// The reads of the last fetch: nil before the first one, and when they must be determined again.
  private(set) var lastReadSet: ReadSet?

  /// The digest of the last fetch, if all observers received its result; nil if unknown.
  var lastDigest: ResultDigest? {
    get { hasDigest ? storedDigest : nil }
    set {
      hasDigest = newValue != nil
      if let newValue { storedDigest = newValue }
    }
  }

  private var storedDigest = ResultDigest()

  /// The observable region of the reads, stored if an observer wants to be notified of its changes.
  var region: DatabaseRegion? {
    get { rare?.region }
    set { if newValue != nil || rare != nil { withRare { $0.region = newValue } } }
  }

  /// The entry of the region in the index.
  var registration: RegionIndex<LiveQuery>.Registration?

  // There may be many queries: small properties are ordered to fill gaps in the layout.
  private let requiresWriteAccess: Bool
  private var hasDigest = false
  var machine = LiveQueryMachine()

  /// The version of the schema with which the observable region was determined; zero if unknown.
  private(set) var schemaVersion: Int32 = 0

  /// The version of needs from which on commits contain the changes that the region needs.
  var needsVersion = 0

  /// Cancels the running fetch, when the query has no observers any more.
  var cancellation: AccessCancellation?

  /// The last commit that affected it; zero before the first.
  var lastWake: CommitNumber = 0

  /// The time of the first commit that affected it since the last fetch.
  var wokenAt: Duration? {
    get { wokenAtPart == 0 ? nil : Duration(attoseconds: Int128(wokenAtPart) << Self.partShift) }
    set { wokenAtPart = newValue.map { max(1, Int64(truncatingIfNeeded: $0.attoseconds >> Self.partShift)) } ?? 0 }
  }

  // In units of about a nanosecond: a division takes a hundred times as long as a shift, in the committing thread.
  private var wokenAtPart: Int64 = 0
  private static let partShift = 30

  /// Properties that few queries need: there may be many queries.
  private struct Rare {
    var region: DatabaseRegion?
    var retrying: Retrying?
    var changedRows = ChangedRows.any
  }

  // Contains one element or none.
  private var rareParts: [Rare] = []
  private var rare: Rare? { rareParts.first }

  private func withRare(_ body: (inout Rare) -> Void) {
    if rareParts.isEmpty { rareParts.append(Rare()) }
    body(&rareParts[0])
  }

  /// The state after a transient failure, until a fetch succeeds.
  final class Retrying {
    /// The number of consecutive failures.
    var failureCount = 0

    /// Ends the pause.
    var endPause: (@Sendable () -> Void)?
  }

  var retrying: Retrying? {
    get { rare?.retrying }
    set { if newValue != nil || rare != nil { withRare { $0.retrying = newValue } } }
  }

  /// The rows that have changed since the last fetch began, for a source that is updated row by row.
  private(set) var changedRows: ChangedRows {
    get { rare?.changedRows ?? .any }
    set { withRare { $0.changedRows = newValue } }
  }

  /// Reports changed rows in the region of the query, which are recorded if it is updated row by row.
  func note(_ rows: ChangedRows) {
    if source.isIncremental { changedRows.formUnion(rows) }
  }

  /// The same for the changes of a commit.
  func note(_ changes: TableCommit) {
    if source.isIncremental { changedRows.insert(changes) }
  }

  /// Removes and returns the changed rows, for a fetch that begins.
  func takeChangedRows() -> ChangedRows {
    guard source.isIncremental else { return .any }
    defer { changedRows = .none }
    return changedRows
  }

  init(_ key: LiveQueryKey, _ source: AnyLiveSource) {
    requiresWriteAccess = key.requiresWriteAccess
    self.source = source
  }

  var key: LiveQueryKey { LiveQueryKey(source, requiresWriteAccess: requiresWriteAccess) }

  /// Stores the reads of a fetch.
  ///
  /// - Parameter schemaVersion: The version of the schema with which they were determined; zero if unknown.
  func note(_ readSet: ReadSet?, schemaVersion: Int32 = 0) {
    lastReadSet = readSet
    self.schemaVersion = schemaVersion
  }

  /// Makes the next fetch determine the reads again.
  func forgetReadSet() { lastReadSet = nil }

  func add(_ observer: AnyLiveObserver) {
    observer.index = observers.count
    observers.append(observer)
  }

  /// - Returns: Whether the observer was attached.
  func remove(_ observer: AnyLiveObserver) -> Bool {
    guard let index = observer.index, let last = observers.last else { return false }
    observers[index] = last
    last.index = index
    observers.removeLast()
    observer.index = nil
    return true
  }

  /// Whether the next fetch must determine the reads.
  var mustFindRegion: Bool {
    switch source.tracking {
    case .readRegion: true
    case .initialReadRegion, .regions: lastReadSet == nil
    }
  }
}

extension LiveQuery: Hashable {
  static func == (one: LiveQuery, other: LiveQuery) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Identifies the query of a source in a database.
struct LiveQueryKey: Hashable, Sendable {
  private let source: ObjectIdentifier
  let requiresWriteAccess: Bool

  init(_ source: AnyLiveSource, requiresWriteAccess: Bool) {
    self.source = ObjectIdentifier(source)
    self.requiresWriteAccess = requiresWriteAccess
  }
}
