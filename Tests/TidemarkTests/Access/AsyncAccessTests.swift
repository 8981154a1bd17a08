import Foundation
import Testing
import Tidemark

/// Accesses that wait without blocking a thread (hazards S1, S2).
@Suite struct AsyncAccessTests {
  @Test func accessesRunInOrder() throws {
    let dbQueue = try DatabaseQueue()
    let order = Locked<[Int]>([])
    let end = Signal()
    dbQueue.inDatabase { _ in
      for number in 0..<300 {
        // All kinds of accesses wait in one queue.
        switch number % 4 {
        case 0: dbQueue.asyncWriteWithoutTransaction { _ in order.update { $0.append(number) } }
        case 1: dbQueue.asyncRead { _ in order.update { $0.append(number) } }
        case 2: dbQueue.asyncUnsafeRead { _ in order.update { $0.append(number) } }
        default: dbQueue.asyncBarrierWriteWithoutTransaction { _ in order.update { $0.append(number) } }
        }
      }
      dbQueue.asyncWriteWithoutTransaction { _ in end.fire() }
    }
    try end.wait()
    #expect(order.value == Array(0..<300))
  }

  @Test func asynchronousAccessesLeaveAndReturnToTheTask() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let count = try await dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'), ('b')")
      return db.changesCount
    }
    #expect(count == 2)
    #expect(try await dbQueue.read { try $0.titles() } == ["a", "b"])
    await #expect(throws: Planned(number: 5)) { try await dbQueue.write { _ in throw Planned(number: 5) } }
  }

  @Test @MainActor func mainActorIsNotBlocked() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let mayEnd = Signal()
    let access = Task { try await dbQueue.write { _ in try mayEnd.wait() } }
    // This could never run if the access above blocked this thread.
    await Task.yield()
    mayEnd.fire()
    try await access.value
  }

  @Test func waitingTasksUseNoThreads() async {
    await #expect(processExitsWith: .success) {
      guard ProcessCounters.areAvailable else { return }
      let dbQueue = try DatabaseQueue.withBooks()
      try await dbQueue.write { _ in }
      // The size of Swift's pool of threads for tasks.
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<64 { group.addTask { await Task.yield() } }
      }
      let holds = Signal()
      let mayEnd = Signal()
      let before = ProcessCounters.threadCount
      onThread {
        dbQueue.inDatabase { _ in
          holds.fire()
          try? mayEnd.wait()
        }
      }
      try holds.wait()
      let tasks = (0..<1000).map { number in
        Task {
          if number.isMultiple(of: 2) { try await dbQueue.read { _ in } } else { try await dbQueue.write { _ in } }
        }
      }
      // A thousand tasks are waiting: this one has started after them, and still finds a thread.
      await Task { await Task.yield() }.value
      let during = ProcessCounters.threadCount
      mayEnd.fire()
      for task in tasks { try await task.value }
      // The thread that uses the queue, and those that the system may add to its own pool.
      precondition(
        during <= before + 1 + ProcessInfo.processInfo.activeProcessorCount, "\(before) threads, then \(during)")
    }
  }

  @Test func releasedQueuesFinishPendingAccesses() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let ends = Locked(0)
    let tasks: [Task<Void, any Error>]
    do {
      let dbQueue = try DatabaseQueue(path: path)
      try await dbQueue.write { try $0.createBooks() }
      let mayBegin = Signal()
      dbQueue.asyncWriteWithoutTransaction { _ in try? mayBegin.wait() }
      for number in 0..<100 {
        dbQueue.asyncWrite({ try $0.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: [number]) }) {
          _, result in
          if case .success = result { ends.update { $0 += 1 } }
        }
      }
      tasks = (100..<200).map { (number: Int) in
        Task { [dbQueue] in
          try await dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: [number]) }
        }
      }
      mayBegin.fire()
    }
    for task in tasks { try await task.value }
    try await waitUntil { ends.value == 100 }
    #expect(try await DatabaseQueue(path: path).read { try $0.titles().count } == 200)
  }

  @Test func tasksAndThreadsShareAQueue() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try await dbQueue.write { try $0.execute(sql: "INSERT INTO book (id, title, pages) VALUES (1, 'a', 0)") }
    let increment: @Sendable (Database) throws -> Void = { db in
      let pages = try Int.fetchOne(db, sql: "SELECT pages FROM book") ?? 0
      try db.execute(sql: "UPDATE book SET pages = ?", arguments: [pages + 1])
    }
    let ends = (0..<3).map { _ in Signal() }
    for end in ends {
      onThread {
        for _ in 0..<100 { try? dbQueue.write(increment) }
        end.fire()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<300 { group.addTask { try await dbQueue.write(increment) } }
      try await group.waitForAll()
    }
    for end in ends {
      try await withCheckedThrowingContinuation { continuation in
        onThread { continuation.resume(with: Result { try end.wait() }) }
      }
    }
    #expect(try await dbQueue.read { try Int.fetchOne($0, sql: "SELECT pages FROM book") } == 600)
  }
}
