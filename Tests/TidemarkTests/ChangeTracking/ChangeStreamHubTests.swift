import Foundation
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The distribution of commits to the consumers of change streams, where events coincide.
@Suite(.untilItHangs) struct ChangeStreamHubTests {
  private static let insertion = "INSERT INTO team VALUES (1, 'Red')"

  /// A consumer without a stream.
  private struct Consumer {
    let hub: ChangeStreamHub
    let id: ChangeStreamHub.ConsumerID

    /// Commits without needs are not reported.
    let needs: ChangeSubscription?

    init(_ core: _DatabaseCore, readsExternalCommits: Bool = false) {
      hub = .hub(of: core)
      needs = core.writer?.changeBroker.subscribe(.all, nil)
      id = hub.addConsumer(byteLimit: 1_000_000, readsExternalCommits: readsExternalCommits, in: core)
    }

    /// The next delivery, as a word.
    func next() -> String {
      switch hub.next(id) {
      case .entry(let entry): if case .commit = entry.content { "commit" } else { "external commits" }
      case .missed: "missed"
      case .unresolved: "unresolved"
      case .nothing: "nothing"
      case .failure: "failure"
      case .end: "end"
      }
    }

    /// Waits for a delivery. The wait may also end without one.
    func received() async -> String {
      while true {
        await hub.wait(for: id)
        let delivery = next()
        if delivery != "nothing" { return delivery }
      }
    }
  }

  @Test func `a commit that concerns only a live query is not buffered`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("team"))
    let observation = ValueObservation.tracking { try $0.playerNames() }
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    let hub = ChangeStreamHub.hub(of: database.writer._core)
    let end = hub.endNumber
    try await database.writer.write {
      try $0.execute(sql: "UPDATE player SET score = 1; INSERT INTO player (name) VALUES ('Ada')")
    }
    try deliveries.wait(forLast: ["Ada"])
    #expect(hub.endNumber == end)
    try await database.writer.write { try $0.execute(sql: Self.insertion) }
    #expect(hub.endNumber == end + 1)
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
    cancellable.cancel()
  }

  @Test(arguments: Observed.streamed)
  func `a consumer without a first position receives own commits`(_ kind: Observed) async throws {
    let database = try kind.open()
    let consumer = Consumer(database.writer._core)
    consumer.hub.start(consumer.id, .everything, after: nil, hasRegions: false)
    try await database.writer.write { try $0.execute(sql: Self.insertion) }
    #expect(await consumer.received() == "commit")
    #expect(consumer.next() == "nothing")
    consumer.hub.removeConsumer(consumer.id)
  }

  @Test func `a consumer without a first position receives external commits`() async throws {
    let database = try Observed.pool.open()
    let core = database.writer._core
    let consumer = Consumer(core)
    try await database.writer.read { consumer.hub.prepare($0, in: core) }
    consumer.hub.start(consumer.id, .everything, after: nil, hasRegions: false)
    let other = try DatabaseQueue(path: database.writer.path)
    try await other.write { try $0.execute(sql: Self.insertion) }
    #expect(await consumer.received() == "external commits")
    consumer.hub.removeConsumer(consumer.id)
  }

  @Test func `an own commit that concerns no consumer lets external commits continue`() async throws {
    let database = try FedDatabase.pool.open()
    let consumer = Consumer(database.writer._core, readsExternalCommits: true)
    let interest = ChangeStreamHub.Interest(tables: [TableKey("team")], needsVersion: 0)
    consumer.hub.start(consumer.id, interest, after: nil, hasRegions: false)
    let version = UInt64(try database.token.version.count) + 1
    consumer.hub.postpone(.unresolved, after: version, for: consumer.id)
    #expect(consumer.next() == "nothing")
    // The task waits when this returns.
    let received = Task(executorPreference: CallingThread()) { await consumer.received() }
    try database.execute("INSERT INTO player VALUES (1, 'Ada', 10)")
    // While the own commit is not counted yet, it may be taken for an external one. Either shows that the consumer goes
    // on.
    let delivery = await received.value
    #expect(delivery == "unresolved" || delivery == "external commits")
    consumer.hub.removeConsumer(consumer.id)
  }

  @Test func `a consumer that ends while a commit is reported does not affect later ones`() async throws {
    let database = try Observed.pool.open()
    let core = database.writer._core
    let first = Locked<Consumer?>(nil)
    // The broker has begun to notify its subscribers.
    let subscription = database.writer.changeBroker.subscribe(.none) { _ in
      first.value.map { $0.hub.removeConsumer($0.id) }
      first.update { $0 = nil }
    }
    first.update { $0 = Consumer(core) }
    let needing = database.writer.changeBroker.subscribe(.all, nil)
    try await database.writer.write { try $0.execute(sql: Self.insertion) }
    #expect(first.value == nil)
    let second = Consumer(core)
    second.hub.start(second.id, .everything, after: nil, hasRegions: false)
    #expect(second.next() == "nothing")
    try await database.writer.write { try $0.execute(sql: "DELETE FROM team") }
    #expect(second.next() == "commit")
    withExtendedLifetime((subscription, needing)) { second.hub.removeConsumer(second.id) }
  }

  @Test func `a consumer that ends while an external commit is reported does not affect later ones`() async throws {
    let database = try Observed.pool.open()
    let core = database.writer._core
    let (first, isNotified) = (Locked<Consumer?>(nil), Moment())
    // It is notified before the consumers of streams.
    let listener = core.subscribeToExternalCommits { _ in
      first.value.map { $0.hub.removeConsumer($0.id) }
      first.update { $0 = nil }
      isNotified.happen()
    }
    let consumer = Consumer(core)
    first.update { $0 = consumer }
    try await database.writer.read { consumer.hub.prepare($0, in: core) }
    let other = try DatabaseQueue(path: database.writer.path)
    try await other.write { try $0.execute(sql: Self.insertion) }
    await isNotified.reached()
    #expect(consumer.next() == "end")
    let second = Consumer(core)
    second.hub.start(second.id, .everything, after: nil, hasRegions: false)
    try await other.write { try $0.execute(sql: "DELETE FROM team") }
    #expect(await second.received() == "external commits")
    withExtendedLifetime(listener) { second.hub.removeConsumer(second.id) }
  }

  @Test func `a consumer that ends while the version of a commit is determined receives nothing`() async throws {
    let database = try Observed.queue.open()
    let consumer = Consumer(database.writer._core)
    consumer.hub.start(consumer.id, .everything, after: nil, hasRegions: false)
    try await database.writer.writeWithoutTransaction { db in
      db.trace { if $0.description == "PRAGMA data_version" { consumer.hub.removeConsumer(consumer.id) } }
      try db.execute(sql: Self.insertion)
      db.trace(nil)
    }
    #expect(consumer.next() == "end")
  }

  @Test func `streams that begin at the same time share one subscription`() throws {
    let database = try Observed.pool.open()
    let (writer, core) = (database.writer, database.writer._core)
    let hub = ChangeStreamHub.hub(of: core)
    for _ in 1...200 {
      let count = Mutex(0)
      let began = (1...2).map { _ in
        Background {
          count.withLock { $0 += 1 }
          while count.withLock({ $0 < 2 }) {}
          return try writer.changes()
        }
      }
      let streams = try began.map { try $0.value() }
      let end = hub.endNumber
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('a')") }
      #expect(hub.endNumber == end + 1)
      withExtendedLifetime(streams) {}
    }
  }

  @Test func `external commits are detected after the database could not be closed`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("team"))
    let hub = ChangeStreamHub.hub(of: database.writer._core)
    hub.willClose()
    hub.didNotClose()
    let other = try DatabaseQueue(path: database.writer.path)
    try await other.write { try $0.execute(sql: Self.insertion) }
    var changes = stream.makeAsyncIterator()
    #expect(try await changes.next()?.completeness == .incomplete(.externalCommit))
  }
}
