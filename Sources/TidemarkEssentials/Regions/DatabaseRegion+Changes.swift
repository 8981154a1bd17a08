// Which changes touch a region. The answer is yes when in doubt.

extension DatabaseRegion {
  /// Whether a change of this kind may alter what is in the region.
  ///
  /// A kind of change names a table, not its database: it stands for all tables of that name.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    guard let tables else { return true }
    return tables.contains { table, region in
      guard table.hasName(eventKind.tableName) else { return false }
      switch eventKind {
      case .insert, .delete: return true
      case .update(tableName: _, let columnNames): return region.isModified(byUpdateOf: columnNames)
      }
    }
  }

  /// Whether the change of a row may alter what is in the region.
  func isModified(by change: RowChange) -> Bool {
    guard let tables else { return true }
    return tables[change.table]?.isModified(by: change) ?? false
  }

  /// Whether something of a table is in the region.
  func overlaps(_ table: TableKey) -> Bool {
    guard let tables else { return true }
    return tables[table] != nil
  }

  /// Whether a change of a row, of which no more than its id is known, may alter what is in the region.
  func isModified(byChangeOf table: TableKey, rowID: Int64) -> Bool {
    guard let tables else { return true }
    return tables[table]?.mayHold(rowID: rowID) ?? false
  }
}
