/// What a connection knows of the table of a record type, and how the records of that type were last written.
///
/// Invariants:
/// 1. A plan holds as long as the schema and the name of the table do.
/// 2. It has texts of statements, and no statements: those are kept by the connection, which may forget them.
final class RecordPlan {
  let recordType: ObjectIdentifier
  let tableName: String
  let generation: UInt
  let table: CatalogTable

  /// The names of all columns, which plain updates tell their callbacks.
  let columnNames: Set<String>

  /// The primary key; nil for a view of which nobody knows one.
  private let knownKey: PrimaryKeyInfo?

  /// The columns of the last record, in its order, which the next one most likely has, too.
  @exclusivity(unchecked) private(set) var columns = ColumnNames.none

  // What those columns are written with.
  @exclusivity(unchecked) private var insertion: (resolution: Database.ConflictResolution, sql: String)?
  @exclusivity(unchecked) private var update: (resolution: Database.ConflictResolution, update: RecordUpdate)?
  @exclusivity(unchecked) private var partialUpdate:
    (columns: Set<String>, resolution: Database.ConflictResolution, update: RecordUpdate)?
  @exclusivity(unchecked) private var upsertion: (conflictTarget: [String], clause: RecordClause)?
  @exclusivity(unchecked) private var knownKeyIndexes: [Int?]?

  /// Where the row id is among those columns.
  @exclusivity(unchecked) private(set) var rowIDIndex: Int?

  // What was last returned by a statement.
  @exclusivity(unchecked) private var returned: (selection: [SimpleSelection], clause: RecordClause)?

  init(_ recordType: any Any.Type, _ tableName: String, _ generation: UInt, _ db: Database) throws {
    self.recordType = ObjectIdentifier(recordType)
    self.tableName = tableName
    self.generation = generation
    table = try db.existingTable(tableName)
    knownKey = try table.primaryKey(db)
    columnNames = Set(table.columns.map(\.name))
  }

  var rowIDColumn: String? { knownKey?.rowIDColumn }

  /// The columns of the primary key.
  ///
  /// - throws: An error of code `SQLITE_ERROR` for a view of which nobody knows a key.
  func key() throws -> PrimaryKeyInfo {
    if let knownKey { return knownKey }
    throw DatabaseError(message: "database view \(tableName) has no primary key")
  }

  // MARK: - Columns

  /// Takes notice of the columns of a record.
  private func follow(_ container: PersistenceContainer) {
    if container.isComplete(columns) { return }
    columns = ColumnNames(container.columnNames)
    rowIDIndex = rowIDColumn.flatMap { index(of: $0) }
    insertion = nil
    update = nil
    partialUpdate = nil
    upsertion = nil
    knownKeyIndexes = nil
  }

  /// Where a column is among those of the last record.
  private func index(of column: String) -> Int? { columns.names[...].index(ofColumn: column) }

  /// Where the columns of the primary key are in a record; nil for those that it does not store.
  private func keyIndexes(_ container: PersistenceContainer) throws -> [Int?] {
    follow(container)
    if let knownKeyIndexes { return knownKeyIndexes }
    let indexes = try key().columns.map { index(of: $0) }
    knownKeyIndexes = indexes
    return indexes
  }

  /// The values of the primary key, in its order.
  func keyValues(_ container: PersistenceContainer) throws -> [DatabaseValue] {
    try keyIndexes(container).map { $0.map { container.values[$0] } ?? .null }
  }

  /// Whether a record stores a part of its primary key at least.
  func hasKey(_ container: PersistenceContainer) throws -> Bool {
    for case let index? in try keyIndexes(container) where !container.values[index].isNull { return true }
    return false
  }

  /// The error of a record that is not in the table.
  func recordNotFound(_ container: PersistenceContainer) throws -> RecordError {
    let values = try keyValues(container)
    let key = Dictionary(zip(try key().columns, values), uniquingKeysWith: { first, _ in first })
    return .recordNotFound(databaseTableName: tableName, key: key)
  }

  // MARK: - Statements

  /// ` RETURNING *`: the one that was made last, when the selection is of the same columns.
  func returningClause(_ selection: [any SQLSelectable], _ db: Database) throws -> RecordClause {
    if let returned, selection.isSame(as: returned.selection) { return returned.clause }
    let clause = try clause(db) { printer in
      printer.sql += " RETURNING "
      try printer.print(selection: selection.map { $0.sqlSelection })
    }
    if let simple = selection.simple { returned = (simple, clause) }
    return clause
  }

  /// `INSERT INTO "player" ("id", "name") VALUES (?,?)`
  func insertionSQL(_ container: PersistenceContainer, _ resolution: Database.ConflictResolution) -> String {
    follow(container)
    if let insertion, insertion.resolution == resolution { return insertion.sql }
    let names = columns.names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let sql = """
      INSERT \(resolution.clause)INTO \(tableName.quotedDatabaseIdentifier) (\(names)) \
      VALUES (\(databaseQuestionMarks(count: columns.count)))
      """
    insertion = (resolution, sql)
    return sql
  }

  /// `UPDATE "player" SET "name"=? WHERE "id"=?`
  ///
  /// - parameter updatedColumns: The columns to update, or nil for all.
  func update(
    _ container: PersistenceContainer, _ updatedColumns: Set<String>?, _ resolution: Database.ConflictResolution
  ) throws -> RecordUpdate {
    let keyIndexes = try keyIndexes(container)
    if let updatedColumns {
      if let known = partialUpdate, known.resolution == resolution, known.columns == updatedColumns {
        return known.update
      }
    } else if let update, update.resolution == resolution {
      return update.update
    }
    let key = try key().columns
    let skipped = Set(key.map(\.asciiLowercased))
    let wanted = updatedColumns.map { Set($0.map(\.asciiLowercased)) }
    var set = table.columns.compactMap { column -> (name: String, index: Int)? in
      let name = column.name.asciiLowercased
      guard !skipped.contains(name), wanted?.contains(name) ?? true else { return nil }
      return index(of: column.name).map { (column.name, $0) }
    }
    // Something has to be updated, or nobody would notice.
    if set.isEmpty { set = zip(key, keyIndexes).compactMap { name, index in index.map { (name, $0) } } }
    let assignments = set.map { "\($0.name.quotedDatabaseIdentifier)=?" }.joined(separator: ", ")
    let update = RecordUpdate(
      sql: """
        UPDATE \(resolution.clause)\(tableName.quotedDatabaseIdentifier) SET \(assignments) WHERE \(try keyCondition())
        """,
      parameters: set.map(\.index) + keyIndexes)
    if let updatedColumns {
      partialUpdate = (updatedColumns, resolution, update)
    } else {
      self.update = (resolution, update)
    }
    return update
  }

  /// What an insertion does where it meets a row of the same key. Without assignments, it is what was made last for
  /// the same columns.
  func clause(
    _ upsertion: Upsertion, _ container: PersistenceContainer, _ db: Database
  ) throws -> RecordClause {
    follow(container)
    guard upsertion.assignments.isEmpty else { return try upsertion.clause(self, container.columnNames, db) }
    if let known = self.upsertion, known.conflictTarget == upsertion.conflictTarget { return known.clause }
    let clause = try upsertion.clause(self, container.columnNames, db)
    self.upsertion = (upsertion.conflictTarget, clause)
    return clause
  }

  /// `DELETE FROM "player" WHERE "id"=?`
  func deletionSQL() throws -> String {
    "DELETE FROM \(tableName.quotedDatabaseIdentifier) WHERE \(try keyCondition())"
  }

  /// `SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=?)`
  func existenceSQL() throws -> String {
    "SELECT EXISTS (SELECT 1 FROM \(tableName.quotedDatabaseIdentifier) WHERE \(try keyCondition()))"
  }

  private func keyCondition() throws -> String {
    try key().columns.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: " AND ")
  }
}

/// An update of one record: its text, and which of the values of the record are its arguments.
struct RecordUpdate {
  let sql: String

  /// For each parameter, the place of its value in the record; nil for NULL.
  let parameters: [Int?]

  func values(_ container: PersistenceContainer) -> [DatabaseValue] {
    parameters.map { $0.map { container.values[$0] } ?? .null }
  }
}

extension Database.ConflictResolution {
  /// `OR IGNORE `; nothing for what SQLite does by default.
  fileprivate var clause: String { self == .abort ? "" : "OR \(rawValue) " }
}

// MARK: - Finding a plan

/// The plans of a connection.
private final class RecordPlans: DatabaseModuleState {
  // Records of one type are most often written one after the other.
  @exclusivity(unchecked) private var latest: RecordPlan?
  @exclusivity(unchecked) private var plans: [ObjectIdentifier: RecordPlan] = [:]

  func plan(
    _ recordType: any Any.Type, _ tableName: String, _ generation: UInt, _ db: Database
  ) throws -> RecordPlan {
    let id = ObjectIdentifier(recordType)
    if let latest, latest.recordType == id, latest.generation == generation, latest.tableName == tableName {
      return latest
    }
    if let plan = plans[id], plan.generation == generation, plan.tableName == tableName {
      latest = plan
      return plan
    }
    let plan = try RecordPlan(recordType, tableName, generation, db)
    plans[id] = plan
    latest = plan
    return plan
  }
}

extension Database {
  /// What is known of the table of a record type.
  ///
  /// - throws: `no such table` when there is none.
  func recordPlan(for recordType: any Any.Type, _ tableName: String) throws -> RecordPlan {
    let generation = try catalogGeneration()
    return try moduleState(RecordPlans.self).plan(recordType, tableName, generation, self)
  }
}
