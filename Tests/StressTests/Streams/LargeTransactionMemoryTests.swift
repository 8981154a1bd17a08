import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark

/// The memory of a transaction that a stream, or the change feed, has in parts.
@Suite(.serialized, .untilItHangs) struct LargeTransactionMemoryTests {
  @Test(arguments: [false, true])
  func `the memory of a large transaction does not depend on its size`(hasFeed: Bool) async throws {
    let rowCount = Scale.of(daily: 300_000, full: 1_000_000)
    let folder = try TestFolder()
    var configuration = Configuration()
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: 1_000_000_000) }
    let pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try await pool.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER)")
    }
    let changes = try await Changes(pool, hasFeed: hasFeed)
    // The second half is undone, and repeated.
    @Sendable func insertion(_ first: Int, _ last: Int) -> String {
      """
      WITH RECURSIVE number (n) AS (SELECT \(first) UNION ALL SELECT n + 1 FROM number WHERE n < \(last))
      INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n FROM number
      """
    }
    let memory = try Self.memory("VmRSS:")
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    try await pool.write { db in
      try db.execute(sql: insertion(1, rowCount / 2))
      try db.inSavepoint {
        try db.execute(sql: insertion(rowCount / 2 + 1, rowCount))
        return .rollback
      }
      try db.execute(sql: insertion(rowCount / 2 + 1, rowCount))
    }
    var (next, partCount) = (Int64(1), 0)
    while let part = try await changes.next() {
      partCount += 1
      #expect(part.isComplete)
      for row in part.rows {
        if row.newIdentity != .rowID(next) { Issue.record("row \(next) is \(row)") }
        next += 1
      }
      if !part.isContinued { break }
    }
    #expect(next == Int64(rowCount) + 1)
    #expect(partCount >= rowCount / 10_000)
    // 100,000 rows are kept in memory before others are stored. The address sanitizer keeps released memory.
    let additional = try Self.memory("VmHWM:") - memory
    #expect(additional < (Sanitizer.isUsed ? 300_000_000 : 150_000_000), "\(additional) bytes")
  }

  /// The changes of the table, from now on.
  private struct Changes {
    private let read: () async throws -> TransactionChanges?

    init(_ pool: DatabasePool, hasFeed: Bool) async throws {
      if hasFeed {
        let token = try await pool.read { try $0.changeToken() }
        let stream = try await pool.changes(after: token, in: Table("item"))
        read = {
          var entries = stream.makeAsyncIterator()
          return try await entries.next()?.changes
        }
      } else {
        let stream = try await pool.changes(in: Table("item"), limits: ChangeStream.Limits(rowCount: .max))
        read = {
          var changes = stream.makeAsyncIterator()
          return try await changes.next()
        }
      }
    }

    func next() async throws -> TransactionChanges? { try await read() }
  }

  private static func memory(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
    return 1024 * (try #require(Int(line.filter(\.isNumber))))
  }
}
