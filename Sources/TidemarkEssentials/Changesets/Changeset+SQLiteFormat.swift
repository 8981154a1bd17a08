public import FoundationEssentials

// The format of SQLite's session extension. It is read and written here: SQLite's functions have memory faults on
// malformed changesets, and need the session extension.

extension Changeset {
  /// Creates a changeset from one in SQLite's format, as `sqlite3session_changeset` returns it.
  ///
  /// ```swift
  /// func apply(_ data: Data, _ db: Database) throws {
  ///   try db.apply(Changeset(sqliteChangeset: data, db))
  /// }
  /// ```
  ///
  /// The format contains the rows of tables with a primary key, and identifies them by it. Updates contain only the
  /// columns that change. The session extension of SQLite is not needed.
  ///
  /// - Parameters:
  ///   - bytes: The bytes. They may have any origin: what SQLite cannot have written is rejected.
  ///   - db: A connection to a database with the tables of the changeset, in its main database.
  /// - Throws: A ``TransactionChanges/DecodingError`` if the bytes are malformed, or do not match the tables.
  public init(sqliteChangeset bytes: some ContiguousBytes, _ db: Database) throws {
    let rows = try bytes.withUnsafeBytes { bytes in
      var reader = SQLiteChangesetReader(bytes)
      return try reader.rows { try SQLiteChangesetReader.Table(named: $0, db) }
    }
    self.init(known: rows.map { .row($0) } + (try Self.counters(of: rows, db)))
  }

  /// The counters that SQLite would have after the insertions.
  private static func counters(of rows: [ChangedRow], _ db: Database) throws -> [Element] {
    var last: [String: Int64] = [:]
    for row in rows where row.operation == .insert && row.table.primaryKey.count == 1 {
      guard case .int64(let id)? = row.newValues?[row.table.primaryKey[0]].storage else { continue }
      last[row.table.name] = max(id, last[row.table.name] ?? 0)
    }
    return try last.sorted { $0.key < $1.key }.compactMap { name, id in
      guard try db.catalogTable(name, in: "main")?.declaresCounter == true else { return nil }
      return .counter(databaseName: "main", tableName: name, value: id)
    }
  }

  /// Returns the net changes of rows in SQLite's format.
  ///
  /// ```swift
  /// // Pass it to `sqlite3changeset_apply`, in another program.
  /// let data = try changes.sqliteChangesetData()
  /// ```
  ///
  /// The format has no counters and no `user_version`: they are left out. Row IDs that are not the primary key are left
  /// out, too. A table has the columns of the change with the most columns: of decoded updates that were read from
  /// SQLite's format, only the columns that they contain are known.
  ///
  /// - Returns: The bytes.
  /// - Throws: A ``ChangesetError`` if there are schema changes, tables without a primary key, tables of other
  ///   databases than the main database, or primary keys that contain NULL.
  public func sqliteChangesetData() throws -> Data {
    var net = NetChanges(identifyingRowsBy: .primaryKey)
    for element in elements {
      switch element {
      case .row(let row):
        try row.checkIsRepresentable()
        net.add(row)
      case .schema(let sql):
        throw ChangesetError(.schemaChange, "SQLite's format has no schema changes: \(sql)")
      case .counter, .userVersion, .unknownRows, .notification: break
      }
    }
    let rows = net.takeRows().flatMap(\.changesInSQLiteFormat)
    var tables: [TableKey: ChangedTable] = [:]
    for row in rows {
      let known = tables[row.table.key]?.columnNames.count ?? 0
      let table = row.table.whole ?? row.table
      if table.columnNames.count > known { tables[row.table.key] = table }
    }
    var writers: [SQLiteChangesetWriter] = []
    var indexes: [TableKey: Int] = [:]
    for row in rows {
      let index = indexes[row.table.key] ?? writers.count
      if index == writers.count {
        indexes[row.table.key] = index
        writers.append(SQLiteChangesetWriter(tables[row.table.key] ?? row.table))
      }
      try writers[index].append(row)
    }
    return Data(writers.flatMap(\.bytes))
  }
}

extension ChangedRow {
  /// The change as it can be written. SQLite's format has neither hidden row IDs nor updates of keys, not even from 1
  /// to 1.0, which are equal as keys.
  fileprivate var changesInSQLiteFormat: [ChangedRow] {
    guard case .update(let old, let new) = images else { return [self] }
    let changed = table.columnNames.indices.filter { !old.values[$0].hasSameBytes(as: new.values[$0]) }
    if changed.isEmpty { return [] }
    if !changed.contains(where: table.primaryKey.contains) { return [self] }
    return [ChangedRow(table: table, images: .delete(old)), ChangedRow(table: table, images: .insert(new))]
  }

  fileprivate func checkIsRepresentable() throws {
    if table.databaseName.asciiLowercased != "main" {
      throw ChangesetError(
        .unrepresentable, "SQLite's format has one database: remove the changes of table \(table) with filter(tables:)")
    }
    if table.primaryKey.isEmpty {
      throw ChangesetError(
        .unrepresentable,
        "SQLite's format requires primary keys: remove the changes of table \(table) with filter(tables:)")
    }
    for values in [oldValues, newValues] {
      if let values, table.primaryKey.contains(where: { values[$0].isNull }) {
        throw ChangesetError(.unrepresentable, "SQLite's format requires primary keys that are not NULL: \(self)")
      }
    }
  }
}

extension SQLiteChangesetReader.Table {
  fileprivate init?(named name: String, _ db: Database) throws {
    guard let table = try db.catalogTable(name, in: "main"), table.kind == .table else { return nil }
    // Like SQLite, without generated columns.
    let columns = table.allColumns.filter { !$0.isGenerated }
    let rowIDColumn = try table.primaryKey(db)?.rowIDColumn
    self.init(
      name: table.name, columnNames: columns.map(\.name),
      primaryKey: columns.indices.filter { columns[$0].primaryKeyIndex > 0 }
        .sorted { columns[$0].primaryKeyIndex < columns[$1].primaryKeyIndex },
      rowIDColumn: columns.firstIndex { $0.name == rowIDColumn })
  }
}

/// Writes the changes of a table in SQLite's format.
private struct SQLiteChangesetWriter {
  private let table: ChangedTable
  private(set) var bytes: [UInt8] = []

  init(_ table: ChangedTable) {
    self.table = table
    bytes.append(UInt8(ascii: "T"))
    append(length: table.columnNames.count)
    bytes += table.columnNames.indices.map { index in
      table.primaryKey.firstIndex(of: index).map { UInt8(clamping: $0 + 1) } ?? 0
    }
    bytes += table.name.utf8
    bytes.append(0)
  }

  mutating func append(_ row: ChangedRow) throws {
    switch row.images {
    case .insert(let new):
      bytes += [18, 0]
      for value in try values(new, row) { append(value) }
    case .delete(let old):
      bytes += [9, 0]
      for value in try values(old, row) { append(value) }
    case .update(let old, let new):
      bytes += [23, 0]
      try appendUpdate(old, new, row.table)
    }
  }

  /// An update has the old primary key, and the old and new values of changed columns.
  private mutating func appendUpdate(
    _ old: ChangedRow.Image, _ new: ChangedRow.Image, _ other: ChangedTable
  ) throws {
    let indexes = try table.columnNames.map { name in
      let index = other.index(ofColumn: name)
      // Updates may have fewer columns, but no others.
      if index == nil, other.columnNames.count >= table.columnNames.count { throw columnsDiffer }
      return index
    }
    let isChanged = indexes.map { index in
      index.map { !old.values[$0].hasSameBytes(as: new.values[$0]) } ?? false
    }
    for (position, index) in indexes.enumerated() {
      append(isChanged[position] || table.primaryKey.contains(position) ? index.map { old.values[$0] } : nil)
    }
    for (position, index) in indexes.enumerated() {
      append(isChanged[position] ? index.map { new.values[$0] } : nil)
    }
  }

  private func values(_ image: ChangedRow.Image, _ row: ChangedRow) throws -> [DatabaseValue] {
    guard row.table.columnNames.count == table.columnNames.count else { throw columnsDiffer }
    return try table.columnNames.map { name in
      guard let index = row.table.index(ofColumn: name) else { throw columnsDiffer }
      return image.values[index]
    }
  }

  private var columnsDiffer: ChangesetError {
    ChangesetError(
      .unrepresentable, "SQLite's format requires all columns of table \(table): some changes have fewer or others")
  }

  private mutating func append(_ value: DatabaseValue?) {
    switch value?.storage {
    case nil: bytes.append(0)
    case .int64(let integer)?: append(1, UInt64(bitPattern: integer))
    case .double(let double)? where double.isNaN: bytes.append(5)
    case .double(let double)?: append(2, double.bitPattern)
    case .string(let text)?:
      bytes.append(3)
      append(length: text.utf8.count)
      bytes += text.utf8
    case .blob(let data)?:
      bytes.append(4)
      append(length: data.count)
      bytes += data
    case .null?: bytes.append(5)
    }
  }

  private mutating func append(_ type: UInt8, _ bits: UInt64) {
    bytes.append(type)
    for shift in stride(from: UInt64(56), through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  }

  private mutating func append(length: Int) {
    var groups = [UInt8(length & 0x7f)]
    var rest = length >> 7
    while rest > 0 {
      groups.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes += groups.reversed()
  }
}
