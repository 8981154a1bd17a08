import Foundation
import Testing
import Tidemark
@testable import TidemarkEssentials

/// Two connections to one file.
@Suite struct BusyTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("db") }

  init() throws {
    folder = try TemporaryFolder()
    try DatabaseQueue(path: folder.path("db")).write { try $0.createBooks() }
  }

  static let locked = "SQLite error 5: database is locked - while executing `BEGIN IMMEDIATE TRANSACTION`"

  private func makeQueue(_ mode: Database.BusyMode) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = mode
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  @Test func immediateErrorsAreThrownWithoutWaiting() throws {
    let other = try makeQueue(.immediateError)
    try DatabaseQueue(path: path).write { _ throws in
      #expect(message { try other.write { _ in } } == Self.locked)
      // Readers are not blocked.
      #expect(try other.read { try $0.titles() } == [])
    }
    try other.write { _ in }
  }

  @Test func busyTimeoutEnds() throws {
    let other = try makeQueue(.timeout(0.01))
    try DatabaseQueue(path: path).write { _ throws in
      #expect(message { try other.write { _ in } } == Self.locked)
    }
    try other.write { _ in }
  }

  @Test(arguments: [(5, 5), (0.0001, 0.0001), (0, 0), (-1, 0), (.nan, 0)] as [(Double, Double)])
  func busyTimeoutWaitsForItsDuration(_ timeout: Double, _ waited: Double) throws {
    let clock = FakeClock()
    var configuration = Configuration()
    configuration.busyMode = .timeout(timeout)
    configuration.environment.clock = clock.clock
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try DatabaseQueue(path: path).write { _ throws in
      #expect(message { try other.write { _ in } } == Self.locked)
    }
    #expect(clock.time == .seconds(waited))
  }

  @Test func busyTimeoutIsMeasuredForEachLock() throws {
    let clock = FakeClock()
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.environment.clock = clock.clock
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try DatabaseQueue(path: path).write { _ throws in
      for _ in 1...2 { #expect(message { try other.write { _ in } } == Self.locked) }
    }
    #expect(clock.time == .seconds(10))
  }

  @Test func cancelledTasksDoNotWaitForALock() async throws {
    let clock = FakeClock()
    var configuration = Configuration()
    configuration.busyMode = .timeout(.infinity)
    configuration.environment.clock = clock.clock
    let other = try DatabaseQueue(path: path, configuration: configuration)
    let holder = try DatabaseQueue(path: path)
    let isLocked = Signal()
    let isCancelled = Signal()
    onThread {
      try? holder.write { _ in
        isLocked.fire()
        try isCancelled.wait()
      }
    }
    try isLocked.wait()
    let task = Task { try await other.write { _ in } }
    try await waitUntil { clock.time > .zero }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    isCancelled.fire()
    try await other.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
  }

  @Test func busyTimeoutOutlastsAShortLock() throws {
    let isLocked = Signal()
    let isWaiting = Signal()
    let one = try DatabaseQueue(path: path)
    onThread {
      try? one.write { _ in
        isLocked.fire()
        try isWaiting.wait()
      }
    }
    try isLocked.wait()
    // The other connection releases its lock on request, at the latest while this one waits.
    isWaiting.fire()
    try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
  }

  @Test func busyCallbackIsCalledUntilItReturnsFalse() throws {
    let asked = Locked<[Int]>([])
    let other = try makeQueue(
      .callback { count in
        asked.update { $0.append(count) }
        return count < 3
      })
    try DatabaseQueue(path: path).write { _ throws in
      #expect(message { try other.write { _ in } } == Self.locked)
    }
    #expect(asked.value == [0, 1, 2, 3])
  }

  @Test func busyCallbackCanWaitForTheLock() throws {
    let isLocked = Signal()
    let isAsked = Signal()
    let isFree = Signal()
    let one = try DatabaseQueue(path: path)
    onThread {
      try? one.write { _ in
        isLocked.fire()
        try isAsked.wait()
      }
      isFree.fire()
    }
    try isLocked.wait()
    let other = try makeQueue(
      .callback { _ in
        isAsked.fire()
        return (try? isFree.wait()) != nil
      })
    try other.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
    #expect(try one.read { try $0.titles() } == ["a"])
  }

  @Test func aCommitBlockedByAReaderIsRolledBack() throws {
    let reader = try makeQueue(.immediateError)
    let writer = try makeQueue(.immediateError)
    let text = message {
      try reader.read { db in
        _ = try db.titles()
        try writer.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
      }
    }
    #expect(text == "SQLite error 5: database is locked - while executing `COMMIT TRANSACTION`")
    #expect(try reader.read { try $0.titles() } == [])
    try writer.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('b')") }
    #expect(try reader.read { try $0.titles() } == ["b"])
  }

  @Test func queuesSharingAMemoryDatabaseWorkConcurrently() async throws {
    let name = "busy \(UUID())"
    let queues = try (0..<4).map { _ in try DatabaseQueue(named: name) }
    try await queues[0].write { try $0.createBooks() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for dbQueue in queues {
        group.addTask {
          for number in 0..<50 {
            // A shared cache reports a conflict immediately: it ignores the busy timeout.
            while true {
              do {
                try await dbQueue.write {
                  try $0.execute(sql: "INSERT INTO book (title) VALUES (hex(randomblob(16)))")
                }
                break
              } catch DatabaseError.SQLITE_LOCKED, DatabaseError.SQLITE_BUSY {
                await Task.yield()
              }
            }
            _ = number
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await queues[1].read { try $0.titles().count } == 200)
  }
}
