/// What a connection knows of its schema, and when it must forget it.
///
/// Laws:
///
/// 1. What is known is as fresh as SQLite's own compiled statements. A statement that reads nothing, the probe, is kept
///    for each database, and run before what is known is used: SQLite compiles it again when the schema is not the one
///    it was compiled for, whoever changed it, whether the change was then undone or not; and so all is forgotten.
/// 2. Inside a transaction that has read, others change nothing. The probe is not run again there until a statement of
///    this connection begins or ends that may change the schema or end the transaction.
/// 3. A name stands for a table of the temporary database, else of the main one, else of those attached, in order.
/// 4. Nothing is known of what does not exist: a table that is missing is looked for again.
///
/// See Documentation/Decisions/ProbesValidateTheSchemaCache.md.
final class Catalog: DatabasePart {
  @exclusivity(unchecked) private var probes: [(schemaID: DatabaseSchemaID, statement: Statement)] = []
  @exclusivity(unchecked) private var objects: [DatabaseSchemaID: SchemaObjects] = [:]

  // By name as it was given, so that most look-ups are one.
  @exclusivity(unchecked) private var tables: [String: CatalogTable] = [:]
  @exclusivity(unchecked) private var tablesInSchemas: [DatabaseObjectID: CatalogTable] = [:]

  /// Another number whenever all was forgotten.
  @exclusivity(unchecked) private(set) var generation: UInt = 0

  /// The count of effects when the probes were run last, inside of the transaction that was open then.
  @exclusivity(unchecked) private var checkedEffectCount: UInt?

  func forget() {
    objects = [:]
    tables = [:]
    tablesInSchemas = [:]
    generation += 1
    checkedEffectCount = nil
  }

  func forgetStatements() {
    // Without its probe, a database could change unnoticed.
    probes = []
    forget()
  }

  // MARK: - Freshness

  /// Forgets what does not hold any more.
  func refresh(_ db: Database) throws {
    db.digestBeingMade?.dependsOnSchema = true
    let effectCount = db.effectCount
    if db.isInAutocommitMode {
      // In a transaction that died, no statement runs. Whoever wants to run one finds out.
      if db.transactionDepth > 0 { return }
    } else if checkedEffectCount == effectCount {
      return
    }
    do {
      try runProbes(db)
    } catch {
      forgetStatements()
      throw error
    }
    checkedEffectCount = db.isInAutocommitMode ? nil : effectCount
  }

  private func runProbes(_ db: Database) throws {
    if probes.isEmpty {
      forget()
      try addProbe(.main, db)
      return
    }
    for probe in probes {
      if try !db.untraced({ try probe.statement.runNoticingRecompilation() }) { continue }
      // The first one sees when a database is detached.
      probes.removeAll { $0.schemaID != .main }
      return forget()
    }
  }

  private func addProbe(_ schemaID: DatabaseSchemaID, _ db: Database) throws {
    let statement = try db.compile("SELECT 1 FROM \(schemaID.sql).sqlite_master LIMIT 0", isInternal: true)
    _ = try db.untraced { try statement.runNoticingRecompilation() }
    probes.append((schemaID, statement))
  }

  // MARK: - Look-ups

  /// The table or view of that name. What is known has been refreshed.
  func table(_ name: String, in schemaID: DatabaseSchemaID?, _ db: Database) throws -> CatalogTable? {
    guard let schemaID else {
      if let table = tables[name] { return table }
      let table = try findTable(name, db)
      tables[name] = table
      return table
    }
    let id = DatabaseObjectID(name: name, schemaID: schemaID)
    if let table = tablesInSchemas[id] { return table }
    let table = try findTable(name, in: schemaID, db) ?? unlistedTable(name, in: schemaID, db)
    tablesInSchemas[id] = table
    return table
  }

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

  /// A table that no schema table lists: the schema table itself, and those that a module brings.
  private func unlistedTable(_ name: String, in schemaID: DatabaseSchemaID, _ db: Database) throws -> CatalogTable? {
    let id = DatabaseObjectID(name: name, schemaID: schemaID)
    let columns = try db.lookUpColumns(id)
    return columns.isEmpty ? nil : CatalogTable(nil, id, columns: columns)
  }

  /// What a database lists. What is known has been refreshed.
  func objects(in schemaID: DatabaseSchemaID, _ db: Database) throws -> SchemaObjects {
    if let known = objects[schemaID] { return known }
    // The probe of the main database sees the changes of the temporary one, which this connection alone can make.
    if schemaID != .temp, !probes.contains(where: { $0.schemaID == schemaID }) { try addProbe(schemaID, db) }
    let sql = "SELECT type, name, tbl_name, sql FROM \(schemaID.schemaTableName)"
    let found = SchemaObjects(try db.lookUp(sql))
    objects[schemaID] = found
    return found
  }
}

extension Statement {
  /// Runs a statement to its end, and answers whether SQLite compiled it again.
  fileprivate func runNoticingRecompilation() throws -> Bool {
    try start()
    while try step() {}
    let isChanged = columnsAfterRecompilation() != nil
    finish()
    return isChanged
  }
}
