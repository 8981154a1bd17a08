import CSQLite
import Foundation
import Testing
import Tidemark

/// Writes that share a transaction of SQLite do not affect each other when one fails, and each sees its own task.
@Suite struct GroupedWriteFailureTests {
  private let writes: GroupedWrites

  init() throws { writes = try GroupedWrites() }

  @Test func writesAreExecutedAgainIfSQLiteRollsBackTheTransactionOfAnother() async throws {
    let database = try writes.open(.pool)
    _ = try await database.write { try $0.add(0) }
    let queue = try WriteQueue(database)
    let runs = Locked(0)
    let first = try await queue.add { db in
      runs.update { $0 += 1 }
      return try db.add(1)
    }
    let second = try await queue.add { try $0.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (0)") }
    let third = try await queue.add { try $0.add(3) }
    queue.start()
    #expect(try await first.value == 1)
    let error = await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    _ = try await third.value
    #expect(runs.value == 2)
    #expect(try await database.read { try $0.all() } == [0, 1, 3])
  }

  @Test func aWriteThatThrowsBecauseOfChangesThatAreRolledBackIsExecutedAgain() async throws {
    let database = try writes.open(.pool)
    _ = try await database.write { try $0.add(0) }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      if try db.all().contains(1) { throw Planned() }
    }
    let third = try await queue.add { db in
      first.cancel()
      try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (0)")
    }
    queue.start()
    await #expect(throws: CancellationError.self) { try await first.value }
    try await second.value
    await #expect(throws: DatabaseError.self) { try await third.value }
    #expect(try await database.read { try $0.all() } == [0])
  }

  @Test func writesAreExecutedAgainIfAnotherCannotUndoAPartOfItsChanges() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.execute(sql: "SAVEPOINT own")
      try db.add(2)
      try db.inSavepoint {
        // This also removes the savepoint of the library.
        try db.execute(sql: "ROLLBACK TO own")
        return .commit
      }
    }
    queue.start()
    _ = try await first.value
    await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(try await database.read { try $0.all() } == [1])
  }

  @Test func aWriteIsNotExecutedAgainIfItIsUnknownWhetherItWasCommitted() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let runs = Locked(0)
    let first = try await queue.add { db in
      runs.update { $0 += 1 }
      return try db.add(1)
    }
    let second = try await queue.add { db in
      try db.add(2)
      // The library cannot know which changes are committed.
      try #require(sqlite3_exec(db.sqliteConnection, "COMMIT; BEGIN", nil, nil, nil) == SQLITE_OK)
      try db.add(3)
    }
    queue.start()
    let error = await #expect(throws: DatabaseError.self) { try await first.value }
    #expect(error?.resultCode == .SQLITE_ABORT)
    await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(runs.value == 1)
    #expect(try await database.read { try $0.all() } == [1, 2])
  }

  @Test func fullTextContentIsUndoneWithItsWrite() async throws {
    let database = try writes.open(.pool)
    try await database.write { try $0.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(content)") }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.execute(sql: "INSERT INTO text VALUES ('first')") }
    let second = try await queue.add { db in
      try db.execute(sql: "INSERT INTO text VALUES ('second')")
      throw Planned()
    }
    let third = try await queue.add { try $0.execute(sql: "INSERT INTO text VALUES ('third')") }
    writes.trace.clear()
    queue.start()
    try await first.value
    await #expect(throws: Planned.self) { try await second.value }
    try await third.value
    #expect(writes.transactions.count == 1)
    let found = try await database.read { db in
      try String.fetchAll(db, sql: "SELECT content FROM text('first OR second OR third') ORDER BY rowid")
    }
    #expect(found == ["first", "third"])
  }

  @Test func fullTextContentIsCommittedAfterAPragma() async throws {
    let database = try writes.open(.pool)
    try await database.write { try $0.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(content)") }
    try await database.write { db in
      try db.execute(sql: "INSERT INTO text VALUES ('first')")
      // It expires compiled statements.
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    }
    #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM text('first')") } == 1)
  }

  @Test func aCancelledWriteDoesNotAffectOthers() async throws {
    let isRunning = Moment()
    let database = try writes.open(.pool) { NeverEnding.add(to: &$0) { isRunning.happen() } }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.execute(
        sql: """
          INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n) SELECT running(i) FROM n
          """)
    }
    let third = try await queue.add { try $0.add(3) }
    queue.start()
    await isRunning.reached()
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    for write in [first, third] { _ = try await write.value }
    #expect(try await database.read { try $0.all() } == [1, 3])
  }

  @Test func aWriteThatIsCancelledWhileItWaitsIsNotExecuted() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { try $0.add(2) }
    let third = try await queue.add { try $0.add(3) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    writes.trace.clear()
    queue.start()
    for write in [first, third] { _ = try await write.value }
    #expect(writes.transactions == ["INSERT INTO t VALUES (1) | INSERT INTO t VALUES (3) | C"])
  }

  @Test func aWriteThatIsCancelledInItsClosureIsRolledBack() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    var cancelled: [Task<Void, any Error>] = []
    for number in 1...2 {
      cancelled.append(
        try await queue.add { db in
          try db.add(number)
          withUnsafeCurrentTask { $0?.cancel() }
        })
    }
    let third = try await queue.add { try $0.add(3) }
    let fourth = try await queue.add { db in
      try db.add(4)
      withUnsafeCurrentTask { $0?.cancel() }
    }
    queue.start()
    for write in cancelled + [fourth] { await #expect(throws: CancellationError.self) { try await write.value } }
    _ = try await third.value
    #expect(try await database.read { try $0.all() } == [3])
  }

  @Test func aWriteCannotBeCancelledAfterItsClosureHasReturned() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      first.cancel()
      try db.add(2)
    }
    queue.start()
    #expect(try await first.value == 1)
    try await second.value
    #expect(try await database.read { try $0.all() } == [1, 2])
  }

  @Test func aWriteThatIsCancelledAfterItsClosureIsNotExecutedAgain() async throws {
    let database = try writes.open(.pool)
    _ = try await database.write { try $0.add(0) }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      first.cancel()
      try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (0)")
    }
    queue.start()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(try await database.read { try $0.all() } == [0])
  }

  @Test func theTimeLimitOfAWriteDoesNotAffectOthers() async throws {
    let clock = writes.clock
    let database = try writes.open(.pool) { NeverEnding.add(to: &$0) { clock.advance(by: .seconds(1)) } }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add {
      try await Database.withAccessTimeLimit(.seconds(60)) {
        try await database.write { db in
          try db.add(2)
          _ = try Int.fetchOne(db, sql: NeverEnding.sql)
        }
      }
    }
    let third = try await queue.add { try $0.add(3) }
    queue.start()
    let error = await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
    for write in [first, third] { _ = try await write.value }
    #expect(try await database.read { try $0.all() } == [1, 3])
  }

  // MARK: - What a closure sees

  @TaskLocal static var name = ""

  @Test func eachClosureRunsInItsTask() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    var tasks: [Task<String, any Error>] = []
    for number in 1...3 {
      tasks.append(
        try await queue.add {
          try await Self.$name.withValue("task \(number)") { try await database.write { _ in Self.name } }
        })
    }
    queue.start()
    for (index, write) in tasks.enumerated() { #expect(try await write.value == "task \(index + 1)") }
  }

  @Test func eachWriteHasItsTransactionDate() async throws {
    let count = Locked(0.0)
    let database = try writes.open(.pool) { configuration in
      configuration.transactionClock = .custom { _ in
        Date(
          timeIntervalSinceReferenceDate: count.update {
            $0 += 1
            return $0
          })
      }
    }
    let queue = try WriteQueue(database)
    var tasks: [Task<[Date], any Error>] = []
    for _ in 1...3 { tasks.append(try await queue.add { [try $0.transactionDate, try $0.transactionDate] }) }
    queue.start()
    var dates: [Double] = []
    for write in tasks { dates += try await write.value.map(\.timeIntervalSinceReferenceDate) }
    #expect(dates == [dates[0], dates[0], dates[0] + 1, dates[0] + 1, dates[0] + 2, dates[0] + 2])
  }

  // MARK: - Failures of the commit

  @Test func allWritesReceiveTheErrorOfTheirCommit() async throws {
    // In this mode, a commit waits for the readers of other connections.
    let path = writes.folder.path("rollback")
    var configuration = Configuration()
    configuration.groupsWrites = true
    configuration.busyMode = .immediateError
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try await database.write { try $0.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (0)") }
    let reader = try DatabaseQueue(path: path)
    let (isReading, mayEnd) = (Signal(), Signal())
    onThread {
      try? reader.read { db in
        _ = try db.all()
        isReading.fire()
        try mayEnd.wait()
      }
    }
    try isReading.wait()
    let queue = try WriteQueue(database)
    let tasks = [try await queue.add { try $0.add(1) }, try await queue.add { try $0.add(2) }]
    queue.start()
    for write in tasks {
      let error = await #expect(throws: DatabaseError.self) { try await write.value }
      #expect(error?.resultCode == .SQLITE_BUSY)
      #expect(error?.commitOutcome == .notCommitted)
    }
    mayEnd.fire()
    try await waitUntil("the end of the read") { (try? database.write { try $0.add(3) }) != nil }
    #expect(try await database.read { try $0.all() } == [0, 3])
  }
}
