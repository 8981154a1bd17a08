import Foundation

@testable import TidemarkEssentials

/// Random changes of transactions, with unusual names and values.
struct RandomChanges {
  var random: SeededRandom

  mutating func next() -> TransactionChanges {
    let tables = (0..<Int.random(in: 1...3, using: &random)).map { _ in table() }
    return TransactionChanges(
      versions: Bool.random(using: &random) ? versions() : nil,
      microsecondsSince1970: integer(),
      completeness: random.pick([.complete] + TransactionChanges.Reason.allCases.map { .incomplete($0) }),
      isContinued: Bool.random(using: &random),
      elements: (0..<Int.random(in: 0...8, using: &random)).map { _ in element(tables) })
  }

  mutating func nextChangeset() -> Changeset {
    let elements = next().elements.filter { element in
      switch element {
      case .unknownRows, .notification: false
      case .row, .schema, .counter, .userVersion: true
      }
    }
    let former: [Changeset.Element] = [
      .counter(databaseName: "main", tableName: "t", value: nil), .userVersion(databaseName: "temp", value: -3),
    ]
    return Changeset(known: elements, formerNumbers: Array(former.prefix(elements.count % 3)))
  }

  private mutating func versions() -> ClosedRange<DatabaseVersion> {
    let last = UInt64.random(in: 0...UInt64.max - 1, using: &random)
    return DatabaseVersion(last - .random(in: 0...min(last, 300), using: &random))...DatabaseVersion(last)
  }

  private mutating func element(_ tables: [ChangedTable]) -> TransactionChanges.Element {
    switch Int.random(in: 0..<13, using: &random) {
    case 0: .schema(sql: text())
    case 1: .counter(databaseName: text(), tableName: text(), value: Bool.random(using: &random) ? integer() : nil)
    case 2: .userVersion(databaseName: text(), value: Int32.random(in: .min ... .max, using: &random))
    case 3: .unknownRows(databaseName: text(), tableName: text())
    case 4: .notification(channel: text(), payload: text())
    default: .row(row(random.pick(tables)))
    }
  }

  mutating func table() -> ChangedTable {
    let count = Int.random(in: 1...10, using: &random)
    let rowID = random.pick(ChangedTable.RowID.allCases)
    let keyCount =
      switch rowID {
      case .none: Int.random(in: 1...min(count, 3), using: &random)
      case .hidden: Int.random(in: 0...min(count, 3), using: &random)
      case .primaryKey: 1
      }
    return ChangedTable(
      databaseName: random.pick(["main", "temp", "other"]), name: text(), columnNames: (0..<count).map { _ in text() },
      primaryKey: Array((0..<count).shuffled(using: &random).prefix(keyCount)), rowID: rowID)
  }

  mutating func row(_ table: ChangedTable) -> ChangedRow {
    let old = image(table)
    switch random.pick(ChangedRow.Operation.allCases) {
    case .insert: return ChangedRow(table: table, images: .insert(old))
    case .delete: return ChangedRow(table: table, images: .delete(old))
    case .update:
      let other = image(table)
      var new = old
      for index in table.columnNames.indices where Bool.random(using: &random) {
        new.values[index] = other.values[index]
        if index == table.rowIDColumn { new.rowID = other.rowID }
      }
      if table.rowID == .hidden, Bool.random(using: &random) { new.rowID = other.rowID }
      return ChangedRow(table: table, images: .update(old: old, new: new))
    }
  }

  private mutating func image(_ table: ChangedTable) -> ChangedRow.Image {
    let rowID = table.rowID == .none ? 0 : integer()
    return ChangedRow.Image(
      rowID: rowID,
      values: table.columnNames.indices.map {
        $0 == table.rowIDColumn ? DatabaseValue(.int64(rowID)) : value()
      })
  }

  private mutating func value() -> DatabaseValue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .null
    case 1: DatabaseValue(.int64(integer()))
    case 2: DatabaseValue(.double(random.pick([0, -0.0, 1.5, -.infinity, .greatestFiniteMagnitude, 5e-300])))
    case 3: DatabaseValue(.string(text()))
    default:
      DatabaseValue(
        .blob(Data((0..<Int.random(in: 0...40, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 37) })))
    }
  }

  private mutating func integer() -> Int64 {
    let bits = Int64.random(in: .min ... .max, using: &random)
    return bits >> Int64.random(in: 0..<64, using: &random)
  }

  private mutating func text() -> String {
    random.pick([
      "", "a", "name", "score", "\0", "é", "e\u{301}", "日本", "\"'`[]", String(repeating: "long ", count: 30),
    ])
  }
}
