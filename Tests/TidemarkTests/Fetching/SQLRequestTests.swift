import Testing
import Tidemark

@Suite struct SQLRequestTests {
  private struct Book: FetchableRecord {
    var id: Int
    init(row: Row) throws { id = row["id"] }
  }

  // MARK: Making requests

  @Test func requestsAreMadeOfSQLAndArguments() throws {
    try inLibrary { db throws in
      #expect(try SQLRequest<Int>(sql: "SELECT id FROM book WHERE id > ?", arguments: [1]).fetchAll(db) == [2, 3])
      #expect(try SQLRequest<Int>(sql: "SELECT id FROM book WHERE id > :id", arguments: ["id": 1]).fetchOne(db) == 2)
      #expect(try SQLRequest(sql: "SELECT id FROM book").fetchAll(db) == [["id": 1], ["id": 2], ["id": 3]])
      #expect(try SQLRequest<Book>(sql: "SELECT * FROM book").fetchAll(db).map(\.id) == [1, 2, 3])
    }
  }

  @Test func requestsAreMadeOfLiterals() throws {
    let id = 1
    try inLibrary { db throws in
      let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(id)"
      let plain: SQLRequest<Int> = "SELECT id FROM book"
      #expect(try request.fetchAll(db) == [2, 3])
      #expect(try plain.fetchAll(db) == [1, 2, 3])
      #expect(try SQLRequest<Int>(literal: "SELECT id FROM book WHERE id > \(id)").fetchAll(db) == [2, 3])
      #expect(try SQLRequest(literal: "SELECT id FROM book WHERE id = \(id)").fetchAll(db) == [["id": 1]])
      #expect(try SQLRequest<String?>("SELECT title FROM book ORDER BY id").fetchAll(db) == ["Dune", nil, "Solaris"])
    }
  }

  @Test func requestsHaveAdapters() throws {
    var request = SQLRequest<Row>(
      sql: "SELECT id, title FROM book WHERE id = 1", adapter: SuffixRowAdapter(fromIndex: 1))
    try inLibrary { db throws in
      #expect(try request.fetchOne(db) == ["title": "Dune"])
      request.adapter = nil
      #expect(try request.fetchOne(db) == ["id": 1, "title": "Dune"])
      request.adapter = RangeRowAdapter(0..<1)
      #expect(try request.fetchOne(db) == ["id": 1])
      #expect(
        try SQLRequest(literal: "SELECT 1 AS a, 2 AS b", adapter: RangeRowAdapter(1..<2)).fetchOne(db) == ["b": 2])
    }
  }

  @Test func cachedRequestsUseTheProgramsStatement() throws {
    try inLibrary { db throws in
      let sql = "SELECT id FROM book WHERE id > ?"
      let statement = try db.cachedStatement(sql: sql)
      let cached = try SQLRequest<Int>(sql: sql, arguments: [1], cached: true).makePreparedRequest(
        db, forSingleResult: false)
      #expect(cached.statement === statement)
      let other = try SQLRequest<Int>(sql: sql, arguments: [1]).makePreparedRequest(db, forSingleResult: false)
      #expect(other.statement !== statement)
      #expect(try SQLRequest<Int>(literal: "SELECT id FROM book WHERE id > \(1)", cached: true).fetchAll(db) == [2, 3])
    }
  }

  @Test func preparedRequestsHaveTheirArguments() throws {
    try inLibrary { db throws in
      let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(2)"
      let prepared = try request.makePreparedRequest(db, forSingleResult: false)
      #expect(prepared.statement.sql == "SELECT id FROM book WHERE id > ?")
      #expect(prepared.statement.arguments == [2])
      #expect(prepared.adapter == nil)
    }
  }

  // MARK: Counting

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT * FROM book", 3), ("SELECT * FROM book WHERE id > 1", 2), ("SELECT NULL", 1), ("SELECT 1 WHERE 0", 0),
    ("SELECT * FROM book LIMIT 2", 2), ("VALUES (1), (2)", 2), ("WITH c AS (SELECT 1) SELECT * FROM c", 1),
    ("SELECT * FROM book;", 3), ("SELECT * FROM book ; -- all of them", 3), ("SELECT * FROM book -- all of them", 3),
    ("SELECT ';' FROM book /* ; */;", 3), ("-- all\nSELECT * FROM book", 3),
  ])
  func rowsAreCounted(sql: String, count: Int) throws {
    try inLibrary { db throws in
      #expect(try SQLRequest<Row>(sql: sql).fetchCount(db) == count)
      #expect(try SQLRequest<Row>(sql: sql).fetchAll(db).count == count)
    }
  }

  @Test func rowsAreCountedWithArguments() throws {
    try inLibrary { db throws in
      #expect(try SQLRequest<Int>("SELECT * FROM book WHERE id > \(1)").fetchCount(db) == 2)
      #expect(try SQLRequest<Row>(sql: "SELECT * FROM book WHERE id > :id", arguments: ["id": 2]).fetchCount(db) == 1)
      #expect(throws: DatabaseError.self) { try SQLRequest<Row>(sql: "SELECT ?").fetchCount(db) }
      // A count inside a loop over a count with the same SQL.
      let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(1)"
      let cursor = try request.fetchCursor(db)
      while try cursor.next() != nil { #expect(try request.fetchCount(db) == 2) }
    }
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1) ; DELETE FROM book; SELECT (1", ""])
  func severalStatementsAreNotCounted(sql: String) throws {
    try inLibrary { db throws in
      #expect(throws: DatabaseError.self) { try SQLRequest<Row>(sql: sql).fetchCount(db) }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 3)
    }
  }
}
