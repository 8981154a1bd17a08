import Foundation
import Testing
import Tidemark

private enum Columns: String, ColumnExpression { case id, title, missing }

/// The reading methods that throw.
@Suite struct RowDecodeTests {
  @Test(arguments: RowKind.allCases)
  func decodeReadsByIndexNameAndColumn(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(try row.decode(String.self, atIndex: 1) == "Dune")
      #expect(try row.decode(String.self, forColumn: "TITLE") == "Dune")
      #expect(try row.decode(String.self, forColumn: Column("title")) == "Dune")
      #expect(try row.decode(String.self, forColumn: Columns.title) == "Dune")
      #expect(try row.decode(Int?.self, forColumn: "pages") == nil)
      #expect(try row.decode(Int?.self, forColumn: "missing") == nil)
      #expect(try row.decode(Int?.self, forColumn: Columns.missing) == nil)
      let inferred: Double = try row.decode(forColumn: "score")
      let byIndex: Int = try row.decode(atIndex: 0)
      #expect(inferred == 1.5)
      #expect(byIndex == 1)
    }
  }

  private static let row = #"row: [id:1 title:"Dune" pages:NULL score:1.5 cover:Data(2 bytes)]"#

  @Test(arguments: [RowKind.copied, .literal, .adapted])
  func copiesDescribeUnreadableColumns(of kind: RowKind) throws {
    try kind.withRow { row throws in
      #expect(
        errorText { try row.decode(Int.self, forColumn: "pages") }
          == #"could not decode Int from database value NULL - column: "pages", column index: 2, "# + Self.row)
      #expect(
        errorText { try row.decode(Int.self, atIndex: 1) }
          == #"could not decode Int from database value "Dune" - column: "title", column index: 1, "# + Self.row)
      #expect(
        errorText { try row.decode(Int?.self, forColumn: Columns.title) }
          == #"could not decode Optional<Int> from database value "Dune" - column: "title", column index: 1, "#
          + Self.row)
      #expect(
        errorText { try row.decode(Int.self, forColumn: "missing") } == #"column not found: "missing" - "# + Self.row)
      #expect(
        errorText { try row.decode(Int.self, forColumn: Columns.missing) } == #"column not found: "missing" - "#
          + Self.row)
    }
  }

  @Test func liveRowsDescribeUnreadableColumnsWithTheirStatement() throws {
    let text = try withLiveRow("SELECT NULL AS title, ? AS id", arguments: [1]) { row throws in
      errorText { try row.decode(String.self, forColumn: "title") }
    }
    #expect(
      text
        == "could not decode String from database value NULL - column: \"title\", column index: 0, row: [title:NULL id:1], "
        + "sql: `SELECT NULL AS title, ? AS id`, arguments: [1]")
  }

  @Test func liveRowsDescribeMissingColumnsWithTheirStatement() throws {
    let text = try withLiveRow("SELECT 1 AS id") { row in errorText { try row.decode(Int.self, forColumn: "pages") } }
    #expect(text == "column not found: \"pages\" - row: [id:1], sql: `SELECT 1 AS id`, arguments: []")
  }

  @Test(arguments: [-1, 5, Int.max, Int.min], RowKind.allCases)
  func indexesOutOfRangeThrow(index: Int, kind: RowKind) throws {
    try kind.withRow { row throws in
      let text = errorText { try row.decode(Int.self, atIndex: index) }
      #expect(text.hasPrefix("column index out of range: \(index) - \(Self.row)"))
      // An error of the program, for optionals too.
      #expect(throws: RowDecodingError.self) { try row.decode(Int?.self, atIndex: index) }
    }
  }

  @Test func adaptedColumnsAreNamedAsShown() throws {
    let text = try withLiveRow("SELECT 1 AS a, 'x' AS b", adapter: ColumnMapping(["B": "b"])) { row throws in
      errorText { try row.decode(UInt8.self, forColumn: "b") }
    }
    // SQLite converts the text to a number: this is not an error.
    #expect(text == "no error, but 0")
    let copied = try firstRow("SELECT 1 AS a, 'x' AS b", adapter: ColumnMapping(["B": "b"]))
    #expect(
      errorText { try copied.decode(UInt8.self, forColumn: "b") }
        == #"could not decode UInt8 from database value "x" - column: "B", column index: 0, row: [B:"x"]"#)
  }

  // swift-format-ignore
  @Test(arguments: [
    "could not decode Int8 from database value 1000 - column: \"n\", column index: 0, row: [n:1000], sql: `SELECT :n AS n`, arguments: [\"n\": 1000]",
  ])
  func fetchedValuesDescribeDecodingErrors(text: String) throws {
    try inMemory { db throws in
      #expect(errorText { try Int8.fetchAll(db, sql: "SELECT :n AS n", arguments: ["n": 1000]) } == text)
      #expect(
        errorText { try Int8.fetchOne(db, sql: "SELECT :n AS n", arguments: ["n": 1000]) }
          == text.replacing("Int8", with: "Optional<Int8>"))
    }
  }

  @Test func fetchesWithoutColumnsThrow() throws {
    try inMemory { db throws in
      #expect(
        errorText { try Int.fetchAll(db, sql: "SELECT 1", adapter: EmptyRowAdapter()) }
          == "column index out of range: 0 - row: [], sql: `SELECT 1`, arguments: []")
    }
  }
}
