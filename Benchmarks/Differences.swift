import Foundation
import Tidemark

// The cost of computing the difference between two versions of a long result, compared with fetching it again; and a
// check that random differences produce the right list.
//
//     Benchmarks differences

func measureDifferences(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  let benchmark = try DifferenceBenchmark(folder, report)
  for change in DifferenceBenchmark.changes { try benchmark.measure(change, rounds: rounds) }
  try benchmark.measureDelivery(rounds: rounds)
  benchmark.countWrongDifferences(of: 1_000_000)
}

private final class DifferenceBenchmark {
  /// A transaction that changes the result, and one that undoes it.
  struct Change {
    var name: String
    var sql: String
    var undoing: String

    /// The target for a change of one row, including the fetch.
    var target: Double? = 1.3
  }

  static let changes = [
    Change(
      name: "a row that has changed", sql: "UPDATE ranked SET name = name || '!' WHERE id = 50000",
      undoing: "UPDATE ranked SET name = rtrim(name, '!') WHERE id = 50000"),
    Change(
      name: "a row that has moved", sql: "UPDATE ranked SET score = score + 50000 WHERE id = 20000",
      undoing: "UPDATE ranked SET score = score - 50000 WHERE id = 20000"),
    Change(
      name: "a row that has come", sql: "INSERT INTO ranked VALUES (0, 'new', 50000, 0.5)",
      undoing: "DELETE FROM ranked WHERE id = 0"),
    Change(
      name: "100 rows that have moved", sql: "UPDATE ranked SET score = score + 500 WHERE id % 1000 = 0",
      undoing: "UPDATE ranked SET score = score - 500 WHERE id % 1000 = 0", target: nil),
  ]

  private static let query = "SELECT id, name, score, ratio FROM ranked ORDER BY score, id"
  private static let group = "differences of 100,000 rows"

  private let pool: DatabasePool
  private let report: Report

  init(_ folder: BenchmarkFolder, _ report: Report) throws {
    self.report = report
    pool = try DatabasePool(path: folder.path("differences.sqlite"))
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE ranked (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, ratio REAL);
          CREATE INDEX rankedByScore ON ranked(score);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
          INSERT INTO ranked SELECT n, 'the name of number ' || n, n, n / 7.0 FROM number;
          """)
    }
  }

  /// The time of a fetch and the difference to the previous fetch, as a ratio to the fetch alone.
  func measure(_ change: Change, rounds: Int) throws {
    var (fetchTime, differenceTime) = (Double.infinity, Double.infinity)
    let old = try fetch()
    for _ in 0..<rounds {
      try pool.write { try $0.execute(sql: change.sql) }
      let start = cpuTime()
      let new = try fetch()
      let fetched = cpuTime()
      let difference = new.keyedDifference(from: old)
      differenceTime = min(differenceTime, cpuTime() - fetched)
      fetchTime = min(fetchTime, fetched - start)
      precondition(!difference.isEmpty, "The change has changed nothing")
      try pool.write { try $0.execute(sql: change.undoing) }
    }
    report.add(
      Figure(
        group: Self.group, name: change.name, value: (fetchTime + differenceTime) / fetchTime, unit: .ratio,
        target: change.target))
  }

  private func fetch() throws -> [SmallPositionalItem] {
    try pool.read { try SmallPositionalItem.fetchAll($0, sql: Self.query) }
  }

  /// The time from the end of a write to the delivery of its difference: the median, since some are delivered before
  /// the write has returned.
  func measureDelivery(rounds: Int) throws {
    let rounds = 20 * rounds
    let change = Self.changes[0]
    let delivered = Counter()
    let request = SQLRequest<SmallPositionalItem>(sql: Self.query)
    let loop = Task { [pool] in
      for try await _ in request.differences().values(in: pool) { delivered.add() }
    }
    delivered.wait(for: 1)
    var times: [Double] = []
    for round in 0..<rounds {
      try pool.write { try $0.execute(sql: round % 2 == 0 ? change.sql : change.undoing) }
      let start = DispatchTime.now().uptimeNanoseconds
      delivered.wait(for: round + 2)
      times.append(Double(Int64(delivered.last) - Int64(start)))
    }
    loop.cancel()
    report.add(
      Figure(
        group: Self.group, name: "from the end of a write, row by row",
        value: times.sorted()[times.count / 2] / 1000, unit: .microseconds, target: 300))
  }

  /// Applies differences of short random lists, each to the previous list.
  func countWrongDifferences(of count: Int) {
    struct Item: Equatable, Identifiable {
      var id: Int
      var version: Int
    }
    var random = SystemRandomNumberGenerator()
    var (list, wrongCount) = ([Item](), 0)
    for _ in 0..<count {
      var next = list
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = next.isEmpty ? 0 : Int.random(in: next.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where next.count < 20:
          let id = Int.random(in: 0..<40, using: &random)
          if !next.contains(where: { $0.id == id }) { next.insert(Item(id: id, version: 0), at: place) }
        case 1 where !next.isEmpty: next.remove(at: place)
        case 2 where !next.isEmpty: next.append(next.remove(at: place))
        case 3 where !next.isEmpty: next[place].version += 1
        default: next.reverse()
        }
      }
      list.apply(next.keyedDifference(from: list))
      if list != next { wrongCount += 1 }
      list = next
    }
    report.add(
      Figure(
        group: Self.group, name: "wrong ones of \(count) random ones", value: Double(wrongCount), unit: .count,
        target: 0))
  }
}
