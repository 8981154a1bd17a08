import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// After thousands of accesses with any outcome, the process uses no more resources than before (guarantee P6).
///
/// Each test has its own process: the resources of other tests would be counted, too.
@Suite(.serialized, .untilItHangs) struct LeakTests {
  private static var cycles: Int { Scale.of(daily: 100, full: 10_000) }

  /// The number of repetitions of slow operations.
  private static var longCycles: Int { Scale.of(daily: 100, full: 4000) }

  @Test func accessesLeakNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      let pool = try LeakTests.makePool(folder.path("db.sqlite"))
      try await pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
      try await LeakCount.report(cycles: LeakTests.cycles) { try await LeakTests.accesses(pool) }
    }
    #expect(LeakCount.leaks(printedBy: result) == [])
  }

  @Test func openingsLeakNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      try await LeakCount.report(cycles: LeakTests.cycles) {
        let pool = try LeakTests.makePool(folder.path("db.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (n)") }
        try await LeakTests.accesses(pool)
        try pool.close()
      }
    }
    #expect(LeakCount.leaks(printedBy: result) == [])
  }

  @Test func failedOpeningsLeakNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      try Data("no database at all, but a poem of some length\n".utf8).write(to: URL(filePath: folder.path("poem")))
      try await LeakCount.report(cycles: LeakTests.cycles) {
        for name in ["", "poem", "missing/db"] {
          do {
            _ = try LeakTests.makePool(folder.path(name))
            fatalError("\(name) is a database")
          } catch is DatabaseError {}
        }
      }
    }
    #expect(LeakCount.leaks(printedBy: result) == [])
  }

  /// A database that is stopped, closed, and opened again.
  @Test func stopsLeakNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let template = try Template(.durablePool)
      try await LeakCount.report(cycles: LeakTests.longCycles) {
        let world = try World(.durablePool, template: template)
        try world.open()
        world.vfs.arm(FaultVFS.Fault(description: "sync", calls: FaultVFS.syncs), at: 1, forGood: false)
        world.write()
        world.vfs.disarm()
        world.checkRecovery()
        world.close()
        if !world.problems.isEmpty || world.stopCount != 1 { fatalError("\(world.stopCount): \(world.problems)") }
      }
    }
    #expect(LeakCount.leaks(printedBy: result) == [])
  }

  /// Observations that are started, invalidated, and cancelled at any moment.
  @Test func observationsLeakNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      let pool = try LeakTests.makePool(folder.path("db.sqlite"))
      try await pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
      var numbers = RandomNumbers(seed: Scale.seed)
      try await LeakCount.report(cycles: LeakTests.cycles) { try await LeakTests.observe(pool, &numbers) }
      if pool.observationMetrics.observationCount > 0 { fatalError("Observations are left") }
      // The leak sanitizer may report the contents of a pool that is released while its process ends.
      try pool.close()
    }
    #expect(LeakCount.leaks(printedBy: result) == [])
  }

  /// A control: a leak is detected.
  @Test func aLeakIsDetected() async {
    let run = Run("leaks", seed: Scale.seed)
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      var kept: [DatabasePool] = []
      try await LeakCount.report(cycles: 60, isPlanted: true) {
        kept.append(try LeakTests.makePool(folder.path("db.sqlite")))
      }
    }
    let leaks = LeakCount.leaks(printedBy: result)
    let isFound = leaks.contains { $0.contains("descriptors") }
    run.count("planted", isFound ? 1 : 0)
    if !isFound { run.problem("nothing was found: \(leaks)") }
    run.finish()
  }

  // MARK: Operations

  private static func makePool(_ path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = 2
    return try DatabasePool(path: path, configuration: configuration)
  }

  private struct Planned: Error {}

  /// An observation of each kind, with and without changes, cancelled before, during or after its first value.
  private static func observe(_ pool: DatabasePool, _ numbers: inout RandomNumbers) async throws {
    let owner = numbers.below(50)
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE n = ?", arguments: [owner]) ?? 0
    }
    let cancellable = observation.start(in: pool, scheduling: .task, onError: { _ in }, onChange: { _ in })
    let shared = observation.shared(in: pool, scheduling: .task)
    let follower = shared.start(onError: { _ in }, onChange: { _ in })
    let loop = Task { for try await _ in observation.values(in: pool) where Task.isCancelled { break } }
    if numbers.once(in: 2) {
      try await pool.write { try $0.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (?)", arguments: [owner]) }
    }
    if numbers.once(in: 2) { await Task.yield() }
    cancellable.cancel()
    follower.cancel()
    loop.cancel()
    _ = await loop.result
  }

  /// Reads and writes that succeed, fail, and are cancelled.
  private static func accesses(_ pool: DatabasePool) async throws {
    try await pool.write { try $0.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (1)") }
    _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
    _ = try await pool.readInline { try Int.fetchOne($0, sql: "SELECT n FROM t") }
    do {
      try await pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        throw Planned()
      }
    } catch is Planned {}
    do {
      _ = try await pool.read { try Int.fetchAll($0, sql: "SELECT missing FROM t") }
    } catch is DatabaseError {}
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"
    let read = Task { try await pool.read { try Int.fetchOne($0, sql: endless) } }
    let write = Task { try await pool.write { try $0.execute(sql: "INSERT INTO t \(endless)") } }
    let waiting = Task { try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
    for task in [write, waiting] { task.cancel() }
    read.cancel()
    _ = await (read.result, write.result, waiting.result)
  }
}
