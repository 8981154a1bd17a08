import Testing
import Tidemark

@Suite struct RowAdapterTests {
  private static let sql = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS born"

  // swift-format-ignore
  private static let adapters: [(any RowAdapter, String)] = [
    (EmptyRowAdapter(), "[]"),
    (RangeRowAdapter(1...2), #"[title:"Dune" id:7]"#),
    (RangeRowAdapter(1..<2), #"[title:"Dune"]"#),
    (RangeRowAdapter(2..<2), "[]"),
    (RangeRowAdapter(3..<9), #"[name:"Frank" born:NULL]"#),
    (SuffixRowAdapter(fromIndex: 0), #"[id:1 title:"Dune" id:7 name:"Frank" born:NULL]"#),
    (SuffixRowAdapter(fromIndex: 2), #"[id:7 name:"Frank" born:NULL]"#),
    (SuffixRowAdapter(fromIndex: 9), "[]"),
    (ColumnMapping(["N": "NAME", "x": "id", "T": "title"]), #"[x:1 T:"Dune" N:"Frank"]"#),
    (ColumnMapping(["b": "id", "a": "id"]), "[a:1 b:1]"),
    (ColumnMapping([:]), "[]"),
    (RenameColumnAdapter { $0 + "_" }, #"[id_:1 title_:"Dune" id_:7 name_:"Frank" born_:NULL]"#),
    (ScopeAdapter([:]), #"[id:1 title:"Dune" id:7 name:"Frank" born:NULL]"#),
    (ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: [:]), "[id:1]"),
  ]

  @Test(arguments: adapters.indices, [true, false])
  func adaptersShowTheirColumns(index: Int, isLive: Bool) throws {
    let (adapter, text) = Self.adapters[index]
    let shown =
      try isLive
      ? withLiveRow(Self.sql, adapter: adapter) { $0.description } : firstRow(Self.sql, adapter: adapter).description
    #expect(shown == text)
  }

  @Test(arguments: adapters.indices)
  func unadaptedRowsRemainAvailable(index: Int) throws {
    let row = try firstRow(Self.sql, adapter: Self.adapters[index].0)
    #expect(row.unadapted.description == #"[id:1 title:"Dune" id:7 name:"Frank" born:NULL]"#)
    #expect(row.unadapted.unadapted == row.unadapted)
  }

  @Test func adaptersOfAdaptedRequestsUseTheAdaptedColumns() throws {
    let request = SQLRequest<Row>(sql: Self.sql)
      .adapted { _ in SuffixRowAdapter(fromIndex: 2) }
      .adapted { _ in ColumnMapping(["n": "name"]) }
    try inMemory { db throws in
      #expect(try request.fetchOne(db)?.description == #"[n:"Frank"]"#)
    }
  }

  // MARK: Slices

  @Test(arguments: [
    ([2, 1], ["[id:1 title:\"Dune\"]", "[id:7]", "[name:\"Frank\" born:NULL]"]),
    ([], ["[id:1 title:\"Dune\" id:7 name:\"Frank\" born:NULL]"]),
    ([0, 5], ["[]", "[id:1 title:\"Dune\" id:7 name:\"Frank\" born:NULL]", "[]"]),
  ])
  func rowsAreSplit(columnCounts: [Int], slices: [String]) throws {
    let adapters = splittingRowAdapters(columnCounts: columnCounts)
    #expect(try adapters.map { try firstRow(Self.sql, adapter: $0).description } == slices)
  }

  // MARK: Missing columns

  @Test(arguments: ["all", "one", "cursor", "set", "scope"])
  func mappingsOfMissingColumnsThrow(verb: String) throws {
    let mapping = ColumnMapping(["x": "zz"])
    try inMemory { db throws in
      let sql = "SELECT 1 AS a, 2 AS b"
      let error = #expect(throws: DatabaseError.self) {
        switch verb {
        case "all": _ = try Row.fetchAll(db, sql: sql, adapter: mapping)
        case "one": _ = try Row.fetchOne(db, sql: sql, adapter: mapping)
        case "cursor": _ = try Row.fetchCursor(db, sql: sql, adapter: mapping)
        case "set": _ = try Row.fetchSet(db, sql: sql, adapter: mapping)
        default: _ = try Row.fetchAll(db, sql: sql, adapter: ScopeAdapter(["s": mapping]))
        }
      }
      #expect(
        error?.description == "SQLite error 21: Mapping references missing column zz. Valid column names are: a, b.")
      #expect(try Row.fetchAll(db, sql: sql).count == 1)
    }
  }

  @Test func mappingsOfMissingColumnsThrowWithoutRows() throws {
    try inMemory { db throws in
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, sql: "SELECT 1 AS a WHERE 0", adapter: ColumnMapping(["x": "zz"]))
      }
    }
  }

  @Test(arguments: ["negative suffix", "negative range", "negative count"])
  func negativeColumnCountsTrap(mistake: String) async {
    await #expect(processExitsWith: .failure) { [mistake] in
      switch mistake {
      case "negative suffix": _ = SuffixRowAdapter(fromIndex: -1)
      case "negative range": _ = try firstRow("SELECT 1", adapter: RangeRowAdapter(-1..<1))
      default: _ = splittingRowAdapters(columnCounts: [-1])
      }
    }
  }

  // MARK: Values and records

  private struct Author: FetchableRecord, Equatable {
    var name: String
    init(row: Row) throws { name = row["name"] }
  }

  @Test func valuesAndRecordsAreReadThroughAdapters() throws {
    try inMemory { db throws in
      #expect(try String.fetchOne(db, sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 1)) == "Dune")
      #expect(try Int.fetchAll(db, sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 2)) == [7])
      #expect(try Int?.fetchAll(db, sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 4)) == [nil])
      #expect(try Author.fetchOne(db, sql: Self.sql, adapter: ColumnMapping(["name": "title"]))?.name == "Dune")
      let statement = try db.makeStatement(sql: Self.sql)
      #expect(try Author.fetchAll(statement, adapter: SuffixRowAdapter(fromIndex: 3)).map(\.name) == ["Frank"])
    }
  }

  @Test func adaptersCompose() throws {
    let request = SQLRequest<Row>(sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 1))
      .adapted { _ in RangeRowAdapter(0..<2) }
      .adapted { _ in RenameColumnAdapter { $0.uppercased() } }
    #expect(try inMemory { try request.fetchAll($0).map(\.description) } == [#"[TITLE:"Dune" ID:7]"#])
  }
}
