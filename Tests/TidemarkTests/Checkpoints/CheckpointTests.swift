import Foundation
import TestSupport
import Testing
import Tidemark
@testable import TidemarkEssentials

/// Invariant: frames of the log are moved into the database only while the pool holds the writer's lock (hazard F1).
/// Automatic checkpoints disturb no access.
@Suite struct CheckpointTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A pool that runs a checkpoint when its log has a given number of frames.
  private func pool(frames: Int, _ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    try folder.tablePool { configuration in
      configuration.prepareDatabase { db in
        if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = \(frames)") }
      }
      setUp(&configuration)
    }
  }

  private func size(_ name: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int ?? -1
  }

  /// The size of a log with a number of frames, of one page each.
  private func logSize(frames: Int) -> Int { 32 + frames * (24 + 4096) }

  private func contents(_ name: String) throws -> Data {
    // Through a descriptor of SQLite: opening and closing the file would drop its locks (hazard F2).
    let path = folder.path(name)
    let descriptor = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { CInt($0) }
      .first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
    var bytes = Data(count: try size(name))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor ?? -1, $0.baseAddress, $0.count, 0) }
    #expect(count == bytes.count)
    return bytes
  }

  // MARK: - By itself

  @Test func aGrowingLogIsCheckpointedAndRestarted() throws {
    let pool = try pool(frames: 20)
    for number in 0..<200 { try pool.write { try $0.insert(number) } }
    #expect(try size("db.sqlite-wal") <= logSize(frames: 25))
    #expect(try pool.read { try $0.numbers() } == Array(0..<200))
  }

  /// There is always an active read: each read ends after the next one has begun. The log once grew without bound.
  @Test func overlappingReadsDoNotPreventCheckpoints() throws {
    let pool = try pool(frames: 10) { $0.maximumReaderCount = 2 }
    let isOver = Moment()
    let hasBegun = Moment()
    let readers = Background {
      var read: LongAccess<Void>?
      while !isOver.hasHappened {
        let next = try LongAccess { last in
          try pool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try last()
          }
        }
        hasBegun.happen()
        try read?.end()
        read = next
      }
      try read?.end()
    }
    try hasBegun.wait()
    for number in 0..<2000 { try pool.write { try $0.insert(number) } }
    let size = try size("db.sqlite-wal")
    isOver.happen()
    try readers.value()
    #expect(size <= logSize(frames: 1000))
    #expect(try pool.read { try $0.numbers() } == Array(0..<2000))
  }

  /// A checkpoint does not wait for the same long read again and again.
  @Test func longReadsAreRarelyWaitedFor() throws {
    let waits = Mutex(0)
    let pool = try pool(frames: 10) { configuration in
      configuration.environment.clock.sleep = { _ in waits.withLock { $0 += 1 } }
      let time = Mutex(Duration.zero)
      configuration.environment.clock.now = {
        time.withLock {
          $0 += .milliseconds(10); return $0
        }
      }
    }
    let read = try LongAccess { last in
      try pool.read { db in
        _ = try db.numbers()
        try last()
      }
    }
    for number in 0..<1000 { try pool.write { try $0.insert(number) } }
    // At 40 frames, and then at twice as many each time. Each wait reads the clock ten times.
    #expect(waits.withLock { $0 } <= 6 * 10)
    #expect(waits.withLock { $0 } > 0)
    try read.end()
    for number in 0..<2000 { try pool.write { try $0.insert(number) } }
    #expect(try size("db.sqlite-wal") <= logSize(frames: 1400))
  }

  @Test func longAccessesCheckpointBetweenTransactions() throws {
    let pool = try pool(frames: 20)
    try pool.writeWithoutTransaction { db in
      for number in 0..<200 { try db.insert(number) }
    }
    #expect(try size("db.sqlite-wal") <= logSize(frames: 25))
  }

  @Test func queuesCheckpointAutomatically() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
    let queue = try DatabaseQueue(path: folder.database, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    for number in 0..<200 { try queue.write { try $0.insert(number) } }
    #expect(try size("db.sqlite-wal") <= logSize(frames: 25))
  }

  @Test func automaticCheckpointSizeCanChange() throws {
    let pool = try pool(frames: 0)
    for number in 0..<100 { try pool.write { try $0.insert(number) } }
    let long = try size("db.sqlite-wal")
    #expect(long >= logSize(frames: 100))
    for frames in [10, 0, 10] {
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(frames)") }
    }
    for number in 0..<200 { try pool.write { try $0.insert(number) } }
    // The log was restarted after one more commit.
    let longest = try size("db.sqlite-wal")
    #expect(longest <= long + logSize(frames: 2))
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    for number in 0..<200 { try pool.write { try $0.insert(number) } }
    #expect(try size("db.sqlite-wal") > longest)
  }

  @Test func attachedDatabasesAreCheckpointed() throws {
    let pool = try pool(frames: 20)
    let other = folder.path("other.sqlite")
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS other", arguments: [other])
      try db.execute(sql: "PRAGMA other.journal_mode = WAL; CREATE TABLE other.u (n INTEGER)")
      for number in 0..<200 {
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO u VALUES (?)", arguments: [number])
          return .commit
        }
      }
      #expect(try size("other.sqlite-wal") <= logSize(frames: 25))
      #expect(try db.checkpoint(.truncate, on: "other").walFrameCount == 0)
      #expect(try size("other.sqlite-wal") == 0)
      _ = try db.checkpoint(.truncate, on: nil)
    }
    #expect(try size("db.sqlite-wal") == 0)
  }

  @Test func exclusiveConnectionsCheckpointDirectly() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase {
      try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 20")
    }
    let queue = try DatabaseQueue(path: folder.database, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    for number in 0..<200 { try queue.write { try $0.insert(number) } }
    #expect(try size("db.sqlite-wal") <= logSize(frames: 40))
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    #expect(try size("db.sqlite-wal") == 0)
  }

  @Test func checkpointsAreNotTraced() throws {
    let statements = Mutex<[String]>([])
    let pool = try pool(frames: 1) { configuration in
      configuration.prepareDatabase { db in
        db.trace { event in statements.withLock { $0.append("\(event)") } }
      }
    }
    statements.withLock { $0 = [] }
    try pool.write { try $0.insert(1) }
    #expect(
      statements.withLock { $0 } == [
        "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (?)", "COMMIT TRANSACTION",
      ])
  }

  // MARK: - Never during a write

  @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
  func checkpointsDoNotRunDuringWrites(mode: Database.CheckpointMode) throws {
    let pool = try pool(frames: 0) { $0.busyMode = .immediateError }
    for number in 0..<10 { try pool.write { try $0.insert(number) } }
    let other = try folder.pool()
    try other.write { db in
      try db.insert(10)
      let before = try contents("db.sqlite")
      let error = #expect(throws: DatabaseError.self) {
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
      }
      #expect(error?.description == "SQLite error 5: database is locked")
      #expect(try contents("db.sqlite") == before)
    }
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    #expect(try pool.read { try $0.numbers() } == Array(0...10))
  }

  /// A write may begin after the frames have been moved that do not wait for readers.
  @Test func checkpointsThatDoNotGetTheWriteLockMoveNothing() throws {
    let pool = try pool(frames: 0)
    for number in 0..<10 { try pool.write { try $0.insert(number) } }
    let connections = try CheckpointConnections(.file(folder.database), vfs: nil)
    try pool.write { db in
      try db.insert(10)
      let before = try contents("db.sqlite")
      let error = #expect(throws: DatabaseError.self) { try connections.checkpoint(.full) { _ in false } }
      #expect(error?.resultCode == .SQLITE_BUSY)
      #expect(try contents("db.sqlite") == before)
    }
  }

  @Test func checkpointsWaitForWriters() throws {
    let pool = try pool(frames: 0) { $0.busyMode = .timeout(WaitLimit.seconds) }
    let other = try folder.pool()
    let write = try LongAccess { last in
      try other.write { db in
        try db.insert(1)
        try last()
      }
    }
    let checkpoint = Background { try pool.writeWithoutTransaction { try $0.checkpoint(.truncate).walFrameCount } }
    try write.end()
    #expect(try checkpoint.value() == 0)
  }

  @Test func waitingCheckpointsCanBeCancelled() async throws {
    let pool = try pool(frames: 0) { $0.busyMode = .timeout(WaitLimit.seconds) }
    let other = try folder.pool()
    let write = await LongAccess { last in
      try other.write { db in
        try db.insert(1)
        try last()
      }
    }
    let hasBegun = Moment()
    let task = Task {
      try await pool.writeWithoutTransaction { db in
        hasBegun.happen()
        _ = try db.checkpoint(.full)
      }
    }
    await hasBegun.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await write.end()
    try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  }

  @Test func logsOfReplacedFilesAreNotCheckpointed() throws {
    let pool = try pool(frames: 0)
    try pool.write { try $0.insert(1) }
    let manager = FileManager.default
    for suffix in ["", "-wal", "-shm"] {
      try manager.moveItem(atPath: folder.database + suffix, toPath: folder.path("moved.sqlite") + suffix)
    }
    let other = try folder.tablePool()
    try other.write { try $0.insert(2) }
    let error = #expect(throws: DatabaseError.self) {
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    #expect(try other.read { try $0.numbers() } == [2])
  }

  @Test func runningStatementsBlockCheckpoints() throws {
    let pool = try pool(frames: 0)
    try pool.write { try $0.insert(1) }
    try pool.writeWithoutTransaction { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT n FROM t")
      _ = try cursor.next()
      let error = #expect(throws: DatabaseError.self) { try db.checkpoint(.truncate) }
      #expect(error?.resultCode == .SQLITE_LOCKED)
      withExtendedLifetime(cursor) {}
    }
  }
}
