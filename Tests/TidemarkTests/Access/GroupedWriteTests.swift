import Testing
import Tidemark

/// Asynchronous writes that share a transaction of SQLite: `Configuration.groupsWrites`.
@Suite struct GroupedWriteTests {
  typealias Kind = GroupedWrites.Kind
  static let kinds = Kind.allCases

  private let writes: GroupedWrites

  init() throws { writes = try GroupedWrites() }

  @Test(arguments: kinds) func writesThatWaitShareOneCommit(_ kind: Kind) async throws {
    let database = try writes.open(kind)
    let queue = try WriteQueue(database)
    var tasks: [Task<Int, any Error>] = []
    for number in 1...3 { tasks.append(try await queue.add { try $0.add(number) }) }
    writes.trace.clear()
    queue.start()
    for (index, write) in tasks.enumerated() { #expect(try await write.value == index + 1) }
    #expect(
      writes.transactions == ["INSERT INTO t VALUES (1) | INSERT INTO t VALUES (2) | INSERT INTO t VALUES (3) | C"])
    #expect(try await database.read { try $0.all() } == [1, 2, 3])
  }

  @Test(arguments: kinds) func aWriteThatThrowsUndoesItsOwnChangesOnly(_ kind: Kind) async throws {
    let database = try writes.open(kind)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      throw Planned(number: 2)
    }
    let third = try await queue.add { try $0.add(3) }
    let fourth = try await queue.add { try $0.add(1) }
    writes.trace.clear()
    queue.start()
    _ = try await first.value
    await #expect(throws: Planned(number: 2)) { try await second.value }
    _ = try await third.value
    await #expect(throws: DatabaseError.self) { try await fourth.value }
    #expect(writes.transactions.count == 1)
    #expect(try await database.read { try $0.all() } == [1, 3])
  }

  @Test(arguments: kinds) func whenTheFirstWriteThrowsTheOthersContinue(_ kind: Kind) async throws {
    let database = try writes.open(kind)
    let queue = try WriteQueue(database)
    let first = try await queue.add { db in
      try db.add(1)
      throw Planned()
    }
    let others = [try await queue.add { try $0.add(2) }, try await queue.add { try $0.add(3) }]
    writes.trace.clear()
    queue.start()
    await #expect(throws: Planned.self) { try await first.value }
    for other in others { _ = try await other.value }
    #expect(
      writes.transactions == [
        "INSERT INTO t VALUES (1) | R", "INSERT INTO t VALUES (2) | INSERT INTO t VALUES (3) | C",
      ])
  }

  @Test func nothingIsVisibleBeforeTheCommit() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let seen = Locked<[Int]?>(nil)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      // The first closure has returned.
      let numbers = try database.read { try $0.all() }
      seen.update { $0 = numbers }
      try db.add(2)
    }
    queue.start()
    _ = try await (first.value, second.value)
    #expect(seen.value == [])
  }

  @Test func accessesAreNotOvertaken() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let order = Locked<[Int]>([])
    let tasks = [
      try await queue.add { _ in order.update { $0.append(1) } },
      try await queue.add { try await database.writeWithoutTransaction { _ in order.update { $0.append(2) } } },
      try await queue.add { _ in order.update { $0.append(3) } },
      try await queue.add { try await database.barrierWriteWithoutTransaction { _ in order.update { $0.append(4) } } },
      try await queue.add { _ in order.update { $0.append(5) } },
      try await queue.add { _ in order.update { $0.append(6) } },
    ]
    writes.trace.clear()
    queue.start()
    for task in tasks { try await task.value }
    #expect(order.value == [1, 2, 3, 4, 5, 6])
    #expect(writes.trace.summary == "BI | C | BI | C | BI | C")
  }

  @Test func aGroupEndsAfterALimitedTime() async throws {
    let database = try writes.open(.pool)
    let clock = writes.clock
    let queue = try WriteQueue(database)
    var tasks = [try await queue.add { try $0.add(1) }]
    tasks.append(
      try await queue.add { db in
        clock.advance(by: .milliseconds(5))
        return try db.add(2)
      })
    tasks.append(try await queue.add { try $0.add(3) })
    writes.trace.clear()
    queue.start()
    for task in tasks { _ = try await task.value }
    #expect(
      writes.transactions == [
        "INSERT INTO t VALUES (1) | INSERT INTO t VALUES (2) | C", "INSERT INTO t VALUES (3) | C",
      ])
  }

  // MARK: - Writes that must be alone

  static let loners = [
    "CREATE TABLE u(b)", "PRAGMA defer_foreign_keys = ON", "ATTACH ':memory:' AS other", "REINDEX",
    "PRAGMA user_version = 3", "CREATE TEMP TABLE u(b)", "PRAGMA cache_size = 100",
  ]

  @Test(arguments: loners) func aWriteThatAffectsOthersIsExecutedAlone(_ sql: String) async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      try db.execute(sql: sql)
    }
    let third = try await queue.add { try $0.add(3) }
    writes.trace.clear()
    queue.start()
    for write in [first, third] { _ = try await write.value }
    try await second.value
    // It was begun with the others, and its changes were undone.
    #expect(
      writes.transactions == [
        "INSERT INTO t VALUES (1) | INSERT INTO t VALUES (2) | INSERT INTO t VALUES (3) | C",
        "INSERT INTO t VALUES (2) | \(sql) | C",
      ])
    #expect(try await database.read { try $0.all() } == [1, 2, 3])
  }

  @Test(arguments: loners) func noWriteFollowsOneThatAffectsOthers(_ sql: String) async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.execute(sql: sql) }
    let second = try await queue.add { try $0.add(2) }
    writes.trace.clear()
    queue.start()
    _ = try await (first.value, second.value)
    #expect(writes.transactions == ["\(sql) | C", "INSERT INTO t VALUES (2) | C"])
  }

  @Test func aPragmaAffectsNoWriteBeforeItsOwn() async throws {
    let database = try writes.open(.pool)
    try await database.write { try $0.execute(sql: "CREATE TABLE u(b CHECK (b > 0))") }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.execute(
        sql: """
          PRAGMA ignore_check_constraints = ON;
          INSERT INTO u VALUES (-2);
          PRAGMA ignore_check_constraints = OFF;
          """)
    }
    let third = try await queue.add { try $0.execute(sql: "INSERT INTO u VALUES (-3)") }
    queue.start()
    _ = try await first.value
    try await second.value
    let error = await #expect(throws: DatabaseError.self) { try await third.value }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
    #expect(try await database.read { try Int.fetchAll($0, sql: "SELECT b FROM u") } == [-2])
  }

  @Test func aWriteThatCatchesItsRejectionIsStillExecutedAlone() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      do { try db.execute(sql: "CREATE TABLE u(b)") } catch {}
      do { try db.commit() } catch {}
    }
    queue.start()
    _ = try await first.value
    await #expect(throws: DatabaseError.self) { try await second.value }
    // It has committed, as it would without other writes.
    #expect(try await database.read { try $0.all() } == [1, 2])
    #expect(try await database.read { try $0.tableExists("u") })
  }

  @Test(arguments: ["ROLLBACK", "COMMIT"]) func aWriteThatEndsItsTransactionEndsNoOther(_ sql: String) async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      try db.execute(sql: sql)
    }
    queue.start()
    _ = try await first.value
    await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(try await database.read { try $0.all() } == (sql == "COMMIT" ? [1, 2] : [1]))
  }

  @Test func savepointsStayInTheGroup() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      try db.inSavepoint {
        try db.add(3)
        return .rollback
      }
      try db.inSavepoint {
        try db.add(4)
        return .commit
      }
    }
    writes.trace.clear()
    queue.start()
    _ = try await first.value
    try await second.value
    #expect(writes.transactions.count == 1)
    #expect(try await database.read { try $0.all() } == [1, 2, 4])
  }

  @Test func aSavepointWithTheNameOfTheLibraryIsUndoneWithItsWrite() async throws {
    let database = try writes.open(.pool)
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.execute(sql: "SAVEPOINT Tidemark_Write")
      try db.add(2)
      throw Planned()
    }
    queue.start()
    _ = try await first.value
    await #expect(throws: Planned.self) { try await second.value }
    #expect(try await database.read { try $0.all() } == [1])
  }

  @Test func aWriteThatViolatesADeferredForeignKeyFailsAlone() async throws {
    let database = try writes.open(.pool)
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE u(b REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED)")
    }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { try $0.execute(sql: "INSERT INTO u VALUES (7)") }
    let third = try await queue.add { try $0.add(3) }
    let fourth = try await queue.add { db in
      try db.execute(sql: "INSERT INTO u VALUES (4)")
      try db.add(4)
    }
    queue.start()
    for write in [first, third] { _ = try await write.value }
    let error = await #expect(throws: DatabaseError.self) { try await second.value }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    _ = try await fourth.value
    #expect(try await database.read { try $0.all() } == [1, 3, 4])
  }
}
