import Testing
import Tidemark

/// The invariants of cursors over statements.
@Suite struct FetchCursorTests {
  private static let threeRows = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3"

  @Test func finishedCursorsReturnNil() throws {
    try inMemory { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
      #expect(try cursor.next() == 1)
      for _ in 0..<3 { #expect(try cursor.next() == nil) }
    }
  }

  @Test func undecodableElementsThrowAndTheNextRowFollows() throws {
    try inMemory { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 3")
      #expect(try cursor.next() == 1)
      #expect(throws: RowDecodingError.self) { try cursor.next() }
      #expect(try cursor.next() == 3)
      #expect(try cursor.next() == nil)
    }
  }

  struct Picky: FetchableRecord {
    struct PlannedFailure: Error {}
    var n: Int
    init(row: Row) throws {
      n = row[0]
      if n == 2 { throw PlannedFailure() }
    }
  }

  @Test func throwingRecordsAreFollowedByTheNextRow() throws {
    try inMemory { db throws in
      let cursor = try Picky.fetchCursor(db, sql: Self.threeRows)
      #expect(try cursor.next()?.n == 1)
      #expect(throws: Picky.PlannedFailure.self) { try cursor.next() }
      #expect(try cursor.next()?.n == 3)
      #expect(throws: Picky.PlannedFailure.self) { try Picky.fetchAll(db, sql: Self.threeRows) }
    }
  }

  @Test func failedStepsFailPermanently() throws {
    try inMemory { db throws in
      let cursor = try Int.fetchCursor(
        db, sql: "SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT ?)", arguments: [Int64.min])
      #expect(try cursor.next() == 1)
      for _ in 0..<3 {
        let error = #expect(throws: DatabaseError.self) { try cursor.next() }
        #expect(error?.message == "integer overflow")
        #expect(error?.arguments == [Int64.min])
      }
    }
  }

  @Test func failedStatementsAreReusable() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: "SELECT abs(?)")
      #expect(throws: DatabaseError.self) { try Int.fetchOne(statement, arguments: [Int64.min]) }
      #expect(try Int.fetchOne(statement, arguments: [-1]) == 1)
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [Int64.min]) }
      #expect(try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [-1]) == 1)
    }
  }

  @Test func partiallyReadCursorsReleaseTheirStatement() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: Self.threeRows)
      do {
        let cursor = try Int.fetchCursor(statement)
        #expect(try cursor.next() == 1)
      }
      // A running statement would prevent the table from being dropped.
      try db.execute(sql: "CREATE TABLE t AS SELECT 1 AS x UNION ALL SELECT 2")
      do {
        let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
        #expect(try cursor.next() == 1)
      }
      try db.execute(sql: "DROP TABLE t")
      #expect(try Int.fetchAll(statement) == [1, 2, 3])
    }
  }

  @Test func fetchOneReleasesItsStatement() throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE t AS SELECT 1 AS x UNION ALL SELECT 2")
      #expect(try Int.fetchOne(db, sql: "SELECT x FROM t") == 1)
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM t")?.count == 1)
      try db.execute(sql: "DROP TABLE t")
    }
  }

  @Test func throwingFetchesReleaseTheirStatement() throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE t AS SELECT NULL AS x UNION ALL SELECT 2")
      #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT x FROM t") }
      #expect(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: "SELECT x FROM t", adapter: ColumnMapping(["a": "b"]))
      }
      try db.execute(sql: "DROP TABLE t")
    }
  }

  // MARK: One statement, two runs

  @Test func fetchingFromARunningStatementLeavesItsCursorAlone() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: Self.threeRows)
      let cursor = try Int.fetchCursor(statement)
      #expect(try cursor.next() == 1)
      #expect(try Int.fetchAll(statement) == [1, 2, 3])
      let second = try Int.fetchCursor(statement)
      #expect(try second.next() == 1)
      #expect(try cursor.next() == 2)
      #expect(try second.next() == 2)
      #expect(try cursor.next() == 3)
    }
  }

  @Test func changingArgumentsOfARunningStatementFailsItsCursor() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 2")
      let cursor = try Int.fetchCursor(statement, arguments: [1])
      #expect(try cursor.next() == 1)
      try statement.setArguments([5])
      let error = #expect(throws: DatabaseError.self) { try cursor.next() }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(try Int.fetchAll(statement) == [5, 2])
    }
  }

  @Test func nestedLoopsOverOneSQLHaveSeparateRows() throws {
    try inMemory { db throws in
      var pairs: [String] = []
      let outer = try Int.fetchCursor(db, sql: Self.threeRows)
      while let a = try outer.next() {
        let inner = try Int.fetchCursor(db, sql: Self.threeRows)
        while let b = try inner.next() {
          let one = try Int.fetchOne(db, sql: Self.threeRows) ?? 0
          pairs.append("\(a)\(b)\(one)")
        }
      }
      #expect(pairs == ["111", "121", "131", "211", "221", "231", "311", "321", "331"])
    }
  }

  @Test func nestedLoopsOverOneSQLHaveSeparateArguments() throws {
    try inMemory { db throws in
      let sql = "SELECT ? + n FROM (\(Self.threeRows))"
      let outer = try Int.fetchCursor(db, sql: sql, arguments: [10])
      var sums: [Int] = []
      while let a = try outer.next() {
        sums += try Int.fetchAll(db, sql: sql, arguments: [a * 10])
        #expect(outer.arguments == [10])
      }
      #expect(sums == [111, 112, 113, 121, 122, 123, 131, 132, 133])
    }
  }

  @Test func programStatementsKeepTheirArguments() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?")
      #expect(try Int.fetchAll(statement, arguments: [1]) == [1])
      #expect(try Int.fetchAll(statement) == [1])
      statement.arguments = [2]
      #expect(try Int.fetchOne(statement) == 2)
      let outer = try Int.fetchCursor(statement)
      #expect(try outer.next() == 2)
      #expect(try Int.fetchOne(statement, arguments: [3]) == 3)
    }
  }

  /// Swift finds both texts equal, SQLite does not: the cache compares bytes.
  @Test func textsThatDifferInBytesAreSeparateStatements() throws {
    let composed = "SELECT length('\u{E9}')"
    let decomposed = "SELECT length('e\u{301}')"
    try inMemory { db throws in
      #expect(try Int.fetchOne(db, sql: composed) == 1)
      #expect(try Int.fetchOne(db, sql: decomposed) == 2)
    }
  }

  // MARK: Descriptions

  @Test func cursorsDescribeTheirElement() throws {
    try inLibrary { db throws in
      let cursor: any DatabaseCursor = try Row.fetchCursor(
        db, sql: "SELECT id AS a, title FROM book WHERE id > ?;", arguments: [1])
      #expect(cursor.sql == "SELECT id AS a, title FROM book WHERE id > ?")
      #expect(cursor.arguments == [1])
      #expect(cursor.columnNames == ["a", "title"])
      #expect(cursor.columnCount == 2)
      #expect(cursor.databaseRegion.description == "book(id,title)")
    }
  }

  @Test func cursorsHaveGRDBNames() throws {
    try inMemory { db throws in
      let rows: RowCursor = try Row.fetchCursor(db, sql: "SELECT 1")
      let values: DatabaseValueCursor<DatabaseValue> = try DatabaseValue.fetchCursor(db, sql: "SELECT 1")
      let fast: FastDatabaseValueCursor<Int> = try Int.fetchCursor(db, sql: "SELECT 1")
      let optional: FastDatabaseValueCursor<Int?> = try Int?.fetchCursor(db, sql: "SELECT NULL")
      let records: RecordCursor<Picky> = try Picky.fetchCursor(db, sql: "SELECT 1")
      #expect(try rows.next()?.count == 1)
      #expect(try values.next() == 1.databaseValue)
      #expect(try fast.next() == 1)
      #expect(try optional.next() == .some(nil))
      #expect(try records.next()?.n == 1)
    }
  }

  @Test func cursorsReturnRowsOfWritingStatements() throws {
    try inLibrary { db throws in
      let ids = try Int.fetchAll(db, sql: "DELETE FROM book WHERE id < ? RETURNING id", arguments: [3])
      #expect(ids == [1, 2])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 1)
      #expect(try Int.fetchOne(db, sql: "INSERT INTO book VALUES (9, 'x', NULL) RETURNING id") == 9)
    }
  }
}
