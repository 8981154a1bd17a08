import Foundation
import Tidemark

// The share of fetches that were not needed: a commit has changed rows in the region of a query, but not the result
// of the query.
//
//     Benchmarks wakes
//
// Each transaction changes one of many rows, in any column and any way; at the end the last value of each query is
// compared with its current result.

func measureWakes(_ folder: BenchmarkFolder, _ report: Report) throws {
  for kind in WakeBenchmark.kinds { try WakeBenchmark(folder, kind).run(report) }
}

private final class WakeBenchmark: @unchecked Sendable {
  struct Kind: Sendable {
    var name: String
    var target: Double
    var sql: String
    var arguments: @Sendable (Int) -> StatementArguments
  }

  static let kinds = [
    Kind(name: "owner = ?", target: 1, sql: "SELECT id, score FROM item WHERE owner = ? ORDER BY id") { [$0] },
    Kind(name: "owner IN (?, ?)", target: 1, sql: "SELECT id, score FROM item WHERE owner IN (?, ?) ORDER BY id") {
      [$0, $0 + 7]
    },
    Kind(
      name: "score BETWEEN ? AND ?", target: 1,
      sql: "SELECT id, owner, score, name FROM item WHERE score BETWEEN ? AND ? ORDER BY id"
    ) { [$0 * 10, $0 * 10 + 40] },
    Kind(
      name: "ORDER BY score DESC LIMIT 10", target: 5,
      sql: "SELECT id, score, name FROM item WHERE owner % 50 <> ? ORDER BY score DESC, id LIMIT 10"
    ) { [$0 % 50] },
    Kind(
      name: "owner > ? ORDER BY owner LIMIT 10", target: 5,
      sql: "SELECT id, owner, score FROM item WHERE owner > ? ORDER BY owner, id LIMIT 10"
    ) { [$0 * 20] },
    Kind(
      name: "join by a foreign key", target: 20,
      sql: "SELECT item.id, tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = ? ORDER BY 1, 2"
    ) { [$0] },
    Kind(
      name: "ORDER BY owner LIMIT 10, not shown", target: 5,
      sql: "SELECT id, name FROM item WHERE owner > ? ORDER BY owner, id LIMIT 10"
    ) { [$0 * 20] },
    Kind(
      name: "score BETWEEN ? AND ?1 + 40", target: 1,
      sql: "SELECT id, owner, score, name FROM item WHERE score BETWEEN ? AND ?1 + 40 ORDER BY id"
    ) { [$0 * 10] },
    Kind(name: "owner + 0 = ?", target: 1, sql: "SELECT id, score FROM item WHERE owner + 0 = ? ORDER BY id") { [$0] },
    Kind(name: "lower(name) = ?", target: 1, sql: "SELECT id, score FROM item WHERE lower(name) = ? ORDER BY id") {
      ["name \($0 * 7)"]
    },
    Kind(
      name: "id IN (SELECT …)", target: 20,
      sql: "SELECT id, score, owner, name FROM item WHERE id IN (SELECT item FROM tag WHERE name = ?) ORDER BY id"
    ) { ["tag \($0 * 7)"] },
    Kind(
      name: "EXISTS (SELECT …)", target: 20,
      sql: """
        SELECT id, score, owner, name FROM item
        WHERE owner = ? AND EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id) ORDER BY id
        """
    ) { [$0] },
    Kind(
      name: "JOIN … USING", target: 20,
      sql: """
        SELECT id, label FROM item JOIN (SELECT item AS id, name AS label FROM tag) USING (id)
        WHERE owner = ? ORDER BY 1, 2
        """
    ) { [$0] },
  ]

  private let pool: DatabasePool
  private let kind: Kind
  private let queryCount = 100
  private var random = SystemRandomNumberGenerator()

  init(_ folder: BenchmarkFolder, _ kind: Kind) throws {
    self.kind = kind
    pool = try DatabasePool(path: folder.path("wakes-\(UUID().uuidString).sqlite"))
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, score INTEGER, name TEXT);
          CREATE INDEX itemByOwner ON item(owner);
          CREATE TABLE tag (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item ON DELETE CASCADE, name TEXT);
          CREATE INDEX tagByItem ON tag(item);
          CREATE INDEX tagByName ON tag(name);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 4000)
          INSERT INTO item SELECT n, n % 2000, n * 7919 % 4000, 'name ' || n FROM number;
          INSERT INTO tag SELECT id, id, 'tag ' || id FROM item;
          """)
    }
  }

  func run(_ report: Report) throws {
    let (sql, arguments) = (kind.sql, kind.arguments)
    let values = ValueBox(count: queryCount)
    let seen = Counter()
    let all = (0..<queryCount).map { number in
      ValueObservation.tracking { db in
        try Row.fetchAll(db, sql: sql, arguments: arguments(number)).map { Array($0.databaseValues) }
      }
      .removeDuplicates()
      .start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) { value in
        values.set(value, at: number)
        seen.add()
      }
    }
    seen.wait(for: queryCount)
    for _ in 0..<2_000 {
      try write()
      // Each fetch is examined on its own.
      while pool.observationMetrics.fetchCount < queryCount + pool.observationMetrics.wakeCount { usleep(20) }
    }
    usleep(20_000)
    let metrics = pool.observationMetrics
    let wrong = try pool.read { db in
      try (0..<queryCount).count { number in
        let now = try Row.fetchAll(db, sql: sql, arguments: arguments(number)).map { Array($0.databaseValues) }
        return values.value(at: number) != now
      }
    }
    let share = 100 * Double(metrics.falseWakeCount) / Double(max(1, metrics.wakeCount))
    report.add(
      Figure(group: "wakes for nothing", name: kind.name, value: share, unit: .waste, target: kind.target))
    report.add(
      Figure(
        group: "wakes for nothing", name: "\(kind.name), missed", value: Double(wrong), unit: .count, target: 0))
    for cancellable in all { cancellable.cancel() }
  }

  private func write() throws {
    let id = Int.random(in: 1...4000, using: &random)
    let number = Int.random(in: 0..<4000, using: &random)
    let (sql, arguments): (String, StatementArguments) =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: ("UPDATE item SET score = ? WHERE id = ?", [number, id])
      case 1: ("UPDATE item SET owner = ? WHERE id = ?", [number % 2000, id])
      case 2: ("UPDATE item SET name = ? WHERE id = ?", ["name \(number)", id])
      case 3: ("UPDATE tag SET name = ? WHERE id = ?", ["tag \(number)", id])
      case 4: ("DELETE FROM item WHERE id = ?", [id])
      default: ("INSERT OR IGNORE INTO item VALUES (?, ?, ?, 'new')", [id, number % 2000, number])
      }
    try pool.write { try $0.execute(sql: sql, arguments: arguments) }
  }
}

/// The last values of some queries.
private final class ValueBox: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [[[DatabaseValue]]?]

  init(count: Int) { values = Array(repeating: nil, count: count) }

  func set(_ value: [[DatabaseValue]], at index: Int) { lock.withLock { values[index] = value } }
  func value(at index: Int) -> [[DatabaseValue]]? { lock.withLock { values[index] } }
}
