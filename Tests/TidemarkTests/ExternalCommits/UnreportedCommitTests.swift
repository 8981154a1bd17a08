import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Commits that no observer needs are not reported, and an observer that starts later does not miss them (invariant 6
/// of `LiveEngine`).
@Suite struct UnreportedCommitTests {
  /// Runs a closure on another thread, and waits for its end.
  private static func elsewhere(_ body: @escaping @Sendable () throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        try body()
      } catch {
        Issue.record(error)
      }
      isDone.signal()
    }
    isDone.wait()
  }

  @Test(arguments: [false, true])
  func commitsBetweenSnapshotAndSubscriptionAreNotMissed(isImmediate: Bool) throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    let isFirst = Mutex(true)
    let observation = ValueObservation.tracking { db in
      let count = try db.playerCount()
      if isFirst.withLock({ exchange(&$0, with: false) }) {
        Self.elsewhere { try pool.write { try $0.addPlayer("Arthur") } }
      }
      return count
    }
    let (deliveries, cancellable) =
      isImmediate ? observation.collect(in: pool, scheduling: ImmediateScheduler()) : observation.collect(in: pool)
    let values = try deliveries.wait(forLast: 1)
    // The first value is as new as possible: it may be the value of the second fetch.
    #expect(values == [0, 1] || isImmediate && values == [1])
    cancellable.cancel()
  }

  @Test func commitsAreNotMissedByEarlierFetches() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    let (isFirst, other) = (Mutex(true), Mutex<AnyDatabaseCancellable?>(nil))
    let observation = ValueObservation.tracking { db in
      let count = try db.playerCount()
      if isFirst.withLock({ exchange(&$0, with: false) }) {
        Self.elsewhere {
          try pool.write { try $0.addPlayer("Arthur") }
          // From here on the table is observed, by an observer that has seen the commit.
          let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(
            in: pool, scheduling: ImmediateScheduler())
          #expect(deliveries.values == [1])
          other.withLock { $0 = cancellable }
        }
      }
      return count
    }
    let (deliveries, cancellable) = observation.collect(in: pool)
    #expect(try deliveries.wait(forLast: 1) == [0, 1])
    cancellable.cancel()
    other.withLock { $0 }?.cancel()
  }

  @Test func unreadTablesAreNotReported() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
    try deliveries.wait(forLast: 0)
    let number = pool.changeBroker.lastCommitNumber
    try pool.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Reds')") }
    #expect(pool.changeBroker.lastCommitNumber == number)
    try pool.write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: 1)
    cancellable.cancel()
  }

  @Test func needsOfEndedQueriesAreDropped() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    let (players, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
    let (teams, other) = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }
      .collect(in: pool)
    try players.wait(forLast: 0)
    try teams.wait(forLast: 0)
    #expect(Set(pool.changeBroker.current.needs.tables.keys) == [TableKey("player"), TableKey("team")])
    cancellable.cancel()
    #expect(Set(pool.changeBroker.current.needs.tables.keys) == [TableKey("team")])
    other.cancel()
    #expect(pool.changeBroker.current.needs.isEmpty)
  }

  @Test func fullDatabaseRegionNeedsAllTables() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = ValueObservation.tracking(region: DatabaseRegion.fullDatabase) {
      try $0.playerCount()
    }
    .collect(in: pool)
    try deliveries.wait(forLast: 0)
    try pool.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Reds')") }
    try deliveries.wait { $0.count == 2 }
    cancellable.cancel()
    #expect(pool.changeBroker.current.needs.isEmpty)
  }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  defer { value = new }
  return value
}
