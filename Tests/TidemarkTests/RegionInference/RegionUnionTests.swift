import Testing
import Tidemark

@testable import TidemarkEssentials

/// Unions of the regions of queries, which may have filters of the same rows.
@Suite struct RegionUnionTests {
  /// The union of the regions of queries of a table.
  private func union(_ queries: String...) throws -> DatabaseRegion {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER)")
      return try queries.reduce(DatabaseRegion()) { $0.union(try db.makeStatement(sql: $1).databaseRegion) }
    }
  }

  /// An update of a column of a row with `a = 5`.
  private func update(_ column: String, to value: Int) -> RowChange {
    func image(_ changes: [String: Int]) -> RowImage {
      let values = ["id": 1, "a": 5, "b": 5, "c": 5].merging(changes) { $1 }
      return RowImage(rowID: 1, values: values.mapValues(\.databaseValue))
    }
    return RowChange(
      table: TableKey("t"), kind: .update, old: image([:]), new: image([column: value]), changedColumns: [column])
  }

  @Test func `a column that only selects rows is invisible in a union of the same rows`() throws {
    let region = try union("SELECT count(*) FROM t WHERE a > 1", "SELECT b FROM t WHERE a > 1 ORDER BY id")
    #expect(region.debugDescription == "t(a,b,id) where a > 1")
    #expect(!region.isModified(by: update("a", to: 6)))
    #expect(region.isModified(by: update("a", to: 0)))
    #expect(region.isModified(by: update("b", to: 6)))
    #expect(!region.isModified(by: update("c", to: 6)))
  }

  @Test func `a column that one query of a union returns is visible`() throws {
    for queries in [
      ("SELECT count(*) FROM t WHERE a > 1", "SELECT a FROM t WHERE a > 1 ORDER BY id"),
      ("SELECT a FROM t WHERE a > 1 ORDER BY id", "SELECT count(*) FROM t WHERE a > 1"),
    ] {
      let region = try union(queries.0, queries.1)
      #expect(region.debugDescription == "t(a,id) where a > 1")
      #expect(region.isModified(by: update("a", to: 6)))
      #expect(!region.isModified(by: update("b", to: 6)))
    }
  }

  @Test func `a row that stays in a union may leave one of its queries`() throws {
    let region = try union("SELECT count(*) FROM t WHERE a = 5", "SELECT count(*) FROM t WHERE a = 6")
    #expect(region.debugDescription == "t(a) where a in (5, 6)")
    #expect(region.isModified(by: update("a", to: 6)))
  }
}
