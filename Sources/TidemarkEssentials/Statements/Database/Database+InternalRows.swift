import CSQLite

// The rows of statements of the library itself, and the databases and tables of a connection.

extension Database {
  /// Returns the names of all databases, in the order of their numbers in SQLite.
  func databaseNames() throws -> [String] {
    if !compilation.mayHaveAttachedDatabases { return ["main", "temp"] }
    let rows = try internalRows("PRAGMA database_list")
    let attached = rows.compactMap { row -> String? in
      guard case .int64(let number) = row[0].storage, number >= 2, case .string(let name) = row[1].storage else {
        return nil
      }
      return name
    }
    return ["main", "temp"] + attached
  }

  /// Returns the rows of an internal statement, which is not traced.
  func internalRows(_ sql: String, _ arguments: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
    try internalRows(sql, arguments.isEmpty ? nil : StatementArguments(values: arguments))
  }

  /// Returns the rows of an internal statement with the arguments of another statement.
  ///
  /// - Parameter isFrequent: Whether the statement is kept for the next time, if this is possible.
  func internalRows(
    _ sql: String, _ arguments: StatementArguments?, isFrequent: Bool = false
  ) throws -> [[DatabaseValue]] {
    try untraced {
      let statement =
        try isFrequent ? preparedStatement(sql: sql).availableStatement() : compile(sql, isInternal: true)
      statement.argumentState.areChecked = false
      try statement.start(arguments)
      defer { statement.finish() }
      let columns = 0..<sqlite3_column_count(statement.sqliteStatement)
      var rows: [[DatabaseValue]] = []
      while try statement.step() {
        rows.append(
          try columns.map { column in
            guard let value = DatabaseValue.readWithoutRefusal(statement.sqliteStatement, column) else {
              throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            return value
          })
      }
      return rows
    }
  }
}

extension ConnectionHandle {
  /// Returns whether a database has a table of the given name. Views are left out. C: `sqlite3_table_column_metadata`.
  func hasTable(_ name: String, in database: String) -> Bool {
    sqlite3_table_column_metadata(pointer, database, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// Returns the collation of a column; nil if the column does not exist. C: `sqlite3_table_column_metadata`.
  func collation(ofColumn column: String, in table: TableKey) -> String? {
    var collation: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      pointer, table.database, table.name, column, nil, &collation, nil, nil, nil)
    return code == SQLITE_OK ? collation.map { String(cString: $0) } : nil
  }
}
