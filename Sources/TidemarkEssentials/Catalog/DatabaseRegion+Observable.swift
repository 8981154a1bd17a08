extension DatabaseRegion {
  /// Returns the part of the region whose changes are observable: tables that exist, under the names with which they
  /// were created.
  ///
  /// Views have no rows of their own, and SQLite does not report changes of its internal tables.
  func observable(_ db: Database) throws -> DatabaseRegion {
    try mapTables { table, region in
      if Database.isSQLiteInternalTable(table.name) { return nil }
      guard let found = try db.catalogTable(table.name, in: table.database), found.kind != .view else { return nil }
      return (TableKey(found.name, in: found.id.schemaID.name), region)
    }
  }
}
