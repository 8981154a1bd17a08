import Testing
import Tidemark

/// Reads that begin in a write (`spawnConcurrentRead`), and barriers.
@Suite struct PoolConcurrentReadTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool { $0.maximumReaderCount = 2 }
  }

  @Test func concurrentReadSeesTheCommittedState() async throws {
    let pool = pool
    let hasWritten = Moment()
    let seen = Journal<[Int]>()
    let end = Moment()
    try await pool.writeWithoutTransaction { db in
      try db.insert(1)
      pool.asyncConcurrentRead { result in
        do {
          try hasWritten.wait()
          seen.append(try result.get().numbers())
        } catch {
          Issue.record(error)
        }
        end.happen()
      }
      // The writer continues before the read has read anything.
      try db.insert(2)
      hasWritten.happen()
    }
    await end.reached()
    #expect(seen.entries == [[1]])
  }

  @Test func writerContinuesOnceTheSnapshotIsTaken() async throws {
    let pool = pool
    let mayRead = Moment()
    try pool.unsafeReentrantWrite { db in
      try db.insert(1)
      pool.spawnConcurrentRead { _ in try? mayRead.wait() }
    }
    // The read is still running.
    try await pool.write { try $0.insert(2) }
    mayRead.happen()
    #expect(try await pool.read { try $0.numbers() } == [1, 2])
  }

  @Test func concurrentReadsHaveSeparateSnapshots() async throws {
    let pool = pool
    let seen = Journal<Int>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...40 {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { db in
              do {
                try db.insert(number)
                let expected = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                pool.spawnConcurrentRead { result in
                  continuation.resume(
                    with: Result {
                      let count = try Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM t")
                      if count == expected { seen.append(number) }
                    })
                }
              } catch {
                continuation.resume(throwing: error)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.entries.count == 40)
  }

  @Test func concurrentReadsOfAClosedPoolFail() async throws {
    let pool = pool
    try pool.close()
    let end = Moment()
    let codes = Journal<ResultCode?>()
    pool.asyncConcurrentRead { result in
      codes.append(resultCode { _ = try result.get() })
      end.happen()
    }
    await end.reached()
    #expect(codes.entries == [.SQLITE_MISUSE])
  }

  @Test func concurrentReadInsideATransactionTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool()
      try pool.write { _ in pool.spawnConcurrentRead { _ in } }
    }
    #expect(result.words.contains("must not be called from inside a transaction."))
  }

  // MARK: - Barriers

  @Test func barriersWaitForReadsAndBlockLaterReads() throws {
    let pool = pool
    let order = Journal<String>()
    let read = try LongAccess { last in
      try pool.read { _ in
        try last()
        order.append("read")
      }
    }
    let isInside = Moment()
    let barrier = Background {
      try pool.barrierWriteWithoutTransaction { db in
        isInside.happen()
        order.append("barrier")
        try db.insert(1)
      }
    }
    #expect(!isInside.hasHappened)
    try read.end()
    try barrier.value()
    #expect(order.entries == ["read", "barrier"])
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test func nothingReadsDuringABarrier() throws {
    let pool = pool
    try pool.barrierWriteWithoutTransaction { db in
      let read = Background { try pool.read { try $0.numbers() } }
      try db.insert(1)
      #expect(!read.hasEnded)
      try db.insert(2)
    }
    #expect(try pool.read { try $0.numbers() } == [1, 2])
  }

  @Test func barriersOfCancelledTasksLeaveImmediately() async throws {
    let pool = pool
    let read = await LongAccess { last in try pool.read { _ in try last() } }
    let tasks = (0..<10).map { _ in
      Task { try await pool.barrierWriteWithoutTransaction { _ in Issue.record("It was cancelled") } }
    }
    for task in tasks {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // While the read is running, the writer and the other reader are free.
    try await pool.write { try $0.insert(1) }
    #expect(try await pool.read { try $0.numbers() } == [1])
    #expect(!read.hasEnded)
    try await read.end()
    try await pool.barrierWriteWithoutTransaction { try $0.insert(2) }
    #expect(try await pool.read { try $0.numbers() } == [1, 2])
  }

  @Test func barrierInsideAReadTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool()
      try pool.read { _ in try pool.barrierWriteWithoutTransaction { _ in } }
    }
    #expect(result.words.contains("cannot be called from inside a read"))
  }

  @Test func waitingBarriersOfAClosedPoolFail() async throws {
    let pool = pool
    try await later(pool.asyncBarrierWriteWithoutTransaction) { try $0.insert(1) }
    #expect(try await pool.read { try $0.numbers() } == [1])
    try pool.close()
    let words = await message { try await later(pool.asyncBarrierWriteWithoutTransaction) { try $0.insert(2) } }
    #expect(words == closedMessage)
  }
}
