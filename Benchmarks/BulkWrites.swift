import Foundation
import Tidemark

// The cost of observation for a writer that inserts many rows in one transaction, one statement per row; and for one
// that updates one row in each of many transactions.
//
//     Benchmarks bulk [--rounds COUNT] [CASE…]
//
// Times are measured on the writer's thread, from before the write until it has returned: they include the work of
// commits, but not the fetches that follow. Cases are run in turn, each round in another order. A write is long, and
// few machines are idle for so long: it is timed in pieces, and the least times of each piece are added up. The sum
// is compared with the sum for the same write without observation. With `--side library`, the cases are run without
// a comparison, for profilers.

func measureBulkWrites(_ folder: BenchmarkFolder, rounds: Int, names: [String], _ report: Report?) throws {
  let bench = try BulkBenchmark(folder)
  let cases = BulkBenchmark.cases.filter { found in names.isEmpty || names.contains { found.name.contains($0) } }
  guard let report else {
    for found in cases { for _ in 0..<rounds { _ = try bench.time(found) } }
    return
  }
  for write in BulkBenchmark.Write.allCases {
    let cases = cases.filter { $0.write == write }
    if cases.isEmpty { continue }
    let all = [BulkBenchmark.Case(name: "nobody", write: write, count: 0)] + cases
    var best = all.map { _ in [Double](repeating: .infinity, count: BulkBenchmark.pieceCount) }
    for _ in 0..<(2 * rounds) {
      for index in all.indices.shuffled() {
        let times = try bench.time(all[index])
        for (piece, time) in times.enumerated() { best[index][piece] = min(best[index][piece], time) }
      }
    }
    let sums = best.map { $0.reduce(0, +) }
    let alone = sums[0]
    for (found, time) in zip(cases, sums.dropFirst()) {
      report.add(
        Figure(
          group: "\(write.count) \(write.rawValue), observed (in place of C: nobody observes)", name: found.name,
          value: time / alone, unit: .ratio, target: found.target, bare: alone / Double(write.count),
          library: time / Double(write.count)))
    }
  }
}

private final class BulkBenchmark {
  private let pool: DatabasePool

  enum Write: String, CaseIterable {
    case inserts
    case commits

    var count: Int { self == .inserts ? 100_000 : 20_000 }
  }

  /// Observations of the written table, or of others.
  struct Case {
    var name: String
    var write = Write.inserts
    var sql = ""
    var count = 1
    var firstArgument = 0
    var target: Double?
  }

  static let cases = [
    Case(name: "commits: 1 on another table", write: .commits, sql: "SELECT COUNT(*) FROM other"),
    Case(name: "commits: 1 on other columns", write: .commits, sql: "SELECT COUNT(*) FROM item WHERE owner > ?"),
    Case(name: "commits: 1 on other rows", write: .commits, sql: "SELECT score FROM item WHERE owner = ?"),
    Case(
      name: "commits: 1000 on other rows", write: .commits, sql: "SELECT score FROM item WHERE owner = ?", count: 1000),
    Case(
      name: "commits: 1000 on the rows", write: .commits, sql: "SELECT score FROM item WHERE owner = ?", count: 1000,
      firstArgument: 100_001),
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
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
          INSERT INTO item SELECT n, 100000 + n, 0 FROM number;
          """)
    }
  }

  /// The number of timed pieces of a write. The first one includes its beginning, the last one its end.
  static let pieceCount = 100

  /// The times of the pieces of a write.
  func time(_ found: Case) throws -> [Double] {
    let observers = try observe(found)
    defer { observers.forEach { $0.cancel() } }
    let size = found.write.count / Self.pieceCount
    var times = [threadTime()]
    times.reserveCapacity(Self.pieceCount + 1)
    switch found.write {
    case .inserts:
      try pool.write { db in
        let statement = try db.makeStatement(sql: "INSERT INTO item (owner, score) VALUES (?, 0)")
        for number in 0..<found.write.count {
          if number > 0, number % size == 0 { times.append(threadTime()) }
          try statement.execute(arguments: [300_000 + number])
        }
      }
    case .commits:
      for number in 0..<found.write.count {
        if number > 0, number % size == 0 { times.append(threadTime()) }
        try pool.write { db in
          try db.execute(sql: "UPDATE item SET score = score + 1 WHERE id = ?", arguments: [1 + number % 1000])
        }
      }
    }
    times.append(threadTime())
    observers.forEach { $0.cancel() }
    try pool.write { try $0.execute(sql: "DELETE FROM item WHERE id > 1000") }
    return zip(times, times.dropFirst()).map { $1 - $0 }
  }

  private func observe(_ found: Case) throws -> [AnyDatabaseCancellable] {
    let seen = Counter()
    let hasArgument = found.sql.contains("?")
    let all = (0..<found.count).map { number in
      ValueObservation.trackingConstantRegion { db in
        try Int.fetchOne(db, sql: found.sql, arguments: hasArgument ? [found.firstArgument + number] : []) ?? 0
      }
      .start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) { _ in seen.add() }
    }
    seen.wait(for: found.count)
    return all
  }
}

/// The processor time of the calling thread, in nanoseconds.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
