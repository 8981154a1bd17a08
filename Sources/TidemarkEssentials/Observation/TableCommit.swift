/// What a commit has changed in a table, for those who look for the regions that it touches.
typealias TableCommit = CommittedChanges.TableChanges

extension TableCommit {
  /// Whether some rows changed in a way that matters to who reads some columns: nil stands for all.
  func touches(columns: Set<String>?) -> Bool {
    if inserts || deletes { return true }
    guard let columns, let updated = updatedColumns else { return true }
    return !updated.isDisjoint(with: columns)
  }

  /// Whether the changes may alter what is in a region.
  func touches(_ region: DatabaseRegion) -> Bool {
    guard let tables = region.tables else { return true }
    guard let own = tables[key] else { return false }
    if isCoarse { return own.parts.contains { touches(columns: $0.decidingColumns(rowIDName: own.rowIDName)) } }
    return rowIndexes.contains { own.isModified(by: log.change(at: $0)) }
  }

  /// A row as it was, or as it is. It is looked at as long as its commit is there, and kept by nobody.
  struct ChangedRow {
    fileprivate let record: ChangeRecord
    fileprivate unowned(unsafe) let layout: CaptureLayout
    fileprivate unowned(unsafe) let log: CapturedLog
    fileprivate let isNew: Bool

    /// The row of an update as it is, or as it was.
    var other: ChangedRow { ChangedRow(record: record, layout: layout, log: log, isNew: !isNew) }

    /// Whether it is new, or gone, or some columns have changed: nil stands for all.
    func touches(columns: Set<String>?) -> Bool {
      if record.kind != .update { return true }
      guard let columns else { return true }
      return record.oldRowID != record.newRowID || layout.mayHaveChanged(columns, record)
    }

    /// The columns of an update that leaves the row where it is, a bit for each: all that such a change touches depends
    /// on. Nil for other changes, which touch everything.
    var updateKeepingRowID: (layout: CaptureLayout, changed: UInt64)? {
      record.kind == .update && record.oldRowID == record.newRowID ? (layout, record.changedColumns) : nil
    }

    /// The value of a column, given in lower case: nil when it is not known.
    func value(of column: String) -> DatabaseValue? {
      value(layout.location(of: column))
    }

    fileprivate func value(_ location: CaptureLayout.ValueLocation) -> DatabaseValue? {
      switch location {
      case .unavailable: nil
      case .rowID: DatabaseValue(.int64(isNew ? record.newRowID : record.oldRowID))
      case .stored(let offset, let column):
        isNew && record.unknownColumn == UInt16(column) ? nil : log.values[start + offset]
      }
    }

    private var start: Int {
      Int(record.valueStart) + (isNew && record.kind == .update ? layout.storedColumns.count : 0)
    }
  }

  /// Calls a closure with the value of a column in each row, as it was and as it is: nil when it is not known.
  ///
  /// - parameter placeIn: Where a layout has the column.
  /// - parameter body: Called once for a row that has the same value before and after, and told that it is so.
  func forEachImage(
    at placeIn: (CaptureLayout) -> CaptureLayout.ValueLocation,
    _ body: (DatabaseValue?, ChangedRow, _ isOfBothImages: Bool) -> Void
  ) {
    var location = CaptureLayout.ValueLocation.unavailable
    var placeTable: UInt32?
    for index in rowIndexes {
      let record = log.records[index]
      let layout = log.layouts[Int(record.table)]
      if record.table != placeTable {
        placeTable = record.table
        location = placeIn(layout)
      }
      let row = ChangedRow(record: record, layout: layout, log: log, isNew: record.kind == .insert)
      let value = row.value(location)
      guard record.kind == .update else {
        body(value, row, false)
        continue
      }
      let newValue = row.other.value(location)
      let isSame = value != nil && value == newValue
      body(value, row, isSame)
      if !isSame { body(newValue, row.other, false) }
    }
  }
}

extension CommittedChanges {
  /// Whether anything may have changed, as far as somebody can tell who asked for what he needs.
  func isUnknown(forSubscription subscription: ChangeSubscription?) -> Bool {
    isUnknown || !schemaChanges.isEmpty || needsVersion < subscription?.version ?? 0
  }
}

extension CaptureLayout {
  /// Where the value of a column is.
  enum ValueLocation {
    case unavailable
    case rowID
    case stored(offset: Int, column: Int)
  }

  /// Where the value of a column is, given in lower case.
  func location(of name: String) -> ValueLocation {
    if hasRowID, name == rowIDColumn { return .rowID }
    if let offset = storedColumns.firstIndex(where: { columns[$0].name == name }) {
      return .stored(offset: offset, column: storedColumns[offset])
    }
    return hasRowID && name == RowFilter.rowIDName ? .rowID : .unavailable
  }
}
