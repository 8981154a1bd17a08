import Foundation
import Tidemark

// What live queries cost: rates are shares of the rate of the same writes without any observation, in the same run.
//
//     Benchmarks live [COUNT…]
//
// COUNT is how many queries are observed, 10,000 unless said otherwise.

func measureLiveQueries(_ folder: BenchmarkFolder, counts: [Int]) throws {
  for count in counts {
    print("\(count) live queries: SELECT … WHERE owner = ?")
    try LiveBenchmark(folder, queryCount: count).run()
  }
}

private final class LiveBenchmark: @unchecked Sendable {
  private let pool: DatabasePool
  private let queryCount: Int
  private let writeCount = 5_000
  private var cancellables: [AnyDatabaseCancellable] = []
  private let delivered = Counter()

  init(_ folder: BenchmarkFolder, queryCount: Int) throws {
    pool = try DatabasePool(path: folder.path("live-\(queryCount).sqlite"))
    self.queryCount = queryCount
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, score INTEGER);
          CREATE INDEX itemByOwner ON item(owner);
          CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200000)
          INSERT INTO item SELECT n, n, 0 FROM number;
          """)
    }
  }

  func run() throws {
    let baseline = try rate { id in 1 + id % 200_000 }
    print("  writes without observation", perSecond(baseline))
    let memory = usedMemory()
    let (start, _) = try time { try observe() }
    let perQuery = Double(usedMemory() - memory) / Double(queryCount)
    print(
      "  start and first value     ", microseconds(start / Double(queryCount)), "of CPU each,", Int(perQuery),
      "bytes each")

    let missing = try rate { id in self.queryCount + 1 + id % (200_000 - self.queryCount) }
    print("  writes that hit nothing   ", perSecond(missing), share(missing, baseline), "target 90 %")
    let before = pool.liveMetrics
    let hitting = try rate { id in 1 + id % self.queryCount }
    print("  writes that hit one query ", perSecond(hitting), share(hitting, baseline), "target 50 %")
    try settle()
    let after = pool.liveMetrics
    print("    wakes:", after.wakeCount - before.wakeCount, "fetches:", after.fetchCount - before.fetchCount)
    try measureLatency()
    try measureBurst()
    cancellables = []
    try measureEqualQueries()
    try measureBulk()
  }

  private func observe() throws {
    for owner in 1...queryCount {
      let observation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT score FROM item WHERE owner = ?", arguments: [owner]) ?? 0
      }
      cancellables.append(
        observation.start(in: pool, scheduling: AtOnceScheduler(), onError: { fatalError("\($0)") }) {
          [delivered] _ in delivered.add()
        })
    }
    delivered.wait(for: queryCount)
  }

  private func settle() throws {
    while pool.liveMetrics.waitingQueryCount > 0 { usleep(1000) }
    usleep(50_000)
  }

  /// Writes in a second, and what one costs of the processors, fetches included.
  private func rate(_ id: (Int) -> Int) throws -> Rate {
    let (start, cpu) = (DispatchTime.now().uptimeNanoseconds, cpuTime())
    for number in 0..<writeCount {
      try pool.write { db in
        try db.execute(sql: "UPDATE item SET score = score + 1 WHERE id = ?", arguments: [id(number * 7919)])
      }
    }
    return Rate(
      perSecond: Double(writeCount) / Double(DispatchTime.now().uptimeNanoseconds - start) * 1e9,
      cpu: (cpuTime() - cpu) / Double(writeCount))
  }

  private struct Rate {
    var perSecond: Double
    var cpu: Double
  }

  /// From the end of a write to the call of the closure, at a thousand writes in a second.
  private func measureLatency() throws {
    var times: [Double] = []
    for number in 0..<2_000 {
      let count = delivered.value
      try pool.write { db in
        try db.execute(sql: "UPDATE item SET score = score + 1 WHERE id = ?", arguments: [1 + number % queryCount])
      }
      let start = DispatchTime.now().uptimeNanoseconds
      delivered.wait(for: count + 1)
      times.append(Double(max(0, Int64(delivered.last) - Int64(start))))
      usleep(800)
    }
    times.sort()
    print(
      "  write returned → value    ", "p50", microseconds(times[times.count / 2]), "p99",
      microseconds(times[times.count * 99 / 100]), "targets 150 µs, 2 ms")
  }

  private func measureBurst() throws {
    let count = delivered.value
    try pool.write {
      try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE owner <= ?", arguments: [queryCount])
    }
    let start = DispatchTime.now().uptimeNanoseconds
    delivered.wait(for: count + queryCount)
    let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    print("  one write that hits all   ", String(format: "%.0f ms", milliseconds), "target 150 ms for 10,000")
  }

  private func measureEqualQueries() throws {
    let fetchCount = Counter()
    let observation = ValueObservation.tracking { db in
      fetchCount.add()
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other") ?? 0
    }
    let equal = Counter()
    let all = (0..<queryCount).map { _ in
      observation.start(in: pool, scheduling: AtOnceScheduler(), onError: { fatalError("\($0)") }) { _ in equal.add() }
    }
    equal.wait(for: queryCount)
    let (values, fetches) = (equal.value, fetchCount.value)
    try pool.write { try $0.execute(sql: "INSERT INTO other (n) VALUES (1)") }
    equal.wait(for: values + queryCount)
    print("  equal queries             ", fetchCount.value - fetches, "fetch for", equal.value - values, "values")
    for cancellable in all { cancellable.cancel() }
  }

  private func measureBulk() throws {
    func insert() throws -> Double {
      var best = Double.infinity
      for _ in 0..<3 {
        let (cpu, _) = try time {
          try pool.write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO item (owner, score) VALUES (?, 0)")
            for number in 0..<100_000 { try statement.execute(arguments: [300_000 + number]) }
          }
        }
        best = min(best, cpu)
        try pool.write { try $0.execute(sql: "DELETE FROM item WHERE owner >= 300000") }
      }
      return best
    }
    func observe(_ count: Int, _ sql: String) throws -> [AnyDatabaseCancellable] {
      let seen = Counter()
      let all = (0..<count).map { number in
        ValueObservation.trackingConstantRegion { db in
          try Int.fetchOne(db, sql: sql, arguments: sql.contains("?") ? [number] : []) ?? 0
        }
        .start(in: pool, scheduling: AtOnceScheduler(), onError: { fatalError("\($0)") }) { _ in seen.add() }
      }
      seen.wait(for: count)
      return all
    }
    let alone = try insert()
    print("  100,000 inserts           ", microseconds(alone / 100_000), "each")
    let cases: [(String, Int, String, String)] = [
      ("1 on another table        ", 1, "SELECT COUNT(*) FROM other", "1.03"),
      ("1,000 on another table    ", 1000, "SELECT COUNT(*) FROM other WHERE n = ?", "1.03"),
      ("1 on the same table       ", 1, "SELECT score FROM item WHERE owner = ?", "1.15"),
      ("1,000 on the same table   ", 1000, "SELECT score FROM item WHERE owner = ?", "1.3"),
    ]
    for (name, count, sql, target) in cases {
      let all = try observe(count, sql)
      print("   ", name, String(format: "%.3f x", try insert() / alone), "target", target)
      for cancellable in all { cancellable.cancel() }
    }
  }

  // MARK: - Measuring

  private func time<T>(_ body: () throws -> T) rethrows -> (cpu: Double, T) {
    let start = cpuTime()
    let result = try body()
    return (cpuTime() - start, result)
  }

  private func perSecond(_ rate: Rate) -> String {
    String(format: "%.0f/s, %.1f µs of CPU each", rate.perSecond, rate.cpu / 1000)
  }

  private func share(_ rate: Rate, _ baseline: Rate) -> String {
    String(format: "%.0f %%", rate.perSecond / baseline.perSecond * 100)
  }
  private func microseconds(_ nanoseconds: Double) -> String { String(format: "%.2f µs", nanoseconds / 1000) }
}

/// Delivers on the thread that has fetched.
private struct AtOnceScheduler: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { false }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

/// Counts, and lets a thread wait for a number.
private final class Counter: @unchecked Sendable {
  private let condition = NSCondition()
  private var count = 0
  private var awaited = 0
  private var lastTime: UInt64 = 0

  var value: Int { locked { count } }
  var last: UInt64 { locked { lastTime } }

  func add() {
    condition.lock()
    count += 1
    lastTime = DispatchTime.now().uptimeNanoseconds
    if count >= awaited { condition.signal() }
    condition.unlock()
  }

  func wait(for number: Int) {
    condition.lock()
    // Who waits is not woken up for less: that would be measured, too.
    awaited = number
    while count < number { condition.wait() }
    awaited = 0
    condition.unlock()
  }

  private func locked<T>(_ body: () -> T) -> T {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }
}
