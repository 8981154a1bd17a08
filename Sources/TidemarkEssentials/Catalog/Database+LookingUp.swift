// The ways into the catalog.

extension Database {
  /// What is known of the table or view of that name, or nil when there is none.
  ///
  /// The same object comes back as long as the schema does not change.
  func catalogTable(_ name: String, in schemaName: String? = nil) throws -> CatalogTable? {
    let catalog = try freshCatalog()
    return try catalog.table(name, in: schemaName.map(schema(named:)), self)
  }

  /// What is known of the table or view of that name.
  ///
  /// - throws: `no such table` when there is none.
  func existingTable(_ name: String, in schemaName: String? = nil) throws -> CatalogTable {
    if let table = try catalogTable(name, in: schemaName) { return table }
    throw DatabaseError.noSuchTable(name)
  }

  /// A number that changes with the schema: what was made of the catalog holds as long as it stays the same.
  func catalogGeneration() throws -> UInt { try freshCatalog().generation }

  /// The name of a table or view as it was created, or nil when there is none.
  func canonicalTableName(_ name: String) throws -> String? { try catalogTable(name)?.name }

  /// The columns of a key that identifies one row of the table at most, if the given columns contain such a key.
  func columnsForUniqueKey(_ columns: some Sequence<String>, in tableName: String) throws -> [String]? {
    try existingTable(tableName).columnsForUniqueKey(in: columns, self)
  }

  /// The catalog, without what does not hold any more.
  func freshCatalog() throws -> Catalog {
    preconditionAccess()
    let catalog: Catalog = part()
    try catalog.refresh(self)
    return catalog
  }

  // MARK: - Databases

  /// The database of that name.
  ///
  /// - throws: `no such schema` when there is none.
  func schema(named name: String) throws -> DatabaseSchemaID {
    let key = name.asciiLowercased
    for schemaID in [DatabaseSchemaID.main, .temp] where schemaID.name == key { return schemaID }
    if let schemaID = try attachedSchemas().first(where: { $0.name.asciiLowercased == key }) { return schemaID }
    throw DatabaseError(message: "no such schema: \(name)")
  }

  /// The databases that were attached, in order.
  func attachedSchemas() throws -> [DatabaseSchemaID] {
    try lookUp("PRAGMA database_list").filter { $0["seq"] >= 2 }.map { .attached($0["name"]) }
  }

  // MARK: - Questions to SQLite

  /// The rows of a question to SQLite that concerns the schema. It is not traced: nobody asked for it.
  func lookUp(_ sql: String) throws -> [Row] {
    try untraced { try Row.fetchAll(compile(sql, isInternal: true)) }
  }

  func lookUpColumns(_ id: DatabaseObjectID) throws -> [ColumnInfo] {
    try lookUp("PRAGMA \(id.schemaID.sql).table_xinfo(\(id.name.quotedDatabaseIdentifier))").map(ColumnInfo.init)
  }
}

extension DatabaseError {
  static func noSuchTable(_ name: String) -> DatabaseError { DatabaseError(message: "no such table: \(name)") }
}
