import FoundationEssentials

// The difference of two databases: both are read in the order of the identities of their rows, and merged.

extension Changeset {
  /// Creates the changes that lead from the content of one database to the content of another.
  ///
  /// ```swift
  /// let changes = try source.read { old in
  ///   try destination.read { new in
  ///     try Changeset(from: old, to: new)
  ///   }
  /// }
  /// ```
  ///
  /// Rows are identified by their row IDs, or by their primary keys in tables `WITHOUT ROWID`. Counters of
  /// `AUTOINCREMENT` are included, and `PRAGMA user_version` if all tables are compared. Only the changes are kept in
  /// memory.
  ///
  /// - Parameters:
  ///   - old: A connection to the first database.
  ///   - new: A connection to the second database, which may be the same.
  ///   - tables: The names of the tables of the main databases to compare. By default, all tables, except virtual ones,
  ///     their shadow tables, tables of SQLite, and the tables of the change feed.
  /// - Throws: A ``ChangesetError`` if a table has other columns, another primary key or no counterpart in the other
  ///   database, or if a changed row contains a text that is not UTF-8; or a ``DatabaseError``.
  public init(from old: Database, to new: Database, tables: [String]? = nil) throws {
    let names = try tables ?? Self.tableNames(old, new)
    var net = NetChanges()
    for name in names {
      let (oldTable, newTable) = (try ComparedTable(name, old), try ComparedTable(name, new))
      guard oldTable.table == newTable.table else {
        throw ChangesetError(
          .schemaMismatch,
          """
          table \(name) has other columns or another primary key in the second database: make the schemas equal before \
          comparing: \(oldTable.columnList), and \(newTable.columnList)
          """)
      }
      try oldTable.compare(with: newTable) { net.add($0) }
    }
    let numbers = try RecordedNumbers(new, in: ["main"]).changes(since: RecordedNumbers(old, in: ["main"]))
    let compared = Set(names.map { TableKey($0) })
    func isCompared(_ element: Element) -> Bool {
      switch element {
      case .counter(_, let tableName, _): compared.contains(TableKey(tableName))
      case .userVersion: tables == nil
      case .row, .schema, .unknownRows, .notification: false
      }
    }
    self.init(
      known: net.takeRows().map { .row($0) } + numbers.elements.filter(isCompared),
      formerNumbers: numbers.former.filter(isCompared))
  }

  /// The names of the tables of both databases.
  private static func tableNames(_ old: Database, _ new: Database) throws -> [String] {
    func names(_ db: Database) throws -> [String] {
      let objects = try db.freshCatalog().objects(in: .main, db).all.filter { object in
        object.type == "table" && !Database.isSQLiteInternalTable(object.name)
          && !CaptureNeeds.isTableOfLibrary(object.name)
      }
      let tables = try objects.map(\.name).filter { try db.catalogTable($0, in: "main")?.kind == .table }
      let virtualTables = try objects.map(\.name).filter { try db.catalogTable($0, in: "main")?.kind == .virtualTable }
      let shadowTables = try virtualTables.flatMap { name in
        try db.catalogTable(name, in: "main")?.facts(db).shadowTables ?? []
      }
      return tables.filter { !shadowTables.contains(TableKey($0)) }
    }
    let (oldNames, newNames) = (try names(old), try names(new))
    let (oldKeys, newKeys) = (Set(oldNames.map { TableKey($0) }), Set(newNames.map { TableKey($0) }))
    if let name = oldNames.first(where: { !newKeys.contains(TableKey($0)) }) {
      throw ChangesetError(.schemaMismatch, "the second database has no table \(name): list the tables to compare")
    }
    if let name = newNames.first(where: { !oldKeys.contains(TableKey($0)) }) {
      throw ChangesetError(.schemaMismatch, "the first database has no table \(name): list the tables to compare")
    }
    return oldNames
  }
}

extension ChangedTable {
  /// The table of a catalog, as it is recorded.
  ///
  /// - Throws: A `ChangesetError` if its rows cannot be identified.
  convenience init(_ table: CatalogTable, _ db: Database) throws {
    let stored = table.allColumns.filter { !$0.isGenerated }
    let names = stored.map(\.name)
    let info = try table.primaryKey(db)
    let keyNames = info.map { $0.isRowID && $0.rowIDColumn == nil ? [] : $0.columns } ?? []
    let key = keyNames.compactMap { name in names.firstIndex { $0.asciiLowercased == name.asciiLowercased } }
    let rowID: RowID = info?.hasRowID != true ? .none : info?.rowIDColumn != nil ? .primaryKey : .hidden
    guard key.count == keyNames.count, Self.isKey(key, columnCount: names.count, rowID) else {
      throw ChangesetError(.schemaMismatch, "table \(table.name) has no key that identifies its rows")
    }
    self.init(
      databaseName: table.id.schemaID.name, name: table.name, columnNames: names, primaryKey: key, rowID: rowID)
  }
}

/// A table whose rows are compared.
private struct ComparedTable {
  let table: ChangedTable
  private let db: Database
  private let sql: String

  init(_ name: String, _ db: Database) throws {
    guard let source = try db.catalogTable(name, in: "main"), source.kind == .table else {
      throw ChangesetError(.schemaMismatch, "the tables to compare include \(name), but there is no such table")
    }
    table = try ChangedTable(source, db)
    self.db = db
    let names = table.columnNames.map(\.quotedDatabaseIdentifier)
    let order: String
    var selected = names
    switch table.rowID {
    case .none: order = table.primaryKey.map { "\(names[$0]) COLLATE BINARY" }.joined(separator: ", ")
    case .primaryKey:
      order = names[table.primaryKey[0]]
      selected.append(order)
    case .hidden:
      guard let name = try source.rowIDName(db)?.quotedDatabaseIdentifier else {
        throw ChangesetError(.schemaMismatch, "the columns of table \(name) hide its row IDs")
      }
      order = name
      selected.append(name)
    }
    sql = "SELECT \(selected.joined(separator: ", ")) FROM \(source.qualifiedSQL) ORDER BY \(order)"
  }

  var columnList: String { "(\(table.columnNames.joined(separator: ", ")))" }

  /// Calls a closure with the changes that lead to the rows of another table.
  func compare(with other: ComparedTable, _ body: (ChangedRow) -> Void) throws {
    let (oldRows, newRows) = (try ImageCursor(self), try ImageCursor(other))
    defer {
      oldRows.finish()
      newRows.finish()
    }
    // The texts of a database that is not in UTF-8 have another order. Then a row that exists in both may be taken for
    // an inserted one before it is taken for a deleted one. In this order, both are an update.
    var insertions: [ChangedRow] = []
    var (old, new) = (try oldRows.next(), try newRows.next())
    while old != nil || new != nil {
      let order = order(old, new)
      if order == 0, let first = old, let second = new {
        // Different texts that are not UTF-8 may be read as the same text.
        if !first.isIdentical(to: second) || oldRows.invalidTexts != newRows.invalidTexts {
          try oldRows.refuseInvalidTexts()
          try newRows.refuseInvalidTexts()
          body(ChangedRow(table: table, images: .update(old: first, new: second)))
        }
        (old, new) = (try oldRows.next(), try newRows.next())
      } else if order < 0, let image = old {
        try oldRows.refuseInvalidTexts()
        body(ChangedRow(table: table, images: .delete(image)))
        old = try oldRows.next()
      } else if let image = new {
        try newRows.refuseInvalidTexts()
        insertions.append(ChangedRow(table: table, images: .insert(image)))
        new = try newRows.next()
      }
    }
    insertions.forEach(body)
  }

  /// The order of two identities. The end of the rows comes last.
  private func order(_ old: ChangedRow.Image?, _ new: ChangedRow.Image?) -> Int {
    guard let old else { return 1 }
    guard let new else { return -1 }
    if table.rowID != .none { return old.rowID < new.rowID ? -1 : old.rowID > new.rowID ? 1 : 0 }
    for index in table.primaryKey {
      if old.values[index].isOrdered(before: new.values[index]) { return -1 }
      if new.values[index].isOrdered(before: old.values[index]) { return 1 }
    }
    return 0
  }

  /// The rows of a table.
  private final class ImageCursor {
    private let table: ChangedTable
    private let statement: Statement

    /// The texts of the current row that are not UTF-8, by their columns.
    private(set) var invalidTexts: [CInt: Data] = [:]

    init(_ compared: ComparedTable) throws {
      table = compared.table
      statement = try compared.db.compile(compared.sql, isInternal: true)
      try statement.start(StatementArguments())
    }

    func next() throws -> ChangedRow.Image? {
      invalidTexts = [:]
      guard try statement.step() else { return nil }
      let count = table.columnNames.count + (table.rowID == .none ? 0 : 1)
      var values = try (0..<CInt(count)).map { column in
        if let bytes = invalidColumnText(statement.sqliteStatement, column) { invalidTexts[column] = bytes }
        if let value = DatabaseValue.readWithoutRefusal(statement.sqliteStatement, column) { return value }
        throw statement.outOfMemoryError() ?? DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      if table.rowID == .none { return ChangedRow.Image(rowID: 0, values: values) }
      guard case .int64(let rowID) = values.removeLast().storage else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row ID of table \(table) is not an integer")
      }
      return ChangedRow.Image(rowID: rowID, values: values)
    }

    /// Throws an error if the current row is not read as it is stored.
    func refuseInvalidTexts() throws(ChangesetError) {
      if !invalidTexts.isEmpty { throw ChangesetError(invalidTextIn: table.name) }
    }

    func finish() { if statement.isRunning { statement.finish() } }
  }
}
