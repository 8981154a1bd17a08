/// The changes of a table in a commit, as a source for matching regions.
typealias TableCommit = CommittedChanges.TableChanges

extension TableCommit {
  /// Returns whether a change is relevant for a query that reads the given columns; nil stands for all columns.
  func touches(columns: Set<String>?) -> Bool {
    if inserts || deletes { return true }
    guard let columns, let updated = updatedColumns else { return true }
    return !updated.isDisjoint(with: columns)
  }

  /// Returns whether the changes may modify a region.
  func touches(_ region: DatabaseRegion) -> Bool {
    guard let tables = region.tables else { return true }
    guard let own = tables[key] else { return false }
    if isCoarse { return own.parts.contains { touches(columns: $0.decidingColumns(rowIDName: own.rowIDName)) } }
    return rowIndexes.contains { own.isModified(by: log.change(at: $0)) }
  }

  /// The old or new image of a changed row. It is valid while its commit is processed, and must not be stored.
  struct ChangedRow {
    fileprivate let record: ChangeRecord
    fileprivate unowned(unsafe) let layout: CaptureLayout
    fileprivate unowned(unsafe) let log: CapturedLog
    fileprivate let isNew: Bool

    /// The other image of an updated row.
    var other: ChangedRow { ChangedRow(record: record, layout: layout, log: log, isNew: !isNew) }

    /// Returns whether an update that keeps the row ID may have changed one of the columns; nil stands for all columns.
    func touches(columns: Set<String>?) -> Bool {
      columns.map { layout.mayHaveChanged($0, record) } ?? true
    }

    /// The changed columns of an update that keeps the row ID, as a bit set. Nil for other changes, which are relevant
    /// for all queries.
    var updateKeepingRowID: (layout: CaptureLayout, changed: UInt64)? {
      record.kind == .update && record.oldRowID == record.newRowID ? (layout, record.changedColumns) : nil
    }

    /// Returns the value of a column with a lowercase name; nil if it is unknown, or if SQLite compares another one.
    func value(of column: String) -> DatabaseValue? {
      value(layout.location(of: column))
    }

    fileprivate func value(_ location: CaptureLayout.ValueLocation) -> DatabaseValue? {
      switch location {
      case .unavailable: nil
      case .rowID: DatabaseValue(.int64(isNew ? record.newRowID : record.oldRowID))
      case .stored(let offset, let column):
        isNew && record.unknownColumn == UInt16(column) ? nil : compared(log.values[start + offset], column)
      }
    }

    @inline(__always)
    private func compared(_ value: DatabaseValue, _ column: Int) -> DatabaseValue? {
      guard case .string(let text) = value.storage, layout.sources[column].comparesNumbers else { return value }
      return text.isNumber ? nil : value
    }

    private var start: Int {
      Int(record.valueStart) + (isNew && record.kind == .update ? layout.storedColumns.count : 0)
    }
  }

  /// Calls a closure with the value of a column in the old and new image of each row; nil if it is unknown.
  ///
  /// - Parameter placeIn: Returns the location of the column in a layout.
  /// - Parameter body: The closure. If both images have the same value, it is called once, and its last argument is
  ///   true.
  func forEachImage(
    at placeIn: (CaptureLayout) -> CaptureLayout.ValueLocation,
    _ body: (DatabaseValue?, ChangedRow, _ isOfBothImages: Bool) -> Void
  ) {
    var location = CaptureLayout.ValueLocation.unavailable
    var placeTable: UInt32?
    forEachRow { row in
      if row.record.table != placeTable {
        placeTable = row.record.table
        location = placeIn(row.layout)
      }
      row.forEachImage({ $0.value(location) }, body)
    }
  }

  /// Calls a closure with the value of an expression in the old and new image of each row, like the other method.
  func forEachImage(
    of expression: RowFormula, _ body: (DatabaseValue?, ChangedRow, _ isOfBothImages: Bool) -> Void
  ) {
    forEachRow { row in row.forEachImage({ expression.value($0.value) }, body) }
  }

  private func forEachRow(_ body: (ChangedRow) -> Void) {
    for index in rowIndexes {
      let record = log.records[index]
      let layout = log.layouts[Int(record.table)]
      body(ChangedRow(record: record, layout: layout, log: log, isNew: record.kind == .insert))
    }
  }
}

extension TableCommit.ChangedRow {
  /// Calls a closure with the value in each image; once if both have the same value.
  @inline(__always)
  fileprivate func forEachImage(
    _ value: (Self) -> DatabaseValue?, _ body: (DatabaseValue?, Self, _ isOfBothImages: Bool) -> Void
  ) {
    let own = value(self)
    guard record.kind == .update else { return body(own, self, false) }
    let new = value(other)
    let isSame = own != nil && own == new
    body(own, self, isSame)
    if !isSame { body(new, other, false) }
  }
}

extension CommittedChanges {
  /// Returns whether the changes are unknown to a subscriber, also because they were captured for older needs.
  func isUnknown(forSubscription subscription: ChangeSubscription?) -> Bool {
    isUnknown || !schemaChanges.isEmpty || needsVersion < subscription?.version ?? 0
  }
}

extension CaptureLayout {
  /// The location of a column value in a record.
  enum ValueLocation {
    case unavailable
    case rowID
    case stored(offset: Int, column: Int)
  }

  /// Returns the location of a column with a lowercase name.
  func location(of name: String) -> ValueLocation {
    if hasRowID, name == rowIDColumn { return .rowID }
    if let offset = storedColumns.firstIndex(where: { columns[$0].name == name }) {
      return .stored(offset: offset, column: storedColumns[offset])
    }
    return hasRowID && name == RowFilter.rowIDName ? .rowID : .unavailable
  }
}
