/// Encodes the changes of a transaction that is about to be committed, from the log of change capture: what
/// ``TransactionChanges/encoded()`` returns for its changes of the main database.
///
/// The form of a table's rows is determined once, and used for later transactions.
struct ChangeLogEncoder {
  private var tables: [ObjectIdentifier: Table] = [:]

  /// The last form that was used: most transactions change the table of their predecessor.
  private var last: Table?

  /// The forms of the rows of a part, the part, and its whole encoding. Their memory is used again.
  private var forms: [(table: Table, isUnknown: Bool)] = []
  private var draft = Draft()
  private var encoding = ByteWriter()

  /// The form of a table's rows.
  private final class Table {
    /// Retained, because its address identifies it.
    let layout: CaptureLayout

    /// The form of each row; nil if rows are not reported.
    let rows: Rows?

    /// Whether the table is part of the main database, and no table of SQLite itself.
    let isReported: Bool

    init(_ layout: CaptureLayout, _ rows: Rows?, isReported: Bool) {
      (self.layout, self.rows, self.isReported) = (layout, rows, isReported)
    }
  }

  /// A class, because copies of it are made for each row.
  private final class Rows {
    let table: ChangedTable
    let rowID: ChangedTable.RowID

    /// The offsets of the columns among the captured values; nil for the row ID.
    let offsets: [Int?]
    let storedCount: Int

    /// The description of the table.
    let description: [UInt8]

    init(_ rows: WholeRows, _ layout: CaptureLayout) {
      table = ChangedTable(rows, hasRowID: layout.hasRowID)
      rowID = table.rowID
      (offsets, storedCount) = (rows.offsets, layout.storedColumns.count)
      var writer = ByteWriter()
      TransactionChanges.append(table, to: &writer)
      description = writer.bytes
    }
  }

  /// The limit of known tables: schema changes make new ones.
  private static let tableCountMax = 256

  /// The transaction whose changes are encoded.
  struct Head {
    /// The version that the transaction leads to.
    var version: UInt64
    var microsecondsSince1970: Int64
  }

  /// The rows of a part.
  private struct Part {
    let records: [ChangeRecord]
    let values: CapturedValues
    let layouts: [CaptureLayout]

    /// The number of rows before the part.
    let first: Int
    let isLast: Bool
  }

  /// Encodes the changes of a transaction: as one entry, or in parts if they do not fit in memory.
  ///
  /// - Parameter log: The log, which is not changed: a copy would be expensive.
  /// - Parameter insert: Receives each part. Not called for a transaction without changes.
  mutating func encode(
    _ log: inout ChangeLog, _ numbers: StoredNumbers, _ head: Head, insert: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    if tables.count > Self.tableCountMax { (tables, last) = ([:], nil) }
    defer {
      draft.elements.removeAllForReuse()
      encoding.removeAllForReuse()
    }
    // Functions with the log as a parameter would copy it.
    var (others, unknownTables) = (ArraySlice(log.rowlessChanges), Self.keys(of: log.coarse))
    let certainReason: TransactionChanges.Reason? =
      if log.unreported.contains(.database) {
        .databaseReplaced
      } else if log.isUncertain || log.unreported.contains(.content) {
        .unknown
      } else if log.unreported.contains(.rows) {
        .notStored
      } else {
        nil
      }
    let reasonOfUnknownTables: TransactionChanges.Reason = log.isTruncated ? .tooManyRows : .notReported
    guard case .stored = log.storage else {
      let part = Part(
        records: log.records, values: log.values, layouts: log.layouts, first: log.base.records, isLast: true)
      encode(part, &others, unknownTables, numbers)
      let reason = certainReason ?? (draft.unknownTables.isEmpty ? nil : reasonOfUnknownTables)
      if reason != nil || !draft.elements.isEmpty { try finish(head, reason, isContinued: false, insert) }
      return
    }
    let rows = log.rows
    // Each part says the same about what is unknown.
    for key in rows.incompleteTables where Self.isReported(key) && !unknownTables.contains(key) {
      unknownTables.append(key)
    }
    let reason = certainReason ?? (unknownTables.isEmpty ? nil : reasonOfUnknownTables)
    for index in 0..<rows.partCount {
      let part: CapturedLog
      do {
        part = try rows.part(index)
      } catch {
        Database.log(error, "Could not read the rows of a large transaction")
        draft.begin()
        // Notifications are not lost with the rows.
        for case .notification(let channel, let payload) in others.map(\.content) { draft.notify(channel, payload) }
        return try finish(head, .notStored, isContinued: false, insert)
      }
      let isLast = index == rows.partCount - 1
      encode(
        Part(
          records: part.records, values: part.values, layouts: part.layouts,
          first: rows.rowCount(beforePart: index), isLast: isLast), &others, unknownTables, numbers)
      try finish(head, reason, isContinued: !isLast, insert)
    }
  }

  /// Passes the encoding of a part on.
  private mutating func finish(
    _ head: Head, _ reason: TransactionChanges.Reason?, isContinued: Bool,
    _ insert: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let version = DatabaseVersion(head.version)
    encoding.removeAll()
    TransactionChanges.appendHead(
      versions: version...version, head.microsecondsSince1970, reason,
      TransactionChanges.Flags(isContinued: isContinued, hasNotifications: draft.hasNotifications), to: &encoding)
    encoding.append(contentsOf: draft.elements)
    try encoding.withBytes(insert)
  }

  /// Encodes the elements of a part.
  private mutating func encode(
    _ part: Part, _ others: inout ArraySlice<ChangeLog.RowlessChange>, _ unknownTables: [TableKey],
    _ numbers: StoredNumbers
  ) {
    draft.begin()
    defer { forms.removeAllKeepingCapacity() }
    for layout in part.layouts {
      let form = form(of: layout)
      forms.append((form, unknownTables.contains(layout.key)))
    }
    func addOthers(before row: Int, _ draft: inout Draft) {
      while let other = others.first, other.rowCount <= row {
        others.removeFirst()
        draft.add(other)
      }
    }
    part.values.withContent { values in
      for (index, record) in part.records.enumerated() {
        if !others.isEmpty { addOthers(before: part.first + index, &draft) }
        let table = Int(record.table)
        guard record.isCaptured, !forms[table].isUnknown, forms[table].table.isReported else { continue }
        if let rows = forms[table].table.rows, record.unknownColumn == nil, !record.hasRepairedText {
          draft.add(record, table, rows, values)
        } else {
          draft.addUnknownRows(forms[table].table.layout.key)
        }
      }
    }
    if part.isLast {
      addOthers(before: .max, &draft)
      for key in unknownTables { draft.addUnknownRows(key) }
      add(numbers)
    }
  }

  /// The tables of the main database whose rows are not reported.
  private static func keys(of coarse: [ChangeLog.Coarse]) -> [TableKey] {
    var keys: [TableKey] = []
    for key in coarse.lazy.map(\.key) where isReported(key) && !keys.contains(key) { keys.append(key) }
    return keys
  }

  private mutating func add(_ numbers: StoredNumbers) {
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
    if let last, last.layout === layout { return last }
    let form =
      tables[ObjectIdentifier(layout)]
      ?? Table(layout, layout.wholeRows.map { Rows($0, layout) }, isReported: Self.isReported(layout.key))
    tables[ObjectIdentifier(layout)] = form
    last = form
    return form
  }

  // MARK: - Elements

  private struct Draft {
    var elements = ByteWriter()
    private(set) var unknownTables: [TableKey] = []
    private(set) var hasNotifications = false

    /// The described tables, in their order, and the indexes of the tables of the log among them.
    private var described: [ChangedTable] = []
    private var indexes: [Int?] = []

    mutating func begin() {
      elements.removeAll()
      hasNotifications = false
      if !unknownTables.isEmpty { unknownTables = [] }
      described.removeAllKeepingCapacity()
      indexes.removeAllKeepingCapacity()
    }

    mutating func addUnknownRows(_ key: TableKey) {
      if unknownTables.contains(key) { return }
      unknownTables.append(key)
      elements.append(byte: TransactionChanges.Tag.unknownRows.rawValue)
      elements.append(key.database)
      elements.append(key.name)
    }

    mutating func add(_ change: ChangeLog.RowlessChange) {
      switch change.content {
      case .schema(let sql, isInMain: true):
        elements.append(byte: TransactionChanges.Tag.schema.rawValue)
        elements.append(sql)
      // Other databases are not part of the feed.
      case .schema(_, isInMain: false): break
      case .notification(let channel, let payload): notify(channel, payload)
      }
    }

    mutating func notify(_ channel: String, _ payload: String) {
      hasNotifications = true
      elements.append(byte: TransactionChanges.Tag.notification.rawValue)
      elements.append(channel)
      elements.append(payload)
    }

    mutating func add(_ record: ChangeRecord, _ table: Int, _ rows: Rows, _ values: CapturedValues.Content) {
      let index = index(of: table, rows)
      let tag: TransactionChanges.Tag =
        switch record.kind {
        case .insert: .insert
        case .delete: .delete
        case .update: .update
        }
      let start = Int(record.valueStart)
      let valueCount = rows.storedCount * (record.kind == .update ? 2 : 1)
      // The tag, the index, two row IDs, and bits of changes.
      var maximum = 1 + 30 + rows.offsets.count / 8 + 2
      for position in start..<start + valueCount { maximum += 10 + values.length(at: position) }
      elements.write(upTo: maximum) { cursor in
        cursor.append(byte: tag.rawValue)
        cursor.append(UInt64(index))
        if rows.rowID != .none {
          cursor.append(signed: record.kind == .insert ? record.newRowID : record.oldRowID)
        }
        for offset in rows.offsets { if let offset { cursor.append(values.value(at: start + offset)) } }
        if record.kind == .update { Self.addChanges(record, rows, values, &cursor) }
      }
    }

    /// Adds the changed columns of an update, and their new values.
    private static func addChanges(
      _ record: ChangeRecord, _ rows: Rows, _ values: CapturedValues.Content, _ cursor: inout ByteWriter.Cursor
    ) {
      let start = Int(record.valueStart)
      let isMoved = record.oldRowID != record.newRowID
      let count = rows.offsets.count
      let bits = cursor.appendBits(rows.rowID == .hidden ? count + 1 : count)
      for index in 0..<count {
        if let offset = rows.offsets[index] {
          let new = start + rows.storedCount + offset
          if values.areSame(start + offset, new) { continue }
          bits.set(index)
          cursor.append(values.value(at: new))
        } else if isMoved {
          bits.set(index)
          cursor.append(signed: record.newRowID)
        }
      }
      if rows.rowID == .hidden, isMoved {
        bits.set(count)
        cursor.append(signed: record.newRowID)
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
  }
}
