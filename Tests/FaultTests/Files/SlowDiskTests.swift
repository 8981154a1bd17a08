import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The disk takes very long for a call, as a network volume or a failing device does.
@Suite(.serialized, .untilItHangs) struct SlowDiskTests {
  private let folder: TestFolder
  private let disk = SlowDisk()
  private let pool: DatabasePool

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.environment.vfs = disk.vfs.name
    configuration.maximumReaderCount = 2
    configuration.durability = .full
    // Reads do not find everything in memory.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 10") }
    pool = try DatabasePool(path: folder.database, configuration: configuration)
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, filler BLOB)")
      for number in 1...50 { try insert(number, db) }
    }
  }

  private func insert(_ number: Int, _ db: Database) throws {
    try db.execute(sql: "INSERT INTO t VALUES (?, zeroblob(3000))", arguments: [number])
  }

  private func count(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0 }

  private func readCount() throws -> Int { try pool.read(count) }

  /// Reads all pages of the table.
  private func size(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT SUM(LENGTH(CAST(filler AS TEXT)) + LENGTH(filler)) FROM t") ?? 0
  }

  /// Checks that nothing is left behind, and that the pool works.
  private func end(count expected: Int) throws {
    disk.vfs.onNoCall()
    try pool.write { try insert(1_000, $0) }
    #expect(try pool.read(count) == expected + 1)
    // A live query may still fetch.
    try Wait.until("idle readers") { pool.readers.load == (0, 0) }
    try pool.close()
    #expect(folder.integrity() == "ok")
  }

  /// Expects that an access runs out of time.
  private func expectTimeOut(_ body: () throws -> Void) {
    let error = #expect(throws: DatabaseError.self) {
      try Database.withAccessTimeLimit(.milliseconds(20), body)
    }
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
  }

  // MARK: - Commits

  @Test(arguments: [FaultVFS.writes, FaultVFS.syncs])
  func `while a commit waits for the disk, reads go on, and other writes can give up`(_ calls: Int) async throws {
    var values = ValueObservation.tracking(count).values(in: pool).makeAsyncIterator()
    #expect(try await values.next() == 50)
    disk.stopNext(calls)
    let pool = pool
    let commit = Task { try await pool.write { try insert(51, $0) } }
    disk.waitForCall()
    // Nothing of the transaction is visible.
    #expect(try readCount() == 50)
    #expect(try await pool.read(count) == 50)
    expectTimeOut { try pool.write { try insert(52, $0) } }
    let waiting = Task { try await pool.write { try insert(53, $0) } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    disk.goOn()
    try await commit.value
    #expect(try await values.next() == 51)
    try end(count: 51)
  }

  @Test func `a commit that was cancelled while it waited for the disk tells its outcome`() async throws {
    disk.stopNext(FaultVFS.syncs)
    let pool = pool
    let commit = Task { try await pool.write { try insert(51, $0) } }
    disk.waitForCall()
    commit.cancel()
    disk.goOn()
    let result = await commit.result
    let isCommitted = (try? result.get()) != nil
    try end(count: isCommitted ? 51 : 50)
  }

  // MARK: - Reads

  @Test func `while a read waits for the disk, other reads, writes and live queries go on`() async throws {
    var values = ValueObservation.tracking(count).values(in: pool).makeAsyncIterator()
    #expect(try await values.next() == 50)
    disk.stopNext(FaultVFS.reads)
    let pool = pool
    let read = Task { try await pool.read(size) }
    disk.waitForCall()
    try await pool.write { try insert(51, $0) }
    #expect(try readCount() == 51)
    #expect(try await values.next() == 51)
    disk.goOn()
    // The call may be one that precedes the snapshot.
    #expect(try await [50 * 3_000, 51 * 3_000].contains(read.value))
    try end(count: 51)
  }

  @Test func `while all readers wait for the disk, other reads can give up, and writes go on`() async throws {
    let pool = pool
    var reads: [Task<Int, any Error>] = []
    for _ in 0..<2 {
      disk.stopNext(FaultVFS.reads)
      reads.append(Task { try await pool.read(size) })
      disk.waitForCall()
    }
    expectTimeOut { _ = try pool.read(count) }
    let waiting = Task { try await pool.read(count) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await pool.write { try insert(51, $0) }
    for _ in reads { disk.goOn() }
    // The call may be one that precedes the snapshot.
    for read in reads { #expect(try await [50 * 3_000, 51 * 3_000].contains(read.value)) }
    try end(count: 51)
  }

  @Test func `a pool can be closed once a read has come back from the disk`() async throws {
    disk.stopNext(FaultVFS.reads)
    let pool = pool
    let read = Task { try await pool.read(size) }
    disk.waitForCall()
    let closing = Task.detached { try pool.close() }
    disk.goOn()
    _ = try? await read.value
    try await closing.value
    #expect(throws: DatabaseError.self) { try readCount() }
    #expect(folder.integrity() == "ok")
  }

  // MARK: - Checkpoints

  @Test func `while a checkpoint waits for the disk, reads go on, and writes can give up`() async throws {
    disk.stopNext(FaultVFS.syncs)
    let pool = pool
    let checkpoint = Task.detached { try pool.writeWithoutTransaction { try $0.checkpoint(.passive) } }
    disk.waitForCall()
    #expect(try readCount() == 50)
    expectTimeOut { try pool.write { try insert(51, $0) } }
    disk.goOn()
    _ = try await checkpoint.value
    try end(count: 50)
  }

  // MARK: - All calls

  @Test(arguments: Scale.seeds(daily: 1, full: 10))
  func `if each call takes some time, nothing is lost, and live queries end with the last value`(
    _ seed: UInt64
  ) async throws {
    let run = Run("slow-disk", seed: seed)
    let numbers = Mutex(RandomNumbers(seed: seed))
    disk.vfs.onCall(FaultVFS.reads | FaultVFS.writes | FaultVFS.syncs, ofAllFiles: true) {
      usleep(UInt32(numbers.withLock { $0.below(300) }))
    }
    let (pool, last) = (pool, Mutex(0))
    let cancellable = ValueObservation.tracking(count).start(
      in: pool, scheduling: .async(onQueue: .global()), onError: { run.problem("\($0)") },
      onChange: { count in last.withLock { $0 = count } })
    let writeCount = Scale.of(daily: 100, full: 2_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<2 {
        group.addTask {
          for number in 0..<writeCount {
            try await pool.write { try insert(100 + 2 * number + task, $0) }
            let read = try await pool.read(count)
            if read < 51 + number { run.problem("\(read) rows after \(number + 1) writes") }
          }
        }
      }
      try await group.waitForAll()
    }
    run.count("transactions", 2 * writeCount)
    try await Wait.until("last value") { last.withLock { $0 } == 50 + 2 * writeCount }
    cancellable.cancel()
    run.finish()
    disk.vfs.onNoCall()
    try pool.close()
    #expect(folder.integrity() == "ok")
  }
}
