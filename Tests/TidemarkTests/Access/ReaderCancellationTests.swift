import Testing
import Tidemark

/// A cancelled task ends its access without any effect on others. For queue, pool and snapshot.
@Suite struct ReaderCancellationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: TestReader.allCases)
  func cancelledTasksDoNotRead(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    let isCancelled = Moment()
    let task = Task {
      await isCancelled.reached()
      return try await reader.read { _ in Issue.record("It was cancelled") }
    }
    task.cancel()
    isCancelled.happen()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func cancelledWaitersLeaveImmediately(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    let other = await LongAccess { last in try reader.read { _ in try last() } }
    let tasks = (0..<50).map { _ in
      Task { try await reader.read { _ in Issue.record("It was cancelled") } }
    }
    for task in tasks { task.cancel() }
    // While the connection is still in use.
    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(!other.hasEnded)
    try await other.end()
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func cancellationInterruptsTheStatement(kind: TestReader) async throws {
    let isRunning = Moment()
    let reader = try kind.open(in: folder) { NeverEnding.add(to: &$0) { isRunning.happen() } }
    let task = Task { try await reader.read { try Int.fetchOne($0, sql: NeverEnding.sql) } }
    await isRunning.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    // The next access of the same connection is not affected.
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
    if kind != .snapshot {
      #expect(try await reader.unsafeRead { $0.isInsideTransaction } == false)
    }
  }

  @Test(arguments: TestReader.allCases)
  func cancellationBetweenStatementsThrows(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    let isReading = Moment()
    let isCancelled = Moment()
    let task = Task {
      try await reader.read { db in
        _ = try db.numbers()
        isReading.happen()
        try isCancelled.wait()
        return try db.numbers()
      }
    }
    await isReading.reached()
    task.cancel()
    isCancelled.happen()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
  }

  // MARK: - Interrupting

  @Test(arguments: TestReader.allCases)
  func interruptFailsTheRunningStatement(kind: TestReader) async throws {
    let isRunning = Moment()
    let reader = try kind.open(in: folder) { NeverEnding.add(to: &$0) { isRunning.happen() } }
    let other = Background {
      resultCode { _ = try reader.read { try Int.fetchOne($0, sql: NeverEnding.sql) } }
    }
    await isRunning.reached()
    reader.interrupt()
    #expect(try await other.reached() == .SQLITE_INTERRUPT)
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func interruptingAnIdleReaderDoesNothing(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    reader.interrupt()
    #expect(try reader.read { try $0.numbers() } == [1, 2, 3])
    try reader.close()
    reader.interrupt()
  }

  @Test(arguments: [TestReader.pool, .readonlyPool, .queue])
  func interruptingAnEscapedCursorLeavesNoTransaction(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    nonisolated(unsafe) var cursor: RowCursor?
    let code = resultCode {
      try reader.read { db in
        // The statement is running, so SQLite remembers the interruption, even for a rollback.
        cursor = try Row.fetchCursor(db, sql: "SELECT n FROM t")
        _ = try cursor?.next()
        reader.interrupt()
        _ = try db.numbers()
      }
    }
    #expect(code == .SQLITE_INTERRUPT)
    #expect(cursor != nil)
    #expect(try reader.read { try $0.numbers() } == [1, 2, 3])
  }
}
