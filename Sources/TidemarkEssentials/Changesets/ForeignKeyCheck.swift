/// Finds the foreign keys that applied changes violate.
///
/// Only the changed rows are checked: inserted and updated rows must refer to rows that exist, and no row may refer to
/// the former key of a deleted or updated row. If other rows may have changed, because rows were replaced or triggers
/// were executed, all rows are checked.
struct ForeignKeyCheck {
  private let db: Database
  private var includesUnchangedRows: Bool
  private var keys: [TableKey: (outgoing: [ForeignKey], incoming: [ForeignKey])] = [:]
  private var allKeys: [TableKey: [ForeignKey]] = [:]
  private var checks: [Check] = []

  /// The foreign keys for which all rows of the referring table are checked.
  private var wholeTables: [(key: ForeignKey, row: ChangedRow)] = []

  private final class ForeignKey {
    let child: CatalogTable
    let info: ForeignKeyInfo
    let parent: CatalogTable?

    /// Whether the rows that refer to a value can be found by comparing the value with their columns.
    let findsChildrenByValue: Bool

    /// The statements, by their SQL.
    var statements: [String: Statement] = [:]

    init(_ child: CatalogTable, _ info: ForeignKeyInfo, _ db: Database) throws {
      (self.child, self.info) = (child, info)
      parent = try db.catalogTable(info.destinationTable, in: child.id.schemaID.name)
      var isSame = true
      for (origin, destination) in info.mapping {
        let (own, other) = (
          try Self.comparison(of: child, origin, db), try Self.comparison(of: parent, destination, db)
        )
        isSame = isSame && own == other
      }
      findsChildrenByValue = isSame
    }

    /// How the values of a column are compared.
    private static func comparison(of table: CatalogTable?, _ column: String, _ db: Database) throws -> [String] {
      guard let table, let info = table.column(named: column) else { return [] }
      let key = TableKey(table.name, in: table.id.schemaID.name)
      let collation = try db.openHandle().collation(ofColumn: column, in: key)?.asciiLowercased ?? ""
      let affinity =
        switch ColumnAffinity(ofDeclaredType: info.type) {
        // Integers and other numbers are compared the same way.
        case .integer, .real, .numeric: "number"
        case .text: "text"
        case .blob: "none"
        case .numericOrBlob: info.name + "?"
        }
      return [affinity, collation]
    }

    var missingParentCondition: String {
      let notNull = info.originColumns.map { "c.\($0.quotedDatabaseIdentifier) IS NOT NULL" }
      guard let parent, info.destinationColumns.count == info.originColumns.count else {
        return notNull.joined(separator: " AND ")
      }
      // Without its affinity, the value of the child is converted as the parent's column requires.
      let equal = info.mapping.map { origin, destination in
        "p.\(destination.quotedDatabaseIdentifier) = +c.\(origin.quotedDatabaseIdentifier)"
      }
      let exists = "EXISTS (SELECT 1 FROM \(parent.qualifiedSQL) AS p WHERE \(equal.joined(separator: " AND ")))"
      return (notNull + ["NOT \(exists)"]).joined(separator: " AND ")
    }
  }

  private struct Check {
    let key: ForeignKey
    let row: ChangedRow
    let condition: String
    let values: [DatabaseValue]
  }

  init(_ db: Database, includesUnchangedRows: Bool) {
    (self.db, self.includesUnchangedRows) = (db, includesUnchangedRows)
  }

  /// Other rows may have changed.
  mutating func includeUnchangedRows() {
    includesUnchangedRows = true
    (checks, wholeTables) = ([], [])
  }

  mutating func schemaWillChange() {
    includeUnchangedRows()
    (keys, allKeys) = ([:], [:])
  }

  // MARK: - Changes

  mutating func rowWasInserted(_ new: ChangedRow.Image, of row: ChangedRow, _ target: TargetTable) throws {
    for key in try foreignKeys(of: target).outgoing { addChild(new, row, target, key) }
  }

  mutating func rowWasDeleted(_ old: ChangedRow.Image, of row: ChangedRow, _ target: TargetTable) throws {
    for key in try foreignKeys(of: target).incoming { addParent(old, row, target, key) }
  }

  mutating func rowWasUpdated(
    _ old: ChangedRow.Image, _ new: ChangedRow.Image, of row: ChangedRow, _ target: TargetTable
  ) throws {
    let (outgoing, incoming) = try foreignKeys(of: target)
    func isChanged(_ columns: [String]) -> Bool {
      columns.contains { name in
        guard let index = target.source.index(ofColumn: name) else {
          // Any change may have changed the value of a generated column.
          return target.table.column(named: name)?.isGenerated == true
        }
        return !old.values[index].hasSameBytes(as: new.values[index])
      }
    }
    for key in outgoing where isChanged(key.info.originColumns) { addChild(new, row, target, key) }
    for key in incoming where isChanged(key.info.destinationColumns) { addParent(old, row, target, key) }
  }

  private mutating func addChild(
    _ new: ChangedRow.Image, _ row: ChangedRow, _ target: TargetTable, _ key: ForeignKey
  ) {
    if includesUnchangedRows { return }
    let rowKey = target.key(of: new)
    if !target.isUnique(rowKey) { return addAllChildren(row, key) }
    checks.append(
      Check(key: key, row: row, condition: target.condition(of: rowKey, alias: "c."), values: rowKey.values))
  }

  private mutating func addParent(
    _ old: ChangedRow.Image, _ row: ChangedRow, _ target: TargetTable, _ key: ForeignKey
  ) {
    if includesUnchangedRows { return }
    let indexes = key.info.destinationColumns.compactMap { target.source.index(ofColumn: $0) }
    if key.findsChildrenByValue, indexes.count == key.info.originColumns.count {
      let values = indexes.map { old.values[$0] }
      if values.contains(where: \.isNull) { return }
      let condition = key.info.originColumns.map { "c.\($0.quotedDatabaseIdentifier) = ?" }
      checks.append(Check(key: key, row: row, condition: condition.joined(separator: " AND "), values: values))
    } else {
      addAllChildren(row, key)
    }
  }

  private mutating func addAllChildren(_ row: ChangedRow, _ key: ForeignKey) {
    if !wholeTables.contains(where: { $0.key === key }) { wholeTables.append((key, row)) }
  }

  // MARK: - Violations

  /// Calls a closure with each violation.
  func findViolations(_ body: (ChangesetConflict) throws -> Void) throws {
    if includesUnchangedRows { return try findAllViolations(body) }
    for check in checks where try exists(check.key, check.condition, check.values) {
      try body(conflict(check.key, check.row))
    }
    for (key, row) in wholeTables where try exists(key, "TRUE", []) { try body(conflict(key, row)) }
  }

  private func exists(_ key: ForeignKey, _ condition: String, _ values: [DatabaseValue]) throws -> Bool {
    if key.statements[condition] == nil {
      key.statements[condition] = try db.compile(
        "SELECT 1 FROM \(key.child.qualifiedSQL) AS c WHERE \(condition) AND \(key.missingParentCondition) LIMIT 1",
        isInternal: true, isPersistent: true)
    }
    guard let statement = key.statements[condition] else { return false }
    try statement.start(StatementArguments(values: values))
    defer { statement.finish() }
    return try statement.step()
  }

  private func conflict(_ key: ForeignKey, _ row: ChangedRow) -> ChangesetConflict {
    let (origins, destinations) = (key.info.originColumns, key.info.destinationColumns)
    return ChangesetConflict(
      .foreignKey, row,
      message: """
        \(key.child.name)(\(origins.joined(separator: ", "))) refers to a missing row of \
        \(key.info.destinationTable)(\(destinations.joined(separator: ", ")))
        """)
  }

  private func findAllViolations(_ body: (ChangesetConflict) throws -> Void) throws {
    for name in try db.databaseNames() {
      for row in try db.internalRows("PRAGMA \(name.quotedDatabaseIdentifier).foreign_key_check") {
        let texts = row.map(\.description)
        try body(
          ChangesetConflict(
            .foreignKey, nil, message: "row \(texts[1]) of table \(texts[0]) refers to a missing row of \(texts[2])"))
      }
    }
  }

  // MARK: - The catalog

  private mutating func foreignKeys(
    of target: TargetTable
  ) throws -> (outgoing: [ForeignKey], incoming: [ForeignKey]) {
    if includesUnchangedRows { return ([], []) }
    let key = TableKey(target.table.name, in: target.table.id.schemaID.name)
    if let known = keys[key] { return known }
    let tables = try db.freshCatalog().objects(in: target.table.id.schemaID, db).all
      .filter { $0.type == "table" && $0.sql?.asciiLowercased.contains("references") == true }
    var incoming: [ForeignKey] = []
    for object in tables {
      let all = try foreignKeys(ofTable: TableKey(object.name, in: key.database))
      incoming += all.filter { TableKey($0.info.destinationTable, in: key.database) == key }
    }
    let result = (try foreignKeys(ofTable: key), incoming)
    keys[key] = result
    return result
  }

  private mutating func foreignKeys(ofTable key: TableKey) throws -> [ForeignKey] {
    if let known = allKeys[key] { return known }
    guard let table = try db.catalogTable(key.name, in: key.database), table.kind == .table else { return [] }
    let result = try table.foreignKeys(db).map { try ForeignKey(table, $0, db) }
    allKeys[key] = result
    return result
  }
}
