extension DatabaseRegion {
  /// The part of the region whose changes are told: tables that exist, under the names with which they were created.
  ///
  /// Views have no rows of their own, and the tables of SQLite change in its own way.
  func observable(_ db: Database) throws -> DatabaseRegion {
    try mapTables { table, region in
      if Database.isSQLiteInternalTable(table.name) { return nil }
      guard let found = try db.catalogTable(table.name, in: table.database), found.kind != .view else { return nil }
      return (TableKey(found.name, in: found.id.schemaID.name), region)
    }
  }
}
