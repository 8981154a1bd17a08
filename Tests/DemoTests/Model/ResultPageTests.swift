import Testing
import Tidemark

@testable import Demo

@Suite struct ResultPageTests {
  private let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

  private func page(_ sql: String, _ request: PageRequest = PageRequest()) throws -> ResultPage {
    try DatabaseQueue().read { db in try ResultPage(db, sql: sql, request) }
  }

  /// The query has no end: reading all of its rows would never return.
  @Test func pagesReadNoMoreRowsThanRequested() throws {
    let page = try page(numbers)
    #expect(page.rows.count == 200)
    #expect(page.hasMore)
    #expect(page.rows.first == [.integer(1)])
  }

  @Test func pagesBeginAtTheirOffset() throws {
    let page = try page(numbers, PageRequest(offset: 1000, rowCountMax: 3))
    #expect(page.rows == [[.integer(1001)], [.integer(1002)], [.integer(1003)]])
    #expect(page.offset == 1000)
    #expect(page.end == 1003)
  }

  @Test func pagesBeyondTheEndAreEmpty() throws {
    let page = try page(numbers + " LIMIT 5", PageRequest(offset: 100))
    #expect(page.rows == [])
    #expect(page.end == 5)
    #expect(!page.hasMore)
  }

  @Test func pagesOfManyColumnsHaveFewerRows() throws {
    let columns = (1...1000).map { "i AS c\($0)" }.joined(separator: ", ")
    let page = try page("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT \(columns) FROM n")
    #expect(page.columns.count == 1000)
    #expect(page.rows.count == 50)
  }

  @Test func valuesAreTruncatedToScreenSize() throws {
    let page = try page("SELECT NULL, 1, 1.5, 'a' || char(0) || 'b', zeroblob(1000), printf('%.*c', 100000, 'x')")
    #expect(page.rows[0][0..<4] == [.null, .integer(1), .real(1.5), .text("a\0b")])
    #expect(page.rows[0][4] == .blob(byteCount: 1000, start: [UInt8](repeating: 0, count: 16)))
    #expect(page.rows[0][5] == .text(String(repeating: "x", count: 500)))
  }

  @Test(arguments: [
    ("SELECT 1;", "SELECT 1"), ("  -- a comment\n  VALUES (1)", nil), ("EXPLAIN SELECT 1", nil),
    ("PRAGMA user_version", nil),
    ("WITH a AS (SELECT 1) SELECT * FROM a", nil),
  ])
  func selectStatementsAreAccepted(sql: String, kept: String?) throws {
    let query = try sample().read { db in try Query(sql, db) }
    if let kept { #expect(query.sql == kept) }
  }

  @Test(arguments: [
    "DELETE FROM t", "INSERT INTO t VALUES (1) RETURNING a", "CREATE TABLE u (a)", "BEGIN", "PRAGMA query_only = 0",
    "VACUUM",
    "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM t", "", ";", "SELEC 1", "SELECT * FROM nothing", "SELECT ?",
    "ATTACH ':memory:' AS x",
    "PRAGMA journal_mode = DELETE",
  ])
  func otherStatementsAreRefused(sql: String) throws {
    let dbQueue = try sample()
    #expect(throws: (any Error).self) { try dbQueue.read { db in try Query(sql, db) } }
    #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") } == 1)
  }

  private func sample() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    return dbQueue
  }
}
