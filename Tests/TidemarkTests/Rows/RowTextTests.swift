import Testing
import Tidemark

@Suite struct RowTextTests {
  private static let sql = """
    SELECT 1 AS id, 'Dune' AS Title, NULL AS pages, 1.5 AS score, x'010203' AS cover, 'it''s "q"' AS s, 1e20 AS big, 2.0 AS two
    """

  @Test(arguments: [true, false])
  func rowsDescribeTheirColumns(isLive: Bool) throws {
    let text = #"[id:1 Title:"Dune" pages:NULL score:1.5 cover:Data(3 bytes) s:"it\'s \"q\"" big:1e+20 two:2.0]"#
    if isLive {
      try withLiveRow(Self.sql) { row throws in
        #expect(row.description == text)
        #expect(row.debugDescription == text)
      }
    } else {
      let row = try firstRow(Self.sql)
      #expect(row.description == text)
      #expect(row.debugDescription == text)
    }
  }

  @Test func emptyRowsAreDescribed() {
    #expect(Row().description == "[]")
    #expect(Row().debugDescription == "[]")
  }

  private func debugText(_ sql: String, _ adapter: some RowAdapter) throws -> String {
    try firstRow(sql, adapter: adapter).debugDescription
  }

  private static let books = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS born"

  @Test func debugDescriptionShowsUnadaptedRowAndScopes() throws {
    let adapter = ScopeAdapter(base: RangeRowAdapter(0..<2), scopes: ["author": SuffixRowAdapter(fromIndex: 2)])
    #expect(
      try debugText(Self.books, adapter) == """
        ▿ [id:1 title:"Dune"]
          unadapted: [id:1 title:"Dune" id:7 name:"Frank" born:NULL]
          - author: [id:7 name:"Frank" born:NULL]
        """)
  }

  @Test func debugDescriptionShowsNestedScopesInOrder() throws {
    let inner = ScopeAdapter(
      base: RangeRowAdapter(1..<3), scopes: ["z": RangeRowAdapter(0..<1), "y": RangeRowAdapter(3..<4)])
    #expect(
      try debugText(Self.books, ScopeAdapter(["b": inner, "a": RangeRowAdapter(4..<5)])) == """
        ▿ [id:1 title:"Dune" id:7 name:"Frank" born:NULL]
          - a: [born:NULL]
          - b: [title:"Dune" id:7]
            - y: [name:"Frank"]
            - z: [id:1]
        """)
  }

  @Test func debugDescriptionWithoutEffectiveAdapterShowsTheRow() throws {
    #expect(try debugText("SELECT 1 AS a", RangeRowAdapter(0..<1)) == "[a:1]")
    #expect(try debugText("SELECT 1 AS a, 2 AS b", RangeRowAdapter(0..<1)) == "▿ [a:1]\n  unadapted: [a:1 b:2]")
    #expect(try debugText("SELECT 1 AS a", RenameColumnAdapter { $0 + "_" }) == "▿ [a_:1]\n  unadapted: [a:1]")
  }

  @Test func debugDescriptionOfUnscopedRowsShowsTheUnadaptedRow() throws {
    let adapter = ScopeAdapter(base: RangeRowAdapter(0..<2), scopes: ["author": SuffixRowAdapter(fromIndex: 2)])
    let row = try firstRow(Self.books, adapter: adapter)
    #expect(
      row.unscoped.debugDescription
        == "▿ [id:1 title:\"Dune\"]\n  unadapted: [id:1 title:\"Dune\" id:7 name:\"Frank\" born:NULL]")
    #expect(row.unadapted.debugDescription == #"[id:1 title:"Dune" id:7 name:"Frank" born:NULL]"#)
  }
}
