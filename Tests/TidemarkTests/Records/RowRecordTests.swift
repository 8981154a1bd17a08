import Testing

import Tidemark
@testable import TidemarkEssentials

private struct Author: FetchableRecord, Hashable {
  var name: String?
  init(name: String?) { self.name = name }
  init(row: Row) throws { name = try row.decode(forColumn: "name") }
}

private struct Book: FetchableRecord {
  var title: String
  var author: Author?
  var label: Author?
  init(row: Row) throws {
    title = row["title"]
    author = row["author"]
    label = try row.decodeIfPresent(forKey: "label")
  }
}

/// Records in the scopes of a row.
@Suite struct RowRecordTests {
  private static let sql = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS born"
  private static let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<2),
    scopes: [
      "author": ScopeAdapter(base: RangeRowAdapter(2..<4), scopes: ["deep": RangeRowAdapter(3..<4)]),
      "nobody": RangeRowAdapter(4..<5),
    ])

  @Test(arguments: [true, false])
  func scopesAreReadAsRecords(isLive: Bool) throws {
    func check(_ row: Row) throws {
      let decoded: Author = try row.decode(forKey: "author")
      let subscripted: Author = row["author"]
      let optional: Author? = row["author"]
      let deep: Author = row["deep"]
      #expect([decoded, subscripted, optional, deep] == Array(repeating: Author(name: "Frank"), count: 4))
      #expect(try row.decode(Author.self, forKey: "author").name == "Frank")
      #expect(try row.decodeIfPresent(Author.self, forKey: "author")?.name == "Frank")
      #expect((row["author"] as Author).name == "Frank")
    }
    if isLive {
      try withLiveRow(Self.sql, adapter: Self.adapter, check)
    } else {
      try check(firstRow(Self.sql, adapter: Self.adapter))
    }
  }

  @Test(arguments: ["nobody", "missing"])
  func nullAndMissingScopesAreNil(scope: String) throws {
    let row = try firstRow(Self.sql, adapter: Self.adapter)
    #expect(try row.decodeIfPresent(Author.self, forKey: scope) == nil)
    #expect(row[scope] as Author? == nil)
  }

  @Test func recordsAreFetchedWithNestedRecords() throws {
    let book = try inMemory { try Book.fetchOne($0, sql: Self.sql, adapter: Self.adapter) }
    #expect(book?.title == "Dune")
    #expect(book?.author?.name == "Frank")
    #expect(book?.label == nil)
  }

  @Test func missingScopesAreDescribed() throws {
    let row = try firstRow(Self.sql, adapter: Self.adapter)
    #expect(
      errorText { try row.decode(Author.self, forKey: "zz") }
        == #"scope not found: "zz" - available scopes: ["author", "deep", "nobody"] - row: [id:1 title:"Dune"]"#)
    #expect(
      errorText { try row.decode(Author.self, forKey: "nobody") }
        == #"scope "nobody" only contains null values - row: [id:1 title:"Dune"]"#)
    let plain = try firstRow("SELECT 1 AS id")
    #expect(errorText { try plain.decode(Author.self, forKey: "zz") } == #"scope not found: "zz" - row: [id:1]"#)
    #expect(
      errorText { try plain.decode([Author].self, forKey: "books") }
        == #"key for prefetched rows not found: "books" - row: [id:1]"#)
  }

  @Test func recordErrorsAreThrown() throws {
    let row = try firstRow("SELECT 1 AS id", adapter: ScopeAdapter(["author": RangeRowAdapter(0..<1)]))
    #expect(try row.decode(Author.self, forKey: "author") == Author(name: nil))
    struct Strict: FetchableRecord {
      init(row: Row) throws { _ = try row.decode(Int.self, forColumn: "zz") }
    }
    #expect(throws: RowDecodingError.self) { try row.decode(Strict.self, forKey: "author") }
    #expect(throws: RowDecodingError.self) { try row.decodeIfPresent(Strict.self, forKey: "author") }
  }

  @Test func prefetchedRowsBecomeRecords() throws {
    let row = try firstRow("SELECT 1 AS id")
    row.prefetched = ["authors": [["name": "Ann"], ["name": "Cy"], ["name": "Ann"]], "others": []]
    let array: [Author] = row["authors"]
    let contiguous: ContiguousArray<Author> = try row.decode(forKey: "authors")
    let set: Set<Author> = row["authors"]
    #expect(array.map(\.name) == ["Ann", "Cy", "Ann"])
    #expect(contiguous.count == 3)
    #expect(set == [Author(name: "Ann"), Author(name: "Cy")])
    #expect(try row.decode([Author].self, forKey: "others").isEmpty)
    #expect(try row.decode(Set<Author>.self, forKey: "authors").count == 2)
    #expect(row.debugDescription == "▿ [id:1]\n  + authors: 3 rows\n  + others: 0 row")
    #expect(
      errorText { try row.decode([Author].self, forKey: "zz") }
        == #"key for prefetched rows not found: "zz" - available keys: ["authors", "others"] - row: [id:1]"#)
  }

  @Test(arguments: ["zz", "nobody"])
  func missingRecordsTrap(scope: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [scope] in
      _ = try firstRow(Self.sql, adapter: Self.adapter)[scope] as Author
    }
    let words = scope == "zz" ? #"scope not found: "zz""# : #"scope "nobody" only contains null values"#
    #expect(result.words.contains(words))
  }
}
