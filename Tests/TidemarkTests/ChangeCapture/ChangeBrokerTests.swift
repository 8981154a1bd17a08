import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The delivery of commits to subscribers, and their needs, without a database.
@Suite struct ChangeBrokerTests {
  private let broker = ChangeBroker()

  private static let books = CaptureNeeds(tables: [TableKey("book"): .init(columns: ["title"])])
  private static let shelves = CaptureNeeds(tables: [TableKey("shelf"): .init(columns: ["name"])])

  /// A transaction as change capture runs it: it takes the needs when it begins, and publishes when it has ended.
  private struct Transaction {
    let broker: ChangeBroker
    let needsVersion: Int

    init(_ broker: ChangeBroker) {
      self.broker = broker
      needsVersion = broker.current.version
    }

    func commit() {
      broker.countWrite()
      broker.publish(
        CommittedChanges(number: broker.nextCommitNumber(), needsVersion: needsVersion, log: .empty))
    }
  }

  /// The calls of subscribers, as in `a1`: the commit with number 1 for the subscriber a.
  private final class Calls: Sendable {
    private let calls = Tidemark.Mutex<[String]>([])

    func add(_ subscriber: String, _ changes: CommittedChanges) {
      calls.withLock { $0.append("\(subscriber)\(changes.number)") }
    }

    var all: [String] { calls.withLock { $0 } }
  }

  // MARK: - Commits

  @Test func `subscribers receive all commits, in order`() {
    let calls = Calls()
    let subscriptions = ["a", "b"].map { name in broker.subscribe(.all) { calls.add(name, $0) } }
    for _ in 1...3 { Transaction(broker).commit() }
    #expect(calls.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
    #expect(broker.lastCommitNumber == 3)
    #expect(subscriptions.map(\.writeCount) == [3, 3])
  }

  @Test func `a commit is counted before its subscribers are notified`() {
    let counts = Tidemark.Mutex<[UInt64]>([])
    let subscription = broker.subscribe(.all) { [broker] _ in
      counts.withLock { $0 += [broker.writeCount, broker.lastCommitNumber] }
    }
    Transaction(broker).commit()
    #expect(counts.withLock { $0 } == [1, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a subscription during a publication receives the next commit`() {
    let calls = Calls()
    let inner = Tidemark.Mutex<ChangeSubscription?>(nil)
    let outer = broker.subscribe(.all) { [broker] changes in
      calls.add("outer", changes)
      if changes.number == 1 { inner.exchange(broker.subscribe(.all) { calls.add("inner", $0) }) }
    }
    Transaction(broker).commit()
    #expect(calls.all == ["outer1"])
    Transaction(broker).commit()
    #expect(calls.all == ["outer1", "outer2", "inner2"])
    withExtendedLifetime(outer) {}
  }

  @Test func `a subscription cancelled during a publication receives no later commit`() {
    let calls = Calls()
    let second = Tidemark.Mutex<ChangeSubscription?>(nil)
    let first = broker.subscribe(.all) { changes in
      calls.add("first", changes)
      second.withLock { $0 }?.cancel()
    }
    second.exchange(broker.subscribe(.all) { calls.add("second", $0) })
    // The receivers of a publication are fixed when it begins.
    Transaction(broker).commit()
    Transaction(broker).commit()
    #expect(calls.all == ["first1", "second1", "first2"])
    withExtendedLifetime(first) {}
  }

  @Test func `a subscriber may cancel itself during a publication`() {
    let calls = Calls()
    let own = Tidemark.Mutex<ChangeSubscription?>(nil)
    own.exchange(
      broker.subscribe(.all) { changes in
        calls.add("a", changes)
        own.exchange(nil)
      })
    Transaction(broker).commit()
    Transaction(broker).commit()
    #expect(calls.all == ["a1"])
    #expect(broker.current.needs.isEmpty)
  }

  @Test func `a released subscription is cancelled`() {
    let calls = Calls()
    var subscription: ChangeSubscription? = broker.subscribe(Self.books) { calls.add("a", $0) }
    #expect(subscription?.version == 1)
    subscription = nil
    Transaction(broker).commit()
    #expect(calls.all.isEmpty)
    #expect(!broker.rowNeeds.exist)
  }

  @Test func `subscribers that come and go while commits are published receive each commit from then on`() async {
    let calls = Calls()
    let constant = broker.subscribe(.all) { calls.add("constant", $0) }
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...2 {
        group.addTask { [broker] in
          for _ in 1...500 { broker.subscribe(Self.books) { _ in }.cancel() }
        }
      }
      for _ in 1...200 { Transaction(broker).commit() }
    }
    #expect(calls.all == (1...200).map { "constant\($0)" })
    #expect(broker.current.needs == .all)
    withExtendedLifetime(constant) {}
  }

  // MARK: - Needs

  @Test func `the needs of all subscribers are joined`() {
    let first = broker.subscribe(Self.books) { _ in }
    let second = broker.subscribe(Self.shelves) { _ in }
    #expect(broker.current.needs == Self.books.union(Self.shelves))
    first.cancel()
    #expect(broker.current.needs == Self.shelves)
    second.cancel()
    #expect(broker.current.needs.isEmpty)
  }

  @Test func `the version changes with the needs, and only then`() {
    let first = broker.subscribe(Self.books) { _ in }
    let second = broker.subscribe(Self.books) { _ in }
    #expect([first.version, second.version, broker.version] == [1, 1, 1])
    #expect(second.setNeeds(Self.books) == 1)
    #expect(second.setNeeds(Self.shelves) == 2)
    second.cancel()
    #expect(broker.version == 3)
    second.cancel()
    #expect(broker.version == 3)
  }

  @Test func `needs that change in a transaction apply to the next one`() {
    let versions = Tidemark.Mutex<[Int]>([])
    let subscription = broker.subscribe(Self.books) { changes in versions.withLock { $0.append(changes.needsVersion) } }
    let transaction = Transaction(broker)
    let version = subscription.setNeeds(Self.shelves)
    transaction.commit()
    Transaction(broker).commit()
    // The first report does not say what has changed for the new needs.
    #expect(versions.withLock { $0 } == [version - 1, version])
  }

  @Test func `a subscriber that comes during a transaction receives it with an older version`() {
    let versions = Tidemark.Mutex<[Int]>([])
    let transaction = Transaction(broker)
    let subscription = broker.subscribe(Self.books) { changes in versions.withLock { $0.append(changes.needsVersion) } }
    transaction.commit()
    #expect(versions.withLock { $0 }.map { $0 < subscription.version } == [true])
  }

  @Test func `a cancelled subscription has no needs`() {
    let subscription = broker.subscribe(Self.books) { _ in }
    subscription.cancel()
    _ = subscription.setNeeds(.all)
    #expect(broker.current.needs.isEmpty)
    #expect(!broker.rowNeeds.exist)
  }

  @Test func `rows are needed while there are needs or observers`() {
    #expect(!broker.rowNeeds.exist)
    let subscription = broker.subscribe(.none) { _ in }
    #expect(!broker.rowNeeds.exist)
    _ = subscription.setNeeds(Self.books)
    #expect(broker.rowNeeds.exist)
    broker.setObserverCount(1)
    subscription.cancel()
    #expect(broker.rowNeeds.exist)
    broker.setObserverCount(0)
    #expect(!broker.rowNeeds.exist)
  }
}
