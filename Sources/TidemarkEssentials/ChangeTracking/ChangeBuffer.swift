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
///    earlier one says that anything may have changed.
struct ChangeBuffer {
  typealias ConsumerID = Int
  typealias Versions = ClosedRange<UInt64>

  struct Entry: Sendable {
    enum Content: Sendable {
      case commit(CommittedChanges)

      /// Other connections or processes have made commits.
      case externalCommits
    }

    let content: Content

    /// The versions of the database that it stands for; nil if they are unknown.
    let versions: Versions?
    let microsecondsSince1970: Int64
    let byteCount: Int
  }

  /// What a consumer receives.
  enum Delivery {
    case entry(Entry)

    /// Entries with these versions were removed before the consumer has received them. Nil if a version is unknown.
    case missed(Versions?)

    /// It has received all entries.
    case nothing

    /// There will be no more entries, because of an error. It is delivered once.
    case failure(any Error)
    case end
  }

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
    var hasFailed = false
  }

  private var slots: [Slot?] = []
  private var head = 0
  private var firstNumber: UInt64 = 0
  private var byteCount = 0
  private var byteLimit = 0
  private var consumers: [ConsumerID: Consumer] = [:]
  private var lastID = 0
  private var failure: (any Error)?

  /// The greatest version of an entry.
  private(set) var lastVersion: UInt64?

  /// The greatest version of a removed entry.
  private var lastRemovedVersion: UInt64?

  /// Removed entries, to be released outside of the lock.
  private var removed: [Entry] = []

  var isUnused: Bool { consumers.isEmpty }

  // MARK: - Consumers

  mutating func addConsumer(byteLimit: Int) -> ConsumerID {
    if consumers.isEmpty { (lastVersion, lastRemovedVersion) = (nil, nil) }
    lastID += 1
    consumers[lastID] = Consumer(next: endNumber, byteLimit: byteLimit)
    self.byteLimit = max(self.byteLimit, byteLimit)
    return lastID
  }

  /// Lets a consumer receive the entries after a version of the database; if it is unknown, all following entries.
  mutating func start(_ id: ConsumerID, after version: UInt64?) {
    consumers[id]?.lastVersion = version
    if lastVersion == nil { lastVersion = version }
  }

  mutating func removeConsumer(_ id: ConsumerID) {
    guard let consumer = consumers.removeValue(forKey: id) else { return }
    for number in max(consumer.next, firstNumber)..<endNumber { slots[index(of: number)]?.consumersBefore -= 1 }
    removePassedEntries()
    byteLimit = consumers.values.map(\.byteLimit).max() ?? 0
  }

  /// Whether there is something for a consumer.
  func hasDelivery(for id: ConsumerID) -> Bool {
    guard let consumer = consumers[id] else { return true }
    return consumer.next < endNumber || failure != nil
  }

  /// Returns what a consumer receives next.
  mutating func next(_ id: ConsumerID) -> Delivery {
    guard var consumer = consumers[id] else { return .end }
    defer { consumers[id] = consumer }
    if consumer.next < firstNumber {
      consumer.next = firstNumber
      let missed = Self.versions(after: consumer.lastVersion, through: lastRemovedVersion)
      consumer.lastVersion = lastRemovedVersion
      return .missed(missed)
    }
    defer { removePassedEntries() }
    while consumer.next < endNumber, let entry = slots[index(of: consumer.next)]?.entry {
      slots[index(of: consumer.next)]?.consumersBefore -= 1
      consumer.next += 1
      guard let version = entry.versions?.upperBound else { return .entry(entry) }
      // The consumer was added when the commit was visible, but had not been added yet.
      if let last = consumer.lastVersion, version <= last { continue }
      consumer.lastVersion = version
      return .entry(entry)
    }
    guard let failure else { return .nothing }
    defer { consumer.hasFailed = true }
    return consumer.hasFailed ? .end : .failure(failure)
  }

  /// Nil if a version is unknown, or if there is none in between.
  private static func versions(after first: UInt64?, through last: UInt64?) -> Versions? {
    guard let first, let last, first < last else { return nil }
    return first + 1...last
  }

  // MARK: - Entries

  /// Adds a commit of the writer.
  ///
  /// - Parameter version: The version of the database after it; nil if it is unknown.
  mutating func add(_ changes: CommittedChanges, version: UInt64?, microsecondsSince1970: Int64) {
    if let version, let lastVersion, version <= lastVersion { return }
    add(
      Entry(
        content: .commit(changes), versions: version.map { $0...$0 }, microsecondsSince1970: microsecondsSince1970,
        byteCount: 200 + changes.log.memory))
  }

  /// Adds external commits.
  ///
  /// - Parameter version: The version of the database after them; nil if it is unknown.
  mutating func addExternalCommits(through version: UInt64?, microsecondsSince1970: Int64) {
    if let version, let lastVersion, version <= lastVersion { return }
    // Several of them are one entry.
    if version == nil, let last = slots.last, case .externalCommits? = last?.entry.content, last?.entry.versions == nil,
      last?.consumersBefore == consumers.count
    {
      return
    }
    add(
      Entry(
        content: .externalCommits, versions: version.map { (lastVersion.map { $0 + 1 } ?? $0)...$0 },
        microsecondsSince1970: microsecondsSince1970, byteCount: 200))
  }

  private mutating func add(_ entry: Entry) {
    if consumers.isEmpty || failure != nil { return }
    slots.append(Slot(entry: entry, consumersBefore: consumers.count))
    byteCount += entry.byteCount
    if let versions = entry.versions { lastVersion = versions.upperBound }
    while byteCount > byteLimit, slots.count - head > 1 { removeFirst() }
  }

  /// Ends all streams, after the entries so far.
  mutating func fail(_ error: any Error) { failure = failure ?? error }

  private var endNumber: UInt64 { firstNumber + UInt64(slots.count - head) }

  private func index(of number: UInt64) -> Int { head + Int(number - firstNumber) }

  private mutating func removePassedEntries() {
    while head < slots.count, slots[head]?.consumersBefore == 0 { removeFirst() }
  }

  private mutating func removeFirst() {
    guard let entry = slots[head].take()?.entry else { return }
    byteCount -= entry.byteCount
    lastRemovedVersion = entry.versions?.upperBound ?? lastRemovedVersion
    removed.append(entry)
    head += 1
    firstNumber += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= slots.count {
      slots.removeFirst(head)
      head = 0
    }
  }

  /// Returns the removed entries. To be released outside of the lock.
  mutating func takeRemoved() -> [Entry] {
    if removed.isEmpty { return [] }
    defer { removed = [] }
    return removed
  }
}

extension CapturedLog {
  /// The approximate number of bytes in memory.
  fileprivate var memory: Int {
    records.count * MemoryLayout<ChangeRecord>.stride + values.count * MemoryLayout<DatabaseValue>.stride
      + textByteCount
  }
}
