extension DatabaseRegion {
  /// Returns the part of the region whose changes are observable: tables that exist, under the names with which they
  /// were created.
  ///
  /// Views have no rows of their own. SQLite does not tell the changes of its own tables: those that list the schema
  /// change with it, which all are told who observe something; others, such as `sqlite_sequence`, may change with any
  /// row.
  func observable(_ db: Database) throws -> DatabaseRegion {
    let readsUntoldTable = tables?.keys.contains { $0.isOfSQLite && !$0.listsSchema } == true
    if readsUntoldTable { return .fullDatabase }
    return try mapTables { table, region in
      if table.listsSchema { return (table, region) }
      guard let found = try db.catalogTable(table.name, in: table.database), found.kind != .view else { return nil }
      return (TableKey(found.name, in: found.id.schemaID.name), region)
    }
  }
}

extension TableKey {
  fileprivate var isOfSQLite: Bool { Database.isSQLiteInternalTable(name) }

  /// Whether it is one of the names of the table that lists the schema.
  fileprivate var listsSchema: Bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"].contains(name.asciiLowercased)
  }
}
