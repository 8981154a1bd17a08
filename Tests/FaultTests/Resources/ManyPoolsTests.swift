import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Very many databases are open in one process at the same time.
@Suite(.serialized, .untilItHangs) struct ManyPoolsTests {
  /// Each of them writes, reads, and delivers the values of a live query. Then nothing is left of them.
  @Test func manyPoolsAtOnceWorkAndLeaveNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      let count = ManyPoolsTests.poolCount
      try await ManyPoolsTests.use(2, folder.path("first"))
      let before = LeakCount.current
      try await ManyPoolsTests.use(count, folder.path("db"))
      // Threads end by themselves, some time after their last work.
      try await Wait.until("no growth") { LeakCount.current.growth(since: before) == nil }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  /// Each pool has up to ten descriptors.
  private static var poolCount: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return min(Scale.of(daily: 100, full: 1_000), Int(clamping: limit.rlim_cur) / 10)
  }

  private static func use(_ count: Int, _ path: String) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 2
    let pools = try (0..<count).map { try DatabasePool(path: "\(path)-\($0)", configuration: configuration) }
    var queries: [AsyncValueObservation<Int>.Iterator] = []
    for pool in pools {
      try await pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
      let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") ?? 0 }
      queries.append(observation.values(in: pool).makeAsyncIterator())
    }
    for index in pools.indices where try await queries[index].next() != 0 { fatalError("\(index) has rows") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for pool in pools {
        group.addTask { try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      }
      try await group.waitForAll()
    }
    for index in pools.indices where try await queries[index].next() != 1 { fatalError("\(index) has no row") }
    queries = []
    for pool in pools { try pool.close() }
  }
}
