import Foundation
import Testing
import Tidemark

private enum Columns: String, ColumnExpression { case id, title, missing }

/// Reading is the same for a fetched or created row, with or without an adapter.
enum RowKind: CaseIterable {
  case copied, live, literal, adapted, liveAdapted

  /// A row with the columns `id` 1, `title` "Dune", `pages` NULL, `score` 1.5, `cover` of two bytes.
  func withRow<T>(_ body: (Row) throws -> T) throws -> T {
    let sql = "SELECT 1 AS id, 'Dune' AS title, NULL AS pages, 1.5 AS score, x'0102' AS cover"
    let shifted = "SELECT 99 AS no, 1 AS id, 'Dune' AS title, NULL AS pages, 1.5 AS score, x'0102' AS cover"
    switch self {
    case .copied: return try body(firstRow(sql))
    case .live: return try withLiveRow(sql, body)
    case .literal:
      return try body(["id": 1, "title": "Dune", "pages": nil, "score": 1.5, "cover": Data([1, 2])])
    case .adapted: return try body(firstRow(shifted, adapter: SuffixRowAdapter(fromIndex: 1)))
    case .liveAdapted: return try withLiveRow(shifted, adapter: SuffixRowAdapter(fromIndex: 1), body)
    }
  }
}

@Suite struct RowTests {
  // MARK: Subscripts

  @Test(arguments: RowKind.allCases)
  func columnsAreReadByIndexNameAndColumn(of kind: RowKind) throws {
    try kind.withRow { row throws in
      let byIndex: String = row[1]
      let byName: String = row["title"]
      let byColumn: String = row[Column("title")]
      let byCase: String = row[Columns.title]
      #expect([byIndex, byName, byColumn, byCase] == Array(repeating: "Dune", count: 4))
      #expect(row["TITLE"] as String == "Dune")
      #expect(row[Column("Title")] as String == "Dune")
      #expect(row[0] as Int == 1)
      #expect(row["score"] as Double == 1.5)
      #expect(row["cover"] as Data == Data([1, 2]))
    }
  }

  @Test(arguments: RowKind.allCases)
  func nullIsNilForOptionals(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row[2] as Int? == nil)
      #expect(row["pages"] as String? == nil)
      #expect(row[Column("pages")] as Data? == nil)
      #expect(row["pages"] as DatabaseValue == .null)
      #expect(row["title"] as String? == "Dune")
    }
  }

  @Test(arguments: RowKind.allCases)
  func missingColumnsAreNilForOptionals(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row["missing"] as Int? == nil)
      #expect(row[Columns.missing] as String? == nil)
      #expect(row["missing"] as DatabaseValue? == nil)
      #expect(row["missing"] == nil)
      #expect(row[Column("missing")] == nil)
    }
  }

  @Test(arguments: RowKind.allCases)
  func nullColumnsAreDatabaseValues(of kind: RowKind) throws {
    try kind.withRow { row throws in
      let value: DatabaseValue? = row["pages"]
      #expect(value == .some(.null))
    }
  }

  @Test(arguments: RowKind.allCases)
  func untypedAccessReturnsStoredValues(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row[0] as? Int64 == 1)
      #expect(row["title"] as? String == "Dune")
      #expect(row[Column("score")] as? Double == 1.5)
      #expect(row["cover"] as? Data == Data([1, 2]))
      #expect(row["pages"] == nil)
      // Documented: `as?` converts the stored value, and an integer is stored as an Int64.
      #expect(row[0] as? Int == nil)
    }
  }

  // MARK: Columns

  @Test(arguments: RowKind.allCases)
  func rowsKnowTheirColumns(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row.count == 5)
      #expect(row.columnNames == ["id", "title", "pages", "score", "cover"])
      #expect(
        row.databaseValues
          == [1, "Dune", nil, 1.5, Data([1, 2])].map { ($0 as (any DatabaseValueConvertible)?)?.databaseValue ?? .null }
      )
      #expect(row.hasColumn("id"))
      #expect(row.hasColumn("PAGES"))
      #expect(!row.hasColumn("missing"))
      #expect(!row.hasColumn("no"))
    }
  }

  @Test(arguments: RowKind.allCases)
  func rowsKnowWhichColumnsAreNull(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row.columnNames.indices.map(row.hasNull(atIndex:)) == [false, false, true, false, false])
      #expect(row.containsNonNullValue)
    }
  }

  @Test func leftmostColumnIsRead() throws {
    let row = try firstRow("SELECT 1 AS a, 2 AS A, 3 AS b, 4 AS a")
    #expect(row["A"] as Int == 1)
    #expect(row["a"] as Int == 1)
    #expect(row["a"] as Int == 1)
    #expect(row.hasColumn("B"))
    #expect(row.columnNames == ["a", "A", "b", "a"])
    #expect(row.count == 4)
    #expect(row[3] as Int == 4)
  }

  @Test func columnNamesIgnoreCaseInAllAlphabets() throws {
    let row = try firstRow("SELECT 1 AS ÉTÉ, 2 AS страна")
    #expect(row["été"] as Int == 1)
    #expect(row["СТРАНА"] as Int == 2)
  }

  @Test func rowsWithoutColumnsAreEmpty() {
    let row = Row()
    #expect(row.isEmpty)
    #expect(row.count == 0)
    #expect(row.columnNames.isEmpty)
    #expect(row["a"] == nil)
    #expect(!row.containsNonNullValue)
    #expect(!row.hasColumn("a"))
  }

  @Test func rowsOfNullsContainNoValue() throws {
    #expect(try !firstRow("SELECT NULL, NULL").containsNonNullValue)
    #expect(try firstRow("SELECT NULL, 0").containsNonNullValue)
  }

  // MARK: Coalesce

  @Test(arguments: RowKind.allCases)
  func coalesceReturnsTheFirstNonNullValue(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(row.coalesce(["pages", "title"]) as String? == "Dune")
      #expect(row.coalesce(["missing", "PAGES", "id", "score"]) as Int? == 1)
      let mixed: String? = row.coalesce([Column("pages"), Columns.title])
      let columns: String? = row.coalesce([Column("pages"), Column("title")])
      let cases: Int? = row.coalesce([Columns.missing, Columns.id])
      let short: String? = row.coalesce([Columns.missing, .title])
      #expect([mixed, columns, short] == ["Dune", "Dune", "Dune"])
      #expect(cases == 1)
      #expect(row.coalesce(["missing", "pages"]) as String? == nil)
      #expect(row.coalesce([] as [String]) as String? == nil)
    }
  }

  // MARK: Copies

  @Test func rowCursorsReuseOneRow() throws {
    try inMemory { db throws in
      let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS n UNION ALL SELECT 2")
      let first = try #require(try cursor.next())
      let copy = first.copy()
      let second = try #require(try cursor.next())
      #expect(first === second)
      #expect(first["n"] as Int == 2)
      #expect(copy["n"] as Int == 1)
      #expect(try cursor.next() == nil)
      #expect(second["n"] as Int? == nil)
    }
  }

  @Test func copyingACopyReturnsItself() throws {
    let row = try firstRow("SELECT 1")
    #expect(row.copy() === row)
    let literal: Row = ["a": 1]
    #expect(literal.copy() === literal)
  }

  @Test func copiesKeepColumnsAndAdapter() throws {
    let copy = try withLiveRow("SELECT 1 AS a, 2 AS b", adapter: SuffixRowAdapter(fromIndex: 1)) { $0.copy() }
    #expect(copy.description == "[b:2]")
    #expect(copy.unadapted.description == "[a:1 b:2]")
  }
}
