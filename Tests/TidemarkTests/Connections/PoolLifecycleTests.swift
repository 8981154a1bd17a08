import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Closing a pool, releasing its connections, and what remains afterwards (guarantee P6).
@Suite struct PoolLifecycleTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool { $0.maximumReaderCount = 2 }
  }

  @Test func closingClosesAllConnections() async throws {
    let pool = pool
    try await pool.read { _ in _ = try Background { try pool.read { try $0.numbers() } }.value() }
    try pool.close()
    #expect(folder.descriptorCount == 0)
    #expect(await message { try await pool.write { try $0.insert(1) } } == closedMessage)
    #expect(message { try pool.barrierWriteWithoutTransaction { try $0.insert(1) } } == closedMessage)
    #expect(message { try pool.writeInTransaction { _ in .commit } } == closedMessage)
    #expect(message { try pool.vacuum() } == closedMessage)
    #expect(message { _ = try pool.makeSnapshotPool() } == closedMessage)
    #expect(await message { _ = try await pool.readInline { try $0.numbers() } } == closedMessage)
    pool.interrupt()
    pool.releaseMemory()
    pool.invalidateReadOnlyConnections()
    #expect(folder.descriptorCount == 0)
  }

  @Test func closingWaitsForRunningAccesses() throws {
    let pool = pool
    let read = try LongAccess { last in
      try pool.read { db in
        try last()
        return try db.numbers()
      }
    }
    let close = Background { try pool.close() }
    #expect(!close.hasEnded)
    #expect(try read.end() == [])
    try close.value()
    #expect(folder.descriptorCount == 0)
  }

  @Test func readsWaitingDuringCloseOpenNoConnection() throws {
    for _ in 0..<20 {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool { $0.maximumReaderCount = 1 }
      let read = try LongAccess { last in try pool.read { _ in try last() } }
      let close = Background { try pool.close() }
      // Once the close waits, these wait after it.
      try waitUntil { pool.readers.load.waiting == 1 }
      let others = (0..<4).map { _ in
        Background { message { _ = try pool.read { try $0.numbers() } } }
      }
      try waitUntil { pool.readers.load.waiting == 5 }
      try read.end()
      try close.value()
      #expect(try others.map { try $0.value() } == Array(repeating: closedMessage, count: 4))
      #expect(folder.descriptorCount == 0)
    }
  }

  @Test(arguments: ["reader", "writer"])
  func poolsWithARetainedStatementAreClosed(holder: String) async throws {
    nonisolated(unsafe) var statement: Tidemark.Statement?
    let makeStatement = { (db: Database) in statement = try db.makeStatement(sql: "SELECT n FROM t") }
    let pool = pool
    if holder == "reader" {
      try synchronously { try pool.unsafeRead(makeStatement) }
    } else {
      try synchronously { try pool.writeWithoutTransaction(makeStatement) }
    }
    #expect(resultCode { try pool.close() } == .SQLITE_BUSY)
    #expect(statement != nil)
    try pool.close()
    #expect(message { try synchronously { try pool.write { try $0.insert(1) } } } == closedMessage)
    #expect(message { _ = try synchronously { try pool.read { try $0.numbers() } } } == closedMessage)
    #expect(await message { try await pool.write { try $0.insert(1) } } == closedMessage)
    #expect(await message { _ = try await pool.read { try $0.numbers() } } == closedMessage)
    statement = nil
    #expect(folder.descriptorCount == 0)
  }

  @Test func aStatementThatOutlivesItsPoolDoesNotRun() throws {
    let statement = try pool.writeWithoutTransaction { UnsafeTransfer(try $0.makeStatement(sql: "SELECT n FROM t")) }
    #expect(resultCode { try pool.close() } == .SQLITE_BUSY)
    #expect(message { try pool.writeWithoutTransaction { _ in try statement.value.execute() } } == closedMessage)
  }

  @Test func releasedPoolsAreClosed() throws {
    let folder = try TemporaryFolder()
    var pool: DatabasePool? = try folder.tablePool()
    _ = try pool?.read { try $0.numbers() }
    #expect(folder.descriptorCount > 0)
    pool = nil
    #expect(folder.descriptorCount == 0)
  }

  // MARK: - Readers

  private func readerName() throws -> String { try pool.read { $0.description } }

  @Test func releasedReadersAreReopened() throws {
    #expect(try readerName() == "Tidemark.DatabasePool.reader.1")
    let before = folder.descriptorCount
    pool.releaseMemory()
    #expect(folder.descriptorCount < before)
    #expect(try readerName() == "Tidemark.DatabasePool.reader.2")
    pool.releaseMemoryEventually()
    #expect(try readerName() == "Tidemark.DatabasePool.reader.3")
    pool.invalidateReadOnlyConnections()
    #expect(try readerName() == "Tidemark.DatabasePool.reader.4")
  }

  @Test func persistentReadersStayOpen() throws {
    let pool = try folder.pool { $0.persistentReadOnlyConnections = true }
    #expect(try pool.read { $0.description } == "Tidemark.DatabasePool.reader.1")
    pool.releaseMemory()
    #expect(try pool.read { $0.description } == "Tidemark.DatabasePool.reader.1")
    pool.invalidateReadOnlyConnections()
    #expect(try pool.read { $0.description } == "Tidemark.DatabasePool.reader.2")
  }

  @Test func busyReadersAreReleasedAfterTheirRead() throws {
    let pool = pool
    try pool.read { db in
      #expect(db.description == "Tidemark.DatabasePool.reader.1")
      try Background { pool.releaseMemory() }.value()
      #expect(try db.numbers() == [])
    }
    #expect(try readerName() == "Tidemark.DatabasePool.reader.2")
  }

  @Test func invalidatedReadersAreNotReusedAfterABarrier() throws {
    let pool = pool
    // Two readers. One is idle when they are invalidated, while a barrier waits for the other.
    try pool.read { _ in _ = try Background { try pool.read { try $0.numbers() } }.value() }
    let read = try LongAccess { last in try pool.read { _ in try last() } }
    let barrier = Background { try pool.barrierWriteWithoutTransaction { _ in } }
    try waitUntil { pool.readers.load.waiting == 1 }
    pool.invalidateReadOnlyConnections()
    try read.end()
    try barrier.value()
    #expect(try readerName() == "Tidemark.DatabasePool.reader.3")
  }

  @Test func preparationsRunForEachReader() throws {
    let names = Journal<String>()
    let pool = try folder.pool { $0.prepareDatabase { names.append($0.description) } }
    _ = try pool.read { try $0.numbers() }
    pool.invalidateReadOnlyConnections()
    _ = try pool.read { try $0.numbers() }
    #expect(
      names.entries.map { $0.split(separator: ".").dropFirst(2).joined(separator: ".") } == [
        "writer", "reader.1", "reader.2",
      ])
  }

  @Test func interruptStopsWriterAndReaders() throws {
    let isRunning = [Moment(), Moment()]
    let pool = try folder.pool { configuration in
      configuration.prepareDatabase { db in
        let isWriter = db.description.hasSuffix("writer")
        db.add(
          function: DatabaseFunction("running", argumentCount: 1) { values in
            isRunning[isWriter ? 0 : 1].happen()
            return values[0]
          })
      }
    }
    let write = Background {
      resultCode {
        try pool.write { db in
          try db.insert(1)
          _ = try Int.fetchOne(db, sql: NeverEnding.sql)
        }
      }
    }
    let read = Background { resultCode { _ = try pool.read { try Int.fetchOne($0, sql: NeverEnding.sql) } } }
    for moment in isRunning { try moment.wait() }
    pool.interrupt()
    #expect(try write.value() == .SQLITE_INTERRUPT)
    #expect(try read.value() == .SQLITE_INTERRUPT)
    #expect(try pool.read { try $0.numbers() } == [])
    try pool.write { try $0.insert(2) }
    #expect(try pool.read { try $0.numbers() } == [2])
  }
}

/// Invariant: releasing idle readers ends, also when readers are opened meanwhile. It once looped endlessly over a
/// reader of the new generation, which was idle again as soon as it was returned.
@Suite struct InvalidationTests {
  private final class ReadsOnceReleased: Sendable {
    let read: @Sendable () -> Void
    init(_ read: @escaping @Sendable () -> Void) { self.read = read }
    deinit { read() }
  }

  @Test(.untilItHangs) func invalidationEndsIfReadersAreOpenedConcurrently() throws {
    let folder = try TemporaryFolder()
    let reads = Mutex<@Sendable () -> Void>({})
    let pool = try folder.tablePool { configuration in
      configuration.maximumReaderCount = 2
      configuration.prepareDatabase { db in
        // Released when the connection is closed, and then reads with another one.
        let reader = ReadsOnceReleased { reads.withLock { $0 }() }
        db.add(function: DatabaseFunction("unused", argumentCount: 0) { _ in withExtendedLifetime(reader) { nil } })
      }
    }
    #expect(try pool.read { try $0.numbers() } == [])
    let count = Mutex(0)
    reads.withLock {
      $0 = { [weak pool] in
        guard
          count.withLock({
            $0 += 1; return $0
          }) == 1, let pool
        else { return }
        #expect(throws: Never.self) { try pool.read { _ = try $0.numbers() } }
      }
    }
    pool.invalidateReadOnlyConnections()
    #expect(count.withLock { $0 } == 1)
    #expect(pool.readers.load.busy == 0)
  }
}
