import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Asynchronous accesses of a pool that run on the thread of their task, after some short ones.
@Suite(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1)) struct InlineAccessTests {
  private func withPool(_ body: (TemporaryFolder, DatabasePool) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(path: folder.path("db"))
    try await dbPool.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") }
    try await body(folder, dbPool)
    try dbPool.close()
  }

  private func count(in dbPool: DatabasePool) async throws -> Int? {
    try await dbPool.read { try Int.fetchOne($0, sql: "SELECT n FROM counter") }
  }

  /// Runs accesses until one runs inline. Other work of the process may occupy the threads for a while.
  private func untilInline(_ access: () async throws -> ThreadID) async throws -> Bool {
    for _ in 0..<10_000 {
      let thread = currentThreadID()
      if try await access() == thread { return true }
    }
    return false
  }

  @Test func shortReadsRunInline() async throws {
    try await withPool { _, dbPool in
      let isInline = try await untilInline {
        try await dbPool.read { db in
          _ = try Int.fetchOne(db, sql: "SELECT n FROM counter")
          return currentThreadID()
        }
      }
      #expect(isInline)
    }
  }

  @Test func shortWritesRunInline() async throws {
    try await withPool { _, dbPool in
      let isInline = try await untilInline {
        try await dbPool.write { db in
          try db.execute(sql: "UPDATE counter SET n = n + 1")
          return currentThreadID()
        }
      }
      #expect(isInline)
    }
  }

  /// Invariant 1 of `InlineExecutionPolicy`.
  @Test func blockedWritesWaitOnAConnectionThread() async throws {
    try await withPool { folder, dbPool in
      for _ in 0..<100 { try await dbPool.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") } }
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
      async let thread = dbPool.write { db in
        try db.execute(sql: "UPDATE counter SET n = -1")
        return ProcessCounters.nameOfThisThread
      }
      // It waits: a read finds the old value.
      for _ in 0..<20 {
        let found = try await count(in: dbPool)
        #expect(found == 100)
      }
      try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
      let name = try await thread
      #expect(name?.hasPrefix("Tidemark.Datab") == true)
      let found = try await count(in: dbPool)
      #expect(found == -1)
    }
  }

  @Test func inlineWritesCheckpointTheLog() async throws {
    try await withPool { folder, dbPool in
      try await dbPool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 10") }
      for _ in 0..<500 { try await dbPool.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") } }
      // The writer is free when the deferred work is done.
      try await dbPool.writeWithoutTransaction { _ in }
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("db-wal"))
      let size = try #require(attributes[.size] as? Int)
      #expect(size < 100 * 4120)
    }
  }

  @Test func cancelledTasksNeitherReadNorWrite() async throws {
    try await withPool { _, dbPool in
      for _ in 0..<100 {
        try await dbPool.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
        _ = try await dbPool.read { try Int.fetchOne($0, sql: "SELECT n FROM counter") }
      }
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: CancellationError.self) { try await dbPool.read { _ in } }
        await #expect(throws: CancellationError.self) {
          try await dbPool.write { try $0.execute(sql: "UPDATE counter SET n = 0") }
        }
      }
      await task.value
      let found = try await count(in: dbPool)
      #expect(found == 100)
    }
  }

  @Test func errorsRollBackInlineWrites() async throws {
    try await withPool { _, dbPool in
      struct Refusal: Error {}
      for _ in 0..<100 {
        await #expect(throws: Refusal.self) {
          try await dbPool.write { db in
            try db.execute(sql: "UPDATE counter SET n = n + 1")
            throw Refusal()
          }
        }
      }
      let found = try await count(in: dbPool)
      #expect(found == 0)
    }
  }
}
