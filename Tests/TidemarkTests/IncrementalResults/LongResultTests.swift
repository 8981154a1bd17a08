import Foundation
import TestSupport
import Testing

@testable import Tidemark

/// Results of thousands of rows are updated row by row.
@Suite(.untilItHangs) struct LongResultTests {
  private struct Thing: Codable, Equatable, Identifiable, FetchableRecord, Sendable {
    var id: Int
    var n: Int
    var name: String
  }

  @Test(arguments: [RequestDatabase.pool, .queue])
  func manyRowsAndChangesAreFollowed(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write {
      try $0.execute(
        sql: """
          CREATE TABLE thing (id INTEGER PRIMARY KEY, n INT, name TEXT);
          WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 8000)
          INSERT INTO thing SELECT i, i * 7919 % 1000, 'n' || i FROM i;
          """)
    }
    let request: SQLRequest<Thing> = "SELECT * FROM thing ORDER BY n DESC, name COLLATE NOCASE"
    let expectedSQL: SQLRequest<Thing> = "SELECT * FROM thing ORDER BY n DESC, name COLLATE NOCASE, id"
    var iterator = request.differences().values(in: writer).makeAsyncIterator()
    var list: [Thing] = []
    list.apply(try #require(try await iterator.next()))
    var generator = SeededRandom(function: "manyRowsAndChangesAreFollowed")
    for round in 0..<12 {
      let count = round % 3 == 0 ? 1 : 6
      for _ in 0..<count {
        let seed = Int.random(in: 0..<1_000, using: &generator)
        try await writer.write { db in
          for k in 0..<150 {
            let id = (seed * 31 + k * 97) % 9_000
            switch k % 4 {
            case 0: try db.execute(sql: "UPDATE thing SET n = ? WHERE id = ?", arguments: [(seed + k) % 1_000, id])
            case 1: try db.execute(sql: "DELETE FROM thing WHERE id = ?", arguments: [id])
            case 2: try db.execute(sql: "UPDATE thing SET name = name || 'X' WHERE id = ?", arguments: [id])
            default:
              try db.execute(sql: "INSERT OR REPLACE INTO thing VALUES (?, ?, 'new')", arguments: [id, seed % 7])
            }
          }
        }
        if round % 2 == 0 { try await Task.sleep(for: .milliseconds(8)) }
      }
      let expected = try await writer.read { try expectedSQL.fetchAll($0) }
      while list != expected { list.apply(try #require(try await iterator.next())) }
    }
    #expect(list.count > 1_000)
  }

  @Test func changesForASlowConsumerAreComputedQuickly() async throws {
    let folder = try TemporaryFolder()
    let writer = try folder.pool()
    try await writer.write {
      try $0.execute(
        sql: """
          CREATE TABLE thing (id INTEGER PRIMARY KEY, n INT, name TEXT);
          WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 16000)
          INSERT INTO thing SELECT i, i * 7919 % 1000, 'n' || i FROM i;
          """)
    }
    let request: SQLRequest<Thing> = "SELECT * FROM thing ORDER BY n DESC, id"
    var iterator = request.differences().values(in: writer).makeAsyncIterator()
    var list: [Thing] = []
    list.apply(try #require(try await iterator.next()))
    for k in 0..<16 {
      try await writer.write {
        try $0.execute(
          sql: "UPDATE thing SET n = (n * 31 + id) % 1000 WHERE id > ? AND id <= ?",
          arguments: [k * 1_000, k * 1_000 + 1_000])
      }
      try await Task.sleep(for: .milliseconds(100))
    }
    let difference = try #require(try await iterator.next())
    list.apply(difference)
    let expected = try await writer.read { try request.fetchAll($0) }
    while list != expected { list.apply(try #require(try await iterator.next())) }
  }
}
