/// Which values of a table's rows are captured, and where SQLite has them.
///
/// Invariants:
/// 1. A value that SQLite does not report, or not reliably, is not reported: it is unknown. The columns of such values
///    count as changed by each reported update.
/// 2. A column that is an alias of the row ID has the row ID as its value, whatever SQLite reports for it.
final class CaptureLayout: Sendable {
  let key: TableKey

  /// The columns to compare: those whose changes or values are needed.
  let columns: [Column]

  /// The indexes in `columns` of the columns whose values are stored.
  let storedColumns: [Int]

  /// The locations of the values of `columns`, without names: it is used for each row.
  let sources: [ColumnSource]

  /// The column that is an alias of the row ID, in lower case.
  let rowIDColumn: String?
  let hasRowID: Bool

  /// Whether each row is reported, and not only the kinds of changes.
  let wantsRows: Bool

  /// The number of rows that are reported per transaction.
  let rowCountMax: Int

  /// Whether rows are needed even if the transaction has more than fit in memory.
  let storesRows: Bool

  /// Columns that cannot be read, but change with others: generated columns, for instance.
  let unreadColumns: [String]

  /// Whether the table has columns that change with others.
  let hasComputedColumns: Bool

  /// Whether some stored columns cannot be read, so that no update is known to change nothing.
  let mustReportAll: Bool

  /// The form of the rows, if they are captured as a whole.
  let wholeRows: WholeRows?

  /// Whether rows are needed as a whole, and the table counts its row IDs in `sqlite_sequence`.
  let hasCounter: Bool

  /// Whether its rows may change counters: the table counts its row IDs, or contains the counters.
  let mayChangeCounters: Bool

  struct Column: Sendable {
    var name: String

    /// The index in the table, and the indexes that the pre-update hook uses.
    var tableIndex: CInt
    var oldIndex: CInt
    var insertIndex: CInt
    var updateIndex: CInt

    /// Whether integers must be read as doubles: SQLite stores integral doubles as integers where possible.
    var isReal: Bool

    /// Whether a text that is a number is compared as a number. SQLite stores such a text as a number, but writing a
    /// blob in pieces may leave one.
    var comparesNumbers = false

    /// Whether SQLite may store a new value that it reports as an integral double as an integer: in an UPSERT that
    /// assigns `excluded.size`, if `size` is a REAL column, and the table has virtual generated columns.
    var mayBecomeInteger = false

    /// Whether the old value may be reported as NULL although it is the default: the value of a column that was added
    /// after the row.
    var mayHaveDefault: Bool
  }

  /// The location of a column's values in the pre-update hook, and their conversion: see `Column`.
  struct ColumnSource: Sendable {
    let oldIndex: CInt
    let insertIndex: CInt
    let updateIndex: CInt
    let isReal: Bool
    let mayBecomeInteger: Bool
    let mayHaveDefault: Bool

    /// Whether the values are stored.
    let isStored: Bool
    let comparesNumbers: Bool
  }

  init(
    key: TableKey, columns: [Column] = [], storedColumns: [Int] = [], rowIDColumn: String? = nil,
    hasRowID: Bool = true, wantsRows: Bool = false, rowCountMax: Int = .max, storesRows: Bool = false,
    unreadColumns: [String] = [], hasComputedColumns: Bool = false, mustReportAll: Bool = true,
    wholeRows: WholeRows? = nil, hasCounter: Bool = false
  ) {
    self.key = key
    self.columns = columns
    self.storedColumns = storedColumns
    sources = columns.enumerated().map { index, column in
      ColumnSource(
        oldIndex: column.oldIndex, insertIndex: column.insertIndex, updateIndex: column.updateIndex,
        isReal: column.isReal, mayBecomeInteger: column.mayBecomeInteger, mayHaveDefault: column.mayHaveDefault,
        isStored: storedColumns.contains(index), comparesNumbers: column.comparesNumbers)
    }
    self.rowIDColumn = rowIDColumn
    self.hasRowID = hasRowID
    self.wantsRows = wantsRows
    self.rowCountMax = rowCountMax
    self.storesRows = storesRows
    self.unreadColumns = unreadColumns
    self.hasComputedColumns = hasComputedColumns
    self.mustReportAll = mustReportAll
    self.wholeRows = wholeRows
    self.hasCounter = hasCounter
    mayChangeCounters = hasCounter || key.isCounterTable
  }

  /// Whether nothing is known about the table.
  var isUnknown: Bool { columns.isEmpty && unreadColumns.isEmpty && mustReportAll }

  /// Whether an update may have changed one of some columns.
  func mayHaveChanged(_ names: Set<String>, _ record: ChangeRecord) -> Bool {
    if columns.count > 64 || isUnknown || unreadColumns.contains(where: names.contains) { return true }
    var rest = record.changedColumns
    while rest != 0 {
      if names.contains(columns[rest.trailingZeroBitCount].name) { return true }
      rest &= rest - 1
    }
    return record.oldRowID != record.newRowID && names.contains(rowIDColumn ?? RowFilter.rowIDName)
  }

  /// The columns that an update has changed; nil if they are unknown.
  func changedColumns(_ record: ChangeRecord) -> Set<String>? {
    if columns.count > 64 || isUnknown { return nil }
    var names = Set(unreadColumns)
    for (index, column) in columns.enumerated() where record.changedColumns & (1 << UInt64(index)) != 0 {
      names.insert(column.name)
    }
    if record.oldRowID != record.newRowID { names.insert(rowIDColumn ?? RowFilter.rowIDName) }
    return names
  }
}

extension CaptureLayout {
  /// Creates the layout of a table for the given needs.
  ///
  /// - Parameter hasGeneratedValues: Whether the values of stored generated columns can be read. The change feed does
  ///   not contain them.
  convenience init(
    _ table: CatalogTable, _ key: TableKey, _ needs: CaptureNeeds.TableNeeds, hasGeneratedValues: Bool = true,
    _ db: Database
  ) throws {
    let primaryKey = try table.primaryKey(db)
    let hasRowID = primaryKey?.hasRowID ?? true
    let rowIDColumn = primaryKey?.rowIDColumn?.asciiLowercased
    var values = needs.values
    if needs.rows, let primaryKey, !hasRowID { values?.formUnion(primaryKey.columns.map(\.asciiLowercased)) }
    let storage = StorageOrder(table, rowIDColumn: rowIDColumn, keyedOrder: hasRowID ? nil : try table.keyedOrder(db))
    let names = table.allColumns.map(\.name.asciiLowercased)
    func wants(_ name: String) -> Bool {
      needs.columns?.contains(name) != false || values?.contains(name) != false
    }
    func isComputed(_ column: ColumnInfo) -> Bool {
      column.kind == .virtualGenerated || column.kind == .storedGenerated && !hasGeneratedValues
    }
    // A generated column changes with the columns that it is computed from.
    let wantsComputed = zip(table.allColumns, names).contains { isComputed($0) && wants($1) }
    var columns: [Column] = []
    var stored: [Int] = []
    var unread: [String] = []
    var mustReportAll = false
    for (index, name) in names.enumerated() where name != rowIDColumn {
      let info = table.allColumns[index]
      if isComputed(info) {
        if wants(name) { unread.append(name) }
      } else if wantsComputed || wants(name) {
        if let column = storage.column(index, name) {
          if values?.contains(name) != false { stored.append(columns.count) }
          columns.append(column)
        } else {
          unread.append(name)
          mustReportAll = true
        }
      }
    }
    self.init(
      key: key, columns: columns, storedColumns: stored, rowIDColumn: rowIDColumn, hasRowID: hasRowID,
      wantsRows: needs.wantsRows, rowCountMax: needs.rowCountMax, storesRows: needs.storesRows,
      unreadColumns: unread,
      hasComputedColumns: table.allColumns.contains { $0.kind == .virtualGenerated || $0.kind == .storedGenerated },
      mustReportAll: mustReportAll,
      wholeRows: WholeRows(table, primaryKey, storedNames: stored.map { columns[$0].name }),
      hasCounter: needs.wantsRows && values == nil && rowIDColumn != nil && table.declaresCounter)
  }
}

/// The form of rows that are captured as a whole: all values from which the row can be written again.
struct WholeRows: Sendable {
  /// The names of the database and the table, as they were created.
  let databaseName: String
  let tableName: String

  /// The columns, except generated ones, in the order of the table.
  let columnNames: [String]

  /// The offsets of their values among the values that are stored for a row; nil for the alias of the row ID.
  let offsets: [Int?]

  /// The indexes in `columnNames` of the columns of the primary key.
  let primaryKey: [Int]

  /// Nil if a value is not captured.
  ///
  /// - Parameter storedNames: The columns whose values are stored, in lower case.
  fileprivate init?(_ table: CatalogTable, _ key: PrimaryKeyInfo?, storedNames: [String]) {
    let columns = table.allColumns.filter { $0.kind != .virtualGenerated && $0.kind != .storedGenerated }
    let rowIDColumn = key?.rowIDColumn?.asciiLowercased
    let names = columns.map(\.name.asciiLowercased)
    offsets = names.map { $0 == rowIDColumn ? nil : storedNames.firstIndex(of: $0) }
    if zip(names, offsets).contains(where: { $0 != rowIDColumn && $1 == nil }) { return nil }
    (databaseName, tableName, columnNames) = (table.id.schemaID.name, table.name, columns.map(\.name))
    // The name of a hidden row ID is not a column.
    let keyNames = key.map { $0.isRowID && $0.rowIDColumn == nil ? [] : $0.columns } ?? []
    primaryKey = keyNames.compactMap { names.firstIndex(of: $0.asciiLowercased) }
  }
}

extension CatalogTable {
  /// Whether the table counts its row IDs with `AUTOINCREMENT`. The keyword is reserved: a name must be quoted.
  var declaresCounter: Bool {
    guard let sql else { return false }
    var tokenizer = SQLTokenizer(sql)
    while let token = tokenizer.next() {
      if token == .word, sql[tokenizer.range].lowercased() == "autoincrement" { return true }
    }
    return false
  }
}

/// The indexes of a table's columns in the pre-update hook.
private struct StorageOrder {
  private let table: CatalogTable
  private let indexing: PreupdateIndexing
  private let storageIndexes: [Int]
  private let hasComputedColumns: Bool
  private let hasRealColumn: Bool
  private let rowIDIndex: Int?

  /// The indexes of the columns of a table without row IDs in the order in which SQLite stores them; nil for other
  /// tables.
  private let keyedOrder: [Int]?

  init(_ table: CatalogTable, rowIDColumn: String?, keyedOrder: [Int]?) {
    (self.table, self.keyedOrder) = (table, keyedOrder)
    var next = 0
    storageIndexes = table.allColumns.map { column in
      if column.kind == .virtualGenerated { return -1 }
      defer { next += 1 }
      return next
    }
    hasComputedColumns = next < table.allColumns.count
    hasRealColumn = table.allColumns.contains { $0.affinity == .real && $0.kind != .virtualGenerated }
    indexing = keyedOrder == nil ? .rowIDTables : .otherTables
    rowIDIndex = rowIDColumn.flatMap { name in table.allColumns.firstIndex { $0.name.asciiLowercased == name } }
  }

  /// How a column is read; nil if it cannot be read.
  func column(_ index: Int, _ name: String) -> CaptureLayout.Column? {
    let info = table.allColumns[index]
    let isReal = info.affinity == .real
    guard let old = position(index, indexing.old), let insert = position(index, indexing.newOfInsert),
      let update = position(index, indexing.newOfUpdate)
    else { return nil }
    for position in [old, insert, update] where hasComputedColumns && position != index {
      // With indexes in storage order, SQLite confuses some columns: the alias of the row ID, and REAL columns.
      if position == rowIDIndex { return nil }
      if table.allColumns[position].affinity == .real, !isReal { return nil }
    }
    if oldValueMayBecomeDouble(index) { return nil }
    return CaptureLayout.Column(
      name: name, tableIndex: CInt(index), oldIndex: CInt(old), insertIndex: CInt(insert), updateIndex: CInt(update),
      isReal: isReal, comparesNumbers: info.affinity.comparesNumbers,
      mayBecomeInteger: hasComputedColumns && hasRealColumn && ![.real, .text].contains(info.affinity),
      mayHaveDefault: info.defaultValueSQL.map { $0.asciiLowercased != "null" } ?? false)
  }

  /// Whether SQLite may report an old integer as a double. In tables without row IDs, it finds the value in storage
  /// order, and converts it if the column with this number in the order of the table is a REAL column.
  private func oldValueMayBecomeDouble(_ index: Int) -> Bool {
    guard let position = keyedOrder?.firstIndex(of: index), position != index else { return false }
    // A REAL column contains no integers, and neither does a text column.
    let mayHaveIntegers = ![.real, .text].contains(table.allColumns[index].affinity)
    if !mayHaveIntegers { return false }
    // A key that repeats a column has more columns than the table: SQLite then reads behind its list of columns.
    return position >= table.allColumns.count || table.allColumns[position].affinity == .real
  }

  private func position(_ index: Int, _ order: PreupdateIndexing.ColumnOrder) -> Int? {
    if !hasComputedColumns { return index }
    switch order {
    case .table: return index
    case .storage: return storageIndexes[index]
    case .unknown: return nil
    }
  }
}

extension ColumnInfo {
  fileprivate var affinity: ColumnAffinity { ColumnAffinity(ofDeclaredType: type) }
}
