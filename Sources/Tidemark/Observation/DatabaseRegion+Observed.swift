extension DatabaseRegion {
  /// What can be observed of the region: tables that exist. The tables of SQLite itself only change with the schema,
  /// which wakes everybody.
  func observed(in db: Database) throws -> DatabaseRegion {
    guard let tables else { return self }
    if tables.keys.allSatisfy({ !$0.isInternal }) { return self }
    return DatabaseRegion(tables: tables.filter { !$0.key.isInternal })
  }
}

extension TableKey {
  fileprivate var isInternal: Bool { name.utf8.starts(with: "sqlite_".utf8) }
}
