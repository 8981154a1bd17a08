import Testing
import Tidemark

/// Rows with scopes.
@Suite struct RowScopesTests {
  private static let sql = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS born"

  // title, id | author: id, name, born | in it, born: born | nested, title: title
  private static let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<2),
    scopes: [
      "author": ScopeAdapter(
        base: RangeRowAdapter(2..<5),
        scopes: [
          "birth": ScopeAdapter(base: RangeRowAdapter(4..<5), scopes: ["book": RangeRowAdapter(1..<2)]),
          "label": RangeRowAdapter(3..<4),
        ]),
      "label": RangeRowAdapter(1..<2),
    ])

  @Test(arguments: [true, false])
  func scopesAreSlicesOfTheRow(isLive: Bool) throws {
    func check(_ row: Row) throws {
      #expect(row.description == #"[id:1 title:"Dune"]"#)
      #expect(Set(row.scopes.names) == ["author", "label"])
      #expect(row.scopes.count == 2)
      let author = try #require(row.scopes["author"])
      #expect(author.description == #"[id:7 name:"Frank" born:NULL]"#)
      #expect(author["name"] as String == "Frank")
      #expect(author["title"] == nil)
      #expect(row.scopes["missing"] == nil)
      #expect(row.scopes["AUTHOR"] == nil)
      #expect(
        Dictionary(uniqueKeysWithValues: row.scopes.map { ($0.name, $0.row.count) }) == ["author": 3, "label": 1])
    }
    if isLive {
      try withLiveRow(Self.sql, adapter: Self.adapter, check)
    } else {
      try check(firstRow(Self.sql, adapter: Self.adapter))
    }
  }

  @Test func scopesTreeFindsTheNearestScope() throws {
    let row = try firstRow(Self.sql, adapter: Self.adapter)
    #expect(row.scopesTree.names == ["author", "label", "birth", "book"])
    #expect(row.scopesTree["book"]?.description == #"[title:"Dune"]"#)
    #expect(row.scopesTree["birth"]?.description == "[born:NULL]")
    #expect(row.scopesTree["label"]?.description == #"[title:"Dune"]"#)
    #expect(row.scopes["author"]?.scopesTree["label"]?.description == #"[name:"Frank"]"#)
    #expect(row.scopesTree["missing"] == nil)
    #expect(row.scopes["birth"] == nil)
  }

  @Test func copiesKeepTheirScopes() throws {
    let copy = try withLiveRow(Self.sql, adapter: Self.adapter) { $0.copy() }
    #expect(copy == (try firstRow(Self.sql, adapter: Self.adapter)))
    #expect(copy.scopes["author"]?.scopes["birth"]?.description == "[born:NULL]")
  }

  @Test func unscopedKeepsTheAdaptersColumns() throws {
    let row = try firstRow(Self.sql, adapter: Self.adapter)
    #expect(row.unscoped.description == #"[id:1 title:"Dune"]"#)
    #expect(row.unscoped.scopes.isEmpty)
    #expect(row.unscoped.scopesTree.names.isEmpty)
    #expect(row.unadapted.scopes.isEmpty)
    #expect(try firstRow("SELECT 1 AS a").unscoped.description == "[a:1]")
  }

  @Test func rowsWithoutAdapterHaveNoScopes() throws {
    let row = try firstRow(Self.sql)
    #expect(row.scopes.isEmpty)
    #expect(row.scopes.names.isEmpty)
    #expect(row.scopesTree["a"] == nil)
    #expect(row.prefetchedRows.isEmpty)
    #expect(row.prefetchedRows.keys.isEmpty)
    #expect(row.prefetchedRows["a"] == nil)
  }

  @Test func scopeValuesCountAsNonNull() throws {
    let nulls = "SELECT NULL AS a, NULL AS b, NULL AS c, 1 AS d"
    func contains(_ adapter: some RowAdapter) throws -> Bool {
      try firstRow(nulls, adapter: adapter).containsNonNullValue
    }
    #expect(try !contains(RangeRowAdapter(0..<3)))
    #expect(try !contains(ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["x": RangeRowAdapter(1..<3)])))
    #expect(try contains(ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["x": RangeRowAdapter(3..<4)])))
    let nested = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["y": RangeRowAdapter(3..<4)])
    #expect(try contains(ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["x": nested])))
  }

  @Test func scopesAreAddedToAdapters() throws {
    let adapter = RangeRowAdapter(0..<1).addingScopes(["author": SuffixRowAdapter(fromIndex: 2)])
    let row = try firstRow(Self.sql, adapter: adapter)
    #expect(row.description == "[id:1]")
    #expect(row.scopes["author"]?.description == #"[id:7 name:"Frank" born:NULL]"#)
    #expect(RangeRowAdapter(0..<1).addingScopes([:]) is RangeRowAdapter)
  }

  @Test func addedScopesAccumulate() throws {
    let adapter = ScopeAdapter(["a": RangeRowAdapter(0..<1)]).addingScopes(["b": RangeRowAdapter(1..<2)])
    let row = try firstRow(Self.sql, adapter: adapter)
    #expect(Set(row.scopes.names) == ["a", "b"])
    #expect(row.scopes["b"]?.description == #"[title:"Dune"]"#)
  }
}
