import Tidemark
@testable import TidemarkEssentials

/// Adds captured rows to a log, as the pre-update hook does.
extension ChangeLog {
  typealias Value = (any DatabaseValueConvertible)?

  mutating func insert(_ rowID: Int64, _ values: [Value], into table: CapturedTable) {
    add(.insert, rowID, rowID, old: [], new: values, table)
  }

  mutating func delete(_ rowID: Int64, _ values: [Value], from table: CapturedTable) {
    add(.delete, rowID, rowID, old: values, new: [], table)
  }

  /// - Parameter columns: The changed columns, one bit each.
  mutating func update(
    _ rowID: Int64, movedTo newRowID: Int64? = nil, from old: [Value],
    to new: [Value], changing columns: UInt64, unknownColumn: UInt16? = nil,
    in table: CapturedTable
  ) {
    add(.update, rowID, newRowID ?? rowID, old: old, new: new, table, changing: columns, unknownColumn)
  }

  private mutating func add(
    _ kind: RowChange.Kind, _ oldRowID: Int64, _ newRowID: Int64, old: [Value],
    new: [Value], _ table: CapturedTable, changing columns: UInt64 = 0,
    _ unknownColumn: UInt16? = nil
  ) {
    var record = ChangeRecord(kind: kind, isCaptured: true, oldRowID: oldRowID, newRowID: newRowID)
    (record.table, record.valueStart) = (index(of: table), UInt32(values.count))
    (record.changedColumns, record.unknownColumn) = (columns, unknownColumn)
    for value in old + new { (value?.databaseValue ?? .null).withBorrowedValue { values.append($0) } }
    add(record)
  }

  /// The row IDs of the changed rows, after the changes.
  var rowIDs: [Int64] { records.map(\.newRowID) }

  /// The report of a commit now.
  func report() -> CommittedChanges {
    var log = self
    let (changes, lent) = log.report(number: 1)
    if let lent { log.takeBackRows(from: lent) }
    return changes
  }
}

extension CommittedChanges {
  var rowIDs: [Int64?] { rows.map { $0.new?.rowID ?? $0.old?.rowID } }
}

extension CommittedChanges.TableChanges {
  /// Formatted as in `book insert update(pages) rows 0,2`.
  var summary: String {
    var words = ["\(key)"]
    if inserts { words.append("insert") }
    if deletes { words.append("delete") }
    if updates { words.append("update(\(updatedColumns?.sorted().joined(separator: ",") ?? "*"))") }
    words.append(isCoarse ? "coarse" : "rows \(rowIndexes.map(String.init).joined(separator: ","))")
    return words.joined(separator: " ")
  }
}

extension CaptureLayout {
  /// The layout of a table whose rows are reported with all values.
  static func ofTable(
    _ table: String, _ columns: [String], rowIDColumn: String? = nil, hasRowID: Bool = true
  ) -> CaptureLayout {
    CaptureLayout(
      key: TableKey(table),
      columns: columns.enumerated().map { index, name in
        CaptureLayout.Column(
          name: name, tableIndex: CInt(index), oldIndex: CInt(index), insertIndex: CInt(index),
          updateIndex: CInt(index), isReal: false, mayHaveDefault: false)
      },
      storedColumns: Array(columns.indices), rowIDColumn: rowIDColumn, hasRowID: hasRowID, wantsRows: true,
      mustReportAll: false)
  }
}

extension CapturedValues {
  /// Appends one value.
  mutating func append(_ value: BorrowedValue) { append(1) { $0.set(value, at: 0) } }
}
