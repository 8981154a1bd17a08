// What became of the rows that a statement has changed before it failed.

extension ChangeCapture {
  /// Whether the rows that the statement of the current step has changed are still as it left them; nil when none of
  /// them tells.
  ///
  /// SQLite does not say. A row that was not there before the statement, and was when it failed, or the other way
  /// round, is looked for.
  func areRowsKept() -> Bool? {
    struct Row: Hashable {
      var table: TableKey
      var rowID: Int64
    }
    var existed: [Row: Bool] = [:]
    var exists: [Row: Bool] = [:]
    func note(_ row: Row, before: Bool, after: Bool) {
      if existed[row] == nil { existed[row] = before }
      exists[row] = after
    }
    for record in log.stepRecords {
      let key = logTables[Int(record.table)].key
      switch record.kind {
      case .insert: note(Row(table: key, rowID: record.newRowID), before: false, after: true)
      case .delete: note(Row(table: key, rowID: record.oldRowID), before: true, after: false)
      case .update:
        if record.oldRowID == record.newRowID { continue }
        note(Row(table: key, rowID: record.oldRowID), before: true, after: false)
        note(Row(table: key, rowID: record.newRowID), before: false, after: true)
      }
    }
    for (row, after) in exists where existed[row] != after {
      if let isThere = isThere(row.table, row.rowID) { return isThere == after }
    }
    return nil
  }

  /// Whether a table has a row; nil when that cannot be told.
  private func isThere(_ key: TableKey, _ rowID: Int64) -> Bool? {
    do {
      guard let table = try catalogTable(key), table.kind == .table, let name = try rowIDName(of: table) else {
        return nil
      }
      let sql = "SELECT 1 FROM \(table.qualifiedSQL) WHERE \(name.quotedDatabaseIdentifier) = ?"
      return try db.shielded {
        try db.untraced {
          let statement = try db.preparedStatement(sql: sql).idle()
          try statement.start([rowID])
          defer { statement.finish() }
          return try statement.step()
        }
      }
    } catch {
      Database.log(error, "It could not be found out what a statement that failed has kept")
      return nil
    }
  }

  private func rowIDName(of table: CatalogTable) throws -> String? {
    try db.shielded {
      let key = try table.primaryKey(db)
      if key?.hasRowID == false { return nil }
      return try key?.rowIDColumn ?? table.rowIDName(db)
    }
  }
}
