import CSQLite
import Foundation
import Testing
import Tidemark

/// A snapshot reads one state of the database during its whole life.
@Suite struct SnapshotTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool()
    try pool.write { try $0.insert(1) }
  }

  @Test func snapshotsSeeTheirInitialState() async throws {
    let snapshot = try pool.makeSnapshot()
    try await pool.write { try $0.insert(2) }
    try await pool.write { try $0.execute(sql: "DROP TABLE t") }
    #expect(try await snapshot.read { try $0.numbers() } == [1])
    #expect(try synchronously { try snapshot.unsafeRead { try $0.numbers() } } == [1])
    #expect(try await later(snapshot.asyncRead) { try $0.numbers() } == [1])
  }

  @Test func snapshotStateIsTakenBeforeTheFirstRead() async throws {
    let snapshot = try pool.makeSnapshot()
    try await pool.write { try $0.insert(2) }
    #expect(try await snapshot.read { try $0.numbers() } == [1])
    #expect(try await pool.makeSnapshot().read { try $0.numbers() } == [1, 2])
  }

  @Test func snapshotsMadeInAWriteSeeItsCommits() throws {
    let snapshot = try pool.writeWithoutTransaction { db in
      try db.insert(2)
      let snapshot = try pool.makeSnapshot()
      try db.insert(3)
      return snapshot
    }
    #expect(try snapshot.read { try $0.numbers() } == [1, 2])
  }

  @Test func snapshotsMadeInATransactionTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool()
      try pool.write { _ in _ = try pool.makeSnapshot() }
    }
    #expect(result.words.contains("makeSnapshot() must not be called from inside a transaction."))
  }

  @Test func snapshotsMadeDuringAWriteSeeTheStateBeforeIt() throws {
    let pool = pool
    try pool.write { db in
      try db.insert(2)
      let snapshot = try Background { try pool.makeSnapshot() }.value()
      #expect(try snapshot.read { try $0.numbers() } == [1])
    }
  }

  @Test func closedPoolsMakeNoSnapshots() throws {
    try pool.close()
    let error = #expect(throws: DatabaseError.self) { try pool.makeSnapshot() }
    #expect(error?.description == "SQLite error 21: Connection is closed")
  }

  @Test func snapshotsOfAReplacedFileAreRefused() throws {
    let path = folder.path("other")
    try DatabasePool(path: path).close()
    try FileManager.default.removeItem(atPath: pool.path)
    try FileManager.default.moveItem(atPath: path, toPath: pool.path)
    let error = #expect(throws: DatabaseError.self) { try pool.makeSnapshot() }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
  }

  @Test func snapshotsOutliveTheirPool() throws {
    let snapshot = try pool.makeSnapshot()
    try pool.close()
    #expect(try snapshot.read { try $0.numbers() } == [1])
    try snapshot.close()
    #expect(folder.descriptorCount == 0)
  }

  @Test func snapshotsSurviveReaderInvalidation() throws {
    let snapshot = try pool.makeSnapshot()
    try pool.write { try $0.insert(2) }
    pool.releaseMemory()
    pool.invalidateReadOnlyConnections()
    pool.interrupt()
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    #expect(try snapshot.read { try $0.numbers() } == [1])
  }

  @Test func snapshotsHaveTheirOwnLabelAndSettings() throws {
    let names = try (0..<2).map { _ in try pool.makeSnapshot().read { $0.description } }
    #expect(names == ["Tidemark.DatabasePool.snapshot.1", "Tidemark.DatabasePool.snapshot.2"])
    let snapshot = try DatabaseSnapshot(path: folder.database)
    #expect(try snapshot.read { $0.description } == "Tidemark.DatabaseSnapshot")
    #expect(snapshot.configuration.readonly)
    #expect(snapshot.configuration.allowsUnsafeTransactions)
    #expect(snapshot.configuration.maximumReaderCount == 1)
  }

  @Test func endingTheTransactionLosesTheSnapshot() async throws {
    let snapshot = try pool.makeSnapshot()
    try await snapshot.read { try $0.execute(sql: "COMMIT") }
    let lost = "SQLite error 4: Snapshot is lost."
    #expect(await message { _ = try await snapshot.read { try $0.numbers() } } == lost)
    #expect(message { _ = try snapshot.unsafeReentrantRead { try $0.numbers() } } == lost)
    #expect(await message { _ = try await later(snapshot.asyncRead) { try $0.numbers() } } == lost)
    // It does not count as current.
    try snapshot.close()
  }

  /// The kinds of snapshots of a pool with one connection.
  private func snapshots() throws -> [any DatabaseSnapshotReader] {
    let pool = try folder.pool { $0.maximumReaderCount = 1 }
    return [try pool.makeSnapshot(), try pool.makeSnapshotPool()]
  }

  @Test func beginningAnotherTransactionLosesTheSnapshot() throws {
    for snapshot in try snapshots() {
      try pool.write { try $0.insert(2) }
      let aborted = "SQLite error 4: Transaction was aborted - while executing `BEGIN DEFERRED TRANSACTION`"
      #expect(
        message {
          try snapshot.read { db in
            try db.commit()
            try db.beginTransaction()
          }
        } == aborted)
      #expect(message { _ = try snapshot.read { try $0.numbers() } } == "SQLite error 4: Snapshot is lost.")
    }
  }

  @Test func unseenTransactionLosesTheSnapshot() throws {
    for snapshot in try snapshots() {
      try pool.write { try $0.insert(2) }
      let lost = "SQLite error 4: Snapshot is lost."
      #expect(
        message {
          _ = try snapshot.read { db in
            sqlite3_exec(db.sqliteConnection, "COMMIT; BEGIN", nil, nil, nil)
            return try db.numbers()
          }
        } == lost)
      #expect(message { _ = try snapshot.unsafeReentrantRead { try $0.numbers() } } == lost)
    }
  }

  @Test func concurrentReadThatEndsItsTransactionSeesNoNewerState() throws {
    let result = Journal<String>()
    let end = Moment()
    pool.writeWithoutTransaction { _ in
      pool.spawnConcurrentRead { database in
        result.append(
          message {
            let db = try database.get()
            try db.commit()
            try db.beginTransaction()
          })
        end.happen()
      }
    }
    try end.wait()
    #expect(
      result.entries == ["SQLite error 4: Transaction was aborted - while executing `BEGIN DEFERRED TRANSACTION`"])
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test func cancelledReadsKeepTheSnapshot() async throws {
    let isRunning = Moment()
    let pool = try folder.pool { NeverEnding.add(to: &$0) { isRunning.happen() } }
    let snapshot = try pool.makeSnapshot()
    try await pool.write { try $0.insert(2) }
    let task = Task { try await snapshot.read { try Int.fetchOne($0, sql: NeverEnding.sql) } }
    await isRunning.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await snapshot.read { try $0.numbers() } == [1])
  }

  @Test func releasedSnapshotsAllowLogTruncation() throws {
    let pool = try folder.pool { $0.busyMode = .immediateError }
    var snapshot: DatabaseSnapshot? = try pool.makeSnapshot()
    try pool.write { try $0.insert(2) }
    #expect(resultCode { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } } == .SQLITE_BUSY)
    #expect(try snapshot?.read { try $0.numbers() } == [1])
    snapshot = nil
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  }
}
