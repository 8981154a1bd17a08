/// The schema information and the cached SQL that a connection keeps for writing a record type.
///
/// Invariants:
/// 1. A plan is valid until the schema or the table name changes.
/// 2. It stores the SQL of statements, not the statements. The connection caches those, and may evict them.
final class RecordPlan {
  let recordType: ObjectIdentifier
  let tableName: String
  let generation: UInt
  let table: CatalogTable

  /// The names of all columns, passed to the callbacks of updates without a column list.
  let columnNames: Set<String>

  /// The primary key; nil for a view without a known primary key.
  private let knownKey: PrimaryKeyInfo?

  /// Findings about the last written record, with its columns in their order. The next record is likely to have the
  /// same.
  private struct LastRecord {
    var columns = ColumnNames.none
    var keyIndexes: [Int?]?
    var rowIDIndex: Int?

    // The SQL for those columns.
    var insertion: (resolution: Database.ConflictResolution, sql: String)?
    var update: (resolution: Database.ConflictResolution, update: RecordUpdate)?
    var partialUpdate: (columns: Set<String>, resolution: Database.ConflictResolution, update: RecordUpdate)?
    var upsertion: (conflictTarget: [String], strategy: UpsertUpdateStrategy, clause: RecordClause)?

    /// The last `RETURNING` clause and its selection. It does not depend on the columns.
    var returned: (selection: [SimpleSelection], clause: RecordClause)?
  }

  private var last = LastRecord()

  /// The encoder of the last record, if it is `Encodable`. While a record is encoded, only its container has it.
  @exclusivity(unchecked) var encoder: RecordEncoder.Reusable?

  var columns: ColumnNames { last.columns }

  /// The index of the row ID in the columns of the last written record.
  var rowIDIndex: Int? { last.rowIDIndex }

  init(_ recordType: any Any.Type, _ tableName: String, _ generation: UInt, _ db: Database) throws {
    self.recordType = ObjectIdentifier(recordType)
    self.tableName = tableName
    self.generation = generation
    table = try db.existingTable(tableName)
    knownKey = try table.primaryKey(db)
    columnNames = Set(table.columns.map(\.name))
  }

  var rowIDColumn: String? { knownKey?.rowIDColumn }

  /// Returns the primary key.
  ///
  /// - Throws: An error of code `SQLITE_ERROR` for a view without a known primary key.
  func key() throws -> PrimaryKeyInfo {
    if let knownKey { return knownKey }
    throw DatabaseError(message: "database view \(tableName) has no primary key")
  }

  // MARK: - Columns

  /// Updates the cache for the columns of a record.
  private func follow(_ container: PersistenceContainer) {
    if container.isComplete(columns) { return }
    last = LastRecord(columns: ColumnNames(container.columnNames), returned: last.returned)
    last.rowIDIndex = rowIDColumn.flatMap { index(of: $0) }
  }

  /// Returns the index of a column in the last written record.
  private func index(of column: String) -> Int? { columns.names[...].index(ofColumn: column) }

  /// Returns the indexes of the primary key columns in a record; nil for columns that it does not encode.
  private func keyIndexes(_ container: PersistenceContainer) throws -> [Int?] {
    follow(container)
    if let known = last.keyIndexes { return known }
    let indexes = try key().columns.map { index(of: $0) }
    last.keyIndexes = indexes
    return indexes
  }

  /// Returns the values of the primary key columns, in the order of the key.
  func keyValues(_ container: PersistenceContainer) throws -> PackedValues {
    container.values.selecting(try keyIndexes(container))
  }

  /// Returns whether a record has a value for at least one column of its primary key.
  func hasKey(_ container: PersistenceContainer) throws -> Bool {
    for case let index? in try keyIndexes(container) where !container.values.isNull(at: index) { return true }
    return false
  }

  /// Returns the error for a record without a row.
  func recordNotFound(_ container: PersistenceContainer) throws -> RecordError {
    let values = try keyValues(container)
    let key = Dictionary(zip(try key().columns, values), uniquingKeysWith: { first, _ in first })
    return .recordNotFound(databaseTableName: tableName, key: key)
  }

  // MARK: - Statements

  /// Returns a clause such as ` RETURNING *`, from the cache if the selection is the same as last time.
  func returningClause(_ selection: [any SQLSelectable], _ db: Database) throws -> RecordClause {
    if let returned = last.returned, selection.isSame(as: returned.selection) { return returned.clause }
    let clause = try clause(db) { printer in
      printer.sql += " RETURNING "
      try printer.print(selection: selection.map { $0.sqlSelection })
    }
    if let simple = selection.simple { last.returned = (simple, clause) }
    return clause
  }

  /// Returns SQL such as `INSERT INTO "player" ("id", "name") VALUES (?,?)`.
  func insertionSQL(_ container: PersistenceContainer, _ resolution: Database.ConflictResolution) -> String {
    follow(container)
    if let insertion = last.insertion, insertion.resolution == resolution { return insertion.sql }
    let names = columns.names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let sql = """
      INSERT \(resolution.clause)INTO \(tableName.quotedDatabaseIdentifier) (\(names)) \
      VALUES (\(databaseQuestionMarks(count: columns.count)))
      """
    last.insertion = (resolution, sql)
    return sql
  }

  /// Returns an update such as `UPDATE "player" SET "name"=? WHERE "id"=?`.
  ///
  /// - Parameter updatedColumns: The columns to update, or nil for all.
  func update(
    _ container: PersistenceContainer, _ updatedColumns: Set<String>?, _ resolution: Database.ConflictResolution
  ) throws -> RecordUpdate {
    let keyIndexes = try keyIndexes(container)
    if let updatedColumns {
      if let known = last.partialUpdate, known.resolution == resolution, known.columns == updatedColumns {
        return known.update
      }
    } else if let update = last.update, update.resolution == resolution {
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
    // An update without columns to set assigns the key to itself. Without it, a missing row would not be detected.
    if set.isEmpty { set = zip(key, keyIndexes).compactMap { name, index in index.map { (name, $0) } } }
    let assignments = set.map { "\($0.name.quotedDatabaseIdentifier)=?" }.joined(separator: ", ")
    let update = RecordUpdate(
      sql: """
        UPDATE \(resolution.clause)\(tableName.quotedDatabaseIdentifier) SET \(assignments) WHERE \(try keyCondition())
        """,
      parameters: set.map(\.index) + keyIndexes, storedColumns: wanted?.union(skipped))
    if let updatedColumns {
      last.partialUpdate = (updatedColumns, resolution, update)
    } else {
      last.update = (resolution, update)
    }
    return update
  }

  /// Returns the `ON CONFLICT` clause. A clause without assignments is cached while the columns stay the same.
  func clause(
    _ upsertion: Upsertion, _ container: PersistenceContainer, _ db: Database
  ) throws -> RecordClause {
    follow(container)
    guard upsertion.assignments.isEmpty else { return try upsertion.clause(self, container.columnNames, db) }
    if let known = last.upsertion, known.conflictTarget == upsertion.conflictTarget,
      known.strategy == upsertion.strategy
    {
      return known.clause
    }
    let clause = try upsertion.clause(self, container.columnNames, db)
    last.upsertion = (upsertion.conflictTarget, upsertion.strategy, clause)
    return clause
  }

  /// Returns SQL such as `DELETE FROM "player" WHERE "id"=?`.
  func deletionSQL() throws -> String {
    "DELETE FROM \(tableName.quotedDatabaseIdentifier) WHERE \(try keyCondition())"
  }

  /// Returns SQL such as `SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=?)`.
  func existenceSQL() throws -> String {
    "SELECT EXISTS (SELECT 1 FROM \(tableName.quotedDatabaseIdentifier) WHERE \(try keyCondition()))"
  }

  private func keyCondition() throws -> String {
    try key().columns.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: " AND ")
  }
}

/// The SQL of an update, and the indexes of its arguments in the values of the record.
struct RecordUpdate {
  let sql: String

  /// For each parameter, the index of its value in the record; nil for NULL.
  let parameters: [Int?]

  /// If some columns are updated: their names and those of the key, in lower case.
  let storedColumns: Set<String>?

  func values(_ container: PersistenceContainer) -> PackedValues { container.values.selecting(parameters) }
}

extension Database.ConflictResolution {
  /// SQL such as `OR IGNORE `; empty for SQLite's default.
  fileprivate var clause: String { self == .abort ? "" : "OR \(rawValue) " }
}

// MARK: - Finding a plan

/// The record plans of a connection.
private final class RecordPlans: DatabaseModuleState {
  // Consecutive writes usually have the same record type.
  private var latest: RecordPlan?
  private var plans: [ObjectIdentifier: RecordPlan] = [:]

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
  /// Returns the plan for a record type and table.
  ///
  /// - Throws: A "no such table" error if the table does not exist.
  func recordPlan(for recordType: any Any.Type, _ tableName: String) throws -> RecordPlan {
    let generation = try catalogGeneration()
    return try moduleState(RecordPlans.self).plan(recordType, tableName, generation, self)
  }
}
