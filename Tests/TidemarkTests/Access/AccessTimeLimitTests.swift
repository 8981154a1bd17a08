import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Guarantee P5: every call that waits has a timeout or can be cancelled.
@Suite(.untilItHangs) struct AccessTimeLimitTests {
  private let isOver = "access timed out after 0.02 s"

  private func message(_ body: () throws -> Void) -> String? {
    #expect(throws: DatabaseError.self, performing: body)?.message
  }

  private func message(_ body: () async throws -> Void) async -> String? {
    await #expect(throws: DatabaseError.self) { try await body() }?.message
  }

  private struct Held {
    let folder: TemporaryFolder
    let pool: DatabasePool
    let holders: [LongAccess<Void>]

    /// A pool whose connections are all in use.
    init() throws {
      folder = try TemporaryFolder()
      let pool = try folder.tablePool { $0.maximumReaderCount = 1 }
      self.pool = pool
      holders = [
        try LongAccess { last in try pool.writeWithoutTransaction { _ in try last() } },
        try LongAccess { last in try pool.read { _ in try last() } },
      ]
    }

    func end() throws {
      for holder in holders { try holder.end() }
      // Accesses that timed out have left nothing behind.
      try pool.write { try $0.insert(1) }
      #expect(try pool.read { try $0.numbers() } == [1])
      #expect(pool.readers.load == (0, 0))
      try pool.close()
    }
  }

  @Test(arguments: [(1, 5), (5, 1)])
  func theShorterLimitOfConfigurationAndTaskApplies(configured: Int, ofTask: Int) {
    var configuration = Configuration()
    configuration.accessTimeLimit = .seconds(configured)
    configuration.environment.clock = FakeClock().clock
    let limit = AccessTimeLimit(configuration)
    let deadline = Database.withAccessTimeLimit(.seconds(ofTask)) { limit.deadline() }
    #expect(deadline?.remaining == .seconds(1))
  }

  @Test func synchronousAccessesTimeOutWhileWaiting() throws {
    let held = try Held()
    let pool = held.pool
    Database.withAccessTimeLimit(.milliseconds(20)) {
      #expect(message { try pool.read { _ in } } == isOver)
      #expect(message { try pool.unsafeRead { _ in } } == isOver)
      #expect(message { try pool.write { _ in } } == isOver)
      #expect(message { try pool.writeInTransaction { _ in .commit } } == isOver)
      #expect(message { try pool.barrierWriteWithoutTransaction { _ in } } == isOver)
      #expect(message { try pool.vacuum() } == isOver)
      #expect(message { _ = try pool.makeSnapshotPool() } == isOver)
      #expect(message { try AnyDatabaseWriter(pool).write { _ in } } == isOver)
    }
    try held.end()
  }

  @Test func asynchronousAccessesTimeOutWhileWaiting() async throws {
    let held = try Held()
    let pool = held.pool
    await Database.withAccessTimeLimit(.milliseconds(20)) {
      #expect(await message { try await pool.read { _ in } } == isOver)
      #expect(await message { try await pool.readInline { _ in } } == isOver)
      #expect(await message { try await pool.write { _ in } } == isOver)
      #expect(await message { try await pool.barrierWriteWithoutTransaction { _ in } } == isOver)
    }
    try held.end()
  }

  @Test func queueAccessesTimeOutWhileWaiting() async throws {
    let queue = try DatabaseQueue()
    let holder = await LongAccess { last in try queue.writeWithoutTransaction { _ in try last() } }
    await Database.withAccessTimeLimit(.milliseconds(20)) {
      #expect(message { try queue.read { _ in } } == isOver)
      #expect(message { try queue.write { _ in } } == isOver)
      #expect(message { try queue.inTransaction { _ in .commit } } == isOver)
      #expect(message { try AnyDatabaseWriter(queue).barrierWriteWithoutTransaction { _ in } } == isOver)
      #expect(message { try AnyDatabaseReader(queue).unsafeRead { _ in } } == isOver)
      #expect(await message { try await queue.read { _ in } } == isOver)
      #expect(await message { try await queue.write { _ in } } == isOver)
    }
    try await holder.end()
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }

  @Test func configuredLimitIncludesTheWait() async throws {
    var configuration = Configuration()
    configuration.accessTimeLimit = .milliseconds(20)
    let queue = try DatabaseQueue(configuration: configuration)
    let holder = await LongAccess { last in try queue.writeWithoutTransaction { _ in try last() } }
    #expect(message { try queue.write { _ in } } == isOver)
    #expect(await message { try await queue.write { _ in } } == isOver)
    try await holder.end()
  }

  @Test func runningStatementsTimeOut() async throws {
    let queue = try DatabaseQueue()
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
    await Database.withAccessTimeLimit(.milliseconds(20)) {
      #expect(message { try queue.read { _ = try Int.fetchOne($0, sql: sql) } } == isOver)
      #expect(message { try queue.inDatabase { _ = try Int.fetchOne($0, sql: sql) } } == isOver)
      #expect(await message { _ = try await queue.read { try Int.fetchOne($0, sql: sql) } } == isOver)
    }
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }

  @Test func nestedLimitsOnlyShorten() throws {
    let queue = try DatabaseQueue()
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
    Database.withAccessTimeLimit(.milliseconds(20)) {
      Database.withAccessTimeLimit(.seconds(1000)) {
        #expect(message { try queue.read { _ = try Int.fetchOne($0, sql: sql) } } == isOver)
      }
    }
  }

  @Test func accessesWithinTheLimitSucceed() async throws {
    let queue = try DatabaseQueue()
    let results = try await Database.withAccessTimeLimit(.seconds(1000)) {
      let one = try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") }
      let two = try await queue.write { try Int.fetchOne($0, sql: "SELECT 2") }
      return [one, two]
    }
    #expect(results == [1, 2])
  }
}
