import Foundation
import TestSupport
import Testing
import Tidemark

@Suite(.untilItHangs) struct InlineReadTests {
  private let path = NSTemporaryDirectory() + "tidemark-" + UUID().uuidString + ".sqlite"

  private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    let dbPool = try DatabasePool(path: path, configuration: configuration)
    try await dbPool.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    try await body(dbPool)
  }

  @Test func inlineReadsKeepTheCallersIsolation() async throws {
    try await withPool { dbPool in
      let titles = NSMutableArray()  // Sent nowhere.
      try await dbPool.readInline { db in
        titles.add(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") as Any)
      }
      #expect(titles.count == 1)
    }
  }

  @Test func inlineReadsCannotWrite() async throws {
    try await withPool { dbPool in
      await #expect(throws: DatabaseError.self) {
        try await dbPool.readInline { try $0.execute(sql: "DELETE FROM book") }
      }
    }
  }

  @Test func inlineReadsWaitForAConnectionAndCanBeCancelled() async throws {
    try await withPool { dbPool in
      let isReading = AsyncStream.makeStream(of: Void.self)
      let mayEnd = DispatchSemaphore(value: 0)
      let reader = Task {
        try await dbPool.read { _ in
          isReading.continuation.yield()
          mayEnd.wait()
        }
      }
      for await _ in isReading.stream { break }
      let waiting = Task { try await dbPool.readInline { try Int.fetchOne($0, sql: "SELECT 1") } }
      let cancelled = Task { try await dbPool.readInline { try Int.fetchOne($0, sql: "SELECT 1") } }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      mayEnd.signal()
      try await reader.value
      #expect(try await waiting.value == 1)
    }
  }

  @Test func cancellationInterruptsInlineReads() async throws {
    try await withPool { dbPool in
      let task = Task {
        try await dbPool.readInline { db in
          withUnsafeCurrentTask { $0?.cancel() }
          return try Int.fetchOne(
            db, sql: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n")
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      let one = try await dbPool.readInline { try Int.fetchOne($0, sql: "SELECT 1") }
      #expect(one == 1)
    }
  }
}
