import Foundation
import TestSupport
import Testing
import Tidemark

/// Several pools and queues on one file, maintenance, and a full disk.
@Suite struct SeveralPoolTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool()
  }

  @Test func poolsOnTheSameFileSerializeWrites() throws {
    let pools = try (0..<3).map { _ in try folder.pool { $0.busyMode = .timeout(WaitLimit.seconds) } }
    let writers = pools.map { pool in
      Background {
        // Data that is read first may be outdated at the time of the write (hazard C1).
        for _ in 0..<60 {
          try pool.write { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
            try db.insert(count)
          }
          try pool.writeInTransaction { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
            try db.insert(count)
            return .commit
          }
          _ = try pool.read { try $0.numbers() }
        }
      }
    }
    for writer in writers { try writer.value() }
    // No increment is lost.
    #expect(try pool.read { try $0.numbers() } == Array(0..<360))
  }

  @Test func immediateBusyModeThrowsOnContention() throws {
    let other = try folder.pool { $0.busyMode = .immediateError }
    try pool.write { db in
      try db.insert(1)
      let error = #expect(throws: DatabaseError.self) { try other.write { try $0.insert(2) } }
      #expect(error?.extendedResultCode == .SQLITE_BUSY)
      #expect(try other.read { try $0.numbers() } == [])
    }
    try other.write { try $0.insert(3) }
    #expect(try pool.read { try $0.numbers() } == [1, 3])
  }

  @Test func escapedWriterCursorsReleaseTheirSnapshot() throws {
    let other = try folder.pool()
    nonisolated(unsafe) var cursor: RowCursor?
    try pool.write { try $0.insert(1) }
    try pool.writeWithoutTransaction { db in
      cursor = try Row.fetchCursor(db, sql: "SELECT n FROM t")
      _ = try cursor?.next()
    }
    try other.write { try $0.insert(2) }
    // It would be SQLITE_BUSY_SNAPSHOT: the snapshot of the cursor is outdated.
    try pool.write { try $0.insert(3) }
    #expect(cursor != nil)
    #expect(try pool.read { try $0.numbers() } == [1, 2, 3])
  }

  // MARK: - Maintenance

  @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
  func checkpointTruncatesTheLogWithoutBlockingReaders(mode: Database.CheckpointMode) throws {
    let pool = pool
    for number in 1...10 { try pool.write { try $0.insert(number) } }
    let read = try LongAccess { last in
      try pool.read { db in
        let count = try db.numbers().count
        try last()
        return try (count, db.numbers().count)
      }
    }
    let done = try pool.writeWithoutTransaction { db in
      // The readers of the newest snapshot only prevent a restart of the log.
      let done = try db.checkpoint(.passive)
      let other = Background { try pool.read { try $0.numbers().count } }
      #expect(try other.value() == 10)
      return done
    }
    #expect(done.walFrameCount > 0)
    #expect(done.checkpointedFrameCount == done.walFrameCount)
    #expect(try read.end() == (10, 10))
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    if mode == .truncate {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")
      #expect(attributes[.size] as? Int == 0)
    }
    #expect(try pool.read { try $0.numbers() } == Array(1...10))
    try pool.write { try $0.insert(11) }
    #expect(try pool.read { try $0.numbers() } == Array(1...11))
  }

  @Test func checkpointBlockedByAReaderReportsIt() throws {
    let pool = try folder.pool { $0.busyMode = .immediateError }
    let read = try LongAccess { last in
      try pool.read { db in
        let before = try db.numbers()
        try last()
        return try before == db.numbers()
      }
    }
    try pool.write { try $0.insert(1) }
    #expect(resultCode { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } } == .SQLITE_BUSY)
    try pool.write { try $0.insert(2) }
    #expect(try pool.read { try $0.numbers() } == [1, 2])
    #expect(try read.end())
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  }

  @Test func checkpointInATransactionTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      try folder.tablePool().write { _ = try $0.checkpoint() }
    }
    #expect(result.words.contains("checkpoint(_:on:) must be called outside of a transaction"))
  }

  @Test func vacuumKeepsDataAndDoesNotBlockReaders() async throws {
    let pool = pool
    try await pool.write { db in
      for number in 1...1000 { try db.insert(number) }
    }
    try await pool.write { try $0.execute(sql: "DELETE FROM t WHERE n > 10") }
    let snapshot = try pool.makeSnapshot()
    try await pool.vacuum()
    #expect(try await pool.read { try $0.numbers() } == Array(1...10))
    #expect(try await snapshot.read { try $0.numbers() } == Array(1...10))
    try synchronously { try pool.vacuum() }
    let copy = folder.path("copy.sqlite")
    try await pool.vacuum(into: copy)
    #expect(try await DatabaseQueue(path: copy).read { try $0.numbers() } == Array(1...10))
    // An existing file is not overwritten.
    await #expect(throws: DatabaseError.self) { try await pool.vacuum(into: copy) }
  }

  // MARK: - A full disk

  @Test func fullDiskLosesNoCommit() async throws {
    let pool = try folder.pool { configuration in
      configuration.prepareDatabase { db in
        if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA max_page_count = 8") }
      }
    }
    var count = 0
    var code: ResultCode?
    while code == nil, count < 1000 {
      let number = count
      do {
        try await pool.write { db in
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
          try db.execute(sql: "CREATE TABLE u\(number) (text)")
        }
        count += 1
      } catch {
        code = (error as? DatabaseError)?.resultCode
      }
    }
    #expect(code == .SQLITE_FULL)
    #expect(count > 0)
    #expect(try await pool.read { try $0.numbers() } == Array(0..<count))
    // There is room again.
    try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000") }
    let last = count
    try await pool.write { try $0.insert(last) }
    #expect(try await pool.read { try $0.numbers() } == Array(0...count))
  }
}
