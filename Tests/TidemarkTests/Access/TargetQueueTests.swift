import Dispatch
import Foundation
import TestSupport
import Testing
import Tidemark

/// `Configuration.targetQueue` and `writeTargetQueue`. A condition that does not hold ends the process.
@Suite struct TargetQueueTests {
  @Test(arguments: ["global", "serial", "concurrent", "main"])
  func accessesRunOnTheTargetQueue(kind: String) async {
    await #expect(processExitsWith: .success) { [kind] in
      let target = Self.queue(kind)
      try await Self.checkAll { configuration in
        configuration.targetQueue = target
        return (target, target)
      }
    }
  }

  @Test func writesRunOnTheirOwnTargetQueue() async {
    await #expect(processExitsWith: .success) {
      let target = DispatchQueue(label: "reads")
      let writeTarget = DispatchQueue(label: "writes")
      try await Self.checkAll { configuration in
        configuration.targetQueue = target
        configuration.writeTargetQueue = writeTarget
        return (target, writeTarget)
      }
    }
  }

  @Test func readOnlyQueuesUseTheTargetQueueOfReads() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      _ = try folder.tablePool()
      var configuration = Configuration()
      let target = DispatchQueue(label: "reads")
      configuration.readonly = true
      configuration.targetQueue = target
      configuration.writeTargetQueue = DispatchQueue(label: "writes")
      let queue = try DatabaseQueue(path: folder.database, configuration: configuration)
      try synchronously { try queue.read { _ in dispatchPrecondition(condition: .onQueue(target)) } }
    }
  }

  @Test func accessesInsideOthersRunOnTheSameSerialQueue() async throws {
    let folder = try TemporaryFolder()
    let target = DispatchQueue(label: "target")
    let pool = try folder.tablePool { $0.targetQueue = target }
    let number = try synchronously {
      try pool.write { db in
        try db.insert(1)
        return try pool.read { reader in
          try pool.unsafeReentrantRead { _ in try Int.fetchOne(reader, sql: "SELECT COUNT(*) FROM t") }
        }
      }
    }
    #expect(number == 0)
    #expect(try await pool.makeSnapshotPool().read { try $0.numbers() } == [1])
  }

  private static func queue(_ kind: String) -> DispatchQueue {
    switch kind {
    case "global": .global(qos: .utility)
    case "serial": DispatchQueue(label: "serial")
    case "main": .main
    default: DispatchQueue(label: "concurrent", attributes: .concurrent)
    }
  }

  private static func checkAll(
    _ setUp: @escaping @Sendable (inout Configuration) -> (reads: DispatchQueue, writes: DispatchQueue)
  ) async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    let (reads, writes) = setUp(&configuration)
    configuration.prepareDatabase { db in
      dispatchPrecondition(condition: .onQueue(db.configuration.readonly ? reads : writes))
    }
    let isRead: @Sendable (Database) throws -> Void = { db in
      dispatchPrecondition(condition: .onQueue(reads))
      try db.execute(sql: "SELECT 1")
    }
    let isWrite: @Sendable (Database) throws -> Void = { db in
      dispatchPrecondition(condition: .onQueue(writes))
      try db.execute(sql: "SELECT 1")
    }
    // Not on the main thread, which would wait for itself.
    let settings = configuration
    let (pool, queue) = try await Background {
      let pool = try DatabasePool(path: folder.path("pool"), configuration: settings)
      let queue = try DatabaseQueue(configuration: settings)
      try pool.read(isRead)
      try pool.unsafeRead(isRead)
      try pool.unsafeReentrantRead(isRead)
      try pool.makeSnapshot().read(isRead)
      try pool.makeSnapshotPool().read(isRead)
      try pool.write(isWrite)
      try pool.writeWithoutTransaction(isWrite)
      try pool.barrierWriteWithoutTransaction(isWrite)
      try pool.unsafeReentrantWrite(isWrite)
      try queue.read(isWrite)
      try queue.write(isWrite)
      try queue.inDatabase(isWrite)
      try DatabaseQueue.inMemoryCopy(fromPath: pool.path, configuration: settings).read(isWrite)
      return (pool, queue)
    }.reached()
    for _ in 0..<30 {
      try await pool.read(isRead)
      try await pool.unsafeRead(isRead)
      try await pool.readInline(isRead)
      try await pool.write(isWrite)
      try await pool.writeWithoutTransaction(isWrite)
      try await pool.barrierWriteWithoutTransaction(isWrite)
      try await queue.read(isWrite)
      try await queue.write(isWrite)
    }
    let told = (0..<4).map { _ in Moment() }
    pool.asyncRead { result in
      try? isRead(result.get())
      told[0].happen()
    }
    pool.asyncWriteWithoutTransaction { db in
      try? isWrite(db)
      pool.spawnConcurrentRead { result in
        try? isRead(result.get())
        told[1].happen()
      }
    }
    queue.asyncRead { result in
      try? isWrite(result.get())
      told[2].happen()
    }
    let observation = ValueObservation.tracking { db in
      dispatchPrecondition(condition: .onQueue(reads))
      return try Int.fetchOne(db, sql: "SELECT 1")
    }
    let cancellable = observation.start(in: pool, scheduling: .async(onQueue: .global())) { _ in
    } onChange: { _ in
      told[3].happen()
    }
    for moment in told { await moment.reached() }
    cancellable.cancel()
  }
}
