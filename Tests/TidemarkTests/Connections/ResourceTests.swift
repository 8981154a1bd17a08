import Foundation
import Testing
import Tidemark

/// A released queue leaves nothing behind (guarantee P6).
@Suite(.enabled(if: ProcessCounters.areAvailable)) struct ResourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeQueue(_ label: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.label = label
    return try DatabaseQueue(path: folder.path("db"), configuration: configuration)
  }

  private func write(_ dbQueue: DatabaseQueue) throws {
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)") }
  }

  @Test func openingAndClosingLeaksNoDescriptor() async throws {
    let label = "opened and done"
    for number in 0..<200 {
      let dbQueue = try makeQueue(label)
      try write(dbQueue)
      try await dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      let cancelled = Task { try await dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } }
      cancelled.cancel()
      _ = await cancelled.result
      if number == 100 {
        // A control: the search finds what exists.
        let path = folder.path
        try await waitUntil("files are open") { ProcessCounters.descriptorCount(in: path) >= 2 }
        try await waitUntil("a thread works") { ProcessCounters.threadCount(named: label) >= 1 }
      }
      // Closed, or only released.
      if number.isMultiple(of: 2) { try dbQueue.close() }
    }
    // A thread ends by itself, some time after its queue.
    let path = folder.path
    try await waitUntil("all threads have ended") { ProcessCounters.threadCount(named: label) == 0 }
    try await waitUntil("all files are closed") { ProcessCounters.descriptorCount(in: path) == 0 }
  }

  @Test func failedOpeningLeaksNoDescriptor() throws {
    try folder.write(Array("no database".utf8), to: "poem")
    var failing = Configuration()
    failing.label = "opened in vain"
    failing.prepareDatabase { db in
      _ = try db.cachedStatement(sql: "SELECT 1")
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)")
      throw Planned()
    }
    for _ in 0..<200 {
      for name in ["poem", "", "missing/db", "db"] {
        #expect(throws: (any Error).self) { try DatabaseQueue(path: folder.path(name), configuration: failing) }
      }
    }
    #expect(ProcessCounters.descriptorCount(in: folder.path) == 0)
    #expect(ProcessCounters.threadCount(named: "opened in vain") == 0)
  }
}
