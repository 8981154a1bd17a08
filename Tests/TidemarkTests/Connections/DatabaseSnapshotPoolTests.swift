import Foundation
import Testing
import Tidemark

@Suite struct DatabaseSnapshotPoolTests {
  private let path = NSTemporaryDirectory() + "tidemark-" + UUID().uuidString + ".sqlite"

  private func pool() throws -> DatabasePool {
    let dbPool = try DatabasePool(path: path)
    try dbPool.write { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY); INSERT INTO book VALUES (1), (2)")
    }
    return dbPool
  }

  private func removeFiles() {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  @Test func allReadsSeeTheInitialState() async throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let snapshot = try dbPool.makeSnapshotPool()
    try await dbPool.write { try $0.execute(sql: "DELETE FROM book") }
    let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 {
        group.addTask { try await snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") } }
      }
      return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
    }
    #expect(counts == [2])
    let now = try await dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(now == 0)
  }

  @Test func snapshotPoolsOpenFiles() async throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let snapshot = try DatabaseSnapshotPool(path: path)
    try await dbPool.write { try $0.execute(sql: "DELETE FROM book") }
    let count = try snapshot.unsafeReentrantRead { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(count == 2)
  }

  @Test func snapshotPoolsOpenATransactionsState() throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let count = "SELECT COUNT(*) FROM book"
    let snapshot = try dbPool.read { try DatabaseSnapshotPool($0) }
    try dbPool.write { try $0.execute(sql: "DELETE FROM book") }
    #expect(try snapshot.read { try Int.fetchOne($0, sql: count) } == 2)
    try snapshot.close()
    let later = try dbPool.read { try DatabaseSnapshotPool($0) }
    #expect(try later.read { try Int.fetchOne($0, sql: count) } == 0)
  }

  @Test func snapshotsAreRefusedWhileAnOlderOneIsOpen() throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let older = try dbPool.makeSnapshotPool()
    try dbPool.write { try $0.execute(sql: "DELETE FROM book") }
    let error = #expect(throws: DatabaseError.self) { _ = try dbPool.read { try DatabaseSnapshotPool($0) } }
    #expect(error?.extendedResultCode == .SQLITE_BUSY_SNAPSHOT)
    try older.close()
  }

  @Test func snapshotsOfOutdatedStatesAreRefused() throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let error = #expect(throws: DatabaseError.self) {
      _ = try dbPool.read { db in
        _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DELETE FROM book") }
        return try DatabaseSnapshotPool(db)
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_BUSY_SNAPSHOT)
    // The lock was released.
    try dbPool.write { try $0.execute(sql: "INSERT INTO book VALUES (3)") }
  }

  @Test func snapshotsOutsideOfTransactionsShowTheLastCommit() throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let count = "SELECT COUNT(*) FROM book"
    let ofReader = try dbPool.unsafeRead { try DatabaseSnapshotPool($0) }
    #expect(try ofReader.read { try Int.fetchOne($0, sql: count) } == 2)
    try ofReader.close()
    let ofWriter = try dbPool.writeWithoutTransaction { db in
      try db.execute(sql: "INSERT INTO book VALUES (3)")
      let snapshot = try DatabaseSnapshotPool(db)
      try db.execute(sql: "INSERT INTO book VALUES (4)")
      return snapshot
    }
    #expect(try ofWriter.read { try Int.fetchOne($0, sql: count) } == 3)
    #expect(try dbPool.read { try Int.fetchOne($0, sql: count) } == 4)
  }

  @Test func itsTransactionMustNotWrite() throws {
    defer { removeFiles() }
    let dbPool = try pool()
    let writing = #expect(throws: DatabaseError.self) { _ = try dbPool.write { try DatabaseSnapshotPool($0) } }
    #expect(writing?.message == "Can't create snapshot because the transaction writes.")
  }

  @Test func filesWithoutWALHaveNoSnapshot() throws {
    defer { removeFiles() }
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    let error = #expect(throws: DatabaseError.self) { try DatabaseSnapshotPool(path: path) }
    #expect(error?.message == "Can't create snapshot because database is not in WAL mode.")
  }

  @Test func closesDespiteARetainedStatement() throws {
    defer { removeFiles() }
    let snapshot = try pool().makeSnapshotPool()
    let statement = try snapshot.read { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 1")) }
    let busy = #expect(throws: DatabaseError.self) { try snapshot.close() }
    #expect(busy?.resultCode == .SQLITE_BUSY)
    try snapshot.close()
    let error = #expect(throws: DatabaseError.self) { try snapshot.read { try Row.fetchAll($0, sql: "SELECT 1") } }
    #expect(error?.message == "Connection is closed")
    withExtendedLifetime(statement) {}
  }

  @Test func closedSnapshotPoolsThrow() throws {
    defer { removeFiles() }
    let snapshot = try pool().makeSnapshotPool()
    try snapshot.close()
    try snapshot.close()
    let error = #expect(throws: DatabaseError.self) { try snapshot.read { try Row.fetchAll($0, sql: "SELECT 1") } }
    #expect(error?.message == "Connection is closed")
  }

  @Test func endingTheTransactionLosesTheSnapshot() throws {
    defer { removeFiles() }
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    let dbPool = try DatabasePool(path: path, configuration: configuration)
    try dbPool.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    let snapshot = try dbPool.makeSnapshotPool()
    try snapshot.read { try $0.execute(sql: "ROLLBACK") }
    let error = #expect(throws: DatabaseError.self) { try snapshot.read { try Row.fetchAll($0, sql: "SELECT 1") } }
    #expect(error?.message == "Snapshot is lost.")
    let count = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(count == 0)
  }
}
