import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Observers of changes receive writes that share a transaction of SQLite as separate transactions.
@Suite(.untilItHangs) struct GroupedChangeTests {
  private let writes: GroupedWrites

  init() throws { writes = try GroupedWrites() }

  /// Runs a group: an insertion, an insertion that fails, an update of the first row, and a write without changes.
  private func runGroup(_ database: any DatabaseWriter, transactionCount: Int = 1) async throws {
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      throw Planned()
    }
    let third = try await queue.add { try $0.execute(sql: "UPDATE t SET a = 3 WHERE a = 1") }
    let fourth = try await queue.add { try $0.all() }
    let fifth = try await queue.add { try $0.add(5) }
    writes.trace.clear()
    queue.start()
    _ = try await first.value
    await #expect(throws: Planned.self) { try await second.value }
    try await third.value
    #expect(try await fourth.value == [3])
    _ = try await fifth.value
    #expect(writes.trace.lines.count { $0.hasPrefix("BEGIN IMMEDIATE") } == transactionCount)
  }

  @Test(arguments: GroupedWrites.Kind.allCases)
  func `a stream delivers them one by one, with one version of the database`(_ kind: GroupedWrites.Kind) async throws {
    let database = try writes.open(kind)
    let stream = try await database.changes()
    let other = try await database.changes()
    try await runGroup(database)
    _ = try await database.write { try $0.add(7) }
    let transactions = try await stream.take(4)
    #expect(
      transactions.map(\.lines) == [
        ["INSERT t [1]: a 1"], ["UPDATE t [1]: a 1 → 3"], ["INSERT t [2]: a 5"], ["INSERT t [3]: a 7"],
      ])
    #expect(try await other.take(4).map(\.lines) == transactions.map(\.lines))
    let versions = transactions.compactMap { $0.versions?.upperBound }
    #expect(versions[0] == versions[1] && versions[1] == versions[2] && versions[2] < versions[3])
  }

  @Test func `a stream of a region delivers those that concern it`() async throws {
    let database = try writes.open(.pool)
    try await database.write { try $0.execute(sql: "CREATE TABLE u(b)") }
    let stream = try await database.changes(in: Table("u"))
    let queue = try WriteQueue(database)
    var tasks: [Task<Void, any Error>] = []
    for number in 1...4 {
      tasks.append(
        try await queue.add { db in
          try db.execute(sql: "INSERT INTO \(number % 2 == 0 ? "u" : "t") VALUES (\(number))")
        })
    }
    queue.start()
    for task in tasks { try await task.value }
    #expect(try await stream.take(2).map(\.lines) == [["INSERT u [1]: b 2"], ["INSERT u [2]: b 4"]])
  }

  @Test func `each transaction of the same statement has its own rows`() async throws {
    let database = try writes.open(.pool)
    let stream = try await database.changes()
    let queue = try WriteQueue(database)
    var tasks: [Task<Void, any Error>] = []
    for number in 1...4 {
      tasks.append(
        try await queue.add { db in
          for copy in 0..<number {
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["row \(number).\(copy)"])
          }
        })
    }
    queue.start()
    for task in tasks { try await task.value }
    let lines = try await stream.take(4).map(\.lines)
    #expect(lines.map(\.count) == [1, 2, 3, 4])
    #expect(lines[0] == ["INSERT t [1]: a \"row 1.0\""])
    #expect(lines[3].last == "INSERT t [10]: a \"row 4.3\"")
  }

  @Test(arguments: GroupedWrites.Kind.allCases)
  func `the change feed stores them one by one`(_ kind: GroupedWrites.Kind) async throws {
    let database = try writes.open(kind) { $0.changeFeed = ChangeFeedConfiguration() }
    let token = try await database.read { try $0.changeToken() }
    try await runGroup(database)
    _ = try await database.write { try $0.add(7) }
    let stream = try await database.changes(after: token)
    let entries = try await stream.take(4)
    #expect(
      entries.map(\.changes.summary) == [
        "INSERT t [1]: a 1", "UPDATE t [1]: a 1 → 3", "INSERT t [2]: a 5", "INSERT t [3]: a 7",
      ])
    // Nothing is unknown in between.
    let last = try await database.read { try $0.changeToken() }
    #expect(last.version.count == token.version.count + 4)
  }

  @Test func `another process receives them one by one from the feed`() async throws {
    let database = try writes.open(.pool) { $0.changeFeed = ChangeFeedConfiguration() }
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    let other = try DatabasePool(path: writes.folder.path("db"), configuration: configuration)
    let stream = try await other.changes()
    try await runGroup(database)
    #expect(
      try await stream.take(3).map(\.lines) == [
        ["INSERT t [1]: a 1"], ["UPDATE t [1]: a 1 → 3"], ["INSERT t [2]: a 5"],
      ])
  }

  @Test func `a rolled back group leaves no entry in the feed`() async throws {
    let database = try writes.open(.pool) { $0.changeFeed = ChangeFeedConfiguration() }
    _ = try await database.write { try $0.add(0) }
    let token = try await database.read { try $0.changeToken() }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { try $0.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (0)") }
    queue.start()
    _ = try await first.value
    await #expect(throws: DatabaseError.self) { try await second.value }
    _ = try await database.write { try $0.add(2) }
    let entries = try await database.changes(after: token).take(2)
    #expect(entries.map(\.changes.summary) == ["INSERT t [2]: a 1", "INSERT t [3]: a 2"])
  }

  @Test(arguments: GroupedWrites.Kind.allCases)
  func `live queries receive the last value`(_ kind: GroupedWrites.Kind) async throws {
    let database = try writes.open(kind)
    let deliveries = Deliveries<[Int]>()
    let all = ValueObservation.tracking { try $0.all() }
      .start(in: database, scheduling: Inline(), onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) })
    try deliveries.wait { $0.last == [] }
    try await runGroup(database)
    try deliveries.wait { $0.last == [3, 5] }
    withExtendedLifetime(all) {}
  }

  @Test func `a region observation is notified of each of them`() async throws {
    let database = try writes.open(.pool)
    let count = Locked(0)
    let observation = DatabaseRegionObservation(tracking: Table("t"))
      .start(in: database, onError: { _ in }, onChange: { _ in count.update { $0 += 1 } })
    // It observes transactions of the connection.
    try await runGroup(database, transactionCount: 5)
    #expect(count.value == 3)
    withExtendedLifetime(observation) {}
  }

  // MARK: - Transaction observers

  @Test func `an observer sees transactions of SQLite`() async throws {
    let database = try writes.open(.pool)
    let recorder = EventRecorder(table: "t")
    database.add(transactionObserver: recorder)
    let queue = try WriteQueue(database)
    let tasks = [try await queue.add { try $0.add(1) }, try await queue.add { try $0.add(2) }]
    writes.trace.clear()
    queue.start()
    for task in tasks { _ = try await task.value }
    #expect(writes.transactions == ["INSERT INTO t VALUES (1) | C", "INSERT INTO t VALUES (2) | C"])
    let transaction = ["insert t 1", "will commit", "did commit"]
    #expect(recorder.takeLog().count == 2 * transaction.count)
  }

  @Test func `no write follows one that waits for the end of its transaction`() async throws {
    let database = try writes.open(.pool)
    let ends = Locked<[String]>([])
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      db.afterNextTransaction { db in
        let numbers = (try? db.all()) ?? []
        ends.update { $0.append("committed \(numbers)") }
      } onRollback: { _ in
        ends.update { $0.append("rolled back") }
      }
      try db.add(2)
    }
    let third = try await queue.add { try $0.add(3) }
    writes.trace.clear()
    queue.start()
    _ = try await first.value
    try await second.value
    _ = try await third.value
    #expect(writes.transactions.count == 2)
    #expect(ends.value == ["committed [1, 2]"])
  }

  @Test func `a write that waits for the end of its transaction, and fails, is rolled back`() async throws {
    let database = try writes.open(.pool)
    let ends = Locked<[String]>([])
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      db.afterNextTransaction { _ in
        ends.update { $0.append("committed") }
      } onRollback: { _ in
        ends.update { $0.append("rolled back") }
      }
      try db.add(2)
      throw Planned()
    }
    queue.start()
    _ = try await first.value
    await #expect(throws: Planned.self) { try await second.value }
    #expect(ends.value == ["rolled back"])
    #expect(try await database.read { try $0.all() } == [1])
  }

  @Test func `an observer can refuse only the write that has added it`() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      let recorder = EventRecorder()
      recorder.refusal = Planned()
      db.add(transactionObserver: recorder, extent: .nextTransaction)
      try db.add(2)
    }
    queue.start()
    #expect(try await first.value == 1)
    await #expect(throws: Planned.self) { try await second.value }
    #expect(try await database.read { try $0.all() } == [1])
  }
}
