import Testing

import Tidemark
@testable import TidemarkEssentials

private typealias Values = [String: Int64]

private func image(_ values: Values, rowID: Int64? = nil) -> RowImage {
  RowImage(rowID: rowID, values: values.mapValues { DatabaseValue(.int64($0)) })
}

private func insert(_ values: Values) -> RowChange {
  RowChange(table: TableKey("t"), kind: .insert, new: image(values))
}

private func delete(_ values: Values) -> RowChange {
  RowChange(table: TableKey("t"), kind: .delete, old: image(values))
}

private func update(_ old: Values, _ new: Values, changed: Set<String>?) -> RowChange {
  RowChange(table: TableKey("T"), kind: .update, old: image(old), new: image(new), changedColumns: changed)
}

/// A region with these columns of the rows where `a` is 1.
private func region(_ columns: [String]?) -> DatabaseRegion {
  let rows = RowFilter(["A": .values([DatabaseValue(.int64(1))])])
  return DatabaseRegion(tables: [TableKey("t"): TableRegion(columns: columns, rows: rows, rowIDName: "id")])
}

@Suite struct RowChangeTests {
  // swift-format-ignore
  @Test(arguments: [
    ("an insert that passes", insert(["a": 1]), true),
    ("an insert that does not", insert(["a": 2]), false),
    ("an insert of unknown values", insert(["b": 2]), true),
    ("a delete that passed", delete(["a": 1]), true),
    ("a delete that did not", delete(["a": 2]), false),
    ("a delete of an unknown row", RowChange(table: TableKey("t"), kind: .delete), true),
    ("an update of what is read", update(["a": 1], ["a": 1], changed: ["b"]), true),
    ("an update of something else", update(["a": 1], ["a": 1], changed: ["c"]), false),
    ("an update of another row", update(["a": 2], ["a": 3], changed: ["a", "b"]), false),
    ("an update that has the row pass", update(["a": 2], ["a": 1], changed: ["a"]), true),
    ("an update that has the row pass no more", update(["a": 1], ["a": 2], changed: ["a"]), true),
    ("an update of the row id", update(["a": 1], ["a": 1], changed: ["id"]), true),
    ("an update of unknown columns", update(["a": 1], ["a": 1], changed: nil), true),
    ("an update of unknown values", update([:], [:], changed: ["b"]), true),
    ("an update of an unknown old value", update(["b": 1], ["a": 2], changed: ["b"]), true),
  ] as [(String, RowChange, Bool)])
  func regionsAreModifiedByMatchingRows(by name: String, change: RowChange, isModified: Bool) {
    #expect(region(["B"]).isModified(by: change) == isModified)
  }

  @Test func regionsWithoutColumnsAreModifiedByInsertsAndDeletes() {
    #expect(region([]).isModified(by: insert(["a": 1])))
    #expect(region([]).isModified(by: delete(["a": 1])))
    #expect(!region([]).isModified(by: update(["a": 1], ["a": 1], changed: ["b"])))
    #expect(region([]).isModified(by: update(["a": 1], ["a": 2], changed: ["a"])))
  }

  @Test func `a row that may have left a region modifies it`() {
    let stays = update(["a": 1], ["a": 1], changed: ["a"])
    #expect(!region([]).isModified(by: stays))
    #expect(region([]).isModified(by: update([:], ["a": 1], changed: ["a"])))
    var unknown = stays
    unknown.old = nil
    #expect(region([]).isModified(by: unknown))
  }

  @Test func regionsOfAllColumnsAreModifiedByAnyUpdate() {
    #expect(region(nil).isModified(by: update(["a": 1], ["a": 1], changed: ["z"])))
    #expect(!region(nil).isModified(by: update(["a": 2], ["a": 2], changed: ["z"])))
  }

  @Test func rowIDAliasesAreTheSameColumn() {
    let rows = RowFilter(["id": .values([DatabaseValue(.int64(3))])])
    let table = TableRegion(columns: nil as [String]?, rows: rows, rowIDName: "id")
    let region = DatabaseRegion(tables: [TableKey("t"): table])
    func insert(_ rowID: Int64?) -> RowChange {
      RowChange(table: TableKey("t"), kind: .insert, new: image([:], rowID: rowID))
    }
    #expect(region.isModified(by: insert(3)))
    #expect(!region.isModified(by: insert(4)))
    #expect(region.isModified(by: insert(nil)))
    #expect(region.isModified(byChangeOf: TableKey("t"), rowID: 3))
    #expect(!region.isModified(byChangeOf: TableKey("t"), rowID: 4))
  }

  @Test func `a row of which only the ID is known modifies the regions of its table`() {
    let (table, other) = (TableKey("t"), TableKey("u"))
    #expect(region(["b"]).isModified(byChangeOf: table, rowID: 3))
    #expect(!region(["b"]).isModified(byChangeOf: other, rowID: 3))
    #expect(DatabaseRegion.fullDatabase.isModified(byChangeOf: other, rowID: 3))
    #expect(!DatabaseRegion().isModified(byChangeOf: table, rowID: 3))
  }

  @Test func tablesOfOtherDatabasesAreSeparate() {
    let change = RowChange(table: TableKey("t", in: "temp"), kind: .insert, new: image(["a": 1]))
    #expect(!region(nil).isModified(by: change))
    #expect(DatabaseRegion.fullDatabase.isModified(by: change))
    #expect(!DatabaseRegion().isModified(by: change))
    let region = DatabaseRegion(tables: [TableKey("t", in: "archive"): .all])
    #expect(region.isModified(byEventsOfKind: .insert(tableName: "T")))
  }

  @Test func regionPartsAreBounded() {
    func piece(_ index: Int64) -> DatabaseRegion {
      let bound = ValueRange.Bound(value: DatabaseValue(.int64(index * 10)), isInclusive: true)
      let end = ValueRange.Bound(value: DatabaseValue(.int64(index * 10 + 1)), isInclusive: true)
      let rows = RowFilter(["a": .range(ValueRange(lower: bound, upper: end))])
      return DatabaseRegion(tables: [TableKey("t"): TableRegion(columns: nil as [String]?, rows: rows)])
    }
    func union(_ count: Int64) -> DatabaseRegion { (0..<count).reduce(DatabaseRegion()) { $0.union(piece($1)) } }
    let pieces = union(Int64(TableRegion.partsMax))
    #expect(pieces.isModified(by: insert(["a": 70])))
    #expect(!pieces.isModified(by: insert(["a": 65])))
    let one = union(Int64(TableRegion.partsMax) + 1)
    #expect(one.debugDescription == "t(*) where a >= 0 and a <= 81")
    #expect(one.isModified(by: insert(["a": 65])))
  }

  @Test func `many parts with ranges of an expression are joined to one range`() {
    func part(_ index: Int64) -> TableRegion.Part {
      let lower = ValueRange.Bound(value: (index * 10).databaseValue, isInclusive: true)
      let upper = ValueRange.Bound(value: (index * 10 + 1).databaseValue, isInclusive: true)
      let expression = RowFormula.arithmetic(.sum, .column("a"), .column("b"))
      let rows = RowFilter(.range(ValueRange(lower: lower, upper: upper)), ofExpression: expression)
      return TableRegion.Part(columns: nil as [String]?, rows: rows)
    }
    func region(_ count: Int64) -> DatabaseRegion {
      DatabaseRegion(tables: [TableKey("t"): TableRegion(parts: (0..<count).map(part))])
    }
    let separate = region(Int64(TableRegion.partsMax))
    #expect(separate.isModified(by: insert(["a": 5, "b": 5])))
    #expect(!separate.isModified(by: insert(["a": 5, "b": 0])))
    let joined = region(Int64(TableRegion.partsMax) + 1)
    #expect(joined.debugDescription == "t(*) where (a + b) >= 0 and (a + b) <= 81")
    #expect(joined.isModified(by: insert(["a": 5, "b": 0])))
    #expect(!joined.isModified(by: insert(["a": 5, "b": 90])))
  }
}
