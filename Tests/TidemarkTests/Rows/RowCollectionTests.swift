import Foundation
import Testing
import Tidemark

/// A row is a collection of columns, and converts from and to dictionaries.
@Suite struct RowCollectionTests {
  private static let sql = "SELECT 1 AS a, 'x' AS b, NULL AS a"

  @Test(arguments: [true, false])
  func rowsAreCollectionsOfNamesAndValues(isLive: Bool) throws {
    func check(_ row: Row) {
      #expect(row.map(\.0) == ["a", "b", "a"])
      #expect(row.map(\.1) == [1.databaseValue, "x".databaseValue, .null])
      #expect(row.count == 3)
      #expect(row.first?.0 == "a")
      #expect(row.last?.1 == .null)
      #expect(row.reversed().map(\.0) == ["a", "b", "a"])
      #expect(row.dropFirst().map(\.0) == ["b", "a"])
      #expect(row.firstIndex { $0.0 == "b" } == row.index(after: row.startIndex))
      #expect(row.distance(from: row.startIndex, to: row.endIndex) == 3)
      #expect(row.index(row.startIndex, offsetBy: 2) < row.endIndex)
      #expect(row[row.index(before: row.endIndex)].0 == "a")
      #expect(row.indices.map { row[$0].0 } == ["a", "b", "a"])
      var seen: [String] = []
      for (name, value) in row { seen.append("\(name)=\(value)") }
      #expect(seen == ["a=1", "b=\"x\"", "a=NULL"])
    }
    if isLive { try withLiveRow(Self.sql, check) } else { try check(firstRow(Self.sql)) }
  }

  @Test func emptyRowsHaveNoElement() {
    #expect(Array(Row()).isEmpty)
    #expect(Row().startIndex == Row().endIndex)
  }

  // MARK: To dictionaries

  @Test func rowsConvertToDictionaries() throws {
    let row = try firstRow(Self.sql)
    let left = Dictionary(row, uniquingKeysWith: { left, _ in left })
    let right = Dictionary(row, uniquingKeysWith: { _, right in right })
    #expect(left == ["a": 1.databaseValue, "b": "x".databaseValue])
    #expect(right == ["a": .null, "b": "x".databaseValue])
    let unique = try firstRow("SELECT 1 AS a, 2 AS b")
    #expect(Dictionary(uniqueKeysWithValues: unique.map { ($0, $1) }) == ["a": 1.databaseValue, "b": 2.databaseValue])
    #expect(Dictionary(grouping: row, by: { $0.0 }).mapValues(\.count) == ["a": 2, "b": 1])
  }

  // MARK: From dictionaries

  @Test func literalsKeepOrderAndDuplicates() {
    let row: Row = ["b": 1, "a": "x", "b": nil]
    #expect(row.description == #"[b:1 a:"x" b:NULL]"#)
    #expect(row["B"] as Int == 1)
  }

  @Test func dictionariesConvertToRows() {
    let row = Row(["a": 1, "b": nil] as [String: (any DatabaseValueConvertible)?])
    #expect(Set(row.columnNames) == ["a", "b"])
    #expect(row["a"] as Int == 1)
    #expect(row["b"] as Int? == nil)
    #expect(row.hasColumn("b"))
  }

  @Test func untypedDictionariesConvertIfPossible() {
    struct Unknown {}
    let row = Row(["a": 1, "b": "x"] as [AnyHashable: Any])
    #expect(row?["a"] as Int? == 1)
    #expect(row?["b"] as String? == "x")
    #expect(Row(["a": Unknown()] as [AnyHashable: Any]) == nil)
    #expect(Row([1: "x"] as [AnyHashable: Any]) == nil)
    #expect(Row([:] as [AnyHashable: Any]) == Row())
  }

  @Test func rowsMadeOfRowsAreEqual() throws {
    let row = try firstRow("SELECT 1 AS a")
    #expect(Row(Dictionary(row, uniquingKeysWith: { left, _ in left })) == row)
  }
}
