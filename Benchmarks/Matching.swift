import Foundation
import Tidemark

// The time of a commit that affects none of many live queries, for several kinds of conditions: it does not depend on
// the number of queries if the conditions are understood.
//
//     Benchmarks matching [COUNT…]
//
// The defaults are 100, 1,000 and 10,000 queries.

func measureMatching(_ folder: BenchmarkFolder, counts: [Int], _ report: Report) throws {
  for kind in MatchingBenchmark.kinds {
    for count in counts { try MatchingBenchmark(folder, kind, queryCount: count).run(report) }
  }
}

private struct MatchingBenchmark {
  struct Kind {
    var name: String
    var sql: String
    var argument: @Sendable (Int) -> any DatabaseValueConvertible
  }

  static let kinds = [
    Kind(name: "owner = ?", sql: "SELECT id, name FROM item WHERE owner = ?") { $0 },
    Kind(name: "owner BETWEEN ? AND ?1 + 10", sql: "SELECT id, owner FROM item WHERE owner BETWEEN ? AND ?1 + 10") {
      $0
    },
    Kind(name: "owner + 0 = ?", sql: "SELECT id, name FROM item WHERE owner + 0 = ?") { $0 },
    Kind(name: "owner + score > ?", sql: "SELECT count(*) FROM item WHERE owner + score > ? + 1000000") { $0 },
    Kind(name: "lower(name) = ?", sql: "SELECT id, owner FROM item WHERE lower(name) = ?") { "name \($0)" },
    Kind(
      name: "id IN (SELECT …)", sql: "SELECT id, name FROM item WHERE id IN (SELECT item FROM tag WHERE name = ?)"
    ) { "tag \($0)" },
  ]

  private let pool: DatabasePool
  private let kind: Kind
  private let queryCount: Int
  private static let writeCount = 1_000

  init(_ folder: BenchmarkFolder, _ kind: Kind, queryCount: Int) throws {
    (self.kind, self.queryCount) = (kind, queryCount)
    pool = try DatabasePool(path: folder.path("matching-\(UUID().uuidString).sqlite"))
    // The observed values are less than 20,000, the changed ones are greater.
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, score INTEGER, name TEXT);
          CREATE INDEX itemByOwner ON item(owner);
          CREATE INDEX itemByLowerName ON item(lower(name));
          CREATE INDEX itemBySum ON item(owner + 0);
          CREATE INDEX itemByScore ON item(owner + score);
          CREATE TABLE tag (id INTEGER PRIMARY KEY, item INTEGER, name TEXT);
          CREATE INDEX tagByName ON tag(name, item);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
          INSERT INTO tag SELECT n, n, 'tag ' || n FROM number;
          WITH RECURSIVE number (n) AS (SELECT 20001 UNION ALL SELECT n + 1 FROM number WHERE n < 22000)
          INSERT INTO item SELECT n, n, 0, 'Name ' || n FROM number;
          """)
    }
  }

  func run(_ report: Report) throws {
    let (sql, argument) = (kind.sql, kind.argument)
    let seen = Counter()
    let cancellables = (0..<queryCount).map { number in
      ValueObservation.tracking { db in try Row.fetchAll(db, sql: sql, arguments: [argument(number)]).count }
        .start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) { _ in seen.add() }
    }
    seen.wait(for: queryCount)
    for id in 0..<100 { try write(id) }
    let before = pool.observationMetrics
    let start = DispatchTime.now().uptimeNanoseconds
    for id in 0..<Self.writeCount { try write(id) }
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000
    let wakeCount = pool.observationMetrics.wakeCount - before.wakeCount
    let name = "\(kind.name), \(queryCount) queries"
    report.add(
      Figure(
        group: "commit that affects nothing", name: name, value: elapsed / Double(Self.writeCount), unit: .microseconds)
    )
    if wakeCount > 0 {
      report.add(
        Figure(group: "commit that affects nothing", name: "\(name): fetches", value: Double(wakeCount), unit: .count))
    }
    for cancellable in cancellables { cancellable.cancel() }
    try pool.close()
  }

  private func write(_ number: Int) throws {
    let id = 20_001 + number * 7 % 2_000
    try pool.write { db in
      try db.execute(
        sql: "UPDATE item SET owner = ?, name = ?, score = ? WHERE id = ?",
        arguments: [20_000 + number, "Name \(30_000 + number)", number, id])
    }
  }
}
