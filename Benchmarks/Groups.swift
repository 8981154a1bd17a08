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
  let values = GroupValues()
  let group = ValueObservation.tracking { db in
    GroupValues.Value(
      given: try Int.fetchOne(db, sql: "SELECT SUM(amount) FROM giver") ?? 0,
      taken: try Int.fetchOne(db, sql: "SELECT SUM(amount) FROM taker") ?? 0,
      step: try Int.fetchOne(db, sql: "SELECT n FROM step") ?? 0)
  }
  .withDatabaseVersions()
  let cancellable = group.start(in: pool, scheduling: ImmediateScheduler(), onError: { fatalError("\($0)") }) {
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
  add("values with a wrong version", values.misversionedCount, target: 0)
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

  private let lock = NSLock()
  private var all = (count: 0, torn: 0, misversioned: 0, backward: 0)
  private var last: Versioned<Value>?

  var count: Int { lock.withLock { all.count } }
  var tornCount: Int { lock.withLock { all.torn } }
  var misversionedCount: Int { lock.withLock { all.misversioned } }
  var backwardCount: Int { lock.withLock { all.backward } }
  var lastStep: Int? { lock.withLock { last?.value.step } }

  func add(_ versioned: Versioned<Value>) {
    let value = versioned.value
    lock.withLock {
      all.count += 1
      // The amount of each step is known.
      let isWhole = value.given + value.taken == 16_000 && value.given == 8_000 - Self.given(upTo: value.step)
      if !isWhole { all.torn += 1 }
      // Each step is a commit, so that steps and versions have the same order.
      if let version = versioned.version, let last, let lastVersion = last.version {
        let isInOrder = value.step == last.value.step ? version == lastVersion : version > lastVersion
        if !isInOrder { all.misversioned += 1 }
      } else if versioned.version == nil {
        all.misversioned += 1
      }
      if let last, value.step < last.value.step { all.backward += 1 }
      last = versioned
    }
  }

  /// The amount after all steps up to one: every 41 of them add up to zero.
  private static func given(upTo step: Int) -> Int {
    let rest = step % 41
    // 1 - 20, 2 - 20 and so on.
    return rest * (rest + 1) / 2 - 20 * rest
  }
}
