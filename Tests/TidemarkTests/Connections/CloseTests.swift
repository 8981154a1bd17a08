import Foundation
import Testing
import Tidemark

/// Closing a queue (hazard C7).
@Suite struct CloseTests {
  @Test func closingTwiceSucceeds() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.close()
    try dbQueue.close()
  }

  @Test func liveStatementsPreventClosing() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let box = Box<Tidemark.Statement>(
      try dbQueue.inDatabase { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 1")) }.value)
    let expected = "SQLite error 5: unable to close due to unfinalized statements or unfinished backups"
    #expect(message { try dbQueue.close() } == expected)
    #expect(message { try dbQueue.close() } == expected)
    // It is as usable as before.
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
    #expect(try dbQueue.read { try $0.titles() } == ["a"])
    box.content = nil
    try dbQueue.close()
    #expect(message { try dbQueue.read { _ in } } == closedMessage)
  }

  @Test func closingAPoolInsideAReadTrapsEvenIfABarrierWaits() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try DatabasePool(path: folder.path("db"))
      try pool.read { _ in
        pool.asyncBarrierWriteWithoutTransaction { _ in }
        try pool.close()
      }
    }
    #expect(try #require(exit).says("close() cannot be called inside a read of the same database"))
  }

  @Test func closingLogsTheStatementsThatPreventIt() async {
    await #expect(processExitsWith: .success) {
      let texts = Locked<[String]>([])
      Database.logError = { code, message in
        if message.hasPrefix("unfinalized") { texts.update { $0.append("\(code.rawValue): \(message)") } }
      }
      let folder = try TemporaryFolder()
      let pool = try DatabasePool(path: folder.path("db"))
      let queue = try DatabaseQueue()
      let snapshot = try pool.makeSnapshot()
      let snapshots = try pool.makeSnapshotPool()
      let statements = [
        try queue.inDatabase { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 1")) },
        try pool.writeWithoutTransaction { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 2")) },
        try snapshot.read { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 4")) },
        try snapshots.read { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 5")) },
        try pool.read { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 3")) },
      ]
      for reader in [queue, pool, snapshot, snapshots] as [any DatabaseReader] { try? reader.close() }
      precondition(
        texts.value.sorted() == (1...5).map { "5: unfinalized statement: SELECT \($0)" }, "\(texts.value)")
      withExtendedLifetime(statements) {}
    }
  }

  @Test func libraryStatementsDoNotPreventClosing() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      _ = try db.titles()
      _ = try db.cachedStatement(sql: "SELECT 1")
    }
    try dbQueue.close()
  }

  @Test func releasedQueueClosesWithItsLastStatement() throws {
    let folder = try TemporaryFolder()
    var dbQueue: DatabaseQueue? = try DatabaseQueue(path: folder.path("db"))
    weak let connection = dbQueue?.inDatabase { UnsafeTransfer($0) }.value
    let box = Box<Tidemark.Statement>(
      try #require(dbQueue).inDatabase { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 1")) }.value)
    dbQueue = nil
    #expect(connection != nil)
    box.content = nil
    #expect(connection == nil)
  }

  @Test func escapedCursorsDoNotKeepAReleasedQueue() throws {
    for _ in 0..<20 {
      weak var connection: Database?
      var boxes: [UnsafeTransfer<Box<AnyObject>>] = []
      do {
        let dbQueue = try DatabaseQueue()
        try dbQueue.inDatabase { db in
          connection = db
          for number in 0..<4 {
            let cursor = try Int.fetchCursor(db, sql: "SELECT \(number) UNION SELECT 9")
            _ = try cursor.next()
            boxes.append(UnsafeTransfer(Box(cursor)))
          }
        }
        // Some are released before the queue, some after it, at the same time.
        boxes[0].value.content = nil
      }
      #expect(connection != nil)
      let ends = boxes.map { box in
        let end = Signal()
        onThread {
          box.value.content = nil
          end.fire()
        }
        return end
      }
      for end in ends { try end.wait() }
      #expect(connection == nil)
    }
  }

  @Test func releasedQueueIsClosed() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    var dbQueue: DatabaseQueue? = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    try dbQueue?.write { try $0.createBooks() }
    #expect(FileManager.default.fileExists(atPath: folder.path("db-wal")))
    dbQueue = nil
    // The last connection removes the log.
    #expect(!FileManager.default.fileExists(atPath: folder.path("db-wal")))
  }

  // MARK: Afterwards

  /// All uses of a closed database.
  static let accesses: [@Sendable (DatabaseQueue) throws -> Void] = [
    { try $0.read { _ in } },
    { try $0.write { _ in } },
    { try $0.inTransaction { _ in .commit } },
    { try $0.unsafeRead { try $0.execute(sql: "SELECT 1") } },
    { try $0.unsafeReentrantRead { _ = try Int.fetchOne($0, sql: "SELECT 1") } },
    { try $0.unsafeReentrantWrite { try $0.execute(sql: "SELECT 1; SELECT 2") } },
    { try $0.inDatabase { _ = try $0.makeStatement(sql: "SELECT 1") } },
    { try $0.inDatabase { _ = try $0.cachedStatement(sql: "SELECT 1") } },
    { try $0.inDatabase { while try $0.allStatements(sql: "SELECT 1").next() != nil {} } },
    { try $0.inDatabase { try $0.beginTransaction() } },
    { try $0.inDatabase { try $0.inSavepoint { .commit } } },
    { try $0.inDatabase { try $0.readOnly {} } },
    { try $0.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM book") } },
    { try $0.barrierWriteWithoutTransaction { try $0.execute(sql: "DELETE FROM book") } },
    { try $0.vacuum() },
    { try $0.vacuum(into: "/nowhere/copy") },
    { try $0.erase() },
    { try $0.backup(to: DatabaseQueue()) },
    { try DatabaseQueue().backup(to: $0) },
    { try AnyDatabaseReader($0).read { _ in } },
    { try AnyDatabaseWriter($0).write { _ in } },
  ]

  @Test(arguments: accesses.indices)
  func accessesToAClosedConnectionThrow(_ index: Int) throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.close()
    #expect(message { try Self.accesses[index](dbQueue) } == closedMessage)
  }

  static let asyncAccesses: [@Sendable (DatabaseQueue) async throws -> Void] = [
    { try await $0.read { _ in } },
    { try await $0.write { _ in } },
    { try await $0.unsafeRead { _ in } },
    { try await $0.writeWithoutTransaction { _ in } },
    { try await $0.barrierWriteWithoutTransaction { _ in } },
    { try await $0.vacuum() },
    { try await $0.erase() },
    { queue in
      try await withCheckedThrowingContinuation { done in queue.asyncRead { done.resume(with: $0.map { _ in }) } }
    },
    { queue in
      try await withCheckedThrowingContinuation { done in queue.asyncUnsafeRead { done.resume(with: $0.map { _ in }) } }
    },
    { queue in
      try await withCheckedThrowingContinuation { done in
        queue.asyncBarrierWriteWithoutTransaction { done.resume(with: $0.map { _ in }) }
      }
    },
    { queue in
      try await withCheckedThrowingContinuation { done in
        queue.asyncWrite({ _ in }, completion: { _, result in done.resume(with: result) })
      }
    },
    { queue in
      try await withCheckedThrowingContinuation { done in
        queue.asyncWriteWithoutTransaction { db in done.resume(with: Result { try db.execute(sql: "SELECT 1") }) }
      }
    },
    { queue in
      try await withCheckedThrowingContinuation { done in
        queue.spawnConcurrentRead { done.resume(with: $0.map { _ in }) }
      }
    },
  ]

  @Test(arguments: asyncAccesses.indices)
  func asynchronousAccessesToAClosedConnectionThrow(_ index: Int) async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.close()
    #expect(await message { try await Self.asyncAccesses[index](dbQueue) } == closedMessage)
  }

  @Test func nonthrowingCallsOnAClosedConnectionAreHarmless() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.close()
    dbQueue.interrupt()
    dbQueue.releaseMemory()
    try dbQueue.inDatabase { db throws in
      #expect(!db.isInsideTransaction)
      #expect(db.lastInsertedRowID == 0)
      #expect(db.changesCount == 0)
      #expect(db.totalChangesCount == 0)
      #expect(db.lastErrorMessage == nil)
      #expect(db.sqliteConnection == nil)
      #expect(db.description == "Tidemark.DatabaseQueue")
      try db.rollback()
      db.trace { _ in }
      db.releaseMemory()
      db.add(function: .capitalize)
      db.remove(function: .capitalize)
      db.add(collation: .unicodeCompare)
      db.remove(collation: .unicodeCompare)
    }
  }

  @Test func closingInsideAnAccessOfAnotherQueueSucceeds() async throws {
    let one = try DatabaseQueue()
    let other = try DatabaseQueue()
    try await one.write { _ in try other.close() }
    #expect(message { try other.read { _ in } } == closedMessage)
  }
}
