import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Snapshots that cannot be taken, or that are lost.
@Suite struct SnapshotStateTests {
  private let folder: TemporaryFolder
  private static let count = "SELECT COUNT(*) FROM t"

  init() throws { folder = try TemporaryFolder() }

  // MARK: - Pools of snapshots

  @Test func `a transaction on a file without WAL has no snapshot pool`() throws {
    for dbQueue in [try DatabaseQueue(path: folder.database), try DatabaseQueue()] {
      let error = #expect(throws: DatabaseError.self) { _ = try dbQueue.read { try DatabaseSnapshotPool($0) } }
      #expect(error?.message == "Can't create snapshot because database is not in WAL mode.")
    }
  }

  @Test func `a snapshot pool of a file that was replaced is refused`() throws {
    let (pool, path) = (try folder.tablePool(), folder.database)
    try pool.read { db in
      #expect(try db.numbers() == [])
      try FileManager.default.moveItem(atPath: path, toPath: folder.path("moved"))
      try FileManager.default.copyItem(atPath: folder.path("moved"), toPath: path)
      let error = #expect(throws: DatabaseError.self) { _ = try DatabaseSnapshotPool(db) }
      #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    }
  }

  /// A connection without the library that holds the write lock.
  private func lockingConnection() throws -> SQLiteConnection {
    var connection: SQLiteConnection?
    try #require(sqlite3_open(folder.database, &connection) == SQLITE_OK)
    try #require(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    return try #require(connection)
  }

  @Test func `a snapshot pool waits for another writer as the busy mode says`() throws {
    let tries = Locked(0)
    nonisolated(unsafe) var other: SQLiteConnection?
    let pool = try folder.tablePool { configuration in
      configuration.busyMode = .callback { _ in
        tries.update { $0 += 1 }
        return sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK
      }
    }
    other = try lockingConnection()
    defer { sqlite3_close(other) }
    let snapshot = try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }
    #expect(tries.value == 1)
    #expect(try snapshot.read { try Int.fetchOne($0, sql: Self.count) } == 0)
  }

  @Test func `a snapshot pool does not wait for another writer without a busy handler`() throws {
    let pool = try folder.tablePool { $0.busyMode = .immediateError }
    let other = try lockingConnection()
    defer { sqlite3_close(other) }
    let error = #expect(throws: DatabaseError.self) {
      _ = try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }
    }
    #expect(error?.resultCode == .SQLITE_BUSY)
  }

  @Test func `a snapshot pool opens no other connection later`() throws {
    let snapshot = try folder.tablePool().makeSnapshotPool()
    guard case .pool(let readers) = snapshot._core.readers else { throw Planned() }
    readers.invalidate()
    let error = #expect(throws: DatabaseError.self) { try snapshot.read { try $0.numbers() } }
    #expect(error?.message == "Snapshot is lost.")
  }

  @Test func `a read inside of a read of a snapshot uses its connection`() throws {
    let pool = try folder.tablePool()
    let snapshot = try pool.makeSnapshot()
    try pool.write { try $0.insert(1) }
    let counts = try snapshot.reentrantRead { outer in
      try snapshot.reentrantRead { inner in
        #expect(inner === outer)
        return try Int.fetchOne(inner, sql: Self.count)
      }
    }
    #expect(counts == 0)
  }

  // MARK: - Versions

  @Test func `a snapshot has no transaction of a writer, and no version`() throws {
    let core = try folder.tablePool().makeSnapshot()._core
    #expect(!core.isInsideTransaction)
    let snapshot = try folder.pool().makeSnapshot()
    let version = try snapshot.read { try snapshot._core.databaseVersion(of: SnapshotState(), $0) }
    #expect(version == .known(nil))
  }

  @Test func `if another connection commits whenever a version is read, the version is unknown`() async throws {
    nonisolated(unsafe) var other: SQLiteConnection?
    let commits = Locked(0)
    let pool = try folder.tablePool { configuration in
      configuration.maximumReaderCount = 1
      configuration.prepareDatabase { db in
        db.trace { event in
          // The header of the log has been read, and the snapshot has not been taken.
          guard other != nil, "\(event)".hasPrefix("SELECT rootpage") else { return }
          if sqlite3_exec(other, "UPDATE t SET n = n + 1", nil, nil, nil) == SQLITE_OK { commits.update { $0 += 1 } }
        }
      }
    }
    try await pool.write { try $0.insert(0) }
    try #require(sqlite3_open(folder.database, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    sqlite3_exec(other, "PRAGMA synchronous = OFF", nil, nil, nil)
    #expect(try Self.version(pool) == nil)
    #expect(commits.value == databaseVersionAttemptMax)
    let version = try await pool.databaseVersion()
    #expect(version == nil)
  }

  private static func version(_ pool: DatabasePool) throws -> DatabaseVersion? { try pool.databaseVersion() }
}
