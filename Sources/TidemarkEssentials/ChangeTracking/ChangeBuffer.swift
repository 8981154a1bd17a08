/// The commits that the consumers of change streams have not received yet.
///
/// All consumers share the entries. Each of them has a position; an entry is removed once all consumers have passed it.
///
///     entries     5  6  7  8            the numbers of the entries, which increase by one
///     consumers      a     b     c      a has passed 5, b has passed 7, and c has passed all
///
/// Invariants:
/// 1. A consumer passes each entry that is added after it, in their order. It receives the entry, or learns later that
///    it has missed it.
/// 2. The entries need no more memory than the greatest limit of a consumer allows, or there is only one entry: older
///    ones are removed, whether consumers have passed them or not.
/// 3. Adding an entry takes the same time for any number of consumers.
/// 4. The versions of entries increase. An entry whose versions are included in an earlier one is not added: the
///    earlier one says that anything may have changed. There is one exception: if the changes of commits are stored,
///    external commits may become known later, so that an own commit between them is added.
/// 5. A consumer that waits for an own commit before it continues with external ones receives these next after it.
struct ChangeBuffer {
  typealias ConsumerID = Int
  typealias Versions = ClosedRange<UInt64>
  typealias EntryNumber = UInt64

  private struct Slot {
    var entry: Entry
    var consumersBefore: Int
  }

  private struct Consumer {
    /// The number of its next entry.
    var next: UInt64
    let byteLimit: Int

    /// The last version that it has passed.
    var lastVersion: UInt64?

    /// The last version whose changes it knows, or knows to be missing.
    var knownVersion: UInt64?

    /// The version of the last entry that it has received, as long as it receives entries that continue it.
    var continuedVersion: UInt64?

    /// The last own commit that it has passed, by the version under which its changes are stored.
    var lastRecordedVersion: UInt64 = 0

    /// The external commits that follow an own one, which it has not passed.
    var postponed: (delivery: Delivery, recordedVersion: UInt64)?

    /// Whether it reads the changes of external commits.
    let readsExternalCommits: Bool

    /// Whether its regions depend on the schema.
    var hasRegions = false
    var hold = Hold.none

    /// The error that ends its stream, and the number after its last entry.
    var failure: (error: (any Error)?, end: UInt64)?

    /// Whether it receives an entry that it passes.
    mutating func receives(_ entry: Entry) -> Bool {
      guard let version = entry.versions?.upperBound else { return true }
      if entry.isContinuation { return continuedVersion == version }
      continuedVersion = nil
      // The commit was visible when the consumer was added, or when its regions were resolved.
      if let last = entry.isIncluded ? knownVersion : lastVersion, version <= last { return false }
      lastVersion = max(version, lastVersion ?? 0)
      continuedVersion = version
      return true
    }

    /// It has learned in another way what has changed up to a version.
    mutating func pass(through version: UInt64?) {
      let last = version.map { max($0, lastVersion ?? 0) }
      (lastVersion, knownVersion, continuedVersion, postponed) = (last, last, nil, nil)
    }
  }

  /// Whether a consumer waits until its regions are resolved, or until external commits are read.
  ///
  ///     none ── next: the schema may have changed ──► resolving ── pass, postpone ──► none
  ///                                                      │  ▲
  ///                                              putBack ▼  │ next
  ///                                                   pending
  private enum Hold {
    case none

    /// An iteration resolves the regions, or reads. Others wait.
    case resolving

    /// The next iteration receives this, and resolves the regions, or reads.
    case pending(Delivery)
  }

  /// The entries that a consumer has not passed yet, and those behind them.
  private var slots = Queue<Slot>()
  private var firstNumber: UInt64 = 0
  private var byteCount = 0
  private var byteLimit = 0
  private var fileByteCount = 0
  private static let fileByteLimit = 8_000_000_000
  private var consumers: [ConsumerID: Consumer] = [:]

  /// The number of consumers that have not failed.
  private var activeCount = 0
  private var lastID = 0

  /// The greatest version of an entry.
  private(set) var lastVersion: UInt64?

  /// The greatest version of a removed entry.
  private var lastRemovedVersion: UInt64?

  /// The last own commit that was reported, by the version under which its changes are stored.
  private var lastReportedVersion: UInt64 = 0

  /// Removed entries, to be released outside of the lock.
  private var removed: [Entry] = []

  var isUnused: Bool { consumers.isEmpty }

  // MARK: - Consumers

  /// - Parameter readsExternalCommits: Whether it reads the changes of external commits.
  mutating func addConsumer(byteLimit: Int, readsExternalCommits: Bool = false) -> ConsumerID {
    if consumers.isEmpty { (lastVersion, lastRemovedVersion) = (nil, nil) }
    lastID += 1
    consumers[lastID] = Consumer(
      next: endNumber, byteLimit: byteLimit, readsExternalCommits: readsExternalCommits)
    activeCount += 1
    self.byteLimit = max(self.byteLimit, byteLimit)
    return lastID
  }

  /// Lets a consumer receive the entries after a version of the database; if it is unknown, all following entries.
  ///
  /// - Parameter hasRegions: Whether its regions depend on the schema.
  mutating func start(_ id: ConsumerID, after version: UInt64?, hasRegions: Bool = false) {
    consumers[id]?.lastVersion = version
    consumers[id]?.knownVersion = version
    consumers[id]?.hasRegions = hasRegions
    if lastVersion == nil { lastVersion = version }
  }

  mutating func removeConsumer(_ id: ConsumerID) {
    guard let consumer = consumers.removeValue(forKey: id) else { return }
    if consumer.failure == nil { activeCount -= 1 }
    for number in max(consumer.next, firstNumber)..<max(end(of: consumer), firstNumber, consumer.next) {
      slots[index(of: number)].consumersBefore -= 1
    }
    removePassedEntries()
    byteLimit = consumers.values.map(\.byteLimit).max() ?? 0
  }

  /// Whether there is something for a consumer.
  func hasDelivery(for id: ConsumerID) -> Bool {
    guard let consumer = consumers[id] else { return true }
    return switch consumer.hold {
    case .resolving: false
    case .pending: true
    case .none: consumer.next < end(of: consumer) || consumer.failure != nil || canContinue(consumer)
    }
  }

  /// Whether a consumer can continue with external commits.
  private func canContinue(_ consumer: Consumer) -> Bool {
    guard let version = consumer.postponed?.recordedVersion else { return false }
    // The own commit may not concern the consumer.
    return consumer.lastRecordedVersion >= version
      || consumer.next >= end(of: consumer) && lastReportedVersion >= version
  }

  /// Returns the external commits of a consumer that follow an own one, if it can continue with them.
  private func takePostponed(_ consumer: inout Consumer) -> Delivery? {
    guard canContinue(consumer), let (delivery, recordedVersion) = consumer.postponed.take() else { return nil }
    consumer.lastRecordedVersion = max(consumer.lastRecordedVersion, recordedVersion)
    return delivery
  }

  /// Returns what a consumer receives next. If its regions must be resolved first, it receives nothing more until
  /// `pass` or `putBack` is called.
  mutating func next(_ id: ConsumerID) -> Delivery {
    guard var consumer = consumers[id] else { return .end }
    defer { removePassedEntries() }
    defer { consumers[id] = consumer }
    let delivery = next(of: &consumer)
    if consumer.hasRegions && delivery.mayChangeRegions || consumer.readsExternalCommits && delivery.isExternal {
      consumer.hold = .resolving
    }
    return delivery
  }

  private mutating func next(of consumer: inout Consumer) -> Delivery {
    switch consumer.hold {
    case .none: break
    case .resolving: return .nothing
    case .pending(let delivery): return delivery
    }
    if consumer.next < min(firstNumber, end(of: consumer)) {
      consumer.next = min(firstNumber, end(of: consumer))
      let missed = Self.versions(after: consumer.lastVersion, through: lastRemovedVersion)
      consumer.pass(through: lastRemovedVersion)
      return .missed(missed)
    }
    if let delivery = takePostponed(&consumer) { return delivery }
    while consumer.next < end(of: consumer) {
      let entry = takeEntry(&consumer)
      guard consumer.receives(entry) else { continue }
      entry.beginReading()
      return .entry(entry)
    }
    if let delivery = takePostponed(&consumer) { return delivery }
    guard let failure = consumer.failure else { return .nothing }
    consumer.failure?.error = nil
    return failure.error.map { .failure($0) } ?? .end
  }

  /// The regions of a consumer have been resolved.
  ///
  /// - Parameter version: The consumer passes all entries up to this version.
  /// - Returns: The versions that it passes, except those that it has passed before; nil if they are unknown.
  mutating func pass(_ id: ConsumerID, through version: UInt64? = nil) -> Versions? {
    consumers[id]?.hold = .none
    guard let version else { return nil }
    guard var consumer = consumers[id] else { return nil }
    defer { removePassedEntries() }
    defer { consumers[id] = consumer }
    let last = consumer.lastVersion
    consumer.pass(through: version)
    // It will not receive these entries. If they were removed later, it would learn that it has missed them.
    while consumer.next >= firstNumber, consumer.next < end(of: consumer),
      let versions = slots[index(of: consumer.next)].entry.versions, versions.upperBound <= version
    {
      _ = takeEntry(&consumer)
    }
    return Self.versions(after: last, through: version)
  }

  /// A consumer receives changes that include all entries before one.
  mutating func pass(_ id: ConsumerID, before number: EntryNumber) {
    guard var consumer = consumers[id] else { return }
    defer { removePassedEntries() }
    (consumer.hold, consumer.postponed) = (.none, nil)
    consumer.next = max(consumer.next, firstNumber)
    while consumer.next < min(number, end(of: consumer)) { _ = consumer.receives(takeEntry(&consumer)) }
    consumers[id] = consumer
  }

  private mutating func takeEntry(_ consumer: inout Consumer) -> Entry {
    let index = index(of: consumer.next)
    let entry = slots[index].entry
    slots[index].consumersBefore -= 1
    consumer.next += 1
    consumer.lastRecordedVersion = max(consumer.lastRecordedVersion, entry.recordedVersion ?? 0)
    return entry
  }

  /// A consumer receives external commits whose changes are unknown: it needs no commit that they include.
  mutating func includeUnknown(through version: UInt64, for id: ConsumerID) {
    let known = consumers[id]?.knownVersion ?? 0
    consumers[id]?.knownVersion = max(version, known)
  }

  /// The last own commit that a consumer has passed, by the version under which its changes are stored.
  func lastRecordedVersion(of id: ConsumerID) -> UInt64 { consumers[id]?.lastRecordedVersion ?? 0 }

  /// A consumer has read external commits up to an own one that it has not passed. It receives the delivery again after
  /// this commit, or at once if it has passed the commit meanwhile.
  mutating func postpone(_ delivery: Delivery, after recordedVersion: UInt64, for id: ConsumerID) {
    consumers[id]?.hold = .none
    consumers[id]?.postponed = (delivery, recordedVersion)
  }

  /// The regions of a consumer could not be resolved: it receives a delivery again.
  mutating func putBack(_ delivery: Delivery, for id: ConsumerID) { consumers[id]?.hold = .pending(delivery) }

  /// Nil if a version is unknown, or if there is none in between.
  private static func versions(after first: UInt64?, through last: UInt64?) -> Versions? {
    guard let first, let last, first < last else { return nil }
    return first + 1...last
  }

  // MARK: - Entries

  /// Adds the transactions of a commit of the writer.
  ///
  /// - Parameters:
  ///   - last: The last transaction; nil if it concerns no consumer.
  ///   - earlier: The transactions before it that were committed together with it.
  ///   - version: The version of the database after them; nil if it is unknown.
  mutating func add(
    _ last: CommittedChanges?, after earlier: [CommittedChanges] = [], version: UInt64?, microsecondsSince1970: Int64
  ) {
    let isIncluded = if let version, let lastVersion { version <= lastVersion } else { false }
    func add(_ changes: CommittedChanges, isContinuation: Bool) {
      if isIncluded, changes.recordedVersion == nil, changes.isUnknown || !readsExternalCommits { return }
      noteReport(of: changes)
      self.add(
        Entry(
          content: .commit(changes), versions: version.map { $0...$0 }, microsecondsSince1970: microsecondsSince1970,
          byteCount: 200 + changes.memory, fileByteCount: changes.fileByteCount, isIncluded: isIncluded,
          isContinuation: isContinuation))
    }
    for (index, changes) in earlier.enumerated() { add(changes, isContinuation: index > 0) }
    if let last { add(last, isContinuation: !earlier.isEmpty) }
  }

  /// Whether consumers read the changes of external commits. These changes do not include own ones that are not stored,
  /// of temporary tables for instance.
  private var readsExternalCommits: Bool { consumers.values.contains(where: \.readsExternalCommits) }

  /// A commit of the writer concerns no consumer.
  ///
  /// - Returns: Whether a consumer waits for such a commit.
  mutating func willNotAdd(_ changes: CommittedChanges) -> Bool {
    noteReport(of: changes)
    return consumers.values.contains { $0.postponed != nil }
  }

  private mutating func noteReport(of changes: CommittedChanges) {
    if let version = changes.recordedVersion { lastReportedVersion = max(lastReportedVersion, version) }
  }

  /// Adds external commits.
  ///
  /// - Parameter version: The version of the database after them; nil if it is unknown.
  mutating func addExternalCommits(through version: UInt64?, microsecondsSince1970: Int64) {
    if let version, let lastVersion, version <= lastVersion { return }
    if version == nil, isLast({ $0.hasUnknownVersions }) { return }
    add(
      Entry(
        content: .externalCommits, versions: version.map { (lastVersion.map { $0 + 1 } ?? $0)...$0 },
        microsecondsSince1970: microsecondsSince1970, byteCount: 200))
  }

  /// Adds external commits in attached databases. Their changes are not stored, and they have no versions.
  mutating func addExternalCommitsInAttachedDatabases(microsecondsSince1970: Int64) {
    if isLast({ $0.isOfAttachedDatabases }) { return }
    add(
      Entry(
        content: .externalCommitsInAttachedDatabases, versions: nil, microsecondsSince1970: microsecondsSince1970,
        byteCount: 200))
  }

  /// Whether all consumers will receive such an entry as the last one: another one would say the same.
  private func isLast(_ isEqual: (Entry) -> Bool) -> Bool {
    guard let slot = slots.last else { return false }
    return slot.consumersBefore == activeCount && isEqual(slot.entry)
  }

  private mutating func add(_ entry: Entry) {
    if activeCount == 0 { return }
    slots.append(Slot(entry: entry, consumersBefore: activeCount))
    byteCount += entry.byteCount
    fileByteCount += entry.fileByteCount
    if let versions = entry.versions, !entry.isIncluded { lastVersion = versions.upperBound }
    while byteCount > byteLimit || fileByteCount > Self.fileByteLimit, slots.count > 1 { removeFirst() }
  }

  /// Ends the streams of the consumers, after the entries so far.
  mutating func fail(_ error: any Error) {
    let end = endNumber
    for id in consumers.keys where consumers[id]?.failure == nil { consumers[id]?.failure = (error, end) }
    activeCount = 0
  }

  private func end(of consumer: Consumer) -> UInt64 { consumer.failure?.end ?? endNumber }

  var endNumber: EntryNumber { firstNumber + UInt64(slots.count) }

  private func index(of number: UInt64) -> Int { Int(number - firstNumber) }

  private mutating func removePassedEntries() {
    while !slots.isEmpty, slots[0].consumersBefore == 0 { removeFirst() }
  }

  private mutating func removeFirst() {
    guard let entry = slots.popFirst()?.entry else { return }
    byteCount -= entry.byteCount
    fileByteCount -= entry.fileByteCount
    if let version = entry.versions?.upperBound, !entry.isIncluded { lastRemovedVersion = version }
    firstNumber += 1
    entry.endReading()
    removed.append(entry)
  }

  /// Takes the removed entries. To be released outside of the lock.
  mutating func takeRemoved() -> [Entry] {
    if removed.isEmpty { return [] }
    defer { removed = [] }
    return removed
  }
}
