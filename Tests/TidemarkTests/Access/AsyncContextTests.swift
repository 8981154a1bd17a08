import TestSupport
import Testing
import Tidemark
@testable import TidemarkEssentials

/// The context of the closure of an asynchronous access: the task-local values and the cancellation of the awaiting
/// task.
@Suite struct AsyncContextTests {
  enum Context {
    @TaskLocal static var name = "none"
  }

  /// An access that is awaited.
  struct Access: CustomTestStringConvertible, Sendable {
    typealias Body = @Sendable (Database) throws -> String

    var testDescription: String
    var isTransactionThatWrites = false
    var make: @Sendable (DatabasePool, DatabaseQueue) throws -> @Sendable (@escaping Body) async throws -> String

    static let all: [Access] = [
      Access("queue.read") { _, queue in { try await queue.read($0) } },
      Access("queue.unsafeRead") { _, queue in { try await queue.unsafeRead($0) } },
      Access("queue.write", isTransactionThatWrites: true) { _, queue in { try await queue.write($0) } },
      Access("queue.writeWithoutTransaction") { _, queue in { try await queue.writeWithoutTransaction($0) } },
      Access("queue.barrierWrite") { _, queue in { try await queue.barrierWriteWithoutTransaction($0) } },
      Access("pool.read") { pool, _ in { try await pool.read($0) } },
      Access("pool.readInline") { pool, _ in { try await pool.readInline($0) } },
      Access("pool.unsafeRead") { pool, _ in { try await pool.unsafeRead($0) } },
      Access("pool.write", isTransactionThatWrites: true) { pool, _ in { try await pool.write($0) } },
      Access("pool.writeWithoutTransaction") { pool, _ in { try await pool.writeWithoutTransaction($0) } },
      Access("pool.barrierWrite") { pool, _ in { try await pool.barrierWriteWithoutTransaction($0) } },
      Access("AnyDatabaseReader.read") { pool, _ in
        let reader = AnyDatabaseReader(pool)
        return { try await reader.read($0) }
      },
      Access("AnyDatabaseWriter.write", isTransactionThatWrites: true) { pool, _ in
        let writer = AnyDatabaseWriter(pool)
        return { try await writer.write($0) }
      },
      Access("snapshot.read") { pool, _ in
        let snapshot = try pool.makeSnapshot()
        return { try await snapshot.read($0) }
      },
      Access("snapshot.unsafeRead") { pool, _ in
        let snapshot = try pool.makeSnapshot()
        return { try await snapshot.unsafeRead($0) }
      },
      Access("snapshotPool.read") { pool, _ in
        let snapshot = try pool.makeSnapshotPool()
        return { try await snapshot.read($0) }
      },
      Access("snapshotPool.unsafeRead") { pool, _ in
        let snapshot = try pool.makeSnapshotPool()
        return { try await snapshot.unsafeRead($0) }
      },
    ]

    init(
      _ name: String, isTransactionThatWrites: Bool = false,
      _ make:
        @escaping @Sendable (DatabasePool, DatabaseQueue) throws -> @Sendable (@escaping Body) async throws -> String
    ) {
      testDescription = name
      self.isTransactionThatWrites = isTransactionThatWrites
      self.make = make
    }
  }

  let folder: TemporaryFolder
  let pool: DatabasePool
  let queue: DatabaseQueue

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool()
    queue = try DatabaseQueue()
  }

  /// Some accesses that follow each other: short ones begin to run on the thread of the task.
  private let repetitions = 0..<40

  @Test(arguments: Access.all)
  func theClosureSeesTaskLocalValues(access: Access) async throws {
    let run = try access.make(pool, queue)
    for number in repetitions {
      let name = try await Context.$name.withValue("caller \(number)") { try await run { _ in Context.name } }
      #expect(name == "caller \(number)")
    }
  }

  @Test(arguments: Access.all)
  func theClosureOfAnAccessThatWaitedSeesTaskLocalValues(access: Access) async throws {
    let run = try access.make(pool, queue)
    let isInside = Moment()
    let mayEnd = Moment()
    async let first = run { _ in
      isInside.happen()
      try mayEnd.wait()
      return Context.name
    }
    await isInside.reached()
    let others = (0..<20).map { number in
      Context.$name.withValue("caller \(number)") { Task { try await run { _ in Context.name } } }
    }
    mayEnd.happen()
    #expect(try await first == "none")
    for (number, task) in others.enumerated() {
      #expect(try await task.value == "caller \(number)")
    }
  }

  @Test(arguments: Access.all)
  func theClosureSeesTheCancellationOfItsTask(access: Access) async throws {
    let run = try access.make(pool, queue)
    for _ in repetitions {
      let seen = Journal<[Bool]>()
      let task = Task {
        try await run { _ in
          let before = Task.isCancelled
          withUnsafeCurrentTask { $0?.cancel() }
          seen.append([before, Task.isCancelled])
          return ""
        }
      }
      _ = await task.result
      #expect(seen.entries == [[false, true]])
    }
  }

  @Test(arguments: Access.all.filter { !$0.isTransactionThatWrites })
  func finishedClosuresReturnTheirResultDespiteCancellation(access: Access) async throws {
    let run = try access.make(pool, queue)
    for _ in repetitions {
      let task = Task {
        try await run { db in
          let value = try String.fetchOne(db, sql: "SELECT 'value'") ?? ""
          withUnsafeCurrentTask { $0?.cancel() }
          return value
        }
      }
      #expect(try await task.value == "value")
    }
  }

  @Test(arguments: Access.all)
  func aStatementAfterTheCancellationThrows(access: Access) async throws {
    let run = try access.make(pool, queue)
    for _ in repetitions {
      let task = Task {
        try await run { db in
          withUnsafeCurrentTask { $0?.cancel() }
          return try String.fetchOne(db, sql: "SELECT 'value'") ?? ""
        }
      }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
    #expect(try await run { try String.fetchOne($0, sql: "SELECT 'value'") ?? "" } == "value")
  }

  @Test(arguments: Access.all)
  func anOpenCursorThrowsAfterTheCancellation(access: Access) async throws {
    let run = try access.make(pool, queue)
    for _ in repetitions {
      let rows = Journal<String>()
      let task = Task {
        try await run { db in
          let cursor = try String.fetchCursor(db, sql: "SELECT 'a' UNION ALL SELECT 'b' UNION ALL SELECT 'c'")
          while let row = try cursor.next() {
            rows.append(row)
            withUnsafeCurrentTask { $0?.cancel() }
          }
          return ""
        }
      }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(rows.entries == ["a"])
    }
  }

  @Test func readsThatExpireAfterTheirClosureReturnTheirResult() async throws {
    let clock = FakeClock()
    let pool = try folder.pool {
      $0.environment.clock = clock.clock
      $0.accessTimeLimit = .seconds(1)
    }
    let value = try await pool.read { db in
      let value = try Int.fetchOne(db, sql: "SELECT 1")
      clock.advance(by: .seconds(2))
      #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 2") }
      return value
    }
    #expect(value == 1)
  }
}
