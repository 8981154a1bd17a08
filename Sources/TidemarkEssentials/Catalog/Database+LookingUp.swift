// Access to the catalog.

extension Database {
  /// Returns the facts about the table or view with a name, or nil if it does not exist.
  ///
  /// The method returns the same object as long as the schema does not change.
  func catalogTable(_ name: String, in schemaName: String? = nil) throws -> CatalogTable? {
    let catalog = try freshCatalog()
    return try catalog.table(name, in: schemaName.map(schema(named:)), self)
  }

  /// Returns the facts about the table or view with a name.
  ///
  /// - Throws: `no such table` if it does not exist.
  func existingTable(_ name: String, in schemaName: String? = nil) throws -> CatalogTable {
    if let table = try catalogTable(name, in: schemaName) { return table }
    throw DatabaseError.noSuchTable(name)
  }

  /// Returns a number that changes with the schema. Values that were derived from the catalog are valid as long as it
  /// stays the same.
  func catalogGeneration() throws -> UInt { try freshCatalog().generation }

  /// Returns the columns of a key that matches at most one row, if the given columns contain such a key.
  func columnsForUniqueKey(_ columns: some Sequence<String>, in tableName: String) throws -> [String]? {
    try existingTable(tableName).columnsForUniqueKey(in: columns, self)
  }

  /// Returns the catalog, without facts that are no longer valid.
  func freshCatalog() throws -> Catalog {
    preconditionAccess()
    let catalog: Catalog = moduleState()
    try catalog.refresh(self)
    return catalog
  }

  // MARK: - Databases

  /// Returns the database with a name.
  ///
  /// - Throws: `no such schema` if it does not exist.
  func schema(named name: String) throws -> DatabaseSchemaID {
    let key = name.asciiLowercased
    for schemaID in [DatabaseSchemaID.main, .temp] where schemaID.name == key { return schemaID }
    if let schemaID = try attachedSchemas().first(where: { $0.name.asciiLowercased == key }) { return schemaID }
    throw DatabaseError(message: "no such schema: \(name)")
  }

  /// Returns the attached databases, in order.
  func attachedSchemas() throws -> [DatabaseSchemaID] {
    try lookUp("PRAGMA database_list").filter { $0["seq"] >= 2 }.map { .attached($0["name"]) }
  }

  // MARK: - Questions to SQLite

  /// Returns the rows of a query about the schema. The query is not traced, because the program did not execute it.
  func lookUp(_ sql: String) throws -> [Row] {
    try untraced { try Row.fetchAll(compile(sql, isInternal: true)) }
  }

  /// Returns the columns of a table; none if the table does not exist.
  func lookUpColumns(_ id: DatabaseObjectID) throws -> [ColumnInfo] {
    // SQL cannot represent such a name.
    if id.name.utf8.contains(0) { return [] }
    return try lookUp("PRAGMA \(id.schemaID.sql).table_xinfo(\(id.name.quotedDatabaseIdentifier))").map(ColumnInfo.init)
  }
}

extension DatabaseError {
  static func noSuchTable(_ name: String) -> DatabaseError { DatabaseError(message: "no such table: \(name)") }
}
