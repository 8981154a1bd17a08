import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Waiting for a connection: in order, and without blocking threads.
@Suite struct PoolWaitingTests {
  @Test func waitingTasksUseNoThreads() async throws {
    // In a process of its own: other tests start threads.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool { $0.maximumReaderCount = 4 }
      let areReading = (0..<4).map { _ in Moment() }
      let mayEnd = Moment()
      let holders = areReading.map { isReading in
        Task {
          try await pool.read { _ in
            isReading.happen()
            try mayEnd.wait()
          }
        }
      }
      for isReading in areReading { await isReading.reached() }
      // One thread for each reader, and Swift's own.
      let before = ProcessCounters.current
      let waiters = (0..<10_000).map { number in Task { try await pool.read { _ in number } } }
      while pool.readers.load.waiting < 10_000 { await Task.yield() }
      try #require(ProcessCounters.current.threads <= before.threads + 1)
      // Swift's own threads are free: this access runs meanwhile.
      try #require(await Task { 1 }.value == 1)
      mayEnd.happen()
      for (number, waiter) in waiters.enumerated() { try #require(try await waiter.value == number) }
      for holder in holders { try await holder.value }
      try #require(ProcessCounters.current.threads <= before.threads + 1)
    }
  }

  @Test func reservedReadersDoNotDeadlockBlockedThreads() async throws {
    // In a process of its own, whose threads for tasks are all blocked.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool { $0.maximumReaderCount = 1 }
      let holder = await LongAccess { last in try pool.read { _ in try last() } }
      let sleeper = Task { try await pool.readInline { try $0.numbers() } }
      while pool.readers.load.waiting < 1 { await Task.yield() }
      // As many as Swift has threads. They wait behind the sleeping one.
      let count = ProcessInfo.processInfo.activeProcessorCount
      let others = (0..<count).map { _ in Task { try synchronously { try pool.read { try $0.numbers() } } } }
      let opener = Background {
        try waitUntil { pool.readers.load.waiting == 1 + count }
        holder.mayGoOn()
        // Rather than blocking forever.
        Thread.detachNewThread {
          sleep(30)
          exit(EXIT_FAILURE)
        }
      }
      for other in others { try #require(try await other.value == []) }
      try #require(try await sleeper.value == [])
      try await holder.end()
      try await opener.reached()
    }
  }

  @Test func readsAreServedInOrder() async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.tablePool { $0.maximumReaderCount = 1 }
    let order = Journal<Int>()
    let holder = await LongAccess { last in try pool.read { _ in try last() } }
    var reads: [Task<Void, any Error>] = []
    var threads: [Background<Void>] = []
    for number in 0..<60 {
      // Tasks, threads and callbacks wait in one queue.
      switch number % 3 {
      case 0: reads.append(Task { try await pool.read { _ in order.append(number) } })
      case 1: threads.append(Background { try pool.read { _ in order.append(number) } })
      default: pool.asyncRead { _ in order.append(number) }
      }
      while pool.readers.load.waiting == number { await Task.yield() }
    }
    try await holder.end()
    for read in reads { try await read.value }
    for thread in threads { try await thread.reached() }
    try await pool.read { _ in }
    #expect(order.entries == Array(0..<60))
  }

  @Test func writesAreServedInOrder() async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.tablePool()
    pool.unsafeReentrantWrite { _ in
      for number in 0..<60 { pool.asyncWrite({ try $0.insert(number) }, completion: { _, _ in }) }
    }
    try await pool.write { try $0.insert(60) }
    let rows = try await pool.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY rowid") }
    #expect(rows == Array(0...60))
  }

  @Test func failedReaderOpeningsReleaseTheirSlot() async throws {
    // In a process of its own, which runs out of descriptors (hazard F13).
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool { $0.maximumReaderCount = 2 }
      try await pool.write { try $0.insert(1) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      var codes: [ResultCode?] = []
      for _ in 0..<6 { codes.append(resultCode { _ = try synchronously { try pool.read { try $0.numbers() } } }) }
      for _ in 0..<6 {
        do {
          codes.append(nil)
          _ = try await pool.read { try $0.numbers() }
        } catch {
          codes[codes.count - 1] = (error as? DatabaseError)?.resultCode
        }
      }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try #require(codes == Array(repeating: .SQLITE_CANTOPEN, count: 12))
      try #require(pool.readers.load == (0, 0))
      try #require(try await pool.read { try $0.numbers() } == [1])
    }
  }

  @Test func failedPreparationsReleaseTheirSlot() async throws {
    let folder = try TemporaryFolder()
    let mayOpen = Moment()
    let pool = try folder.tablePool { configuration in
      configuration.maximumReaderCount = 1
      configuration.prepareDatabase { db in
        if db.description.contains("reader"), !mayOpen.hasHappened { throw Planned() }
      }
    }
    for _ in 0..<3 {
      await #expect(throws: Planned.self) { try await pool.read { _ in } }
      await #expect(throws: Planned.self) { try await later(pool.asyncRead) { _ in } }
      await #expect(throws: Planned.self) { try await pool.readInline { _ in } }
    }
    #expect(folder.descriptorCount > 0)
    mayOpen.happen()
    #expect(try await pool.read { try $0.numbers() } == [])
  }
}
