/// Encodes the changes of a transaction that is about to be committed, from the log of change capture: what
/// ``TransactionChanges/encoded()`` returns for its changes of the main database.
///
/// The form of a table's rows is determined once, and used for later transactions.
struct ChangeLogEncoder {
  private var tables: [ObjectIdentifier: Table] = [:]

  /// The form of a table's rows.
  private struct Table {
    /// Retained, because its address identifies it.
    let layout: CaptureLayout

    /// The form of each row; nil if rows are not reported.
    let rows: Rows?

    /// Whether the table is part of the main database, and no table of SQLite itself.
    let isReported: Bool
  }

  private struct Rows {
    let table: ChangedTable

    /// The offsets of the columns among the captured values; nil for the row ID.
    let offsets: [Int?]
    let storedCount: Int

    /// The description of the table.
    let description: [UInt8]
  }

  /// The limit of known tables: schema changes make new ones.
  private static let tableCountMax = 256

  /// Returns the changes; nil if there are none.
  ///
  /// - Parameter version: The version that the transaction leads to.
  mutating func encode(
    _ log: ChangeLog, _ numbers: StoredNumbers, version: UInt64, microsecondsSince1970: Int64
  ) -> [UInt8]? {
    if tables.count > Self.tableCountMax { tables = [:] }
    var draft = Draft()
    let forms = log.layouts.map { form(of: $0) }
    let coarse = coarseTables(log)
    let isCoarse = forms.map { form in coarse.contains { $0 == form.layout.key } }
    var statementIndex = 0
    func addStatements(before row: Int) {
      while statementIndex < log.schemaStatements.count, log.schemaStatements[statementIndex].rowCount <= row {
        let statement = log.schemaStatements[statementIndex]
        statementIndex += 1
        if !statement.isInMain { continue }
        draft.elements.append(byte: TransactionChanges.Tag.schema.rawValue)
        draft.elements.append(statement.sql)
      }
    }
    for (index, record) in log.records.enumerated() {
      if statementIndex < log.schemaStatements.count { addStatements(before: log.base.records + index) }
      let table = Int(record.table)
      guard record.isCaptured, !isCoarse[table], forms[table].isReported else { continue }
      if let rows = forms[table].rows, record.unknownColumn == nil, !record.hasRepairedText {
        draft.add(record, table, rows, log)
      } else {
        draft.addUnknownRows(forms[table].layout.key)
      }
    }
    addStatements(before: .max)
    for key in coarse { draft.addUnknownRows(key) }
    add(numbers, to: &draft)
    let reason = reason(log, draft)
    guard reason != nil || !draft.elements.bytes.isEmpty else { return nil }
    return draft.bytes(version, microsecondsSince1970, reason)
  }

  private func reason(_ log: ChangeLog, _ draft: Draft) -> TransactionChanges.Reason? {
    if log.unreported.contains(.database) { return .databaseReplaced }
    if log.isUncertain || log.unreported.contains(.content) { return .unknown }
    if log.unreported.contains(.rows) { return .notStored }
    if draft.unknownTables.isEmpty { return nil }
    return log.isTruncated || log.base.records > 0 ? .tooManyRows : .notReported
  }

  /// The tables of the main database whose rows are not reported.
  private func coarseTables(_ log: ChangeLog) -> [TableKey] {
    var keys: [TableKey] = []
    // The rows of a large transaction may be in a file, because a change stream needs them.
    for key in log.coarse.map(\.key) + log.storedTables(from: 0) where Self.isReported(key) && !keys.contains(key) {
      keys.append(key)
    }
    return keys
  }

  private func add(_ numbers: StoredNumbers, to draft: inout Draft) {
    for counter in numbers.counters where counter.table.database == "main" {
      let tag: TransactionChanges.Tag = counter.value == nil ? .removedCounter : .counter
      draft.elements.append(byte: tag.rawValue)
      draft.elements.append("main")
      draft.elements.append(counter.table.name)
      if let value = counter.value { draft.elements.append(signed: value) }
    }
    for version in numbers.userVersions where version.database == "main" {
      draft.elements.append(byte: TransactionChanges.Tag.userVersion.rawValue)
      draft.elements.append("main")
      draft.elements.append(signed: Int64(version.value))
    }
  }

  // MARK: - Tables

  private static func isReported(_ key: TableKey) -> Bool {
    // The rows of `sqlite_sequence` are reported as counters. Statistics are not content.
    let name = key.name.asciiLowercased
    return key.database == "main" && name != "sqlite_sequence" && !name.hasPrefix("sqlite_stat")
  }

  private mutating func form(of layout: CaptureLayout) -> Table {
    if let known = tables[ObjectIdentifier(layout)] { return known }
    let rows = layout.wholeRows.map { rows in
      let table = ChangedTable(rows, hasRowID: layout.hasRowID)
      var writer = ByteWriter()
      TransactionChanges.append(table, to: &writer)
      return Rows(
        table: table, offsets: rows.offsets, storedCount: layout.storedColumns.count, description: writer.bytes)
    }
    let form = Table(layout: layout, rows: rows, isReported: Self.isReported(layout.key))
    tables[ObjectIdentifier(layout)] = form
    return form
  }

  // MARK: - Elements

  private struct Draft {
    var elements = ByteWriter()
    private(set) var unknownTables: [TableKey] = []

    /// The described tables, in their order, and the indexes of the tables of the log among them.
    private var described: [ChangedTable] = []
    private var indexes: [Int?] = []

    mutating func addUnknownRows(_ key: TableKey) {
      if unknownTables.contains(key) { return }
      unknownTables.append(key)
      elements.append(byte: TransactionChanges.Tag.unknownRows.rawValue)
      elements.append(key.database)
      elements.append(key.name)
    }

    mutating func add(_ record: ChangeRecord, _ table: Int, _ rows: Rows, _ log: ChangeLog) {
      let index = index(of: table, rows)
      let tag: TransactionChanges.Tag =
        switch record.kind {
        case .insert: .insert
        case .delete: .delete
        case .update: .update
        }
      elements.append(byte: tag.rawValue)
      elements.append(count: index)
      let start = Int(record.valueStart)
      let firstRowID = record.kind == .insert ? record.newRowID : record.oldRowID
      if rows.table.rowID != .none { elements.append(signed: firstRowID) }
      for offset in rows.offsets { if let offset { elements.append(log.values[start + offset]) } }
      if record.kind == .update { addChanges(record, rows, log, start) }
    }

    private mutating func addChanges(_ record: ChangeRecord, _ rows: Rows, _ log: ChangeLog, _ start: Int) {
      let isMoved = record.oldRowID != record.newRowID
      let newStart = start + rows.storedCount
      func isChanged(_ offset: Int?) -> Bool {
        guard let offset else { return isMoved }
        return !log.values[start + offset].hasSameBytes(as: log.values[newStart + offset])
      }
      var changes = rows.offsets.map(isChanged)
      if rows.table.rowID == .hidden { changes.append(isMoved) }
      elements.append(bits: changes)
      for (index, isChanged) in changes.enumerated() where isChanged {
        if index < rows.offsets.count, let offset = rows.offsets[index] {
          elements.append(log.values[newStart + offset])
        } else {
          elements.append(signed: record.newRowID)
        }
      }
    }

    /// The index of a table, after its description if this is its first change.
    private mutating func index(of table: Int, _ rows: Rows) -> Int {
      if table < indexes.count, let index = indexes[table] { return index }
      while indexes.count <= table { indexes.append(nil) }
      // Several tables of the log can be the same table, seen by several statements.
      let index = described.firstIndex(of: rows.table) ?? described.count
      indexes[table] = index
      if index == described.count {
        described.append(rows.table)
        elements.append(bytes: rows.description)
      }
      return index
    }

    func bytes(_ version: UInt64, _ microsecondsSince1970: Int64, _ reason: TransactionChanges.Reason?) -> [UInt8] {
      var writer = ByteWriter()
      writer.reserve(elements.bytes.count + 24)
      TransactionChanges.appendHead(
        versions: DatabaseVersion(version)...DatabaseVersion(version), microsecondsSince1970, reason,
        isContinued: false, to: &writer)
      writer.append(bytes: elements.bytes)
      return writer.bytes
    }
  }
}
