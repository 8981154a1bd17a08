import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The text of a statement is parsed once for all users of its syntax tree.
@Suite(.untilItHangs) struct ParsedOnceTests {
  /// Opens a pool whose connections count how often they parse each text.
  private func pool(_ folder: TemporaryFolder) throws -> (pool: DatabasePool, counts: Locked<[String: Int]>) {
    let counts = Locked<[String: Int]>([:])
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.moduleState(RegionInference.self).parse = { sql in
        counts.update { $0[sql, default: 0] += 1 }
        return ParsedQuery(sql)
      }
    }
    let pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER)")
      for id in 1...5 {
        try db.execute(sql: "INSERT INTO book (title, pages) VALUES (?, ?)", arguments: ["Title \(id)", id * 100])
      }
    }
    return (pool, counts)
  }

  @Test func `the region, the bound and the order of a query share a syntax tree`() throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "SELECT id, title FROM book WHERE pages >= ? ORDER BY title, id LIMIT 3"
    try pool.read { db in
      let (rows, readSet) = try db.recordingReads(usesBounds: true) {
        try Row.fetchAll(db, sql: sql, arguments: [200])
      }
      #expect(rows.count == 3)
      #expect(readSet.region.debugDescription.contains("title < \"Title 4\""), "\(readSet.region.debugDescription)")
      let statement = try db.cachedStatement(sql: sql)
      try statement.setArguments([300])
      #expect(statement.databaseRegion.debugDescription.contains("pages >= 300"))
    }
    #expect(counts.value == [sql: 1])
  }

  @Test func `connections share a syntax tree`() throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "SELECT title, pages FROM book WHERE pages = ?"
    try pool.write { db in
      let statement = try db.makeStatement(sql: sql)
      #expect(statement.databaseRegion.description == "book(pages,title)")
      // On two readers.
      try pool.read { first in
        let region = try first.makeStatement(sql: sql).databaseRegion
        #expect(region.description == "book(pages,title)")
      }
    }
    #expect(counts.value == [sql: 1])
  }

  @Test func `a schema change does not require parsing again`() throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "SELECT * FROM book WHERE title = 'Dune'"
    try pool.write { db in
      let statement = try db.makeStatement(sql: sql)
      #expect(statement.databaseRegion.description == "book(id,pages,title)")
      try db.execute(sql: "ALTER TABLE book ADD COLUMN author TEXT")
      #expect(statement.databaseRegion.description == "book(author,id,pages,title)")
    }
    #expect(counts.value == [sql: 1])
  }

  @Test func `rows kept up to date share the syntax tree of their region`() async throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "SELECT id, title, pages FROM book ORDER BY pages DESC"
    var differences = SQLRequest<Book>(sql: sql).differences().values(in: pool).makeAsyncIterator()
    #expect(try await differences.next()?.insertions.count == 5)
    try await pool.write { try $0.execute(sql: "UPDATE book SET title = 'New' WHERE id = 2") }
    #expect(try await differences.next()?.updates.count == 1)
    try await pool.write { try $0.execute(sql: "INSERT INTO book (title, pages) VALUES ('More', 250)") }
    #expect(try await differences.next()?.insertions.count == 1)
    #expect(counts.value[sql] == 1)
  }

  @Test func `a statement with a region keeps its syntax tree`() throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "SELECT title FROM book WHERE pages = 300"
    try pool.read { db in
      let statement = try db.makeStatement(sql: sql)
      #expect(statement.databaseRegion.debugDescription == "book(pages,title) where pages = 300")
      #expect(statement.parsedQuery?.syntax.onlyCore?.conditionText == "pages = 300")
    }
    #expect(counts.value == [sql: 1])
  }

  @Test func `a statement without a region can be parsed`() throws {
    let folder = try TemporaryFolder()
    let pool = try pool(folder).pool
    try pool.read { db in
      let query = try db.makeStatement(sql: "SELECT title FROM book WHERE pages = 400").parsedQuery
      #expect(query?.syntax.onlyCore?.conditionText == "pages = 400")
      #expect(try db.makeStatement(sql: "EXPLAIN SELECT title FROM book").parsedQuery == nil)
    }
  }

  @Test(arguments: [
    "SELECT title FROM book WHERE pages = :other", "SELECT title FROM book WHERE pages = :count OR id = ?",
  ])
  func `a syntax tree with other parameters than those of SQLite selects no rows`(text: String) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER)")
      let sql = "SELECT title FROM book WHERE pages = :count"
      let statement = try db.makeStatement(sql: sql)
      try statement.setArguments(["count": 5])
      db.moduleState(RegionInference.self).parse = { _ in ParsedQuery(text) }
      #expect(statement.databaseRegion.debugDescription == "book(pages,title)")
      db.moduleState(RegionInference.self).parse = { ParsedQuery($0) }
      let other = try db.makeStatement(sql: sql + " ORDER BY id")
      try other.setArguments(["count": 5])
      #expect(other.databaseRegion.debugDescription == "book(id,pages,title) where pages = 5")
    }
  }

  @Test func `unsupported text is parsed once, too`() throws {
    let folder = try TemporaryFolder()
    let (pool, counts) = try pool(folder)
    let sql = "EXPLAIN QUERY PLAN SELECT title FROM book"
    try pool.read { db in
      let statement = try db.makeStatement(sql: sql)
      for _ in 0..<3 { #expect(!statement.databaseRegion.isEmpty) }
      #expect(!(try db.makeStatement(sql: sql).databaseRegion.isEmpty))
      withExtendedLifetime(statement) {}
    }
    #expect(counts.value == [sql: 1])
  }
}

private struct Book: Equatable, Identifiable, FetchableRecord, Sendable {
  var id: Int64
  var title: String
  var pages: Int

  init(row: Row) { (id, title, pages) = (row["id"], row["title"], row["pages"]) }
}
