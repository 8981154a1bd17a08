import Synchronization

/// The schema cache of a connection, and its invalidation.
///
/// Invariants:
///
/// 1. The cache is as fresh as SQLite's own prepared statements. For each database, the catalog keeps a statement that
///    reads nothing, the probe, and runs it before it uses the cache. SQLite recompiles the probe if the schema differs
///    from the schema at its compilation, regardless of the connection that changed it, and even if the change was
///    undone. In this case the catalog discards the cache.
/// 2. Inside a transaction that has read, other connections cannot change the schema. The probe is not run again there,
///    until this connection begins or ends a statement that can change the schema or end the transaction.
/// 3. An unqualified name refers to a table of the temporary database, otherwise of the main database, otherwise of the
///    attached databases, in order.
/// 4. Missing objects are not cached: each look-up of a missing table searches for it again.
/// 5. All cached facts come from one schema. If a look-up discovers in the middle that the schema has changed, it
///    starts again.
///
/// See Documentation/Decisions/ProbesValidateTheSchemaCache.md.
final class Catalog: DatabaseModuleState {
  private struct Cache {
    var objects: [DatabaseSchemaID: SchemaObjects] = [:]

    // Keyed by the name as the caller wrote it, so that most look-ups need a single hash.
    var tables: [String: CatalogTable] = [:]
    var tablesInSchemas: [DatabaseObjectID: CatalogTable] = [:]

    /// A number that changes whenever the cache is discarded. Catalogs never have equal numbers.
    let generation = Catalog.makeGeneration()

    /// The effect count when the probes last ran in the current transaction.
    var checkedEffectCount: UInt?
  }

  @exclusivity(unchecked) private var cache = Cache()
  private var probes: [(schemaID: DatabaseSchemaID, statement: Statement)] = []

  var generation: UInt { cache.generation }

  private static let generationCount = Atomic<UInt>(0)

  private static func makeGeneration() -> UInt { generationCount.wrappingAdd(1, ordering: .relaxed).newValue }

  func forget() { cache = Cache() }

  func forgetStatements() {
    // Without its probe, a database could change unnoticed.
    probes = []
    forget()
  }

  // MARK: - Freshness

  /// Discards cached facts that are no longer valid.
  func refresh(_ db: Database) throws {
    db.recording.digest?.dependsOnSchema = true
    let effectCount = db.effectCount
    if db.isInAutocommitMode {
      // No statement can run in a transaction that SQLite has rolled back. The caller gets an error when it tries.
      if db.transaction.scopes.depth > 0 { return }
    } else if cache.checkedEffectCount == effectCount {
      return
    }
    do {
      try runProbes(db)
    } catch {
      forgetStatements()
      throw error
    }
    cache.checkedEffectCount = db.isInAutocommitMode ? nil : effectCount
  }

  private func runProbes(_ db: Database) throws {
    if probes.isEmpty {
      forget()
      try addProbe(.main, db)
      return
    }
    let known = generation
    for probe in probes {
      if try db.untraced({ try probe.statement.runNoticingRecompilation() }) {
        // The first probe detects that a database is detached.
        probes.removeAll { $0.schemaID != .main }
        return forget()
      }
      // The start of a statement may run all probes: see `expireStatementsOfOtherSchema`. If one of them was
      // recompiled, the cache is already discarded, and the next probe may read a detached database.
      if generation != known { return }
    }
  }

  /// Adds the only probe of a database. The main database has the first one.
  private func addProbe(_ schemaID: DatabaseSchemaID, _ db: Database) throws {
    let statement = try db.compile("SELECT 1 FROM \(schemaID.sql).sqlite_master LIMIT 0", isInternal: true)
    _ = try db.untraced { try statement.runNoticingRecompilation() }
    // Compiling and running a statement may refresh the catalog, which adds the probe. With two, each would notice the
    // recompilation of the other, again and again.
    probes.removeAll { $0.schemaID == schemaID }
    probes.insert((schemaID, statement), at: schemaID == .main ? 0 : probes.count)
  }

  // MARK: - Look-ups

  /// Returns the table or view with a name. The caller has refreshed the catalog.
  func table(_ name: String, in schemaID: DatabaseSchemaID?, _ db: Database) throws -> CatalogTable? {
    guard let schemaID else {
      if let table = cache.tables[name] { return table }
      let table = try readingOneSchema { try findTable(name, db) }
      cache.tables[name] = table
      return table
    }
    let id = DatabaseObjectID(name: name, schemaID: schemaID)
    if let table = cache.tablesInSchemas[id] { return table }
    let table = try readingOneSchema {
      try findTable(name, in: schemaID, db) ?? unlistedTable(name, in: schemaID, db)
    }
    cache.tablesInSchemas[id] = table
    return table
  }

  /// Repeats a look-up until the schema has not changed in it: its statements may refresh the catalog.
  private func readingOneSchema(_ lookUp: () throws -> CatalogTable?) throws -> CatalogTable? {
    for _ in 0..<Self.attemptCountMax {
      let known = generation
      let table = try lookUp()
      if generation == known { return table }
    }
    throw DatabaseError(resultCode: .SQLITE_SCHEMA, message: "the schema has changed in each attempt to read it")
  }

  /// SQLite compiles a statement as often before it reports that the schema has changed.
  private static let attemptCountMax = 50

  private func findTable(_ name: String, _ db: Database) throws -> CatalogTable? {
    for schemaID in [DatabaseSchemaID.temp, .main] {
      if let table = try findTable(name, in: schemaID, db) { return table }
    }
    for schemaID in try db.attachedSchemas() {
      if let table = try findTable(name, in: schemaID, db) { return table }
    }
    return try unlistedTable(name, in: .main, db) ?? unlistedTable(name, in: .temp, db)
  }

  private func findTable(_ name: String, in schemaID: DatabaseSchemaID, _ db: Database) throws -> CatalogTable? {
    guard let object = try objects(in: schemaID, db).relation(name) else { return nil }
    let id = DatabaseObjectID(name: object.name, schemaID: schemaID)
    return CatalogTable(object, id, columns: try db.lookUpColumns(id))
  }

  /// Returns a table that no schema table lists: the schema table itself, or an eponymous virtual table of a module.
  private func unlistedTable(_ name: String, in schemaID: DatabaseSchemaID, _ db: Database) throws -> CatalogTable? {
    let id = DatabaseObjectID(name: name, schemaID: schemaID)
    let columns = try db.lookUpColumns(id)
    return columns.isEmpty ? nil : CatalogTable(nil, id, columns: columns)
  }

  /// Returns the objects in the schema table of a database. The caller has refreshed the catalog.
  func objects(in schemaID: DatabaseSchemaID, _ db: Database) throws -> SchemaObjects {
    if let known = cache.objects[schemaID] { return known }
    // The probe of the main database also detects changes of the temporary database, because only this connection can
    // make them.
    if schemaID != .temp, !probes.contains(where: { $0.schemaID == schemaID }) { try addProbe(schemaID, db) }
    // Without names of their own, `PRAGMA full_column_names` would add the table to them.
    let columns = "type AS type, name AS name, tbl_name AS tbl_name, sql AS sql"
    let sql = "SELECT \(columns) FROM \(schemaID.schemaTableName)"
    let found = SchemaObjects(try db.lookUp(sql))
    cache.objects[schemaID] = found
    return found
  }
}

extension Statement {
  /// Runs a statement to its end, and returns whether SQLite recompiled it.
  fileprivate func runNoticingRecompilation() throws -> Bool {
    try start()
    while try step() {}
    let isChanged = columnsAfterRecompilation() != nil
    finish()
    return isChanged
  }
}
