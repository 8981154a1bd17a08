import Foundation
import StressSupport
import Testing

import Tidemark

/// The memory of a transaction that a stream receives in parts.
@Suite(.serialized) struct LargeTransactionMemoryTests {
  @Test func `the memory of a large transaction does not depend on its size`() async throws {
    let rowCount = Scale.of(daily: 300_000, full: 1_000_000)
    let folder = try TestFolder()
    let pool = try DatabasePool(path: folder.path("db"))
    try await pool.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER)")
    }
    let stream = try await pool.changes(in: Table("item"), limits: ChangeStream.Limits(rowCount: .max))
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
    for try await part in stream {
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
    // 100,000 rows are kept in memory before others are stored.
    let additional = try Self.memory("VmHWM:") - memory
    #expect(additional < 150_000_000, "\(additional) bytes")
  }

  private static func memory(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
    return 1024 * (try #require(Int(line.filter(\.isNumber))))
  }
}
