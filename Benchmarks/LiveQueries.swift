import Foundation
import Tidemark

// The cost of live queries: rates are shares of the rate of the same writes without any observation, in the same run
// and in turn with them, since the speed of a machine varies.
//
//     Benchmarks live [COUNT…]
//
// COUNT is the number of observed queries; the default is 10,000.

func measureLiveQueries(_ folder: BenchmarkFolder, counts: [Int], _ report: Report) throws {
  for count in counts { try LiveBenchmark(folder, queryCount: count, report).run() }
}

private final class LiveBenchmark: @unchecked Sendable {
  private let pool: DatabasePool
  private let unobservedPool: DatabasePool
  private let queryCount: Int
  private let pieceCount = 7
  private let writeCountOfPiece = 2_500
  private var cancellables: [AnyDatabaseCancellable] = []
  private let delivered = Counter()
  private let report: Report

  init(_ folder: BenchmarkFolder, queryCount: Int, _ report: Report) throws {
    self.report = report
    pool = try Self.pool(folder.path("live-\(queryCount).sqlite"))
    unobservedPool = try Self.pool(folder.path("live-\(queryCount)-unobserved.sqlite"))
    self.queryCount = queryCount
  }

  private static func pool(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path)
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
    return pool
  }

  func run() throws {
    try fillPageCache()
    let memory = usedMemory()
    let (start, _) = try time { try observe() }
    let perQuery = Double(usedMemory() - memory) / Double(queryCount)
    add("start, first fetch included", start / Double(queryCount) / 1000, .microseconds)
    add("memory of a query", perQuery, .bytes, target: 1024)
    let missing = try timeOfWrite { id in self.queryCount + 1 + id % (200_000 - self.queryCount) }
    add("writes that hit nothing, of those without queries", 100 / missing, .percent, target: 90)
    let before = pool.observationMetrics
    let hitting = try timeOfWrite { id in 1 + id % self.queryCount }
    add("writes that hit one query", 100 / hitting, .percent, target: 50)
    add("time of a write that hits one query", hitting, .ratio, target: 1.5)
    let after = pool.observationMetrics
    let writeCount = Double(pieceCount * writeCountOfPiece)
    add("wakes for a write that hits one query", Double(after.wakeCount - before.wakeCount) / writeCount, .ratio)
    add("fetches for a write", Double(after.fetchCount - before.fetchCount) / writeCount, .ratio)
    try measureLatency()
    try measureBurst()
    cancellables = []
    try measureEqualQueries()
  }

  private func add(_ name: String, _ value: Double, _ unit: Figure.Unit, target: Double? = nil) {
    report.add(Figure(group: "\(queryCount) live queries", name: name, value: value, unit: unit, target: target))
  }

  private func observe() throws {
    for owner in 1...queryCount {
      let observation = ValueObservation.tracking { db in try Self.score(ofOwner: owner, db) }
      cancellables.append(
        observation.start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) {
          [delivered] _ in delivered.add()
        })
    }
    delivered.wait(for: queryCount)
  }

  /// Reads the observed rows: the pages that SQLite keeps are not the memory of a query.
  private func fillPageCache() throws {
    try pool.read { db in
      for owner in 1...queryCount { _ = try Self.score(ofOwner: owner, db) }
    }
  }

  private static func score(ofOwner owner: Int, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT score FROM item WHERE owner = ?", arguments: [owner]) ?? 0
  }

  private func settle() throws {
    while pool.observationMetrics.waitingQueryCount > 0 { usleep(1000) }
    usleep(20_000)
  }

  /// The time of a write relative to the same write without observation: the median ratio of all pieces.
  private func timeOfWrite(_ id: (Int) -> Int) throws -> Double {
    var ratios: [Double] = []
    for piece in 0..<pieceCount {
      // The first one after a pause may be slower.
      var times = (observed: 0.0, unobserved: 0.0)
      for isObserved in piece % 2 == 0 ? [false, true] : [true, false] {
        let time = try timeOfPiece(piece, in: isObserved ? pool : unobservedPool, id)
        if isObserved { times.observed = time } else { times.unobserved = time }
        try settle()
      }
      ratios.append(times.observed / times.unobserved)
    }
    return ratios.sorted()[pieceCount / 2]
  }

  private func timeOfPiece(_ piece: Int, in pool: DatabasePool, _ id: (Int) -> Int) throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    for number in 0..<writeCountOfPiece {
      try pool.write { db in
        let id = id((piece * writeCountOfPiece + number) * 7919)
        try db.execute(sql: "UPDATE item SET score = score + 1 WHERE id = ?", arguments: [id])
      }
    }
    return Double(DispatchTime.now().uptimeNanoseconds - start)
  }

  /// The time from the end of a write to the call of the closure, at a thousand writes per second.
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
    add("from the end of a write to the value, p50", times[times.count / 2] / 1000, .microseconds, target: 150)
    add("from the end of a write to the value, p99", times[times.count * 99 / 100] / 1000, .microseconds, target: 2000)
  }

  private func measureBurst() throws {
    let count = delivered.value
    try pool.write {
      try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE owner <= ?", arguments: [queryCount])
    }
    let start = DispatchTime.now().uptimeNanoseconds
    delivered.wait(for: count + queryCount)
    let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    add("one write that hits all", milliseconds, .milliseconds, target: queryCount <= 10_000 ? 150 : nil)
  }

  private func measureEqualQueries() throws {
    let fetchCount = Counter()
    let observation = ValueObservation.tracking { db in
      fetchCount.add()
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other") ?? 0
    }
    let equal = Counter()
    let all = (0..<queryCount).map { _ in
      observation.start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) { _ in equal.add()
      }
    }
    equal.wait(for: queryCount)
    let (values, fetches) = (equal.value, fetchCount.value)
    try pool.write { try $0.execute(sql: "INSERT INTO other (n) VALUES (1)") }
    equal.wait(for: values + queryCount)
    add("fetches of equal queries for one write", Double(fetchCount.value - fetches), .count, target: 1)
    for cancellable in all { cancellable.cancel() }
  }

  // MARK: - Measuring

  private func time<T>(_ body: () throws -> T) rethrows -> (cpu: Double, T) {
    let start = cpuTime()
    let result = try body()
    return (cpuTime() - start, result)
  }
}

/// Delivers on the fetching thread.
struct ImmediateScheduler: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { false }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

/// Counts, and lets a thread wait for a count.
final class Counter: @unchecked Sendable {
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
    // Wake the waiting thread only once, at the end: otherwise its wake-ups would be measured, too.
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
