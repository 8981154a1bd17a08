import Foundation
import Tidemark

// Checks whether several queries that are observed together ever come from different commits: money moves between
// two tables, so that the total of both never changes. And checks whether each value comes from the database version
// that it reports.
//
//     Benchmarks groups

func measureGroups(_ folder: BenchmarkFolder, transactionCount: Int, _ report: Report) throws {
  let pool = try DatabasePool(path: folder.path("groups.sqlite"))
  try pool.write { db in
    try db.execute(
      sql: """
        CREATE TABLE giver (id INTEGER PRIMARY KEY, amount INTEGER);
        CREATE TABLE taker (id INTEGER PRIMARY KEY, amount INTEGER);
        CREATE TABLE step (n INTEGER);
        INSERT INTO giver SELECT value, 1000 FROM json_each('[1,2,3,4,5,6,7,8]');
        INSERT INTO taker SELECT id, amount FROM giver;
        INSERT INTO step VALUES (0);
        """)
  }
  let values = GroupValues(firstCommit: try pool.commitNumber())
  let group = ValueObservation.tracking { db in
    GroupValues.Value(
      given: try Int.fetchOne(db, sql: "SELECT SUM(amount) FROM giver") ?? 0,
      taken: try Int.fetchOne(db, sql: "SELECT SUM(amount) FROM taker") ?? 0,
      step: try Int.fetchOne(db, sql: "SELECT n FROM step") ?? 0)
  }
  .withCommitNumbers()
  let cancellable = group.start(in: pool, scheduling: AtOnceScheduler(), onError: { fatalError("\($0)") }) {
    values.add($0)
  }
  for step in 1...transactionCount {
    let (id, amount) = (1 + step % 8, step % 41 - 20)
    try pool.write { db in
      try db.execute(sql: "UPDATE giver SET amount = amount - ? WHERE id = ?", arguments: [amount, id])
      try db.execute(sql: "UPDATE taker SET amount = amount + ? WHERE id = ?", arguments: [amount, 9 - id])
      try db.execute(sql: "UPDATE step SET n = ?", arguments: [step])
    }
  }
  let end = DispatchTime.now().uptimeNanoseconds + 10_000_000_000
  while values.lastStep != transactionCount, DispatchTime.now().uptimeNanoseconds < end { usleep(1_000) }
  cancellable.cancel()
  func add(_ name: String, _ value: Int, target: Double? = nil) {
    report.add(
      Figure(
        group: "three queries as a group, \(transactionCount) transactions", name: name, value: Double(value),
        unit: .count, target: target))
  }
  add("values", values.count)
  add("values of several commits", values.tornCount, target: 0)
  add("values of another commit than they tell", values.misnumberedCount, target: 0)
  add("values that go back", values.backwardCount, target: 0)
  add("last values that did not arrive", values.lastStep == transactionCount ? 0 : 1, target: 0)
}

/// The values of a group, in order of delivery.
private final class GroupValues: @unchecked Sendable {
  struct Value: Sendable {
    var given: Int
    var taken: Int
    var step: Int
  }

  private let firstCommit: UInt64
  private let lock = NSLock()
  private var all = (count: 0, torn: 0, misnumbered: 0, backward: 0)
  private var lastValue: Value?

  /// - parameter firstCommit: The version before the first step. Each step increments it.
  init(firstCommit: UInt64) { self.firstCommit = firstCommit }

  var count: Int { lock.withLock { all.count } }
  var tornCount: Int { lock.withLock { all.torn } }
  var misnumberedCount: Int { lock.withLock { all.misnumbered } }
  var backwardCount: Int { lock.withLock { all.backward } }
  var lastStep: Int? { lock.withLock { lastValue?.step } }

  func add(_ numbered: NumberedValue<Value>) {
    let value = numbered.value
    lock.withLock {
      all.count += 1
      // The amount of each step is known.
      let isWhole = value.given + value.taken == 16_000 && value.given == 8_000 - Self.given(upTo: value.step)
      if !isWhole { all.torn += 1 }
      if numbered.commitNumber != firstCommit + UInt64(value.step) { all.misnumbered += 1 }
      if let lastValue, value.step < lastValue.step { all.backward += 1 }
      lastValue = value
    }
  }

  /// The amount after all steps up to one: every 41 of them add up to zero.
  private static func given(upTo step: Int) -> Int {
    let rest = step % 41
    // 1 - 20, 2 - 20 and so on.
    return rest * (rest + 1) / 2 - 20 * rest
  }
}
