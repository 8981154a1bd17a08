// The outcome of rows that a statement changed before it failed.

extension ChangeCapture {
  func keepsChanges(of statement: Statement, after error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CONSTRAINT && error.extendedResultCode != .SQLITE_CONSTRAINT_FOREIGNKEY
      && statement.mayFailWithoutUndoing && log.isOpen && !log.isEmpty
  }

  /// Returns whether the changes of the failed step were kept or undone.
  func outcomeOfStep(_ error: DatabaseError) -> ChangeLog.Outcome {
    switch db.transaction.ending {
    case .rolledBack, .committedThenRolledBack, .refused: return .undone
    // A statement that fails with FAIL keeps its changes, and commits them in autocommit mode. A failed COMMIT leaves
    // its transaction open: virtual tables may have written buffered changes.
    case .committed: return db.isInAutocommitMode ? .kept : .unclear
    case .none, .committedNothing, .rebuilt: break
    }
    // With ABORT, changes are not counted.
    guard log.hasStepChanged else { return .undone }
    // A virtual table may have filled its tables before it could not be created. Their rows are counted.
    if error.resultCode == .SQLITE_ERROR, steps.current?.statement.createsTable == true { return .undone }
    if db.handle?.changesCount ?? 0 > 0 { return .kept }
    // The content of a damaged database is not reliable.
    if error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB { return .unclear }
    // A function of the statement may have changed rows without the library, and SQLite may have kept them.
    if db.capture.isHandleExposed { return .unclear }
    // With a part of the changes, a replaced row looks like a removed one.
    if steps.current?.hasUnrecordedRows == false, log.holdsStepRecords, !hasReplacedRowOfOtherType(error),
      let areKept = areRowsKept()
    {
      return areKept ? .kept : .undone
    }
    // SQLite writes a statement journal only for statements that a conflict may undo. Without a journal, a statement
    // that fails for another reason keeps its changes.
    let isConflict = error.resultCode == .SQLITE_CONSTRAINT
    // SQLite writes no statement journal for a cascade either, assuming that it leaves no orphans. A child key of
    // another type is such an orphan.
    // And none for the types of a strict table, if another conflict clause than ABORT applies.
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_DATATYPE: return .unclear
    default: break
    }
    return isConflict && steps.current?.statement.mayFailWithoutUndoing == false ? .undone : .unclear
  }

  /// Whether a value had the wrong type for a strict table after a row with the same key was removed. SQLite may then
  /// preserve this row without its index entries, so that the row does not show what has changed.
  private func hasReplacedRowOfOtherType(_ error: DatabaseError) -> Bool {
    error.extendedResultCode == .SQLITE_CONSTRAINT_DATATYPE && log.stepRecords.contains { $0.kind == .delete }
  }

  /// A row, identified by its row ID or by the values of its primary key.
  private struct Identity: Hashable {
    var table: TableKey
    var rowID: Int64 = 0

    /// The columns of the primary key, and their values.
    var keyColumns: [String] = []
    var key: [DatabaseValue]?
  }

  /// Returns whether the rows of the failed step are still as the step left them; nil if no row shows it.
  ///
  /// SQLite does not report this. The method looks for a row that the step has inserted or removed, and then for one
  /// with values that it has changed.
  func areRowsKept() -> Bool? {
    var existed: [Identity: Bool] = [:]
    var exists: [Identity: Bool] = [:]
    var updates: [Identity: Update] = [:]
    func note(_ row: Identity?, before: Bool, after: Bool) {
      guard let row else { return }
      if existed[row] == nil { existed[row] = before }
      exists[row] = after
    }
    for record in log.stepRecords {
      let (old, new) = (identity(record, isNew: false), identity(record, isNew: true))
      switch record.kind {
      case .insert: note(new, before: false, after: true)
      case .delete: note(old, before: true, after: false)
      case .update:
        if old == new {
          guard let old else { continue }
          let former = updates[old]
          updates[old] =
            update(record).map {
              Update(columns: former?.columns ?? $0.columns, old: former?.old ?? $0.old, new: $0.new)
            }
            ?? .unknown
          continue
        }
        note(old, before: true, after: false)
        note(new, before: false, after: true)
      }
    }
    for (row, after) in exists where existed[row] != after {
      if let isThere = isThere(row) { return isThere == after }
    }
    for (row, update) in updates where exists[row] == nil {
      if let isKept = isKept(update, of: row) { return isKept }
    }
    return nil
  }

  /// The values of a row before a step and after it, as far as they are captured.
  private struct Update {
    var columns: [String]
    var old: [DatabaseValue]
    var new: [DatabaseValue]

    /// Of a row that was also changed in a way that is not captured.
    static let unknown = Update(columns: [], old: [], new: [])
  }

  private func update(_ record: ChangeRecord) -> Update? {
    guard record.isCaptured, record.unknownColumn == nil, !record.hasRepairedText,
      let layout = log.tables[Int(record.table)].layout
    else { return nil }
    let (start, count) = (Int(record.valueStart), layout.storedColumns.count)
    return Update(
      columns: layout.storedColumns.map { layout.columns[$0].name },
      old: (start..<start + count).map { log.values[$0] },
      new: (start + count..<start + 2 * count).map { log.values[$0] })
  }

  /// Whether a row has its new values, and not the old ones; nil if this is unknown.
  private func isKept(_ update: Update, of row: Identity) -> Bool? {
    let changed = update.columns.indices.filter { !update.old[$0].hasSameBytes(as: update.new[$0]) }
    if changed.isEmpty { return nil }
    guard case .found(let current)? = find(row, changed.map { update.columns[$0] }) else { return nil }
    if zip(changed, current).allSatisfy({ update.new[$0].hasSameBytes(as: $1) }) { return true }
    return zip(changed, current).allSatisfy { update.old[$0].hasSameBytes(as: $1) } ? false : nil
  }

  /// The identity of a row before or after a change; nil if it is unknown.
  private func identity(_ record: ChangeRecord, isNew: Bool) -> Identity? {
    let table = log.tables[Int(record.table)]
    guard let layout = table.layout, !layout.hasRowID else {
      return Identity(table: table.key, rowID: isNew ? record.newRowID : record.oldRowID)
    }
    guard record.isCaptured, record.unknownColumn == nil, let columns = keyColumns(of: table.key) else { return nil }
    let start = Int(record.valueStart) + (isNew && record.kind == .update ? layout.storedColumns.count : 0)
    var values: [DatabaseValue] = []
    for column in columns {
      guard let offset = layout.storedColumns.firstIndex(where: { layout.columns[$0].name == column.asciiLowercased })
      else { return nil }
      values.append(log.values[start + offset])
    }
    return Identity(table: table.key, keyColumns: columns, key: values)
  }

  private func keyColumns(of key: TableKey) -> [String]? {
    do {
      guard let table = try catalogTable(key) else { return nil }
      return try db.shielded { try table.primaryKey(db)?.columns }
    } catch {
      Database.log(error, "Could not determine the primary key of \(key)")
      return nil
    }
  }

  /// Returns whether a row exists; nil if this is unknown.
  private func isThere(_ row: Identity) -> Bool? {
    switch find(row, []) {
    case .found: true
    case .missing: false
    case nil: nil
    }
  }

  private enum Finding {
    case missing

    /// The values of some columns.
    case found([DatabaseValue])
  }

  /// Looks for a row. Returns nil if it is unknown whether it exists.
  private func find(_ row: Identity, _ columns: [String]) -> Finding? {
    do {
      guard let table = try catalogTable(row.table), table.kind == .table else { return nil }
      let condition: String
      if row.key != nil {
        // Compares bytes: another row may have a key that differs only in case.
        condition = row.keyColumns.enumerated().map { index, name in
          let (column, value) = (name.quotedDatabaseIdentifier, "?\(index + 1)")
          return "\(column) = \(value) AND \(column) = \(value) COLLATE BINARY"
        }.joined(separator: " AND ")
      } else {
        guard let name = try rowIDName(of: table) else { return nil }
        condition = "\(name.quotedDatabaseIdentifier) = ?"
      }
      let selection = (["1"] + columns.map(\.quotedDatabaseIdentifier)).joined(separator: ", ")
      return try db.shielded {
        try db.untraced {
          let sql = "SELECT \(selection) FROM \(table.qualifiedSQL) WHERE \(condition)"
          let statement = try db.preparedStatement(sql: sql).availableStatement()
          try statement.start(StatementArguments(row.key ?? [row.rowID.databaseValue]))
          defer { statement.finish() }
          guard try statement.step() else { return .missing }
          let values = columns.indices.compactMap {
            DatabaseValue.readWithoutRefusal(statement.sqliteStatement, CInt($0 + 1))
          }
          // SQLite may have had no memory for a value.
          return values.count == columns.count ? .found(values) : nil
        }
      }
    } catch {
      Database.log(error, "Could not determine which changes a failed statement has kept")
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

extension Statement {
  /// Whether the statement creates a table. SQLite writes a statement journal for it.
  fileprivate var createsTable: Bool {
    writes?.schemaChanges.contains { $0.kind == .create && $0.subject == .table } ?? false
  }

  /// Whether conflicts of the statement preserve its earlier changes, as `INSERT OR FAIL` and
  /// `RAISE(FAIL, …)` do. True if this is unknown.
  ///
  /// SQLite does not report it with the failure. But `EXPLAIN` lists where the program of the statement halts, and how.
  var mayFailWithoutUndoing: Bool {
    let fail = 3
    do {
      let rows = try database.shielded {
        try database.untraced {
          try Row.fetchAll(database.compile("EXPLAIN " + sql, isInternal: true).withoutChecks())
        }
      }
      return rows.contains { row in
        let (operation, second, fifth): (String, Int?, Int?) = (row["opcode"], row["p2"], row["p5"])
        switch operation {
        case "Halt", "HaltIfNull": return second == fail
        case "VUpdate": return fifth == fail
        default: return false
        }
      }
    } catch {
      return true
    }
  }

  private func withoutChecks() -> Statement {
    setUncheckedArguments([])
    return self
  }
}
