/// A table to which changes are applied: the columns of the changes in it, its key, and its statements.
final class TargetTable {
  /// The table of the changes. Retained: the application finds this object by it.
  let source: ChangedTable

  /// The table of the database.
  let table: CatalogTable

  private let db: Database
  /// The columns of the changes that identify a row, by their indexes; nil if the row ID does.
  private let keyColumns: [Int]?

  /// The conditions of a row that columns identify: a quoted column, and the index of its value in `keyColumns`. A
  /// collation of the primary key may differ from the collation of the column.
  private let keyTerms: [(column: String, valueIndex: Int, collation: String?)]

  /// The quoted names of the columns of the changes, in their order.
  private let columns: [String]

  /// All columns of the table, except generated ones, and the index of each column of the changes among them.
  private let storedColumns: [String]
  private let storedIndexes: [Int]
  private let storedNames: ColumnNames

  /// The quoted name of a row ID that is not a column, if there is one.
  private let hiddenRowID: String?

  /// Whether the rows have row IDs without a name: three columns have all their names.
  private let hasNamelessRowID: Bool

  private var statements: [StatementKind: Statement] = [:]

  /// The values that identify a row.
  struct RowKey: Equatable {
    var isRowID: Bool
    var values: [DatabaseValue]
  }

  private enum StatementKind: Hashable {
    case read(byRowID: Bool)
    case readStoredRow(byRowID: Bool)
    case delete(byRowID: Bool)
    case update(columns: [Int], rowID: Bool, byRowID: Bool)
    case insert(rowID: Bool, replaces: Bool)
    case insertStoredRow(rowID: Bool, replaces: Bool)
  }

  /// The result of a statement.
  enum Outcome {
    case done

    /// Another row has a value that must be unique.
    case isNotUnique(DatabaseError)

    /// Another constraint is violated.
    case violates(DatabaseError)
  }

  /// All values of a row.
  struct StoredRow {
    var values: [DatabaseValue]
    var rowID: Int64?
  }

  /// Whether the rows become exactly equal to the rows of the other database: row IDs identify them, if there are any.
  private let isExact: Bool

  init(_ source: ChangedTable, _ db: Database, skipsTriggers: Bool, isExact: Bool = false) throws {
    guard let table = try db.catalogTable(source.name, in: source.databaseName), table.kind == .table else {
      throw ChangesetError(.schemaMismatch, "the changeset changes table \(source), but there is no such table")
    }
    let stored = table.allColumns.filter { !$0.isGenerated }
    let names = stored.map(\.name.asciiLowercased)
    storedIndexes = try source.columnNames.map { name in
      if let index = names.firstIndex(of: name.asciiLowercased) { return index }
      let fault = table.column(named: name) == nil ? "does not exist" : "is generated"
      throw ChangesetError(.schemaMismatch, "the changeset changes column \(name) of table \(source), which \(fault)")
    }
    storedColumns = stored.map(\.name.quotedDatabaseIdentifier)
    storedNames = ColumnNames(stored.map(\.name))
    columns = source.columnNames.map(\.quotedDatabaseIdentifier)
    let info = try table.primaryKey(db)
    let isRowIDHidden = info?.hasRowID == true && info?.rowIDColumn == nil
    hiddenRowID = isRowIDHidden ? try table.rowIDName(db)?.quotedDatabaseIdentifier : nil
    hasNamelessRowID = isRowIDHidden && hiddenRowID == nil
    keyColumns =
      isExact && hiddenRowID != nil && source.rowID != .none
      ? nil : try Self.keyColumns(source, info, hiddenRowID)
    keyTerms = try Self.keyTerms(keyColumns ?? [], source, table, db)
    (self.source, self.table, self.db, self.isExact) = (source, table, db, isExact)
    if skipsTriggers { try refuseTemporaryTriggers() }
  }

  private static func keyColumns(
    _ source: ChangedTable, _ info: PrimaryKeyInfo?, _ hiddenRowID: String?
  ) throws -> [Int]? {
    if let info, !info.isRowID || info.rowIDColumn != nil {
      let indexes = info.columns.map { source.index(ofColumn: $0) }
      let known = indexes.compactMap { $0 }
      if known.count == indexes.count { return known }
    }
    if hiddenRowID != nil, source.rowID != .none { return nil }
    throw ChangesetError(
      .schemaMismatch,
      "rows of table \(source) cannot be found: the changeset has no value for its primary key, or no row IDs")
  }

  private static func keyTerms(
    _ keyColumns: [Int], _ source: ChangedTable, _ table: CatalogTable, _ db: Database
  ) throws -> [(column: String, valueIndex: Int, collation: String?)] {
    let names = keyColumns.map { source.columnNames[$0] }
    let terms = try table.keyTerms(db).compactMap { column, collation in
      names.firstIndex { $0.asciiLowercased == column.asciiLowercased }.map { index in
        (column: column.quotedDatabaseIdentifier, valueIndex: index, collation: Optional(collation))
      }
    }
    if !terms.isEmpty { return terms }
    // The key is the row ID.
    return names.enumerated().map { ($1.quotedDatabaseIdentifier, $0, nil) }
  }

  private func refuseTemporaryTriggers() throws {
    let triggers = try db.internalRows("SELECT name, tbl_name FROM sqlite_temp_master WHERE type = 'trigger'")
    for trigger in triggers {
      guard case .string(let name) = trigger[0].storage, case .string(let tableName) = trigger[1].storage,
        tableName.asciiLowercased == table.name.asciiLowercased
      else { continue }
      throw ChangesetError(
        .connectionState,
        """
        SQLite cannot turn off the temporary trigger \(name) of table \(table.name): drop it before applying the \
        changeset, or pass triggers: .fire
        """)
    }
  }

  // MARK: - Keys and values

  /// The values that identify a row. The primary key of a table with row IDs can be NULL, in several rows.
  func key(of image: ChangedRow.Image) -> RowKey {
    guard let keyColumns else { return RowKey(isRowID: true, values: [image.rowID.databaseValue]) }
    let values = keyColumns.map { image.values[$0] }
    if hiddenRowID != nil, source.rowID != .none, values.contains(where: \.isNull) {
      return RowKey(isRowID: true, values: [image.rowID.databaseValue])
    }
    return RowKey(isRowID: false, values: values)
  }

  /// Whether a key identifies a row: not if it is NULL, and columns hide the row IDs.
  func isUnique(_ key: RowKey) -> Bool { !hasNamelessRowID || !key.values.contains(where: \.isNull) }

  /// The condition of a row, whose parameters are the values of its key.
  ///
  /// - Parameter start: The number of the first of these parameters.
  func condition(of key: RowKey, alias: String = "", parametersFrom start: Int = 1) -> String {
    if key.isRowID { return "\(alias)\(hiddenRowID ?? "rowid") = ?\(start)" }
    return keyTerms.map { term in
      let collation = term.collation.map { " COLLATE \($0.quotedDatabaseIdentifier)" } ?? ""
      return "\(alias)\(term.column) = ?\(start + term.valueIndex)\(collation)"
    }.joined(separator: " AND ")
  }

  /// Whether the values of a row in the database are the expected ones.
  func matches(_ current: [DatabaseValue], _ image: ChangedRow.Image) -> Bool {
    // SQLite stores -0.0 as 0 in some columns.
    current.elementsEqual(image.values) { $0.storage == $1.storage }
  }

  // MARK: - Statements

  /// Returns the values of the columns of the changes; nil if the row does not exist.
  ///
  /// - Throws: A ``ChangesetError`` if the key identifies no row, or a ``DatabaseError``.
  func read(_ key: RowKey) throws -> [DatabaseValue]? {
    if !isUnique(key) {
      throw ChangesetError(
        .schemaMismatch,
        """
        a row of table \(table.name) cannot be found: its primary key is NULL, and columns of the names rowid, _rowid_ \
        and oid hide the row IDs
        """)
    }
    let statement = try statement(.read(byRowID: key.isRowID)) {
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.qualifiedSQL) WHERE \(condition(of: key))"
    }
    return try firstRow(statement, key.values, columns.count)
  }

  /// Returns all values of a row that exists.
  ///
  /// - Parameter refusesInvalidText: Whether a text that is not UTF-8 is an error. Otherwise, it is replaced.
  func readStoredRow(_ key: RowKey, refusingInvalidText refusesInvalidText: Bool = true) throws -> StoredRow {
    let names = storedColumns + (hiddenRowID.map { [$0] } ?? [])
    let statement = try statement(.readStoredRow(byRowID: key.isRowID)) {
      "SELECT \(names.joined(separator: ", ")) FROM \(table.qualifiedSQL) WHERE \(condition(of: key))"
    }
    guard var values = try firstRow(statement, key.values, names.count, refusesInvalidText) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row of table \(table.name) has disappeared")
    }
    guard hiddenRowID != nil, case .int64(let rowID) = values.removeLast().storage else {
      return StoredRow(values: values, rowID: nil)
    }
    return StoredRow(values: values, rowID: rowID)
  }

  func delete(_ key: RowKey) throws {
    let statement = try statement(.delete(byRowID: key.isRowID)) {
      "DELETE FROM \(table.qualifiedSQL) WHERE \(condition(of: key))"
    }
    try statement.runToEnd(StatementArguments(values: key.values))
  }

  /// Updates the columns whose values differ between two images.
  func update(_ key: RowKey, _ old: ChangedRow.Image, _ new: ChangedRow.Image) throws -> Outcome {
    let changed = columns.indices.filter { !old.values[$0].hasSameBytes(as: new.values[$0]) }
    let rowIDColumn = isExact && key.isRowID && old.rowID != new.rowID ? hiddenRowID : nil
    if changed.isEmpty, rowIDColumn == nil { return .done }
    let statement = try statement(.update(columns: changed, rowID: rowIDColumn != nil, byRowID: key.isRowID)) {
      let names = changed.map { columns[$0] } + (rowIDColumn.map { [$0] } ?? [])
      let values = names.map { "\($0) = ?" }.joined(separator: ", ")
      let condition = condition(of: key, parametersFrom: names.count + 1)
      return "UPDATE OR ABORT \(table.qualifiedSQL) SET \(values) WHERE \(condition)"
    }
    let rowID = rowIDColumn == nil ? [] : [new.rowID.databaseValue]
    let values = changed.map { new.values[$0] } + rowID + key.values
    return try outcome { try statement.runToEnd(StatementArguments(values: values)) }
  }

  /// Inserts a row.
  ///
  /// - Parameter keepsRowID: Whether it gets its hidden row ID, if there is one.
  func insert(_ new: ChangedRow.Image, withRowID keepsRowID: Bool, replaces: Bool) throws -> Outcome {
    // A row that is identified by columns must not replace the row that happens to have its row ID.
    let mayHaveRowID = keepsRowID && (key(of: new).isRowID || !replaces)
    let hasRowID = hiddenRowID != nil && source.rowID != .none && mayHaveRowID
    let statement = try statement(.insert(rowID: hasRowID, replaces: replaces)) {
      insertion(columns, hasRowID, replaces)
    }
    let values = hasRowID ? new.values + [new.rowID.databaseValue] : new.values
    return try outcome { try statement.runToEnd(StatementArguments(values: values)) }
  }

  /// Whether a row could not be inserted because another one has its row ID, although columns identify the row.
  func hasAnotherRow(withRowIDOf new: ChangedRow.Image, _ error: DatabaseError) -> Bool {
    error.extendedResultCode == .SQLITE_CONSTRAINT_ROWID && !key(of: new).isRowID
  }

  /// Inserts a row that was removed, with the values that an update has changed.
  func insert(
    _ row: StoredRow, changing old: ChangedRow.Image?, to new: ChangedRow.Image?, replaces: Bool
  ) throws -> Outcome {
    var values = row.values
    if let old, let new {
      for (index, storedIndex) in storedIndexes.enumerated()
      where !old.values[index].hasSameBytes(as: new.values[index]) {
        values[storedIndex] = new.values[index]
      }
    }
    let statement = try statement(.insertStoredRow(rowID: row.rowID != nil, replaces: replaces)) {
      insertion(storedColumns, row.rowID != nil, replaces)
    }
    if let rowID = row.rowID { values.append(rowID.databaseValue) }
    return try outcome { try statement.runToEnd(StatementArguments(values: values)) }
  }

  private func insertion(_ columns: [String], _ hasRowID: Bool, _ replaces: Bool) -> String {
    let names = columns + (hasRowID ? [hiddenRowID ?? "rowid"] : [])
    let questions = names.map { _ in "?" }.joined(separator: ", ")
    return """
      INSERT \(conflictClause(replaces)) INTO \(table.qualifiedSQL) (\(names.joined(separator: ", "))) \
      VALUES (\(questions))
      """
  }

  private func conflictClause(_ replaces: Bool) -> String { replaces ? "OR REPLACE" : "OR ABORT" }

  // MARK: - Conflicts

  /// The stored columns of a row that exists.
  func described(_ key: RowKey) throws -> (ColumnNames, [DatabaseValue]) {
    (storedNames, try readStoredRow(key, refusingInvalidText: false).values)
  }

  /// Describes the conflict of a row with a unique value.
  func conflict(
    of row: ChangedRow, with new: ChangedRow.Image, _ error: DatabaseError
  ) throws -> ChangesetConflict {
    if row.operation == .insert, isUnique(key(of: new)), try read(key(of: new)) != nil {
      return ChangesetConflict(.rowExists, row, current: try described(key(of: new)), message: error.message)
    }
    return ChangesetConflict(
      .uniqueValueExists, row, current: try rowWithUniqueValue(of: new), message: error.message)
  }

  /// The row with a unique value of a new row; nil if an index on expressions, or a partial one, makes it unique.
  private func rowWithUniqueValue(of new: ChangedRow.Image) throws -> (ColumnNames, [DatabaseValue])? {
    for index in try table.indexes(db) where index.isUnique && !index.isPartial {
      let positions = index.columns.compactMap { source.index(ofColumn: $0) }
      if positions.count < index.columns.count { continue }
      let condition = zip(positions, index.collations).map { position, collation in
        "\(columns[position]) = ? COLLATE \(collation.quotedDatabaseIdentifier)"
      }.joined(separator: " AND ")
      let sql = "SELECT \(storedColumns.joined(separator: ", ")) FROM \(table.qualifiedSQL) WHERE \(condition)"
      if let row = try db.internalRows(sql, positions.map { new.values[$0] }).first { return (storedNames, row) }
    }
    return nil
  }

  // MARK: - Execution

  private func outcome(_ body: () throws -> Void) throws -> Outcome {
    do {
      try body()
      return .done
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      switch error.extendedResultCode {
      case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
        return .isNotUnique(error)
      default: return .violates(error)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
      // The column is the row ID here, and was a column with values of any type in the other database.
      return .violates(error)
    }
  }

  private func firstRow(
    _ statement: Statement, _ values: [DatabaseValue], _ count: Int, _ refusesInvalidText: Bool = false
  ) throws -> [DatabaseValue]? {
    try statement.start(StatementArguments(values: values))
    defer { statement.finish() }
    guard try statement.step() else { return nil }
    return try (0..<CInt(count)).map { column in
      if refusesInvalidText, invalidColumnText(statement.sqliteStatement, column) != nil {
        throw ChangesetError(invalidTextIn: table.name)
      }
      if let value = DatabaseValue.readWithoutRefusal(statement.sqliteStatement, column) { return value }
      throw statement.outOfMemoryError() ?? DatabaseError(resultCode: .SQLITE_NOMEM)
    }
  }

  private func statement(_ kind: StatementKind, _ sql: () -> String) throws -> Statement {
    if let statement = statements[kind] { return statement }
    let statement = try db.compile(sql(), isInternal: true, isPersistent: true)
    statements[kind] = statement
    return statement
  }
}
