import Testing

@testable import TidemarkEssentials

/// The machine of change streams, without a database.
@Suite struct ChangeBufferTests {
  private var buffer = ChangeBuffer()

  private static func commit() -> CommittedChanges { CommittedChanges(number: 0, needsVersion: 0, log: .empty) }

  private mutating func add(_ version: UInt64?) {
    buffer.add(Self.commit(), version: version, microsecondsSince1970: 0)
  }

  /// Adds transactions that were committed together.
  private mutating func add(_ version: UInt64?, count: Int) {
    let earlier = (1..<count).map { _ in Self.commit() }
    buffer.add(Self.commit(), after: earlier, version: version, microsecondsSince1970: 0)
  }

  private mutating func addExternal(_ version: UInt64?) {
    buffer.addExternalCommits(through: version, microsecondsSince1970: 0)
  }

  private mutating func consumer(byteLimit: Int = 1_000_000, after version: UInt64? = 0) -> Int {
    let id = buffer.addConsumer(byteLimit: byteLimit)
    buffer.start(id, after: version)
    return id
  }

  /// The entries of a consumer, until none is left, as words.
  private mutating func receive(_ id: Int) -> [String] {
    var words: [String] = []
    while true {
      func text(_ versions: ClosedRange<UInt64>?) -> String {
        versions.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" } ?? "?"
      }
      switch buffer.next(id) {
      case .entry(let entry):
        if case .commit = entry.content {
          words.append(text(entry.versions))
        } else {
          words.append("external \(text(entry.versions))")
        }
      case .missed(let versions): words.append("missed \(text(versions))")
      case .unresolved: words.append("unresolved")
      case .nothing: return words
      case .failure: words.append("failure")
      case .end: return words + ["end"]
      }
    }
  }

  @Test mutating func `each consumer receives each commit once, in order`() {
    let (first, second) = (consumer(), consumer())
    for version in 1...3 { add(UInt64(version)) }
    #expect(receive(first) == ["1", "2", "3"])
    add(4)
    #expect(receive(first) == ["4"])
    #expect(receive(second) == ["1", "2", "3", "4"])
    #expect(receive(second) == [])
  }

  @Test mutating func `transactions that were committed together have one version`() {
    let first = consumer()
    add(1, count: 3)
    #expect(receive(first) == ["1", "1", "1"])
    let second = consumer(after: 1)
    add(2, count: 2)
    add(3, count: 1)
    #expect(receive(first) == ["2", "2", "3"])
    #expect(receive(second) == ["2", "2", "3"])
  }

  @Test mutating func `a consumer that knows a version receives none of its transactions`() {
    let id = consumer(after: 1)
    add(1, count: 3)
    add(2, count: 2)
    #expect(receive(id) == ["2", "2"])
  }

  @Test mutating func `if some transactions of a version are removed, all of them are missed`() {
    let id = consumer(byteLimit: 450)
    add(1, count: 4)
    add(2, count: 1)
    #expect(receive(id) == ["missed 1", "2"])
  }

  @Test mutating func `a consumer receives the commits after it was added`() {
    let first = consumer()
    add(1)
    let second = consumer(after: 1)
    add(2)
    #expect(receive(second) == ["2"])
    #expect(receive(first) == ["1", "2"])
  }

  @Test mutating func `a commit that was visible when a consumer started is not delivered to it`() {
    let first = consumer()
    let second = consumer(after: 1)
    // The commit was visible before it was reported.
    add(1)
    add(2)
    #expect(receive(second) == ["2"])
    #expect(receive(first) == ["1", "2"])
  }

  @Test mutating func `entries are removed when all consumers have passed them`() {
    let (first, second) = (consumer(), consumer())
    add(1)
    add(2)
    _ = receive(first)
    #expect(buffer.takeRemoved().isEmpty)
    _ = receive(second)
    #expect(buffer.takeRemoved().count == 2)
  }

  @Test mutating func `entries that only a removed consumer had not passed are removed`() {
    let (first, second) = (consumer(), consumer())
    add(1)
    add(2)
    _ = receive(first)
    buffer.removeConsumer(second)
    #expect(buffer.takeRemoved().count == 2)
    add(3)
    #expect(receive(first) == ["3"])
  }

  @Test mutating func `a consumer that is too slow learns which versions it has missed`() {
    let (slow, fast) = (consumer(byteLimit: 500), consumer(byteLimit: 500))
    add(1)
    #expect(receive(slow) == ["1"])
    for version in 2...6 {
      add(UInt64(version))
      #expect(receive(fast).last == "\(version)")
    }
    // An entry of the tests has 200 bytes.
    #expect(receive(slow) == ["missed 2-4", "5", "6"])
  }

  @Test mutating func `versions that were missed are unknown if the versions of commits are`() {
    let id = consumer(byteLimit: 200, after: nil)
    add(nil)
    add(nil)
    #expect(receive(id) == ["missed ?", "?"])
  }

  @Test mutating func `the last commit is buffered, whatever its size`() {
    let id = consumer(byteLimit: 0)
    add(1)
    #expect(receive(id) == ["1"])
    add(2)
    add(3)
    #expect(receive(id) == ["missed 2", "3"])
  }

  @Test mutating func `external commits stand for all versions since the last entry`() {
    let id = consumer(after: 10)
    add(11)
    addExternal(15)
    add(16)
    #expect(receive(id) == ["11", "external 12-15", "16"])
  }

  @Test mutating func `an entry that an earlier one includes is not added`() {
    let id = consumer(after: 10)
    addExternal(15)
    addExternal(15)
    // It was reported after the external commits that follow it.
    add(14)
    add(16)
    #expect(receive(id) == ["external 11-15", "16"])
  }

  @Test mutating func `consecutive external commits in attached databases are one entry, and not stored`() {
    let id = buffer.addConsumer(byteLimit: 1_000_000, readsExternalCommits: true)
    buffer.start(id, after: 0)
    for _ in 0..<2 { buffer.addExternalCommitsInAttachedDatabases(microsecondsSince1970: 0) }
    let delivery = buffer.next(id)
    #expect(delivery.mayChangeRegions && !delivery.isExternal)
    #expect(receive(id) == [])
    buffer.addExternalCommitsInAttachedDatabases(microsecondsSince1970: 0)
    add(1)
    buffer.addExternalCommitsInAttachedDatabases(microsecondsSince1970: 0)
    #expect(receive(id) == ["external ?", "1", "external ?"])
  }

  @Test mutating func `consecutive external commits with unknown versions are one entry`() {
    let id = consumer()
    addExternal(nil)
    addExternal(nil)
    #expect(receive(id) == ["external ?"])
    addExternal(nil)
    #expect(receive(id) == ["external ?"])
  }

  @Test mutating func `external commits are a new entry for all if one consumer has received the last entry`() {
    let (first, second) = (consumer(), consumer())
    addExternal(nil)
    #expect(receive(first) == ["external ?"])
    addExternal(nil)
    #expect(receive(first) == ["external ?"])
    #expect(receive(second) == ["external ?", "external ?"])
  }

  @Test mutating func `a failure is delivered once, after the entries before it`() {
    let id = consumer()
    add(1)
    buffer.fail(DatabaseError(resultCode: .SQLITE_MISUSE))
    add(2)
    #expect(receive(id) == ["1", "failure", "end"])
    #expect(receive(id) == ["end"])
  }

  // MARK: - External commits whose changes are stored

  private mutating func readingConsumer() -> Int {
    let id = buffer.addConsumer(byteLimit: 1_000_000, readsExternalCommits: true)
    buffer.start(id, after: 0)
    return id
  }

  private mutating func add(_ version: UInt64, recorded: UInt64) {
    var commit = Self.commit()
    commit.recordedVersion = recorded
    buffer.add(commit, version: version, microsecondsSince1970: 0)
  }

  @Test mutating func `a consumer receives nothing more while it reads external commits`() {
    let id = readingConsumer()
    addExternal(2)
    add(3, recorded: 13)
    #expect(receive(id) == ["external 1-2"])
    #expect(!buffer.hasDelivery(for: id))
    _ = buffer.pass(id)
    #expect(receive(id) == ["3"])
  }

  @Test mutating func `external commits continue after the own commit that precedes them`() {
    let id = readingConsumer()
    // The own commit has version 2, and is reported after the external commits 1 and 3.
    addExternal(3)
    let delivery = buffer.next(id)
    buffer.postpone(delivery, after: 12, for: id)
    #expect(!buffer.hasDelivery(for: id))
    add(2, recorded: 12)
    add(4, recorded: 14)
    #expect(receive(id) == ["2", "external 1-3"])
    _ = buffer.pass(id)
    #expect(receive(id) == ["4"])
  }

  @Test mutating func `external commits continue at once if the consumer has passed the own commit meanwhile`() {
    let id = readingConsumer()
    add(1, recorded: 11)
    addExternal(2)
    #expect(receive(id) == ["1", "external 2"])
    #expect(buffer.lastRecordedVersion(of: id) == 11)
    buffer.postpone(.unresolved, after: 11, for: id)
    #expect(receive(id) == ["unresolved"])
  }

  @Test mutating func `external commits continue after an own commit that concerns no consumer`() {
    let id = readingConsumer()
    addExternal(2)
    let delivery = buffer.next(id)
    buffer.postpone(delivery, after: 12, for: id)
    var commit = Self.commit()
    commit.recordedVersion = 12
    let isAwaited = buffer.willNotAdd(commit)
    #expect(isAwaited)
    #expect(buffer.hasDelivery(for: id))
    #expect(receive(id) == ["external 1-2"])
    #expect(buffer.lastRecordedVersion(of: id) == 12)
  }

  @Test mutating func `an own commit among unknown external ones is not received`() {
    let id = readingConsumer()
    addExternal(3)
    #expect(receive(id) == ["external 1-3"])
    buffer.includeUnknown(through: 3, for: id)
    _ = buffer.pass(id)
    add(2, recorded: 12)
    add(4, recorded: 14)
    #expect(receive(id) == ["4"])
  }

  @Test mutating func `a consumer that begins at an unknown version receives the next commits`() {
    let id = consumer(byteLimit: 400, after: nil)
    add(7)
    #expect(receive(id) == ["7"])
    // The version before the missed ones is known now.
    for version in 8...10 { add(UInt64(version)) }
    #expect(receive(id) == ["missed 8", "9", "10"])
  }

  @Test mutating func `a consumer that begins at an unknown version may miss all commits so far`() {
    let id = consumer(byteLimit: 200, after: nil)
    add(7)
    add(8)
    #expect(receive(id) == ["missed ?", "8"])
    add(8)
    add(9)
    #expect(receive(id) == ["9"])
  }

  @Test mutating func `external commits continue after an own commit that they include`() {
    let id = readingConsumer()
    addExternal(3)
    #expect(receive(id) == ["external 1-3"])
    buffer.includeUnknown(through: 3, for: id)
    buffer.postpone(.unresolved, after: 12, for: id)
    #expect(receive(id) == [])
    add(2, recorded: 12)
    #expect(receive(id) == ["unresolved"])
  }

  @Test mutating func `unknown external commits include own ones also for a consumer without a first version`() {
    let id = buffer.addConsumer(byteLimit: 1_000_000, readsExternalCommits: true)
    buffer.start(id, after: nil)
    addExternal(3)
    #expect(receive(id) == ["external 3"])
    buffer.includeUnknown(through: 3, for: id)
    _ = buffer.pass(id)
    add(2, recorded: 12)
    add(4, recorded: 14)
    #expect(receive(id) == ["4"])
  }

  @Test mutating func `an own commit that is not stored is received after the external commits that follow it`() {
    let id = readingConsumer()
    addExternal(3)
    add(2)
    #expect(receive(id) == ["external 1-3"])
    _ = buffer.pass(id)
    #expect(receive(id) == ["2"])
  }

  @Test mutating func `a removed consumer has reached its end`() {
    let (removed, other) = (consumer(), consumer())
    add(1)
    for _ in 1...2 { buffer.removeConsumer(removed) }
    #expect(buffer.hasDelivery(for: removed))
    #expect(receive(removed) == ["end"])
    #expect(buffer.lastRecordedVersion(of: removed) == 0)
    buffer.includeUnknown(through: 5, for: removed)
    buffer.pass(removed, before: buffer.endNumber)
    let passed = buffer.pass(removed, through: 5)
    #expect(passed == nil)
    #expect(receive(other) == ["1"])
  }

  @Test mutating func `random consumers receive each commit, or learn that they have missed it`() {
    var random = SeededRandom()
    for _ in 0..<200 {
      buffer = ChangeBuffer()
      var version: UInt64 = 0
      // The last version that each consumer knows about.
      var known: [Int: UInt64] = [:]
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: known[consumer(byteLimit: .random(in: 0...2_000, using: &random), after: version)] = version
        case 1:
          if let id = known.keys.sorted().randomElement(using: &random) {
            buffer.removeConsumer(id)
            known[id] = nil
          }
        case 2:
          version += .random(in: 1...3, using: &random)
          addExternal(version)
        case 3...6:
          version += 1
          add(version)
        default:
          guard let id = known.keys.sorted().randomElement(using: &random) else { continue }
          let versions: ClosedRange<UInt64>?
          switch buffer.next(id) {
          case .entry(let entry): versions = entry.versions
          case .missed(let missed): versions = missed
          case .nothing, .unresolved:
            #expect(known[id] == version)
            continue
          case .failure, .end:
            Issue.record("consumer \(id) has ended")
            return
          }
          guard let versions, versions.lowerBound == known[id].map({ $0 + 1 }) else {
            Issue.record("consumer \(id) knows version \(known[id] ?? 0), and received \(versions.debugDescription)")
            return
          }
          known[id] = versions.upperBound
        }
      }
    }
  }
}
