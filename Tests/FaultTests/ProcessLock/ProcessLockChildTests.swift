import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Process locks of several processes, which wait, end and are killed.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct ProcessLockChildTests {
  private let folder: TestFolder
  private let pool: DatabasePool

  init() throws {
    folder = try TestFolder()
    pool = try DatabasePool(path: folder.database)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
  }

  private func child(_ operation: String = "lock") throws -> Child {
    try Child(operation, database: folder.database, name: operation)
  }

  /// Waits for acknowledgements, without blocking a thread of Swift's pool.
  private func wait(for child: Child, acknowledged count: Int) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = child.wait(acknowledged: count)
        continuation.resume()
      }
    }
  }

  /// Waits until this process has a request for the lock.
  private func waitForRequest() async throws {
    let path = try #require(FilePath.resolved(folder.database)) + "-lock-main"
    try await Wait.until { ProcessLockRequest.count(for: path) == 1 }
  }

  @Test func `a lock of another process is not available, until that process releases it`() async throws {
    let child = try child()
    child.goOn()
    await wait(for: child, acknowledged: 1)
    #expect(try await pool.withExclusiveProcessLockIfAvailable { 1 } == nil)
    child.goOn()
    await wait(for: child, acknowledged: 1)
    #expect(try await pool.withExclusiveProcessLockIfAvailable { 1 } == 1)
    _ = child.kill(afterBytes: 0)
  }

  @Test func `a task waits for another process`() async throws {
    let child = try child()
    child.goOn()
    await wait(for: child, acknowledged: 1)
    async let result = pool.withExclusiveProcessLock { 1 }
    try await waitForRequest()
    child.goOn()
    #expect(try await result == 1)
    _ = child.kill(afterBytes: 0)
  }

  @Test func `another process waits for a task`() async throws {
    let child = try child()
    try await pool.withExclusiveProcessLock {
      child.goOn()
      child.goOn()
    }
    await wait(for: child, acknowledged: 2)
    _ = child.kill(afterBytes: 0)
  }

  @Test func `a waiting task receives the lock of a killed process`() async throws {
    for _ in 0..<Scale.of(daily: 5, full: 200) {
      let child = try child()
      child.goOn()
      await wait(for: child, acknowledged: 1)
      async let result = pool.withExclusiveProcessLock { 1 }
      try await waitForRequest()
      _ = child.kill(afterBytes: 0)
      #expect(try await result == 1)
    }
  }

  @Test func `a waiting process that is killed does not receive the lock`() async throws {
    let child = try child()
    try await pool.withExclusiveProcessLock {
      child.goOn()
      _ = child.kill(afterBytes: 0)
    }
    #expect(try await pool.withExclusiveProcessLockIfAvailable { 1 } == 1)
  }

  @Test func `a started program does not inherit the lock file`() async throws {
    let folder = folder.path
    let list = try await pool.withExclusiveProcessLock { try Child.inheritedDescriptors() }
    #expect(list.contains("->") && !list.contains(folder))
  }

  @Test func `the lock file is closed when the lock is released`() async throws {
    try await pool.withExclusiveProcessLock {
      #expect(folder.openFiles.contains { $0.hasSuffix("-lock-main") })
    }
    #expect(!folder.openFiles.contains { $0.hasSuffix("-lock-main") })
  }

  // MARK: - Many processes

  @Test func `processes that increment a number under the lock lose no increment, also when they are killed`()
    async throws
  {
    let run = Run("process-locks", seed: Scale.seed)
    var (acknowledged, kills) = (0, 0)
    var numbers = RandomNumbers(seed: run.seed)
    var children = try (0..<3).map { _ in try child("increment") }
    for _ in 0..<Scale.of(daily: 10, full: 500) {
      let index = numbers.below(children.count)
      let count = numbers.below(20)
      await wait(for: children[index], acknowledged: count)
      let (rest, complaint) = children[index].kill(afterBytes: 8 * count)
      if !complaint.isEmpty { run.problem(complaint) }
      acknowledged += rest
      kills += 1
      children[index] = try child("increment")
    }
    for child in children {
      acknowledged += child.kill(afterBytes: 0).acknowledged
      kills += 1
    }
    run.count("kills", kills)
    run.count("increments", acknowledged)
    // A killed process may have written a number, and not acknowledged it.
    if !(acknowledged...acknowledged + kills).contains(counter) {
      run.problem("\(acknowledged) increments were acknowledged, and the number is \(counter)")
    }
    run.finish()
  }

  @Test func `processes that increment a number without the lock lose increments`() async throws {
    let run = Run("process-locks-control", seed: Scale.seed)
    let children = try (0..<2).map { _ in try child("increment-without-lock") }
    var acknowledged = 0
    for child in children { await wait(for: child, acknowledged: 100) }
    for child in children { acknowledged += child.kill(afterBytes: 800).acknowledged }
    if acknowledged > counter { run.problem("\(acknowledged) increments, and the number is \(counter)") }
    run.finishControl(planted: "a missing lock")
  }

  private var counter: Int {
    let data = FileManager.default.contents(atPath: folder.database + "-counter") ?? Data()
    return Int(data.reversed().reduce(0) { $0 << 8 | Int64($1) })
  }
}
