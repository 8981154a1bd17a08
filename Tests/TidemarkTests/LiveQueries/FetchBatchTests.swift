import Synchronization
import Testing
import Tidemark
@testable import TidemarkEssentials

/// Live queries that several connections fetch, because there are many.
@Suite struct FetchBatchTests {
  /// A pool with a clock that advances by a millisecond whenever it is read.
  private static func pool(_ folder: TemporaryFolder) throws -> DatabasePool {
    let pool = try folder.pool { slowDown(&$0) }
    try pool.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    return pool
  }

  private static func slowDown(_ configuration: inout Configuration) {
    let clock = FakeClock()
    configuration.environment.clock.now = {
      clock.advance(by: .milliseconds(1))
      return clock.time
    }
  }

  /// Two queries; the first one that finds a one waits there for the other.
  private static func twoThatNeedEachOther(
    in pool: DatabasePool, beforeTheFirstWaits body: @escaping @Sendable () throws -> Void = {}
  ) -> [(Deliveries<Int>, AnyDatabaseCancellable)] {
    let otherIsThere = Moment()
    let isFirst = Mutex(true)
    return (0..<2).map { _ in
      ValueObservation.tracking { db in
        let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? -1
        if n != 1 { return n }
        let waits = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if waits {
          try body()
          try otherIsThere.wait()
        } else {
          otherIsThere.happen()
        }
        return n
      }
      .collect(in: pool)
    }
  }

  @Test func slowBatchesAreFetchedBySeveralConnections() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.pool(folder)
    let areTwo = Moment()
    let insideCount = Mutex(0)
    let all = (0..<20).map { _ in
      ValueObservation.tracking { db in
        let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? -1
        if n == 1 {
          let count = insideCount.withLock { count in
            count += 1
            return count
          }
          if count == 2 { areTwo.happen() }
          // The first one continues when another one is there.
          try areTwo.wait()
        }
        return n
      }
      .collect(in: pool)
    }
    for (deliveries, _) in all { try deliveries.wait(forLast: 0) }
    try pool.write { try $0.execute(sql: "UPDATE counter SET n = 1") }
    for (deliveries, _) in all { try deliveries.wait(forLast: 1) }
    #expect(insideCount.withLock { $0 } == 20)
    #expect(pool.observationMetrics.fetchCount == 40)
    for (_, cancellable) in all { cancellable.cancel() }
  }

  /// Invariant: a connection that is about to leave a batch does not count as a helper. Each batch here ends only if
  /// two connections take part, and the next commit arrives while one of them may be leaving.
  @Test func leavingConnectionsHelpANewBatch() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.pool(folder)
    let areTwo = Mutex<[Int: Moment]>([:])
    let insideCount = Mutex<[Int: Int]>([:])
    let all = (0..<4).map { _ in
      ValueObservation.tracking { db in
        let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? -1
        if n > 0 {
          let count = insideCount.withLock { counts in
            counts[n, default: 0] += 1
            return counts[n, default: 0]
          }
          let moment = areTwo.withLock { $0[n] }
          if count == 2 { moment?.happen() }
          try moment?.wait()
        }
        return n
      }
      .collect(in: pool)
    }
    for (deliveries, _) in all { try deliveries.wait(forLast: 0) }
    for n in 1...200 {
      areTwo.withLock { $0[n] = Moment() }
      try pool.write { try $0.execute(sql: "UPDATE counter SET n = ?", arguments: [n]) }
      for (deliveries, _) in all { try deliveries.wait(forLast: n) }
    }
    for (_, cancellable) in all { cancellable.cancel() }
  }

  /// Invariant: queries that are fetched from one snapshot do not wait for the slowest of them.
  @Test func queriesDoNotWaitForASlowOneOfTheirBatch() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    let all = Self.twoThatNeedEachOther(in: pool)
    for (deliveries, _) in all { try deliveries.wait(forLast: 0) }
    try pool.write { try $0.execute(sql: "UPDATE counter SET n = 1") }
    for (deliveries, _) in all { try deliveries.wait(forLast: 1) }
    for (_, cancellable) in all { cancellable.cancel() }
  }

  /// Invariant: a query that never ends delays no others, although no other connection has its snapshot.
  @Test(arguments: ["wal", "delete"], [false, true])
  func queriesDoNotWaitForASlowOneWithAnOldSnapshot(journalMode: String, isMachineSlow: Bool) throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = \(journalMode)") }
    let other = try DatabaseQueue(path: folder.path("t.sqlite"), configuration: configuration)
    try other.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    var readonly = Configuration()
    readonly.readonly = true
    // Other connections are asked for help immediately then, and cannot help.
    if isMachineSlow { Self.slowDown(&readonly) }
    let pool = try DatabasePool(path: folder.path("t.sqlite"), configuration: readonly)
    let all = Self.twoThatNeedEachOther(in: pool) {
      // With a log, the snapshot is soon outdated; without one, no header identifies it.
      if journalMode == "wal" { try other.write { try $0.execute(sql: "CREATE TABLE more (n)") } }
    }
    for (deliveries, _) in all { try deliveries.wait(forLast: 0) }
    // External commits wake both, for one batch.
    try other.write { try $0.execute(sql: "UPDATE counter SET n = 1") }
    for (deliveries, _) in all { try deliveries.wait(forLast: 1) }
    for (_, cancellable) in all { cancellable.cancel() }
  }

  /// Each fetch reads the newest state at its time, or is followed by one that does.
  @Test func allQueriesReachTheLastState() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.pool(folder)
    let all = (0..<100).map { (number: Int) in
      ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT n + ? FROM counter", arguments: [number]) ?? -1
      }
      .collect(in: pool)
    }
    for _ in 0..<300 { try pool.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") } }
    for (number, (deliveries, cancellable)) in all.enumerated() {
      let values = try deliveries.wait(forLast: 300 + number)
      #expect(values == values.sorted())
      cancellable.cancel()
    }
  }
}
