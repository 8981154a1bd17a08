import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Process locks of databases, in one process. `LockFile` stands for another process.
@Suite(.untilItHangs) struct ProcessLockTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try DatabasePool(path: folder.path("db"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
  }

  private func lockFile(_ name: String = "main") throws -> LockFile {
    try LockFile(path: folder.path("db-lock-\(name)"), permissionsOf: folder.path("db"))
  }

  private var isFree: Bool {
    get throws {
      let file = try lockFile()
      defer { file.unlock() }
      return try file.tryLock()
    }
  }

  // MARK: - Exclusion

  @Test func `the closure runs with the lock, and its result is returned`() async throws {
    let isFree = try await pool.withExclusiveProcessLock { try self.isFree }
    #expect(!isFree)
    #expect(try self.isFree)
  }

  @Test func `the closure runs on the actor of the caller`() async throws {
    actor Counter {
      var count = 0
      func increment(_ writer: any DatabaseWriter) async throws {
        try await writer.withExclusiveProcessLock { count += 1 }
        try await writer.withExclusiveProcessLockIfAvailable { count += 1 }
      }
    }
    let counter = Counter()
    try await counter.increment(pool)
    #expect(await counter.count == 2)
  }

  @Test func `an error of the closure is rethrown, and releases the lock`() async throws {
    await #expect(throws: CocoaError.self) {
      try await pool.withExclusiveProcessLock { throw CocoaError(.userCancelled) }
    }
    #expect(try isFree)
  }

  @Test func `one task at a time runs a closure, of several pools and spellings of the path`() async throws {
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path("db"))
    let writers: [any DatabaseWriter] = [
      pool, try DatabasePool(path: folder.path("../\(folder.path.split(separator: "/").last!)/./db")),
      try DatabaseQueue(path: link),
    ]
    let running = Locked(0)
    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<30 {
        group.addTask {
          try await writers[index % 3].withExclusiveProcessLock {
            let isAlone = running.update { count in
              count += 1
              return count == 1
            }
            await Task.yield()
            running.update { $0 -= 1 }
            return isAlone
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: true, count: 30))
  }

  @Test func `tasks of a process take their turns in the order of their requests`() async throws {
    let order = Locked<[Int]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      let file = try lockFile()
      _ = try file.tryLock()
      for number in 1...4 {
        group.addTask { [pool] in
          try await pool.withExclusiveProcessLock { order.update { $0.append(number) } }
        }
        try await waitForRequests(number)
      }
      file.unlock()
      try await group.waitForAll()
    }
    #expect(order.value == [1, 2, 3, 4])
  }

  /// Waits until the process has a number of requests.
  private func waitForRequests(_ count: Int) async throws {
    let path = try #require(FilePath.resolved(folder.path("db"))) + "-lock-main"
    try await waitUntil { ProcessLockRequest.count(for: path) == count }
  }

  @Test func `locks with different names do not exclude each other`() async throws {
    let result = try await pool.withExclusiveProcessLock(named: "a") {
      try await pool.withExclusiveProcessLockIfAvailable(named: "b") { "both" }
    }
    #expect(result == "both")
  }

  @Test func `a lock that another process holds is not available`() async throws {
    let file = try lockFile()
    _ = try file.tryLock()
    let result: Int? = try await pool.withExclusiveProcessLockIfAvailable { 1 }
    #expect(result == nil)
  }

  @Test func `a lock that another task holds is not available`() async throws {
    let result = try await pool.withExclusiveProcessLock {
      try await Task.detached { [pool] in try await pool.withExclusiveProcessLockIfAvailable { 1 } }.value
    }
    #expect(result == nil)
    #expect(try await pool.withExclusiveProcessLockIfAvailable { 1 } == 1)
  }

  // MARK: - Waiting

  @Test func `a task waits until another process releases the lock`() async throws {
    let file = try lockFile()
    _ = try file.tryLock()
    async let result = pool.withExclusiveProcessLock { 1 }
    try await waitForRequests(1)
    file.unlock()
    #expect(try await result == 1)
  }

  @Test func `a lock file that was replaced during the wait is not the lock`() async throws {
    var file: LockFile? = try lockFile()
    _ = try file?.tryLock()
    // The task has opened the file when this returns.
    let isFree = Task(executorPreference: CallingThread()) {
      try await pool.withExclusiveProcessLock { try self.isFree }
    }
    try FileManager.default.removeItem(atPath: folder.path("db-lock-main"))
    let other = try lockFile()
    _ = try other.tryLock()
    file = nil
    other.unlock()
    #expect(try await !isFree.value)
  }

  @Test func `cancelling a task ends its wait for another process`() async throws {
    let file = try lockFile()
    _ = try file.tryLock()
    let task = Task { try await pool.withExclusiveProcessLock { 1 } }
    try await waitForRequests(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    file.unlock()
    #expect(try await pool.withExclusiveProcessLock { 2 } == 2)
  }

  @Test func `cancelling a task ends its wait for its turn`() async throws {
    try await pool.withExclusiveProcessLock {
      let task = Task.detached { [pool] in try await pool.withExclusiveProcessLock { 1 } }
      try await waitForRequests(2)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(try await pool.withExclusiveProcessLock { 2 } == 2)
  }

  @Test func `a cancelled task does not take the lock`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pool.withExclusiveProcessLock { 1 }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `cancelling a task does not release its lock before its closure ends`() async throws {
    let isFree = try await Task {
      try await pool.withExclusiveProcessLock {
        withUnsafeCurrentTask { $0?.cancel() }
        return try self.isFree
      }
    }.value
    #expect(!isFree)
  }

  @Test func `a closed database has no lock`() async throws {
    try pool.close()
    let error = await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLock {} }
    #expect(error?.message == "Connection is closed")
  }

  @Test func `closing the database ends the waits, and not the closure that runs`() async throws {
    let error = try await pool.withExclusiveProcessLock {
      let task = Task.detached { [pool] in try await pool.withExclusiveProcessLock { 1 } }
      try await waitForRequests(2)
      try close()
      #expect(try !isFree)
      return await #expect(throws: DatabaseError.self) { try await task.value }
    }
    #expect(error?.message == "Connection is closed")
    #expect(try isFree)
  }

  private func close() throws { try pool.close() }

  // MARK: - Nested requests

  @Test func `a task that holds the lock cannot request it again`() async throws {
    try await pool.withExclusiveProcessLock {
      let error = await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLock {} }
      #expect(error?.message?.contains("the task holds the process lock \"main\" already") == true)
      await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLockIfAvailable {} }
    }
  }

  @Test func `a child task cannot request the lock of its parent`() async throws {
    try await pool.withExclusiveProcessLock {
      _ = await #expect(throws: DatabaseError.self) {
        async let result: Void = pool.withExclusiveProcessLock {}
        try await result
      }
    }
  }

  @Test func `a task that outlives the closure can request the lock`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = try await pool.withExclusiveProcessLock {
      Task {
        for await _ in stream { break }
        return try await pool.withExclusiveProcessLock { 1 }
      }
    }
    continuation.yield()
    #expect(try await task.value == 1)
  }

  // MARK: - The file

  @Test func `the lock file stays, and is empty`() async throws {
    try await pool.withExclusiveProcessLock(named: "mail-1.A_b") {}
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("db-lock-mail-1.A_b"))
    #expect(attributes[.size] as? Int == 0)
  }

  @Test(arguments: ["", "a/b", "é", "a b", "\0", String(repeating: "a", count: 65)])
  func `a name that cannot be part of a file name is an error`(name: String) async {
    let error = await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLock(named: name) {} }
    #expect(error?.message?.contains("the name of a process lock consists of 1 to 64 ASCII letters") == true)
  }

  @Test(arguments: [":memory:", ""])
  func `a database without a file that others can open has no lock`(path: String) async throws {
    let queue = try DatabaseQueue(path: path)
    let error = await #expect(throws: DatabaseError.self) { try await queue.withExclusiveProcessLock {} }
    #expect(error?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `a lock file that cannot be created is an error with its path`() async throws {
    let path = folder.path(String(repeating: "n", count: 246))
    let queue = try DatabaseQueue(path: path)
    let error = await #expect(throws: DatabaseError.self) { try await queue.withExclusiveProcessLock {} }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.message?.hasSuffix("n-lock-main, which must be writable: File name too long") == true)
  }

  @Test(.disabled(if: geteuid() == 0, "the superuser can write everywhere"))
  func `a lock in a folder that is not writable is an error`() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
    let error = await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLock {} }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
  }

  @Test func `a database whose file was moved has no lock`() async throws {
    try FileManager.default.moveItem(atPath: folder.path("db"), toPath: folder.path("moved"))
    let error = await #expect(throws: DatabaseError.self) { try await pool.withExclusiveProcessLock {} }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
  }

  @Test func `a read-only connection has the lock of the file`() async throws {
    var configuration = Configuration()
    configuration.readonly = true
    let reader = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    let isFree = try await reader.withExclusiveProcessLock { try self.isFree }
    #expect(!isFree)
  }

  @Test func `using a lock leaves the locks of SQLite`() async throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .immediateError
    let owner = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    let other = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    try await owner.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try await owner.withExclusiveProcessLock {}
    let error = await #expect(throws: DatabaseError.self) { try await other.write { _ in } }
    #expect(error?.resultCode == .SQLITE_BUSY)
    try await owner.writeWithoutTransaction { try $0.rollback() }
  }
}
