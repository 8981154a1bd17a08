/// Leaves the changes of a region.
struct ChangeFilter {
  private let region: DatabaseRegion

  init(region: DatabaseRegion) { self.region = region }

  /// Whether all changes are left.
  var isUnlimited: Bool { region.isFullDatabase }

  /// Returns the changes that concern the region; nil if there are none. Changes of the schema concern each region.
  ///
  /// - Parameter endsTransaction: Whether the last part of a transaction is needed, even without changes.
  func changes(_ changes: TransactionChanges, endsTransaction: Bool = false) -> TransactionChanges? {
    if isUnlimited { return changes }
    var changes = changes
    changes.elements.removeAll { !includes($0) }
    if case .incomplete(let reason) = changes.completeness, reason == .notReported || reason == .tooManyRows,
      !changes.elements.contains(where: { if case .unknownRows = $0 { true } else { false } })
    {
      changes.completeness = .complete
    }
    // A table outside of the region may have got the name of one of its tables, with its rows.
    if changes.isComplete, changes.elements.contains(where: { $0.renamesTable }) {
      changes.completeness = .incomplete(.unknown)
    }
    if !changes.elements.isEmpty || !changes.isComplete || endsTransaction && !changes.isContinued { return changes }
    return nil
  }

  private func includes(_ element: TransactionChanges.Element) -> Bool {
    switch element {
    case .row(let row): includes(row)
    case .unknownRows(let database, let table): region.overlaps(TableKey(table, in: database))
    case .schema: true
    case .counter(let database, let table, _): region.overlaps(TableKey(table, in: database))
    // They belong to no table.
    case .userVersion, .notification: false
    }
  }

  private func includes(_ row: ChangedRow) -> Bool {
    let key = TableKey(row.table.name, in: row.table.databaseName)
    guard let region = region.tables?[key] else { return region.tables == nil }
    if region.parts.contains(where: { $0.columns == nil && $0.rows.isAll }) { return true }
    let names = row.table.columnNames.map(\.asciiLowercased)
    func image(_ values: [DatabaseValue]?, _ identity: ChangedRow.Identity?) -> RowImage? {
      guard let values else { return nil }
      let rowID: Int64? = if case .rowID(let rowID)? = identity { rowID } else { nil }
      var image = RowImage(rowID: rowID)
      for (name, value) in zip(names, values) { image.values[name] = value }
      return image
    }
    let kind: RowChange.Kind =
      switch row.operation {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      }
    var change = RowChange(table: key, kind: kind)
    change.old = image(row.oldValues, row.oldIdentity)
    change.new = image(row.newValues, row.newIdentity)
    if kind == .update {
      var columns = Set(row.changedColumnNames.map(\.asciiLowercased))
      if row.oldIdentity != row.newIdentity, row.table.rowID == .hidden { columns.insert(RowFilter.rowIDName) }
      change.changedColumns = columns
    }
    return region.isModified(by: change)
  }
}

extension TransactionChanges.Element {
  /// Whether a statement may have renamed a table.
  fileprivate var renamesTable: Bool {
    guard case .schema(let sql) = self else { return false }
    var (tokens, isAfterRename) = (SQLTokenizer(sql), false)
    while let token = tokens.next() {
      let word = token == .word ? sql[tokens.range].asciiUppercased : ""
      if isAfterRename, word == "TO" { return true }
      isAfterRename = word == "RENAME"
    }
    return false
  }
}
