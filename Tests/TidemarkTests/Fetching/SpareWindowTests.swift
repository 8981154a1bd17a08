import Testing
import Tidemark

/// Fetching one row uses a row object that its statement keeps for the next run.
@Suite struct SpareWindowTests {
  private struct Keeper: FetchableRecord {
    let row: Row

    init(row: Row) { self.row = row }
  }

  @Test func retainedRowsAreNotReused() throws {
    try DatabaseQueue().read { db throws in
      let statement = try db.makeStatement(sql: "SELECT ? AS x")
      let first = try #require(try Keeper.fetchOne(statement, arguments: [1]))
      let second = try #require(try Keeper.fetchOne(statement, arguments: [2]))
      #expect(first.row !== second.row)
      #expect(try Int.fetchOne(statement, arguments: [3]) == 3)
      #expect(first.row.columnNames == ["x"] && second.row.columnNames == ["x"])
    }
  }

  @Test func spareRowsDoNotRetainTheirStatement() throws {
    try DatabaseQueue().read { db throws in
      weak var released: Statement?
      do {
        let statement = try db.makeStatement(sql: "SELECT 1")
        #expect(try Int.fetchOne(statement) == 1)
        #expect(try Int.fetchOne(statement) == 1)
        released = statement
      }
      #expect(released == nil)
    }
  }

  /// Fetches one row with the same statement while it is decoded.
  private struct Nested: FetchableRecord {
    let number: Int
    let inner: Int?

    init(row: Row) throws {
      inner = try Self.fetchInner?()
      number = row["x"]
    }

    nonisolated(unsafe) static var fetchInner: (() throws -> Int?)?
  }

  @Test func nestedRunsUseSeparateRows() throws {
    try DatabaseQueue().read { db throws in
      let sql = "SELECT ? AS x"
      for number in 1...3 {
        Nested.fetchInner = { try Int.fetchOne(db, sql: sql, arguments: [number * 10]) }
        defer { Nested.fetchInner = nil }
        let record = try #require(try Nested.fetchOne(db, sql: sql, arguments: [number]))
        #expect(record.number == number && record.inner == number * 10)
      }
    }
  }

  @Test func failedRunsLeaveNoRowInUse() throws {
    try DatabaseQueue().read { db throws in
      let statement = try db.makeStatement(sql: "SELECT abs(?) AS x")
      for _ in 1...2 {
        #expect(try Int.fetchOne(statement, arguments: [-7]) == 7)
        #expect(throws: DatabaseError.self) { try Int.fetchOne(statement, arguments: [Int64.min]) }
        #expect(throws: DatabaseError.self) { try Int.fetchOne(statement, arguments: [1, 2]) }
        #expect(throws: RowDecodingError.self) { try Int8.fetchOne(statement, arguments: [1000]) }
      }
    }
  }

  @Test func reusedRowsHaveCurrentColumnNames() throws {
    try DatabaseQueue().write { db throws in
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      let sql = "SELECT * FROM t"
      for (old, new) in [("a", "b"), ("b", "c"), ("c", "a")] {
        #expect(try Row.fetchOne(db, sql: sql)?.columnNames.first == old)
        try db.execute(sql: "ALTER TABLE t RENAME COLUMN \(old) TO \(new)")
        #expect(try Row.fetchOne(db, sql: sql)?.columnNames.first == new)
        try db.execute(sql: "ALTER TABLE t ADD COLUMN \(old)\(new) DEFAULT 5")
        #expect(try Int.fetchOne(db, sql: sql) == 1)
        #expect(try Row.fetchOne(db, sql: sql)?["\(old)\(new)"] == 5)
      }
    }
  }
}
