import Dispatch
import Foundation
import Synchronization
import Testing
import Tidemark
@testable import TidemarkEssentials

/// The WAL-index header, which identifies a state of the database without reading the database.
@Suite struct WALIndexHeaderTests {
  private static func header(_ pool: DatabasePool) throws -> WALIndexHeader? {
    try pool.unsafeRead { try $0.openHandle().walIndexHeader }
  }

  private static func counterPool(_ folder: TemporaryFolder) throws -> DatabasePool {
    let pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    return pool
  }

  @Test func headerChangesWithEveryCommit() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.counterPool(folder)
    let first = try #require(try Self.header(pool))
    #expect(try Self.header(pool) == first)
    try pool.write { try $0.execute(sql: "UPDATE counter SET n = 1") }
    let second = try #require(try Self.header(pool))
    #expect(second != first)
    try DatabaseQueue(path: pool.path).write { try $0.execute(sql: "UPDATE counter SET n = 2") }
    let third = try #require(try Self.header(pool))
    #expect(third != second)
  }

  @Test func rollbacksAndPartialCheckpointsKeepTheHeader() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.counterPool(folder)
    let header = try Self.header(pool)
    #expect(throws: Planned.self) {
      try pool.write { db in
        try db.execute(sql: "UPDATE counter SET n = 1")
        throw Planned()
      }
    }
    _ = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
    #expect(try Self.header(pool) == header)
  }

  @Test func memoryDatabasesHaveNoHeader() throws {
    let header = try DatabaseQueue().read { try $0.openHandle().walIndexHeader }
    #expect(header == nil)
  }

  /// SQLite creates a WAL-index when it is asked for one, and keeps it.
  @Test func noWALIndexIsCreatedWithoutALog() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.path("delete.sqlite"))
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    let header = try dbQueue.read { db in (try db.openHandle().walIndexHeader, try db.acquireSnapshotState().header) }
    #expect(header.0 == nil && header.1 == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["delete.sqlite"])
  }

  /// Closing a descriptor of the file would drop all locks of the process on it.
  @Test func readingTheHeaderOpensNoFile() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.counterPool(folder)
    _ = try Self.header(pool)
    func files() throws -> Set<String> {
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return Set(
        names.compactMap { name in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)).map { name + $0 }
        }
        .filter { $0.contains(pool.path) })
    }
    let before = try files()
    for _ in 0..<100 { _ = try Self.header(pool) }
    #expect(try files() == before)
  }

  /// Two connections read while a third one writes: if both have found the same header before and after the start
  /// of their transactions, they read the same state.
  @Test func equalHeadersMeanOneState() throws {
    let folder = try TemporaryFolder()
    let pool = try Self.counterPool(folder)
    let writer = try DatabaseQueue(path: pool.path)
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
    let isOver = Atomic(false)
    let ended = DispatchGroup()
    DispatchQueue.global().async(group: ended) {
      while !isOver.load(ordering: .relaxed) {
        #expect(throws: Never.self) { try writer.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") } }
      }
    }
    @Sendable func pinned(_ db: Database) throws -> (header: WALIndexHeader?, n: Int?) {
      (try db.acquireSnapshotState().header, try Int.fetchOne(db, sql: "SELECT n FROM counter"))
    }
    var equalCount = 0
    for _ in 0..<2_000 {
      let (one, other) = try pool.read { db in
        let one = try pinned(db)
        let waiting = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var other: (header: WALIndexHeader?, n: Int?)?
        pool.asyncRead { db in
          other = try? pinned(try db.get())
          waiting.signal()
        }
        waiting.wait()
        return (one, other)
      }
      if let header = one.header, let other, header == other.header {
        equalCount += 1
        #expect(one.n == other.n)
      }
    }
    isOver.store(true, ordering: .relaxed)
    ended.wait()
    print("equalHeadersMeanOneState: \(equalCount) of 2000 were equal")
  }
}
