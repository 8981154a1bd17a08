extension DatabaseRegion {
  /// Returns the part of the region whose changes are observable: tables that exist, under the names with which they
  /// were created.
  ///
  /// Views store no rows. SQLite does not report changes of its internal tables. The schema tables change with the
  /// schema, which is reported to all observers. Other internal tables, such as `sqlite_sequence`, may change with any
  /// row.
  func observable(_ db: Database) throws -> DatabaseRegion {
    let readsUnreportedTable = tables?.keys.contains { $0.isOfSQLite && !$0.listsSchema } == true
    if readsUnreportedTable { return .fullDatabase }
    return try mapTables { table, region in
      if table.listsSchema { return (table, region) }
      guard let found = try db.catalogTable(table.name, in: table.database), found.kind != .view else { return nil }
      return (TableKey(found.name, in: found.id.schemaID.name), region)
    }
  }
}

extension TableKey {
  fileprivate var isOfSQLite: Bool { Database.isSQLiteInternalTable(name) }

  /// Whether this is a name of the schema table.
  fileprivate var listsSchema: Bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"].contains(name.asciiLowercased)
  }
}
