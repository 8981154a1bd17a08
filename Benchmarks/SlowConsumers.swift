import Foundation
import Tidemark

// The cost of consumers that take one value per second, of queries that change much more often.
//
//     Benchmarks slow [SECONDS]
//
// A thousand loops iterate the values of as many live queries, while a thread writes ten thousand times per second.
// The writer's processor time is compared with the same writes when the loops take each value immediately.

func measureSlowConsumers(_ folder: BenchmarkFolder, seconds: Int, _ report: Report) throws {
  let fast = try SlowConsumerBenchmark(folder, pause: nil).run(seconds: seconds)
  let slow = try SlowConsumerBenchmark(folder, pause: .seconds(1)).run(seconds: seconds)
  func add(_ name: String, _ value: Double, _ unit: Figure.Unit, target: Double? = nil) {
    report.add(Figure(group: "1000 slow consumers", name: name, value: value, unit: unit, target: target))
  }
  add("writes", Double(slow.writeCount), .count)
  add("values", Double(slow.valueCount), .count)
  add("last values that did not arrive", Double(slow.wrongCount), .count, target: 0)
  add("what the writer loses", (slow.writeTime / fast.writeTime - 1) * 100, .waste, target: 3)
  add("growth of the memory", Double(slow.growth) / 1e6, .megabytes, target: 1.05)
}

private final class SlowConsumerBenchmark: @unchecked Sendable {
  struct Result {
    /// Nanoseconds of the writing thread for each write.
    var writeTime: Double
    var writeCount: Int
    var valueCount: Int
    var wrongCount: Int
    var growth: Int
  }

  private let pool: DatabasePool
  private let pause: Duration?
  private let queryCount = 1_000
  private let counter = Counter()
  private let lock = NSLock()
  private var last: [Int]

  init(_ folder: BenchmarkFolder, pause: Duration?) throws {
    self.pause = pause
    last = Array(repeating: -1, count: queryCount)
    pool = try DatabasePool(path: folder.path("slow-\(UUID().uuidString).sqlite"))
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, score INTEGER);
          WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 999)
          INSERT INTO item SELECT n, 0 FROM number;
          """)
    }
  }

  func run(seconds: Int) throws -> Result {
    let loops = (0..<queryCount).map { id in Task { try await iterate(id) } }
    counter.wait(for: queryCount)
    // The memory that the first writes allocate is reused by all others.
    for number in 0..<2_000 { try write(number) }
    let memory = usedMemory()
    let (count, time) = try writeForSeconds(seconds)
    let growth = usedMemory() - memory
    let expected = try pool.read { try Int.fetchAll($0, sql: "SELECT score FROM item ORDER BY id") }
    let end = DispatchTime.now().uptimeNanoseconds + 10_000_000_000
    while lock.withLock({ last }) != expected, DispatchTime.now().uptimeNanoseconds < end { usleep(10_000) }
    let wrongCount = zip(lock.withLock { last }, expected).count { $0 != $1 }
    loops.forEach { $0.cancel() }
    return Result(
      writeTime: time / Double(count), writeCount: count, valueCount: counter.value, wrongCount: wrongCount,
      growth: growth)
  }

  private func iterate(_ id: Int) async throws {
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT score FROM item WHERE id = ?", arguments: [id]) ?? 0
    }
    for try await value in observation.values(in: pool) {
      lock.withLock { last[id] = value }
      counter.add()
      if let pause { try await Task.sleep(for: pause) }
    }
  }

  private func write(_ number: Int) throws {
    try pool.write { db in
      try db.execute(
        sql: "UPDATE item SET score = score + 1 WHERE id = ?", arguments: [number * 7919 % queryCount])
    }
  }

  private func writeForSeconds(_ seconds: Int) throws -> (count: Int, time: Double) {
    let start = DispatchTime.now().uptimeNanoseconds
    var (count, time) = (0, 0.0)
    while true {
      let elapsed = DispatchTime.now().uptimeNanoseconds - start
      if elapsed >= UInt64(seconds) * 1_000_000_000 { return (count, time) }
      // Ten writes per millisecond.
      if UInt64(count) * 100_000 > elapsed {
        usleep(200)
        continue
      }
      let begun = threadTime()
      try write(count)
      time += threadTime() - begun
      count += 1
    }
  }
}
