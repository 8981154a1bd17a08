/// A registered migration.
struct Migration: Sendable {
  static let tableName = "grdb_migrations"

  let identifier: String

  /// The identifiers of the replaced migrations, without the identifier of this one.
  var mergedIdentifiers: Set<String> = []
  let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks

  /// Whether foreign keys are checked at the end of the migration, if its checks are deferred.
  var runsDeferredChecks = true
  let migrate: @Sendable (Database, _ applied: Set<String>) throws -> Void

  /// Applies the migration in a transaction.
  ///
  /// - Throws: The error of the migration. A `DatabaseError` includes the identifier of the migration. For other
  ///   errors, the identifier is logged.
  func apply(_ db: Database) throws {
    try describingErrors {
      let isEnforcing = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
      if foreignKeyChecks == .deferred, isEnforcing {
        try db.withoutForeignKeys { try applyInTransaction(db, checksForeignKeys: runsDeferredChecks) }
      } else {
        try applyInTransaction(db, checksForeignKeys: false)
      }
    }
  }

  /// Applies the migration in the open transaction.
  ///
  /// - Parameter applied: The identifiers of all applied migrations.
  /// - Throws: An error as `apply` does.
  func applyInOpenTransaction(_ db: Database, applied: Set<String>) throws {
    try describingErrors {
      if foreignKeyChecks == .deferred, try db.openHandle().isOn(.foreignKeys) {
        try db.withoutForeignKeysInTransaction { try perform(db, applied, checksForeignKeys: runsDeferredChecks) }
      } else {
        try perform(db, applied, checksForeignKeys: false)
      }
    }
  }

  private func describingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as DatabaseError {
      error.migration = identifier
      throw error
    } catch  where !(error is CancellationError) {
      Database.log(error, "The migration \(String(reflecting: identifier)) failed")
      throw error
    }
  }

  private func applyInTransaction(_ db: Database, checksForeignKeys: Bool) throws {
    try db.inTransaction(.immediate) {
      let applied = try db.untraced {
        try String.fetchSet(db, sql: "SELECT identifier FROM \(Self.tableName)")
      }
      // Another process may have applied the migration while this one waited for the lock.
      if applied.contains(identifier) { return .rollback }
      try perform(db, applied, checksForeignKeys: checksForeignKeys)
      return .commit
    }
  }

  private func perform(_ db: Database, _ applied: Set<String>, checksForeignKeys: Bool) throws {
    try db.withoutSchemaSource { try migrate(db, applied.intersection(mergedIdentifiers)) }
    if !mergedIdentifiers.isEmpty { try forgetMerged(db) }
    try db.execute(sql: "INSERT INTO \(Self.tableName) (identifier) VALUES (?)", arguments: [identifier])
    if checksForeignKeys { try db.checkForeignKeys() }
  }

  /// Removes the identifiers of the replaced migrations.
  func forgetMerged(_ db: Database) throws {
    let merged = mergedIdentifiers.sorted()
    let marks = merged.map { _ in "?" }.joined(separator: ",")
    try db.execute(
      sql: "DELETE FROM \(Self.tableName) WHERE identifier IN (\(marks))", arguments: StatementArguments(merged))
  }
}

extension Database {
  /// Runs a closure that reads the schema from the database only.
  fileprivate func withoutSchemaSource(_ body: () throws -> Void) rethrows {
    if schemaSource == nil { return try body() }
    try withSchemaSource(nil, execute: body)
  }

  /// Runs a closure without enforcing foreign keys. If they were enforced, they are enforced again afterwards, even
  /// after an error.
  fileprivate func withoutForeignKeys(_ body: () throws -> Void) throws {
    // Inside a transaction, SQLite ignores the pragma. The closure reports the open transaction.
    if isInsideTransaction { return try body() }
    try execute(sql: "PRAGMA foreign_keys = OFF")
    defer { enforceForeignKeys() }
    try body()
  }

  /// Runs a closure without enforcing foreign keys, in a transaction. Unlike the pragma, the option of the connection
  /// has an effect there.
  fileprivate func withoutForeignKeysInTransaction(_ body: () throws -> Void) throws {
    try openHandle().set(.foreignKeys, false)
    defer { logging { try handle?.set(.foreignKeys, true) } }
    try body()
  }

  private func enforceForeignKeys() {
    logging {
      try shielded {
        try rollback()
        try execute(sql: "PRAGMA foreign_keys = ON")
      }
    }
    // Unlike a statement, this call cannot be interrupted and does not fail in a broken transaction.
    logging { try handle?.set(.foreignKeys, true) }
  }

  // Log errors: the error of the closure takes precedence.
  private func logging(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      Self.log(error, "Could not enable foreign keys after a migration")
    }
  }
}
