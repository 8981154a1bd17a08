import Foundation
import Testing
import Tidemark

/// Asynchronous accesses whose task is cancelled (hazards C4, C5, S5).
@Suite struct CancellationTests {
  /// Keeps a queue busy until it is released.
  private struct Holder {
    let mayEnd = Signal()

    init(_ dbQueue: DatabaseQueue) throws {
      let holds = Signal()
      let mayEnd = mayEnd
      onThread {
        dbQueue.inDatabase { _ in
          holds.fire()
          try? mayEnd.wait()
        }
      }
      try holds.wait()
    }
  }

  typealias Access = @Sendable (DatabaseQueue, @escaping @Sendable (Database) throws -> Void) async throws -> Void

  static let accesses: [Access] = [
    { try await $0.read($1) }, { try await $0.write($1) }, { try await $0.unsafeRead($1) },
    { try await $0.writeWithoutTransaction($1) }, { try await $0.barrierWriteWithoutTransaction($1) },
  ]

  @Test(arguments: accesses.indices)
  func cancelledWaitersLeaveImmediately(_ index: Int) async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let holder = try Holder(dbQueue)
    let ran = Locked(0)
    let tasks = (0..<20).map { _ in
      Task { try await Self.accesses[index](dbQueue) { _ in ran.update { $0 += 1 } } }
    }
    for (number, task) in tasks.enumerated() where number != 10 { task.cancel() }
    // The queue is busy all the time: cancelled accesses do not wait for it.
    for (number, task) in tasks.enumerated() where number != 10 {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(ran.value == 0)
    holder.mayEnd.fire()
    try await tasks[10].value
    #expect(ran.value == 1)
  }

  @Test func cancelledWaitersReleaseTheirCaptures() async throws {
    final class Cargo: Sendable {}
    let dbQueue = try DatabaseQueue.withBooks()
    let holder = try Holder(dbQueue)
    var cargo: Cargo? = Cargo()
    weak let watched = cargo
    let task = Task { [cargo] in try await dbQueue.write { [cargo] _ in _ = cargo } }
    cargo = nil
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await waitUntil { [weak watched] in watched == nil }
    holder.mayEnd.fire()
  }

  @Test func manyWaitersCanCancel() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let holder = try Holder(dbQueue)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5000 { group.addTask { try? await dbQueue.write { _ in } } }
      group.cancelAll()
    }
    holder.mayEnd.fire()
    try await expectClean(dbQueue)
  }

  @Test(arguments: accesses.indices)
  func alreadyCancelledTasksDoNothing(_ index: Int) async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let mayBegin = Signal()
    let ran = Locked(0)
    let task = Task.detached {
      try mayBegin.wait()
      try await Self.accesses[index](dbQueue) { _ in ran.update { $0 += 1 } }
    }
    task.cancel()
    mayBegin.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ran.value == 0)
  }

  @Test(arguments: accesses.indices)
  func cancellationInterruptsTheStatement(_ index: Int) async throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    let task = Task { try await Self.accesses[index](dbQueue) { try $0.execute(sql: Endless.sql) } }
    try await waitWithoutThread(for: endless.hasBegun)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func cancellationRollsBackTheTransaction() async throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    let task = Task {
      try await dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('lost')")
        try db.execute(sql: Endless.writeSQL)
      }
    }
    try await waitWithoutThread(for: endless.hasBegun)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func cancellationRollsBackManualTransactions() async throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    let task = Task {
      try await dbQueue.writeWithoutTransaction { db in
        try db.beginTransaction()
        try db.execute(sql: "INSERT INTO book (title) VALUES ('lost')")
        try db.execute(sql: Endless.sql)
      }
    }
    try await waitWithoutThread(for: endless.hasBegun)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func cancellationPreventsTheNextStatement() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let hasBegun = Signal()
    let isCancelled = Signal()
    let ends = Locked<[String]>([])
    let task = Task {
      try await dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('lost')")
        hasBegun.fire()
        try isCancelled.wait()
        // Also if the closure ignores the cancellation.
        for sql in ["SELECT 1", "INSERT INTO book (title) VALUES ('late')", "SAVEPOINT a", "COMMIT"] {
          do {
            try db.execute(sql: sql)
            ends.update { $0.append("\(sql) has run") }
          } catch is CancellationError {
            ends.update { $0.append("cancelled") }
          }
        }
      }
    }
    try await waitWithoutThread(for: hasBegun)
    task.cancel()
    isCancelled.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ends.value == Array(repeating: "cancelled", count: 4))
    try await expectClean(dbQueue)
  }

  @Test func rollbackIsAllowedAfterCancellation() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let hasBegun = Signal()
    let isCancelled = Signal()
    let task = Task {
      try await dbQueue.writeWithoutTransaction { db in
        try db.beginTransaction()
        hasBegun.fire()
        try isCancelled.wait()
        try db.rollback()
        try db.beginTransaction()
      }
    }
    try await waitWithoutThread(for: hasBegun)
    task.cancel()
    isCancelled.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func cancellationIsReportedAlsoAfterSQLiteHasRolledBack() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let task = Task {
      try await dbQueue.write { db in
        try? db.execute(sql: "INSERT OR ROLLBACK INTO book (title) VALUES (NULL)")
        #expect(!db.isInsideTransaction)
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func programErrorsTakePrecedenceOverCancellation() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let hasBegun = Signal()
    let isCancelled = Signal()
    let task = Task {
      try await dbQueue.write { _ in
        hasBegun.fire()
        try isCancelled.wait()
        throw Planned(number: 3)
      }
    }
    try await waitWithoutThread(for: hasBegun)
    task.cancel()
    isCancelled.fire()
    await #expect(throws: Planned(number: 3)) { try await task.value }
    try await expectClean(dbQueue)
  }

  @Test func backupsCanBeCancelled() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let destination = try DatabaseQueue()
    try await dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES (hex(zeroblob(50000)))") }
    let hasBegun = Signal()
    let isCancelled = Signal()
    let task = Task {
      try await dbQueue.read { db in
        try destination.writeWithoutTransaction { other in
          try db.backup(to: other, pagesPerStep: 1) { _ in
            hasBegun.fire()
            try isCancelled.wait()
          }
        }
      }
    }
    try await waitWithoutThread(for: hasBegun)
    task.cancel()
    isCancelled.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") } == 0)
  }

  @Test func returnedWritesAreCommitted() async throws {
    var generator = SeededRandom()
    let dbQueue = try DatabaseQueue.withBooks()
    var done: Set<String> = []
    for round in 0..<60 {
      let tasks = (0..<10).map { number in
        Task {
          let title = "\(round).\(number)"
          return try await dbQueue.write { db in
            try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: [title])
            try db.execute(
              sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT max(i) FROM n")
            return title
          }
        }
      }
      let delays = (0..<10).map { _ in Int.random(in: 0..<6, using: &generator) }
      for (task, delay) in zip(tasks, delays) {
        for _ in 0..<delay { await Task.yield() }
        if delay.isMultiple(of: 2) { task.cancel() }
      }
      for task in tasks {
        switch await task.result {
        case .success(let title): done.insert(title)
        case .failure(let error): #expect(error is CancellationError)
        }
      }
    }
    #expect(try await dbQueue.read { try Set($0.titles()) } == done)
    try await expectClean(dbQueue, titles: done.sorted())
  }

  // MARK: Help

  private func expectClean(
    _ dbQueue: DatabaseQueue, titles: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let isInside = try await dbQueue.unsafeRead { $0.isInsideTransaction }
    #expect(!isInside, sourceLocation: sourceLocation)
    try await dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('zz')") }
    let found = try await dbQueue.read { try $0.titles() }
    #expect(found == titles + ["zz"], sourceLocation: sourceLocation)
  }

  private func waitWithoutThread(for signal: Signal) async throws {
    try await withCheckedThrowingContinuation { continuation in
      onThread { continuation.resume(with: Result { try signal.wait() }) }
    }
  }
}
