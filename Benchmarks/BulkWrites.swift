import Foundation
import Tidemark

// What observation costs a writer that inserts many rows in one transaction, one statement for each row.
//
//     Benchmarks bulk [--rounds COUNT] [CASE…]
//
// Times are those of the writer's thread, from before the write until it has returned: what commits cost is in them,
// the fetches that follow are not. Cases are run in turn, and the least time of each is compared with that of the same
// write without observation. With `--side library`, the cases are run and nothing is compared: that is for profilers.

func measureBulkWrites(_ folder: BenchmarkFolder, rounds: Int, names: [String], isCompared: Bool) throws {
  let bench = try BulkBenchmark(folder)
  let cases = BulkBenchmark.cases.filter { found in names.isEmpty || names.contains { found.name.contains($0) } }
  if !isCompared {
    for found in cases { for _ in 0..<rounds { _ = try bench.time(found) } }
    return
  }
  var best = [Double](repeating: .infinity, count: cases.count + 1)
  for _ in 0..<rounds {
    best[cases.count] = min(best[cases.count], try bench.time(.nobody))
    for (index, found) in cases.enumerated() { best[index] = min(best[index], try bench.time(found)) }
  }
  let alone = best[cases.count]
  print(pad("100,000 inserts, nobody observes", 44), String(format: "%.0f ns each", alone / 100_000))
  for (found, time) in zip(cases, best) {
    print(pad("  " + found.name, 44), String(format: "%.3f x", time / alone), found.target.map { "target \($0)" } ?? "")
  }
}

private final class BulkBenchmark {
  private let pool: DatabasePool

  /// Somebody who observes, or many.
  struct Case {
    var name: String
    var sql = ""
    var count = 1
    var target: Double?

    static let nobody = Case(name: "nobody", count: 0)
  }

  static let cases = [
    Case(name: "nobody, again", count: 0),
    Case(name: "1 on another table", sql: "SELECT COUNT(*) FROM other", target: 1.03),
    Case(name: "1000 on another table", sql: "SELECT COUNT(*) FROM other WHERE n = ?", count: 1000, target: 1.03),
    Case(name: "1 that counts the same table", sql: "SELECT COUNT(*) FROM item", target: 1.15),
    Case(name: "1 on rows of the same table", sql: "SELECT score FROM item WHERE owner = ?", target: 1.15),
    Case(
      name: "1000 on rows of the same table", sql: "SELECT score FROM item WHERE owner = ?", count: 1000, target: 1.3),
  ]

  init(_ folder: BenchmarkFolder) throws {
    pool = try DatabasePool(path: folder.path("bulk.sqlite"))
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, score INTEGER);
          CREATE INDEX itemByOwner ON item(owner);
          CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER);
          """)
    }
  }

  func time(_ found: Case) throws -> Double {
    let observers = try observe(found)
    defer { observers.forEach { $0.cancel() } }
    let start = threadTime()
    try pool.write { db in
      let statement = try db.makeStatement(sql: "INSERT INTO item (owner, score) VALUES (?, 0)")
      for number in 0..<100_000 { try statement.execute(arguments: [300_000 + number]) }
    }
    let time = threadTime() - start
    observers.forEach { $0.cancel() }
    try pool.write { try $0.execute(sql: "DELETE FROM item") }
    return time
  }

  private func observe(_ found: Case) throws -> [AnyDatabaseCancellable] {
    let seen = Counter()
    let all = (0..<found.count).map { number in
      ValueObservation.trackingConstantRegion { db in
        try Int.fetchOne(db, sql: found.sql, arguments: found.sql.contains("?") ? [number] : []) ?? 0
      }
      .start(in: pool, scheduling: AtOnceScheduler(), onError: { fatalError("\($0)") }) { _ in seen.add() }
    }
    seen.wait(for: found.count)
    return all
  }
}

private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
