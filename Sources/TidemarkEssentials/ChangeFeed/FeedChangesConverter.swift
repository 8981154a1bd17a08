/// Converts entries of the change feed to the changes that change capture would have reported.
///
/// A table counts as changed as a whole if its rows in the entry do not suffice: if the table had other columns when
/// the entry was written. Generated columns are not stored: they count as changed by each update, and have unknown
/// values.
final class FeedChangesConverter {
  private let db: Database

  /// The layout of the rows of a table.
  struct Layout {
    let captured: CaptureLayout

    /// The table as an entry describes it; nil if its rows are not stored as a whole.
    let table: ChangedTable?

    init(_ captured: CaptureLayout) {
      self.captured = captured
      table = captured.wholeRows.map { ChangedTable($0, hasRowID: captured.hasRowID) }
    }
  }

  /// The layouts of tables, in the schema that the connection reads.
  private(set) var layouts: [TableKey: Layout]

  /// The changes of tables that store changes, and of each entry.
  private(set) var all: [CommittedChanges]

  /// Each transaction may change these tables. Their changes are not stored.
  private static let tablesOfLibrary = [
    ChangeFeedTables.entries, ChangeFeedTables.history, ChangeFeedTables.consumers, CaptureNeeds.undoTableName,
  ].map { TableKey($0, in: "main") }

  init(_ db: Database, _ layouts: [TableKey: Layout]) {
    (self.db, self.layouts) = (db, layouts)
    all = [CommittedChanges(unknownRowsOf: Self.tablesOfLibrary)]
  }

  /// - Returns: Whether the changes are known.
  func add(_ changes: TransactionChanges) throws -> Bool {
    if case .incomplete(let reason) = changes.completeness {
      // Otherwise, elements say which tables have changed.
      guard reason == .notReported || reason == .tooManyRows else { return false }
    }
    var draft = FeedChangesDraft()
    for element in changes.elements {
      switch element {
      case .row(let row):
        let key = TableKey(row.table.name, in: row.table.databaseName)
        if let layout = try layout(of: row.table, key) {
          draft.add(row, key, layout)
        } else {
          draft.addUnknownRows(of: key)
        }
      case .unknownRows(let database, let table): draft.addUnknownRows(of: TableKey(table, in: database))
      case .counter(let database, _, _): draft.addUnknownRows(of: TableKey("sqlite_sequence", in: database))
      case .schema, .userVersion: return false
      // It changes nothing that a query reads.
      case .notification: break
      }
    }
    all.append(draft.changes(number: changes.versions?.upperBound.number ?? 0))
    return true
  }

  /// The layout of rows that are stored as a whole; nil if an entry stores other columns.
  private func layout(of table: ChangedTable, _ key: TableKey) throws -> CaptureLayout? {
    if let known = layouts[key] { return known.table == table ? known.captured : nil }
    let layout = try newLayout(of: key)
    layouts[key] = layout
    return layout?.table == table ? layout?.captured : nil
  }

  private func newLayout(of key: TableKey) throws -> Layout? {
    guard let table = try db.catalogTable(key.name, in: key.database), table.kind == .table else { return nil }
    return Layout(try CaptureLayout(table, key, .all, hasGeneratedValues: false, db))
  }
}

/// The changes of one entry.
private struct FeedChangesDraft {
  private struct Table {
    let key: TableKey

    /// The index of its layout; nil before its first row.
    var index: UInt32?
    var draft = TableDraft()
  }

  private var tables: [Table] = []
  private var layouts: [CaptureLayout] = []
  private var records: [ChangeRecord] = []
  private var values = CapturedValues()

  /// The position of a table in `tables`. A linear search: there are few tables.
  private mutating func index(of key: TableKey) -> Int {
    if let index = tables.firstIndex(where: { $0.key == key }) { return index }
    tables.append(Table(key: key))
    return tables.count - 1
  }

  mutating func addUnknownRows(of key: TableKey) {
    let index = index(of: key)
    tables[index].draft.becomeCoarse()
  }

  mutating func add(_ row: ChangedRow, _ key: TableKey, _ layout: CaptureLayout) {
    let position = index(of: key)
    if tables[position].draft.isCoarse { return }
    let index = tables[position].index ?? UInt32(layouts.count)
    if tables[position].index == nil {
      tables[position].index = index
      layouts.append(layout)
    }
    var record =
      switch row.images {
      case .insert(let new): ChangeRecord(kind: .insert, oldRowID: new.rowID, newRowID: new.rowID)
      case .delete(let old): ChangeRecord(kind: .delete, oldRowID: old.rowID, newRowID: old.rowID)
      case .update(let old, let new): ChangeRecord(kind: .update, oldRowID: old.rowID, newRowID: new.rowID)
      }
    record.table = index
    record.isCaptured = true
    record.valueStart = UInt32(values.count)
    switch row.images {
    case .insert(let image), .delete(let image): add(image, layout)
    case .update(let old, let new):
      add(old, layout)
      add(new, layout)
      let start = Int(record.valueStart)
      let count = layout.storedColumns.count
      values.withContent { values in
        for (offset, column) in layout.storedColumns.enumerated()
        where !values.areSame(start + offset, start + count + offset) {
          record.changedColumns |= 1 << UInt64(min(column, 63))
        }
      }
      tables[position].draft.addUpdatedColumns(layout.changedColumns(record))
    }
    tables[position].draft.kinds.insert(record.kind)
    tables[position].draft.rowIndexes.append(records.count)
    records.append(record)
  }

  private mutating func add(_ image: ChangedRow.Image, _ layout: CaptureLayout) {
    values.append(layout.storedColumns.count) { new in
      for (value, offset) in zip(image.values, layout.wholeRows?.offsets ?? []) {
        if let offset { value.withBorrowedValue { new.set($0, at: offset) } }
      }
    }
  }

  func changes(number: UInt64) -> CommittedChanges {
    let log = CapturedLog(records: records, values: values, layouts: layouts)
    return CommittedChanges(
      number: number, needsVersion: .max, tables: ShortList(tables.map { $0.draft.changes(of: $0.key, log) }), log: log)
  }
}
