import CSQLite

// The columns of a statement. After a schema change, SQLite recompiles a statement at its next step. Until then, SQLite
// reports the old columns, and `SELECT *` may have others.

/// The cached columns of a statement.
struct ColumnRecord {
  /// The columns reported by SQLite; nil before the first request.
  var compiled: ColumnNames?

  /// The recompilation count of SQLite when the columns were requested.
  var recompilationCount: CInt = 0

  /// The schema generation for which the library compiled the statement; nil if it does not track the schema.
  var generation: UInt?

  /// The columns that the next run will have, for a newer schema.
  var later: (columns: ColumnNames, generation: UInt)?
}

extension Statement {
  /// The number of columns of the result. C: `sqlite3_column_count`.
  ///
  /// It reflects schema changes, like ``columnNames``.
  public var columnCount: Int { currentColumns.count }

  /// The names of the columns, from left to right. C: `sqlite3_column_name`.
  ///
  /// They reflect schema changes made by any connection: for `SELECT *`, they are the current columns of the table.
  /// While the statement is running, they are the columns of its rows.
  public var columnNames: [String] { currentColumns.names }

  /// Returns the index of the leftmost column with a name. Column names are case-insensitive.
  ///
  /// - Parameter columnName: The name of a column.
  /// - Returns: The index of the column, or nil if it does not exist.
  public func index(ofColumn columnName: String) -> Int? { currentColumns.index(of: columnName) }

  /// The columns reported by SQLite. Before the first step, they may belong to an earlier schema.
  var columns: ColumnNames {
    if let compiled = cached.columns.compiled { return compiled }
    let columns = ColumnNames(
      (0..<sqlite3_column_count(sqliteStatement)).map { index in
        sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
      })
    cached.columns.compiled = columns
    return columns
  }

  /// Returns whether these are the columns, according to the cache.
  func isKnownToHave(_ columns: ColumnNames) -> Bool { cached.columns.compiled === columns }

  /// Returns the columns if SQLite has recompiled the statement since they were cached.
  ///
  /// Call it after the first step.
  func columnsAfterRecompilation() -> ColumnNames? {
    let count = recompilationCountOfSQLite
    if count == cached.columns.recompilationCount { return nil }
    cached.columns.recompilationCount = count
    cached.columns.compiled = nil
    return columns
  }

  /// The number of recompilations by SQLite. C: `sqlite3_stmt_status`.
  var recompilationCountOfSQLite: CInt { sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0) }

  /// The value of a column in the current row, if the row contains it under its own name, which is in lower case.
  func currentValue(ofColumnNamed name: String) -> DatabaseValue? {
    // Searched in the row itself: SQLite may have compiled the statement again.
    for index in 0..<sqlite3_column_count(sqliteStatement) {
      guard let text = sqlite3_column_name(sqliteStatement, index) else { return nil }
      if String(cString: text).asciiLowercased == name { return DatabaseValue.read(sqliteStatement, index) }
    }
    return nil
  }

  /// The columns of the current run. If the statement is not running, the columns of a run that would start now.
  private var currentColumns: ColumnNames {
    if sqlite3_stmt_busy(sqliteStatement) != 0 { return columnsAfterRecompilation() ?? columns }
    // A statement without columns does not get columns by recompilation.
    guard database.isAccessible, let generations = database.schema.generations,
      sqlite3_column_count(sqliteStatement) > 0
    else { return columns }
    do {
      let generation = try generations.current(database)
      if generation == cached.columns.generation { return columns }
      if let later = cached.columns.later, later.generation == generation { return later.columns }
      let columns = try database.compile(sql, isInternal: true).columns
      cached.columns.later = (columns, generation)
      return columns
    } catch {
      // The schema cannot be read, or the statement is no longer valid: its next run throws that error.
      return columns
    }
  }
}
