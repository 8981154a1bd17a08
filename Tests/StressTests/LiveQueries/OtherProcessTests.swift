import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Another process commits, and the live queries of this one have each commit that is the last one for a while.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct OtherProcessTests {
  /// How the file is kept, and how carefully the other process commits.
  struct Way: Sendable, CustomStringConvertible {
    var description: String
    var isPool = true
    var synchronous: String
    var isOnDisk = false
    var full: Int

    static let all = [
      Way(description: "pool-normal", synchronous: "NORMAL", full: 100_000),
      Way(description: "pool-full", synchronous: "FULL", full: 100_000),
      Way(description: "pool-full-disk", synchronous: "FULL", isOnDisk: true, full: 5_000),
      Way(description: "queue-delete", isPool: false, synchronous: "FULL", full: 20_000),
    ]
  }

  /// Periodic checks do not help: each commit is the last one until its value was delivered.
  @Test(arguments: Way.all)
  func externalCommitsAreNotMissed(_ way: Way) throws {
    let run = Run("others-\(way)", seed: Scale.seed, limit: 1_500)
    let folder = try TestFolder(onDisk: way.isOnDisk)
    let counter = try ObservedCounter(folder, way.isPool) { configuration in
      // A disk may take its time.
      if !way.isOnDisk { configuration.environment.commitPollingInterval = .seconds(3_600) }
    }
    let child = try Child("count", database: folder.database, name: way.synchronous)
    let count = Scale.of(daily: 300, full: way.full)
    for number in 1...count {
      child.goOn()
      if !counter.wait(for: number) {
        run.problem("Commit \(number) was missed, and \(counter.last) is the last one that was delivered")
        break
      }
    }
    run.count("transactions", count)
    run.count("wakes", counter.database.observationMetrics.wakeCount)
    let (_, complaint) = child.kill(afterBytes: 0)
    if !complaint.isEmpty { run.problem(complaint) }
    try counter.close()
    run.finish()
  }

  /// A control: without detection, external commits are missed.
  @Test func disabledDetectionMissesExternalCommits() throws {
    let run = Run("others-control", seed: Scale.seed)
    let folder = try TestFolder()
    let counter = try ObservedCounter(folder, true) { $0.externalCommitDetection = .disabled }
    let child = try Child("count", database: folder.database, name: "NORMAL")
    child.goOn()
    _ = child.wait(acknowledged: 1)
    // Never delivered, however long the wait is.
    #expect(!counter.isDelivered(1, within: 0.2))
    run.count("planted")
    _ = child.kill(afterBytes: 8)
    try counter.close()
    run.finish()
  }

  /// Commits of a process before it was killed are delivered, while this process commits, too.
  @Test func commitsOfKilledProcessesAreNotMissed() throws {
    let run = Run("others-killed", seed: Scale.seed, limit: 900)
    let folder = try TestFolder()
    let pool = try folder.pool()
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE one (name TEXT, n INTEGER, PRIMARY KEY (name, n))")
      try db.execute(sql: "CREATE TABLE two (name TEXT, n INTEGER, PRIMARY KEY (name, n))")
    }
    let counts = Counts()
    let cancellable = ValueObservation.tracking { db in
      try ["one", "two"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)") ?? 0 }
    }.start(in: pool, scheduling: InlineScheduler(), onError: { run.problem("\($0)") }) { counts.put($0) }
    var numbers = RandomNumbers(seed: run.seed)
    for cycle in 0..<Scale.of(daily: 6, full: 100) {
      let child = try Child("write", database: folder.database, name: "child \(cycle)")
      let bytes = child.wait(acknowledged: numbers.below(40))
      if numbers.once(in: 2) { try pool.write { try $0.execute(sql: "INSERT INTO one VALUES ('own', \(cycle))") } }
      usleep(UInt32(numbers.below(3_000)))
      let (acknowledged, complaint) = child.kill(afterBytes: bytes)
      if !complaint.isEmpty { run.problem(complaint) }
      run.count("kills")
      run.count("transactions", acknowledged)
      let expected = try pool.read { db in
        try ["one", "two"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)") ?? 0 }
      }
      if !counts.wait(for: expected) { run.problem("\(expected) is there, and \(counts.last) was delivered") }
    }
    cancellable.cancel()
    try pool.close()
    run.finish()
  }
}

/// A number in a file, which is observed.
private final class ObservedCounter {
  let database: any DatabaseWriter
  private let counts = Counts()
  private let cancellable: AnyDatabaseCancellable

  init(_ folder: TestFolder, _ isPool: Bool, _ setUp: (inout Configuration) -> Void) throws {
    var configuration = Configuration()
    setUp(&configuration)
    database =
      try isPool
      ? DatabasePool(path: folder.database, configuration: configuration)
      : DatabaseQueue(path: folder.database, configuration: configuration)
    try database.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    cancellable = ValueObservation.tracking { try [Int.fetchOne($0, sql: "SELECT n FROM counter") ?? 0] }
      .start(in: database, scheduling: InlineScheduler(), onError: { fatalError("\($0)") }) { [counts] in
        counts.put($0)
      }
    _ = counts.wait(for: [0])
  }

  var last: [Int] { counts.last }

  func wait(for number: Int) -> Bool { counts.wait(for: [number]) }

  func isDelivered(_ number: Int, within seconds: Double) -> Bool {
    Thread.sleep(forTimeInterval: seconds)
    return counts.last == [number]
  }

  func close() throws {
    cancellable.cancel()
    try database.close()
  }
}

/// The last value that was delivered.
private final class Counts: @unchecked Sendable {
  private let condition = NSCondition()
  private var value: [Int] = []

  var last: [Int] { condition.withLock { value } }

  func put(_ new: [Int]) {
    condition.withLock {
      value = new
      condition.signal()
    }
  }

  /// - Returns: Whether it came.
  func wait(for expected: [Int], file: String = #fileID, line: Int = #line) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    // The caller reports a hang, with what was delivered last.
    try? Wait.on(condition, "\(expected)", file: file, line: line) { value == expected }
    return value == expected
  }
}

/// Delivers on the thread that has fetched.
struct InlineScheduler: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { false }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
