import CFaultVFS
import CSQLite
import Foundation
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A pool that is used for days, in simulated time: it receives a measurement about every five minutes, and
/// keeps the last two hundred. Its change feed keeps a day. One program follows the feed, a second one counts the measurements with it,
/// live queries come and go, accesses run out of time, and the time of day is set.
final class PoolWeek: @unchecked Sendable {
  private let simulation: Simulation
  private let days: Int
  private let leaks: Bool
  private let pool: DatabasePool

  // One fiber runs at a time.
  private var numbers: RandomNumbers
  private let wallClockOffset = Mutex(Duration.zero)
  private var insertedCount = 0
  private var lastValue: Int?
  private var lastVersion: DatabaseVersion?
  private var usages: [Usage] = []
  private var leaked: [AnyDatabaseCancellable] = []
  private var tasks: [Task<Void, Never>] = []
  private(set) var problems: [String] = []
  private(set) var counts: [String: Int] = [:]

  private static let day = Duration.seconds(24 * 3600)
  private static let keptRowCount = 200

  /// The resources of the database and the process at some time.
  private struct Usage {
    var pageCount: Int
    var entryCount: Int
    var logByteCount: Int
    var timerCount: Int
    var fiberCount: Int
    var descriptorCount: Int
    var sqliteByteCount: Int
    var heapByteCount: Int

    /// The resources that have increased, beyond the usual variation.
    func growth(since before: Usage) -> [String] {
      let values: [(String, now: Int, before: Int, tolerance: Int)] = [
        ("pages", pageCount, before.pageCount, before.pageCount / 4),
        ("entries", entryCount, before.entryCount, before.entryCount / 4),
        ("bytes of the log", logByteCount, before.logByteCount, 8 << 20),
        ("timers", timerCount, before.timerCount, 10),
        ("threads", fiberCount, before.fiberCount, 10),
        ("descriptors", descriptorCount, before.descriptorCount, 2),
        ("bytes of SQLite's memory", sqliteByteCount, before.sqliteByteCount, 256 << 10),
        ("bytes of the heap", heapByteCount, before.heapByteCount, 512 << 10),
      ]
      return values.filter { $0.now > $0.before + $0.tolerance }.map { "\($0.now - $0.before) \($0.0) more" }
    }
  }

  /// - Parameter leaks: Whether the program forgets to end live queries: a planted fault.
  init(seed: UInt64, days: Int, path: String, leaks: Bool = false) throws {
    (self.days, self.leaks) = (days, leaks)
    let simulation = Simulation(seed: seed)
    self.simulation = simulation
    numbers = RandomNumbers(seed: seed)
    var configuration = Configuration()
    configuration.maximumReaderCount = 3
    configuration.environment = simulation.environment
    configuration.environment.wallClock = WallClock { [wallClockOffset] in
      let time = simulation.time + wallClockOffset.withLock { $0 }
      return 1_800_000_000_000_000 + time.inNanoseconds / 1_000
    }
    // The events of the system are not simulated.
    configuration.externalCommitDetection = .disabled
    configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: nil, keptAge: Self.day)
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE measurement (id INTEGER PRIMARY KEY, sensor INTEGER, value REAL, note TEXT);
          CREATE TABLE counted (count INTEGER);
          INSERT INTO counted VALUES (0);
          """)
      try db.acknowledge(db.changeToken(), by: "counter")
    }
  }

  /// Plays all days, and checks their ends.
  func play() {
    let end = Self.day * days
    simulation.thread { [self] in
      while simulation.time < end {
        simulation.sleep(.seconds(150 + numbers.below(300)))
        attempt("write") { try measure() }
      }
    }
    simulation.thread { [self] in
      while simulation.time < end {
        simulation.sleep(.seconds(600))
        attempt("visit") { try visit() }
      }
    }
    simulation.thread { [self] in
      while simulation.time < end {
        simulation.sleep(.seconds(3600 + numbers.below(600)))
        attempt("waiting") { try waitInVain() }
      }
    }
    simulation.thread { [self] in
      for day in 1...days {
        // Not at the same time as the other activities.
        simulation.sleep(Self.day * day - simulation.time)
        attempt("end of day \(day)") { try endDay() }
        let change = Duration.seconds(numbers.below(7_200) - 3_600)
        wallClockOffset.withLock { $0 += change }
      }
    }
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT MAX(id) FROM measurement") ?? 0 }
    let cancellable = observation.start(
      in: pool, scheduling: FiberScheduler(isImmediate: false),
      onError: { [self] in problems.append("the live query: \($0)") }, onChange: { [self] in lastValue = $0 })
    tasks = [
      simulation.task(isEndless: true) { [self] in await follow() },
      simulation.task(isEndless: true) { [self] in await count() },
    ]
    do {
      try simulation.run(until: end + .seconds(7_200))
    } catch {
      problems.append("\(error)")
    }
    checkTheEnd()
    cancellable.cancel()
    for task in tasks { task.cancel() }
    for cancellable in leaked { cancellable.cancel() }
    do {
      try simulation.run(until: end + .seconds(7_200))
      try pool.close()
    } catch {
      problems.append("the end: \(error)")
    }
    (tasks, leaked) = ([], [])
  }

  private func attempt(_ what: String, _ body: () throws -> Void) {
    counts[what.filter { !$0.isNumber }, default: 0] += 1
    do { try body() } catch { problems.append("\(what) after \(simulation.time): \(error)") }
  }

  // MARK: - Activities

  private func measure() throws {
    let (sensor, value) = (numbers.below(20), numbers.below(1_000))
    try pool.write { db in
      try db.execute(
        sql: "INSERT INTO measurement (sensor, value, note) VALUES (?, ?, ?)",
        arguments: [sensor, Double(value) / 8, String(repeating: "m", count: value)])
      let last = db.lastInsertedRowID
      try db.execute(sql: "DELETE FROM measurement WHERE id <= ?", arguments: [last - Int64(Self.keptRowCount)])
    }
    insertedCount += 1
  }

  /// Observes a sensor ten times for a minute, and reads.
  private func visit() throws {
    let sensor = numbers.below(20)
    let observation = ValueObservation.tracking { db in
      try Double.fetchAll(db, sql: "SELECT value FROM measurement WHERE sensor = ?", arguments: [sensor])
    }
    let valueCount = Mutex(0)
    let cancellables = (0..<10).map { _ in
      observation.start(
        in: pool, scheduling: FiberScheduler(isImmediate: true),
        onError: { [self] in problems.append("a visiting live query: \($0)") },
        onChange: { _ in valueCount.withLock { $0 += 1 } })
    }
    let missingCount = 10 - valueCount.withLock { $0 }
    if missingCount > 0 { problems.append("\(missingCount) visiting live queries have no value") }
    simulation.sleep(.seconds(60))
    if leaks { leaked += cancellables } else { for cancellable in cancellables { cancellable.cancel() } }
    let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM measurement") ?? 0 }
    if count > Self.keptRowCount { problems.append("\(count) measurements") }
  }

  /// Waits for a write that takes longer than the time limit.
  private func waitInVain() throws {
    let isHeld = Mutex(false)
    simulation.thread { [self] in
      attempt("long write") {
        try pool.write { _ in
          isHeld.withLock { $0 = true }
          simulation.sleep(.seconds(20))
        }
      }
    }
    while !isHeld.withLock({ $0 }) { simulation.sleep(.seconds(1)) }
    do {
      try Database.withAccessTimeLimit(.seconds(5)) { try pool.write { _ in } }
      problems.append("a write did not wait for another one")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      counts["time limits", default: 0] += 1
    }
  }

  // MARK: - The feed

  /// Follows all changes: no version is missing, and none is delivered twice.
  private func follow() async {
    do {
      for try await entry in try await pool.changes(after: nil) {
        if let versions = entry.changes.versions {
          if let lastVersion, versions.lowerBound != DatabaseVersion(lastVersion.number + 1) {
            problems.append("version \(versions.lowerBound) follows version \(lastVersion)")
          }
          lastVersion = versions.upperBound
        }
        counts["entries", default: 0] += 1
      }
    } catch is CancellationError {
    } catch {
      problems.append("the feed: \(error)")
    }
  }

  /// Counts the measurements in the database, exactly once each.
  private func count() async {
    do {
      for try await entry in try await pool.changes(for: "counter", in: Table("measurement")) {
        let count = entry.changes.rows.count { $0.operation == .insert }
        try await pool.write { db in
          try db.execute(sql: "UPDATE counted SET count = count + ?", arguments: [count])
          try db.acknowledge(entry.token, by: "counter")
        }
      }
    } catch is CancellationError {
    } catch {
      problems.append("the counter: \(error)")
    }
  }

  // MARK: - Checks

  private func endDay() throws {
    let (pageCount, entryCount) = try pool.read { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM tidemark_feed") ?? 0
      )
    }
    let log = (try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal"))?[.size] as? Int
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    usages.append(
      Usage(
        pageCount: pageCount, entryCount: entryCount, logByteCount: log ?? 0, timerCount: simulation.timerCount,
        fiberCount: simulation.fiberCount, descriptorCount: descriptors,
        sqliteByteCount: Int(sqlite3_memory_used()), heapByteCount: Int(fault_heap_size())))
  }

  private func checkTheEnd() {
    // The feed has the entries of the second day when it begins to remove some, and of a little more than a day later.
    if usages.count > 2, let last = usages.last {
      for growth in last.growth(since: usages[1]) { problems.append("\(growth) after \(days) days") }
    }
    attempt("check") {
      let (last, counted) = try pool.read { db in
        (
          try Int.fetchOne(db, sql: "SELECT MAX(id) FROM measurement"),
          try Int.fetchOne(db, sql: "SELECT count FROM counted")
        )
      }
      if last != insertedCount { problems.append("\(last ?? 0) of \(insertedCount) measurements") }
      if counted != insertedCount { problems.append("\(counted ?? 0) of \(insertedCount) measurements are counted") }
      if lastValue != last { problems.append("the last value is \(lastValue ?? 0), not \(last ?? 0)") }
    }
  }
}
