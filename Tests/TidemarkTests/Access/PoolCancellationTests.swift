import Testing
import Tidemark

/// A cancelled task leaves nothing behind in a pool.
@Suite struct PoolCancellationTests {
  let folder: TemporaryFolder
  let isRunning = Moment()
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool { [isRunning] configuration in
      configuration.maximumReaderCount = 2
      NeverEnding.add(to: &configuration) { isRunning.happen() }
    }
  }

  @Test func cancelledWritesAreRolledBack() async throws {
    let pool = pool
    let task = Task {
      try await pool.write { db in
        try db.insert(1)
        _ = try Int.fetchOne(db, sql: NeverEnding.sql)
      }
    }
    await isRunning.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.read { try $0.numbers() } == [])
    try await pool.write { db in
      #expect(try Int.fetchOne(db, sql: "PRAGMA query_only") == 0)
      try db.insert(2)
    }
    #expect(try await pool.read { try $0.numbers() } == [2])
  }

  @Test func interruptedWritesLeaveNoRow() async throws {
    let pool = pool
    let task = Task {
      try await pool.write { db in
        try db.execute(
          sql: """
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT running(i) FROM n
            """)
      }
    }
    await isRunning.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.read { try $0.numbers() } == [])
  }

  @Test func writesCancelledBeforeTheCommitAreRolledBack() async throws {
    let pool = pool
    let hasWritten = Moment()
    let isCancelled = Moment()
    let task = Task {
      try await pool.write { db in
        try db.insert(1)
        hasWritten.happen()
        try isCancelled.wait()
      }
    }
    await hasWritten.reached()
    task.cancel()
    isCancelled.happen()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.read { try $0.numbers() } == [])
  }

  @Test func cancellationAffectsOnlyItsAccess() async throws {
    let pool = pool
    let task = Task { try await pool.read { try Int.fetchOne($0, sql: NeverEnding.sql) } }
    await isRunning.reached()
    // Meanwhile, the other reader and the writer each run a statement.
    let sum = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT COUNT(i) FROM n"
    async let read = pool.read { try Int.fetchOne($0, sql: sum) }
    async let write = pool.write { db in
      try db.insert(1)
      return try Int.fetchOne(db, sql: sum)
    }
    task.cancel()
    #expect(try await read == 200_000)
    #expect(try await write == 200_000)
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await pool.read { try $0.numbers() } == [1])
  }

  @Test func cancelledWaitersAreSkipped() async throws {
    let pool = pool
    let reads = await [
      LongAccess { last in try pool.read { _ in try last() } },
      LongAccess { last in try pool.read { _ in try last() } },
    ]
    // Half of the waiting accesses are cancelled, from the middle of the queue.
    let tasks = (0..<100).map { number in
      Task { try await pool.read { _ in number } }
    }
    for number in stride(from: 0, to: 100, by: 2) { tasks[number].cancel() }
    for number in stride(from: 0, to: 100, by: 2) {
      await #expect(throws: CancellationError.self) { try await tasks[number].value }
    }
    for read in reads { read.mayGoOn() }
    for number in stride(from: 1, to: 100, by: 2) { #expect(try await tasks[number].value == number) }
    for read in reads { try await read.end() }
  }

  @Test func closureErrorsAreThrownAfterCancellation() async throws {
    let pool = pool
    let hasBegun = Moment()
    let isCancelled = Moment()
    let task = Task {
      try await pool.write { db in
        try db.insert(1)
        hasBegun.happen()
        try isCancelled.wait()
        throw Planned()
      }
    }
    await hasBegun.reached()
    task.cancel()
    isCancelled.happen()
    await #expect(throws: Planned.self) { try await task.value }
    #expect(try await pool.read { try $0.numbers() } == [])
  }
}
