// The conversion of a recording to the changes that other nodes apply.

/// Converts a recording to the changes of the main database.
struct ReplicatedChanges {
  let elements: [TransactionChanges.Element]

  /// - Parameter storedVirtualTables: The virtual tables whose content is among the changes.
  init(_ recorded: CommittedChanges, storedVirtualTables: Set<TableKey>, _ db: Database) throws {
    let recorded = recorded.withDetails { details in
      CommittedChanges.Details(
        unreported: details.unreported, isTruncated: details.isTruncated,
        rowlessChanges: details.rowlessChanges.filter(\.isInMain), details.numbers, nil)
    }
    var reader = ChangeReader(region: .fullDatabase)
    reader.reportsBlobWrites = true
    guard let changes = reader.changes(of: recorded, isUnknown: false, rowLimit: .max, at: 0, nil) else {
      elements = []
      return
    }
    switch changes.completeness {
    // The tables are elements.
    case .complete, .incomplete(.notReported), .incomplete(.tooManyRows): break
    case .incomplete(let reason):
      throw ChangesetError(
        .incomplete(reason),
        """
        the changes are unknown (\(reason)), and cannot be replicated: the program has used the C interface, or has \
        changed the schema table
        """)
    }
    let complete = try Self.completed(changes.elements, reader.blobWrites, db)
    elements = complete.filter { element in
      if case .unknownRows(let databaseName, let tableName) = element,
        storedVirtualTables.contains(TableKey(tableName, in: databaseName))
      {
        return false
      }
      return element.isReplicated
    }
    for case .unknownRows(let databaseName, let tableName) in elements {
      throw ChangesetError(
        unknownRowsOf: TableKey(tableName, in: databaseName),
        because: changes.completeness == .incomplete(.tooManyRows) ? .tooManyRows : .notReported)
    }
    var lastTable: ChangedTable?
    for case .row(let row) in elements where row.table !== lastTable {
      lastTable = row.table
      try Self.checkRowIDs(of: row.table)
    }
  }

  /// Sets the new values of rows that were written in pieces, which SQLite reports before it writes. A new value is the
  /// old value of the next change of the row, or the current value. Full-text tables write their settings this way.
  private static func completed(
    _ elements: [TransactionChanges.Element], _ blobWrites: [(element: Int, column: Int)], _ db: Database
  ) throws -> [TransactionChanges.Element] {
    if blobWrites.isEmpty { return elements }
    struct RowKey: Hashable {
      var table: ObjectIdentifier
      var rowID: Int64
    }
    var elements = elements
    var columns = Dictionary(blobWrites.map { ($0.element, $0.column) }, uniquingKeysWith: { first, _ in first })
    // The values of rows before the changes that were visited, and whether the schema was another one.
    var next: [RowKey: ChangedRow.Image] = [:]
    var hasOtherSchema = false
    for index in elements.indices.reversed() where !columns.isEmpty {
      if case .schema = elements[index] { (next, hasOtherSchema) = ([:], true) }
      guard case .row(let row) = elements[index], let old = row.oldImage else { continue }
      let key = RowKey(table: ObjectIdentifier(row.table), rowID: old.rowID)
      if let column = columns.removeValue(forKey: index), case .update(_, var new) = row.images {
        let value = try next[key]?.values[column] ?? (hasOtherSchema ? nil : currentValue(of: row, column, db))
        guard let value else {
          throw ChangesetError(unknownRowsOf: TableKey(row.table.name, in: row.table.databaseName))
        }
        new.values[column] = value
        elements[index] = .row(ChangedRow(table: row.table, images: .update(old: old, new: new)))
      }
      next[key] = old
    }
    return elements
  }

  private static func currentValue(of row: ChangedRow, _ column: Int, _ db: Database) throws -> DatabaseValue? {
    guard let old = row.oldImage, let table = try db.catalogTable(row.table.name, in: row.table.databaseName),
      let rowID = try table.rowIDName(db)
    else { return nil }
    let name = row.table.columnNames[column].quotedDatabaseIdentifier
    return try db.internalRows(
      "SELECT \(name) FROM \(table.qualifiedSQL) WHERE \(rowID) = ?", [old.rowID.databaseValue]
    ).first?.first
  }

  /// Throws an error if no statement can contain the row IDs of a table.
  private static func checkRowIDs(of table: ChangedTable) throws {
    let names = ["rowid", "_rowid_", "oid"]
    if table.rowID == .hidden, names.allSatisfy({ table.index(ofColumn: $0) != nil }) {
      throw ChangesetError(
        .unrepresentable, "table \(table) has columns of the names rowid, _rowid_ and oid, which hide its row IDs")
    }
  }
}

extension ChangeLog.RowlessChange {
  fileprivate var isInMain: Bool {
    if case .schema(_, let isInMain) = content { isInMain } else { false }
  }
}

extension TransactionChanges.Element {
  /// Whether other nodes apply the change: it changes the content of the main database.
  fileprivate var isReplicated: Bool {
    switch self {
    case .row(let row): row.table.databaseName.asciiLowercased == "main"
    case .unknownRows(let databaseName, _), .counter(let databaseName, _, _), .userVersion(let databaseName, _):
      databaseName.asciiLowercased == "main"
    case .schema(let sql): !sql.changesStatistics
    case .notification: false
    }
  }
}

extension String {
  /// Whether a statement changes the schema only for statistics.
  fileprivate var changesStatistics: Bool {
    let tokens = Database.tokens(of: self).map { String($0).asciiLowercased }
    return tokens.first == "analyze" || tokens.first == "drop" && tokens.contains { $0.contains("sqlite_stat") }
  }
}
