import Testing

import Tidemark
@testable import TidemarkEssentials

/// Some columns of some rows of a table whose row ID is its column `id`.
private func region(_ table: String, _ columns: [String]? = nil, _ rebuildingKeepsRowIDs: Set<Int64>? = nil)
  -> DatabaseRegion
{
  let rows = rebuildingKeepsRowIDs.map { RowFilter(["id": .values(Set($0.map { DatabaseValue(.int64($0)) }))]) }
  var part = TableRegion.Part(columns: columns, rows: rows ?? .all)
  part.namesRowIDs = rebuildingKeepsRowIDs != nil
  return DatabaseRegion(tables: [TableKey(table): TableRegion(parts: [part], rowIDName: "id")])
}

@Suite struct DatabaseRegionTests {
  // swift-format-ignore
  @Test(arguments: [
    (DatabaseRegion(), "empty"),
    (.fullDatabase, "full database"),
    (region("book"), "book(*)"),
    (region("book", ["title", "id"]), "book(id,title)"),
    (region("book", ["id"], [3, 1, 2]), "book(id)[1,2,3]"),
    (region("book", nil, [1]), "book(*)[1]"),
    (region("book", []), "book(*)"),
    (region("book", nil, []), "empty"),
    (DatabaseRegion(tables: [TableKey("book", in: "temp"): .all]), "temp.book(*)"),
    (region("BOOK"), "BOOK(*)"),
    (region("book", ["Title", "TITLE", "title"]), "book(Title)"),
    (region("book", ["id"]).union(region("author")), "author(*),book(id)"),
  ])
  func regionsDescribeTablesColumnsAndRows(region: DatabaseRegion, text: String) {
    #expect(region.description == text)
  }

  @Test func `a description names rows only by integers`() {
    var part = TableRegion.Part(
      columns: ["id"], rows: RowFilter(["id": .values([1.databaseValue, "x".databaseValue])]))
    part.namesRowIDs = true
    let region = DatabaseRegion(tables: [TableKey("book"): TableRegion(parts: [part], rowIDName: "id")])
    #expect(region.description == "book(id)")
    #expect(region.debugDescription == #"book(id) where id in (1, "x")"#)
  }

  @Test func regionsKnowWhetherTheyAreEmptyOrFull() {
    #expect(DatabaseRegion().isEmpty)
    #expect(!DatabaseRegion().isFullDatabase)
    #expect(DatabaseRegion.fullDatabase.isFullDatabase)
    #expect(!DatabaseRegion.fullDatabase.isEmpty)
    #expect(region("book", ["id"], []).isEmpty)
    #expect(!region("book").isEmpty)
  }

  @Test func regionNamesIgnoreCase() {
    #expect(region("book", ["Title"]) == region("BOOK", ["title"]))
    #expect(region("book", ["title"]) != region("book", ["id"]))
    #expect(region("book", ["title"]) != region("book"))
    #expect(region("book", nil, [1]) != region("book"))
    #expect(region("book") != region("author"))
    #expect(DatabaseRegion() != .fullDatabase)
  }

  // swift-format-ignore
  @Test(arguments: [
    (region("book", ["id", "title", "authorId"], [1]), region("book", ["id", "title", "authorId"], [2]), "book(authorId,id,title)[1,2]"),
    (region("book", ["id", "title", "authorId"], [1]), region("book", ["title"]), "book(authorId,id,title)"),
    (region("book"), .fullDatabase, "full database"),
    (.fullDatabase, region("book"), "full database"),
    (DatabaseRegion(), DatabaseRegion(), "empty"),
    (DatabaseRegion(), region("book", ["id"]), "book(id)"),
    (region("book", ["id"]), region("BOOK", ["ID", "title"]), "book(id,title)"),
    (region("book", ["id"]), region("book"), "book(*)"),
    (region("book"), region("author", ["id"], [1]), "author(id)[1],book(*)"),
    (region("book", []), region("book", ["id"]), "book(*)"),
  ])
  func unionsContainBothRegions(lhs: DatabaseRegion, rhs: DatabaseRegion, text: String) {
    #expect(lhs.union(rhs).description == text)
    var formed = lhs
    formed.formUnion(rhs)
    #expect(formed.description == text)
    #expect(rhs.union(lhs) == formed)
  }

  // swift-format-ignore
  @Test(arguments: [
    (DatabaseRegion.fullDatabase, DatabaseEventKind.insert(tableName: "x"), true),
    (.fullDatabase, .update(tableName: "x", columnNames: []), true),
    (DatabaseRegion(), .delete(tableName: "book"), false),
    (region("book", ["id"]), .insert(tableName: "book"), true),
    (region("book", ["id"], [1]), .delete(tableName: "BOOK"), true),
    (region("book"), .insert(tableName: "author"), false),
    (region("book", ["id"]), .update(tableName: "book", columnNames: ["title"]), false),
    (region("book", ["Title"]), .update(tableName: "Book", columnNames: ["id", "tITLE"]), true),
    (region("book"), .update(tableName: "book", columnNames: ["title"]), true),
    (region("book", nil, [1]), .update(tableName: "book", columnNames: ["title"]), true),
    (region("book", ["id"]), .update(tableName: "author", columnNames: ["id"]), false),
  ])
  func regionsAreModifiedByTheirChanges(region: DatabaseRegion, kind: DatabaseEventKind, isModified: Bool) {
    #expect(region.isModified(byEventsOfKind: kind) == isModified)
  }

  @Test func eventKindsNameTheirTable() {
    #expect(DatabaseEventKind.insert(tableName: "a").tableName == "a")
    #expect(DatabaseEventKind.delete(tableName: "b").tableName == "b")
    #expect(DatabaseEventKind.update(tableName: "c", columnNames: ["x"]).tableName == "c")
  }

  @Test func regionsConvertToThemselves() throws {
    try inMemory { db throws in
      #expect(try region("book").databaseRegion(db) == region("book"))
      #expect(try AnyDatabaseRegionConvertible(region("book")).databaseRegion(db) == region("book"))
      #expect(try AnyDatabaseRegionConvertible { _ in .fullDatabase }.databaseRegion(db) == .fullDatabase)
      func convert(_ region: some DatabaseRegionConvertible) throws -> DatabaseRegion { try region.databaseRegion(db) }
      #expect(try convert(.fullDatabase).isFullDatabase)
    }
  }

  /// Invariant: a union contains both sides, and no more unless it was simplified.
  @Test func unionsAgreeWithSetsOfCells() {
    var generator = SeededRandom()
    let columns = ["a", "b", "c"], rows: [Int64] = [1, 2, 3]
    func random(_ generator: inout SeededRandom) -> DatabaseRegion {
      let someColumns = Bool.random(using: &generator) ? nil : columns.filter { _ in Bool.random(using: &generator) }
      let someRows = Bool.random(using: &generator) ? nil : Set(rows.filter { _ in Bool.random(using: &generator) })
      return region("t", someColumns, someRows)
    }
    func cells(_ region: DatabaseRegion) -> Set<String> {
      guard let table = region.tables?[TableKey("t")] else { return [] }
      return Set(
        table.parts.flatMap { part in
          rows.filter { row in part.rows.mayAdmit { $0 == "id" ? DatabaseValue(.int64(row)) : nil } }.flatMap { row in
            columns.filter(part.reads).map { "\($0)\(row)" } + ["row\(row)"]
          }
        })
    }
    for _ in 0..<500 {
      let lhs = random(&generator), rhs = random(&generator)
      #expect(cells(lhs.union(rhs)) == cells(lhs).union(cells(rhs)), "\(lhs) \(rhs)")
      #expect(lhs.union(rhs) == rhs.union(lhs))
    }
  }
}
