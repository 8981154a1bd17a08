import CSQLite

// What statements read.

extension Database {
  /// What a statement reads. The full database when it cannot be told.
  func region(ofStatement sql: String) -> DatabaseRegion {
    preconditionAccess()
    do {
      let reads = try compilation.reads { _ = try compile(sql, isInternal: true) }
      return try region(of: reads)
    } catch {
      // The schema has changed since, and the statement is not valid any more. When in doubt, widen.
      return .fullDatabase
    }
  }

  private func region(of reads: StatementReads) throws -> DatabaseRegion {
    var tables: [TableKey: TableRegion] = [:]
    for (table, columns) in reads.tables {
      // Without a name of database, all tables of that name may be meant.
      let databases = try table.database.map { [$0] } ?? databases(withTable: table.name)
      for database in databases {
        let key = TableKey(table.name, in: database)
        let region = TableRegion(columns: columns)
        tables[key] = tables[key]?.union(region) ?? region
      }
    }
    return DatabaseRegion(tables: tables)
  }

  /// The names of the databases that have a table of that name, views apart.
  private func databases(withTable name: String) throws -> [String] {
    let handle = try openHandle()
    let names = try ["main", "temp"] + (compilation.mayHaveAttachedDatabases ? attachedDatabaseNames() : [])
    return names.filter { handle.hasTable(name, in: $0) }
  }

  private func attachedDatabaseNames() throws -> [String] {
    try untraced {
      let statement = try compile("PRAGMA database_list", isInternal: true)
      try statement.start()
      defer { statement.finish() }
      var names: [String] = []
      while try statement.step() {
        guard let name = columnText(statement.sqliteStatement, 1) else {
          throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        names.append(name)
      }
      return names.filter { $0 != "main" && $0 != "temp" }
    }
  }
}

extension ConnectionHandle {
  /// Whether a database has a table of that name, views apart. C: `sqlite3_table_column_metadata`.
  fileprivate func hasTable(_ name: String, in database: String) -> Bool {
    sqlite3_table_column_metadata(pointer, database, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }
}
