import Foundation
import Testing
import Tidemark

@Suite struct RowEqualityTests {
  private static let scoped = ScopeAdapter(
    base: RangeRowAdapter(0..<1), scopes: ["rest": SuffixRowAdapter(fromIndex: 1)])

  @Test func rowsAreEqualByNamesAndValues() throws {
    let row = try firstRow("SELECT 1 AS a, 'x' AS b")
    #expect(row == ["a": 1, "b": "x"])
    #expect(row == ["a": 1.0, "b": "x"])
    #expect(row.hashValue == (["a": 1.0, "b": "x"] as Row).hashValue)
    #expect(row == row.copy())
    #expect(Row() == [:])
  }

  @Test func differentRowsAreNotEqual() throws {
    let others: [Row] = [
      ["a": 2, "b": "x"], ["A": 1, "b": "x"], ["b": "x", "a": 1], ["a": 1], ["a": 1, "b": "x", "c": nil],
      ["a": 1, "b": nil],
    ]
    let row = try firstRow("SELECT 1 AS a, 'x' AS b")
    for other in others { #expect(row != other) }
  }

  @Test func liveRowsEqualTheirCopies() throws {
    try withLiveRow("SELECT 1 AS a, 2 AS b") { row throws in
      #expect(row == row.copy())
      #expect(row.hashValue == row.copy().hashValue)
      #expect(row == ["a": 1, "b": 2])
    }
  }

  @Test func scopesAffectEqualityButNotHashes() throws {
    let row = try firstRow("SELECT 1 AS a, 2 AS b", adapter: Self.scoped)
    #expect(row == (try firstRow("SELECT 1 AS a, 2 AS b", adapter: Self.scoped)))
    #expect(row != row.unscoped)
    #expect(row != ["a": 1])
    #expect(row.unscoped == ["a": 1])
    #expect(row.hashValue == row.unscoped.hashValue)
    #expect(row != (try firstRow("SELECT 1 AS a, 3 AS b", adapter: Self.scoped)))
    let renamed = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["other": SuffixRowAdapter(fromIndex: 1)])
    #expect(row != (try firstRow("SELECT 1 AS a, 2 AS b", adapter: renamed)))
  }

  @Test func scopeOrderDoesNotAffectEquality() throws {
    let scopes = Dictionary(
      uniqueKeysWithValues: (0..<20).map { ("s\($0)", SuffixRowAdapter(fromIndex: 1) as any RowAdapter) })
    for _ in 0..<10 {
      let lhs = try firstRow("SELECT 1 AS a, 2 AS b", adapter: ScopeAdapter(scopes))
      let rhs = try firstRow("SELECT 1 AS a, 2 AS b", adapter: ScopeAdapter(scopes))
      #expect(lhs == rhs)
    }
  }

  @Test func equalRowsAreOneInASet() throws {
    let rows = try inMemory {
      try Row.fetchSet($0, sql: "SELECT 1 AS a UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1.0")
    }
    #expect(rows == [["a": 1], ["a": 2]])
  }
}
