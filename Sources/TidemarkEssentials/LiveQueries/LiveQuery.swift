/// An observed query in a database, as a value: its observers, its reads, and the state of its fetches.
struct LiveQuery: Sendable {
  /// The facts about the query that are known in advance.
  struct Facts: Sendable {
    var key: LiveQueryKey

    /// Whether each fetch determines its region, or only the first one does.
    var tracksEachFetch = true

    /// Whether it fetches only the changed rows, where possible.
    var isIncremental = false

    /// Whether it needs the database version of its snapshot.
    var reportsVersion = false
  }

  /// An observer of the query.
  struct Observer: Sendable {
    var id: LiveObserverID

    /// The number of the last batch that had begun when the observer was added: its value may be older.
    var arrival: Int

    var interests: ObservationEvents.Interests

    /// Whether it has not received a value yet.
    var isNew = true
  }

  // There may be many queries: small properties are next to each other, and need less space for alignment.

  let facts: Facts

  /// The interests of all observers, including former ones.
  private(set) var interests: ObservationEvents.Interests = []

  var machine = LiveQueryMachine()

  /// The version of the schema with which the observable region was determined; zero if unknown.
  private(set) var schemaVersion: Int32 = 0

  private(set) var observers = ShortList<Observer>()

  /// The reads of the last fetch: nil before the first one, and when they must be determined again.
  private(set) var lastReadSet: ReadSet?

  /// The number of external commits with unknown changes when a fetch was last requested for them.
  var unknownCommitCount: UInt64 = 0

  /// The version of needs from which on commits contain the changes that the region needs.
  var needsVersion = 0

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
    var failureCount = 0
    var changedRows = ChangedRows.any
  }

  // Contains one element or none.
  private var rareParts: [Rare] = []
  private var rare: Rare? { rareParts.first }

  /// The digest of the last fetch, if all observers received its result; nil if unknown.
  var lastDigest: ResultDigest?

  /// The entry of the region in the index.
  var registration: RegionIndex<LiveQueryID>.Registration?

  private mutating func withRare(_ body: (inout Rare) -> Void) {
    if rareParts.isEmpty { rareParts.append(Rare()) }
    body(&rareParts[0])
  }

  init(_ facts: Facts) {
    self.facts = facts
  }

  /// The observable region of the reads, stored if an observer wants to be notified of its changes.
  var region: DatabaseRegion? {
    get { rare?.region }
    set { if newValue != nil || rare != nil { withRare { $0.region = newValue } } }
  }

  /// The number of consecutive transient failures.
  var failureCount: Int {
    get { rare?.failureCount ?? 0 }
    set { if newValue != failureCount { withRare { $0.failureCount = newValue } } }
  }

  // MARK: Changed rows

  /// Reports changed rows in the region of the query, which are recorded if it is updated row by row.
  mutating func note(_ rows: ChangedRows) {
    if facts.isIncremental { withRare { $0.changedRows.formUnion(rows) } }
  }

  /// The same for the changes of a commit.
  mutating func note(_ changes: TableCommit) {
    if facts.isIncremental { withRare { $0.changedRows.insert(changes) } }
  }

  /// Removes and returns the rows that have changed since the last fetch began.
  mutating func takeChangedRows() -> ChangedRows {
    guard facts.isIncremental else { return .any }
    defer { withRare { $0.changedRows = .none } }
    return rare?.changedRows ?? .any
  }

  // MARK: Reads

  /// Stores the reads of a fetch.
  ///
  /// - Parameter schemaVersion: The version of the schema with which they were determined; zero if unknown.
  mutating func note(_ readSet: ReadSet?, schemaVersion: Int32 = 0) {
    lastReadSet = readSet
    self.schemaVersion = schemaVersion
  }

  /// Makes the next fetch determine the reads again.
  mutating func forgetReadSet() { lastReadSet = nil }

  /// Whether the next fetch must determine the reads.
  var mustFindRegion: Bool { facts.tracksEachFetch || lastReadSet == nil }

  // MARK: Observers

  mutating func add(_ observer: Observer) {
    observers.append(observer)
    interests.formUnion(observer.interests)
  }

  /// Removes the observer at an index.
  ///
  /// - Returns: The observer that has this index now, if there is one.
  mutating func removeObserver(at index: Int) -> LiveObserverID? {
    if let last = observers.last { observers[index] = last }
    observers.removeLast()
    return index < observers.count ? observers[index].id : nil
  }

  /// Marks all observers that satisfy a condition as having received a value, and returns them.
  mutating func takeReceivers(where receives: (Observer) -> Bool) -> [LiveObserverID] {
    var receivers: [LiveObserverID] = []
    for index in observers.indices where receives(observers[index]) {
      if observers[index].isNew { observers[index].isNew = false }
      receivers.append(observers[index].id)
    }
    return receivers
  }

  /// The observers with an interest.
  func observers(interestedIn interest: ObservationEvents.Interests) -> [LiveObserverID] {
    if interests.isDisjoint(with: interest) { return [] }
    return observers.filter { !$0.interests.isDisjoint(with: interest) }.map(\.id)
  }
}

/// Identifies the query of a source in a database.
struct LiveQueryKey: Hashable, Sendable {
  // The address of the source, which is even, plus one if write access is required: there may be many keys.
  private let bits: UInt

  init(_ source: some AnyObject, requiresWriteAccess: Bool) {
    bits = UInt(bitPattern: ObjectIdentifier(source)) | (requiresWriteAccess ? 1 : 0)
  }

  var requiresWriteAccess: Bool { bits & 1 == 1 }
}
