import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private struct Author: Decodable, FetchableRecord, Hashable {
  var id: Int64
  var name: String?
}

/// A record that shows whether its own `init(row:)` was called.
private struct Label: Decodable, FetchableRecord, Equatable {
  var name: String
  init(row: Row) throws { name = "row " + (try row.decode(forColumn: "name") as String) }
  init(from decoder: any Decoder) throws { fatalError("init(row:) is to be asked") }
}

/// Records that decode themselves from a row and its nested rows.
@Suite struct NestedRowDecodingTests {
  private static let joined = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS id, NULL AS name"
  private static let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<2),
    scopes: [
      "author": ScopeAdapter(base: RangeRowAdapter(2..<4), scopes: ["deep": RangeRowAdapter(2..<4)]),
      "nobody": RangeRowAdapter(4..<6),
    ])

  @Test func scopesBecomeRecords() throws {
    struct Book: Decodable, FetchableRecord {
      var title: String
      var author: Author
      var deep: Author?
      var nobody: Author?
      var missing: Author?
    }
    let book = try fetchRecord(Book.self, Self.joined, adapter: Self.adapter)
    #expect(book.author == Author(id: 7, name: "Frank"))
    #expect(book.deep == Author(id: 7, name: "Frank"))
    #expect(book.nobody == nil)
    #expect(book.missing == nil)
  }

  @Test func aRecordInsideIsMadeByItsOwnInitializer() throws {
    struct Book: Decodable, FetchableRecord {
      var author: Label
      var nobody: Label?
      var labels: [Label]?
    }
    let book = try fetchRecord(Book.self, Self.joined, adapter: Self.adapter)
    #expect(book.author.name == "row Frank")
    #expect(book.nobody == nil)
    let row = try firstRow(Self.joined, adapter: Self.adapter)
    row.prefetched = ["labels": [["name": "a"], ["name": "b"]]]
    #expect(try Book(row: row).labels?.map(\.name) == ["row a", "row b"])
  }

  @Test func aScopeOfNullsIsRefusedWhereARecordIsNeeded() throws {
    struct Book: Decodable, FetchableRecord { var nobody: Author }
    #expect(
      errorText { try Book(row: firstRow(Self.joined, adapter: Self.adapter)) }
        == #"scope "nobody" only contains null values - row: [id:1 title:"Dune"]"#)
  }

  @Test func aStructureWithoutScopeIsReadFromTheRowItself() throws {
    struct Book: Decodable, FetchableRecord {
      struct Base: Decodable { var id: Int; var title: String }
      var base: Base
      var record: Author
    }
    let book = try fetchRecord(Book.self, "SELECT 1 AS id, 'Dune' AS title, 'n' AS name")
    #expect(book.base.title == "Dune")
    #expect(book.record == Author(id: 1, name: "n"))
  }

  @Test func rowsLoadedAlongBecomeCollections() throws {
    struct Book: Decodable, FetchableRecord {
      struct Plain: Decodable, Hashable { var name: String }
      var authors: [Author]
      var set: Set<Author>
      var plains: [Plain]
      var optional: [Author]?
      var none: [Author]?
    }
    let row = try firstRow("SELECT 1 AS id")
    let authors: [Row] = [["id": 1, "name": "a"], ["id": 2, "name": "b"], ["id": 1, "name": "a"]]
    row.prefetched = ["authors": authors, "set": authors, "plains": authors, "optional": []]
    let book = try Book(row: row)
    #expect(book.authors.map(\.id) == [1, 2, 1])
    #expect(book.set.count == 2)
    #expect(book.plains.map(\.name) == ["a", "b", "a"])
    #expect(book.optional == [])
    #expect(book.none == nil)
    row.prefetched = ["authors": authors]
    #expect(errorText { try Book(row: row) }.contains(#"Available keys for prefetched rows: ["authors"]"#))
  }
}
