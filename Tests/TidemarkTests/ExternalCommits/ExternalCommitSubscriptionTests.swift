import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Subscriptions to external commits may overlap, and end on any thread.
@Suite struct ExternalCommitSubscriptionTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool
  private let other: DatabaseQueue

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE book (title TEXT)") }
    other = try DatabaseQueue(path: pool.path)
  }

  /// Subscribes, and counts the notifications.
  private func subscribe(_ count: Locked<Int>) throws -> ExternalCommitListener {
    let subscription = try #require(pool._core.subscribeToExternalCommits { _ in count.update { $0 += 1 } })
    try pool.read { subscription.begin(with: $0) }
    return subscription
  }

  private func insert() throws { try other.write { try $0.execute(sql: "INSERT INTO book VALUES ('Dune')") } }

  @Test func `the late end of a subscription does not affect a newer one`() throws {
    let (oldCount, newCount) = (Locked(0), Locked(0))
    let old = try subscribe(oldCount)
    let new = try subscribe(newCount)
    old.stop()
    old.stop()
    #expect(pool.writer.ownCommits.isTracking)
    let before = newCount.value
    try insert()
    try Wait.until("the notification of the newer subscription") { newCount.value > before }
    new.stop()
    #expect(!pool.writer.ownCommits.isTracking)
  }

  @Test func `each listener is notified of each external commit`() throws {
    let counts = [Locked(0), Locked(0), Locked(0)]
    let listeners = try counts.map(subscribe)
    for _ in 0..<5 {
      let before = counts.map(\.value)
      try insert()
      for (count, before) in zip(counts, before) {
        try Wait.until("the notification of each listener") { count.value > before }
      }
    }
    for listener in listeners { listener.stop() }
    #expect(!pool.writer.ownCommits.isTracking)
  }

  @Test func `a subscription that has stopped reports nothing`() throws {
    let count = Locked(0)
    let subscription = try #require(pool._core.subscribeToExternalCommits { _ in count.update { $0 += 1 } })
    subscription.stop()
    try insert()
    // A newer subscription is checked by the same thread.
    let next = Locked(0)
    let newer = try subscribe(next)
    try insert()
    try Wait.until("the notification of the newer subscription") { next.value > 0 }
    #expect(count.value == 0)
    newer.stop()
  }

  @Test func `without detection, the commits of a pool are tracked and no commits are reported`() throws {
    var configuration = Configuration()
    configuration.externalCommitDetection = .disabled
    let pool = try DatabasePool(path: pool.path, configuration: configuration)
    let subscription = try #require(pool._core.subscribeToExternalCommits { _ in })
    #expect(!subscription.canReportCommits)
    #expect(pool.writer.ownCommits.isTracking)
    subscription.stop()
    #expect(!pool.writer.ownCommits.isTracking)
  }

  @Test func `the configuration decides what triggers checks`() {
    var environment = Environment.live
    environment.commitPollingInterval = .milliseconds(300)
    environment.usesFileEvents = true
    #expect(CommitDetectionMode(.disabled, environment) == nil)
    #expect(CommitDetectionMode(.immediate, environment) == .fileEvents(pollingInterval: .milliseconds(300)))
    #expect(CommitDetectionMode(.polling(every: .seconds(2)), environment) == .polling(.seconds(2)))
    environment.usesFileEvents = false
    #expect(CommitDetectionMode(.immediate, environment) == .frequentPolling)
  }

  @Test func `attached databases are checked without file events`() {
    #expect(CommitDetectionMode.fileEvents(pollingInterval: .seconds(1)).withoutFileEvents == .frequentPolling)
    #expect(CommitDetectionMode.polling(.seconds(2)).withoutFileEvents == .polling(.seconds(2)))
  }
}
