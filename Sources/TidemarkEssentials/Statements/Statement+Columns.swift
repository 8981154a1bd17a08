import CSQLite

// The columns of a statement. SQLite compiles a statement again when it is stepped and the schema has changed: until
// then it has the columns of before, and `SELECT *` may have others.

/// What a statement knows of its columns.
struct ColumnRecord {
  /// The columns that SQLite has for the statement, or nil before they were asked for.
  var compiled: ColumnNames?

  /// How many times SQLite had compiled the statement again when they were asked for.
  var recompilationCount: CInt = 0

  /// The schema for which the statement was compiled by the library; nil when the schema is not looked at.
  var generation: UInt?

  /// The columns of a later schema, that the next run will have.
  var later: (columns: ColumnNames, generation: UInt)?
}

extension Statement {
  /// The number of columns in the rows of the statement. C: `sqlite3_column_count`.
  ///
  /// It follows the schema, as ``columnNames`` does.
  public var columnCount: Int { currentColumns.count }

  /// The names of the columns, from left to right. C: `sqlite3_column_name`.
  ///
  /// They follow the schema, whoever changes it: those of `SELECT *` are the columns that the table has now. While the
  /// statement is stepped, they are those of its rows.
  public var columnNames: [String] { currentColumns.names }

  /// The leftmost column of that name. Case does not count.
  ///
  /// - Parameter columnName: The name of a column.
  /// - Returns: The index of the column, or nil when there is none.
  public func index(ofColumn columnName: String) -> Int? { currentColumns.index(of: columnName) }

  /// The columns that SQLite has for the statement, which may be those of an earlier schema until the first step.
  var columns: ColumnNames {
    if let compiled = columnRecord.compiled { return compiled }
    let columns = ColumnNames(
      (0..<sqlite3_column_count(sqliteStatement)).map { index in
        sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
      })
    columnRecord.compiled = columns
    return columns
  }

  /// Whether these are the columns, as far as is known.
  func isKnownToHave(_ columns: ColumnNames) -> Bool { columnRecord.compiled === columns }

  /// The columns, if SQLite has compiled the statement again since they were asked for.
  ///
  /// To be asked after the first step.
  func columnsAfterRecompilation() -> ColumnNames? {
    let count = recompilationCountOfSQLite
    if count == columnRecord.recompilationCount { return nil }
    columnRecord.recompilationCount = count
    columnRecord.compiled = nil
    return columns
  }

  /// How many times SQLite has compiled the statement again on its own. C: `sqlite3_stmt_status`.
  var recompilationCountOfSQLite: CInt { sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0) }

  /// The columns of the run that goes on, or else those that a run would have now.
  private var currentColumns: ColumnNames {
    if sqlite3_stmt_busy(sqliteStatement) != 0 { return columnsAfterRecompilation() ?? columns }
    // A statement without columns never gets some.
    guard database.isAccessible, let facts = database.schemaFacts, sqlite3_column_count(sqliteStatement) > 0 else {
      return columns
    }
    do {
      let generation = try facts.generation(database)
      if generation == columnRecord.generation { return columns }
      if let later = columnRecord.later, later.generation == generation { return later.columns }
      let columns = try database.compile(sql, isInternal: true).columns
      columnRecord.later = (columns, generation)
      return columns
    } catch {
      // The schema cannot be read now, or the statement is not valid any more: its next run throws that error.
      return columns
    }
  }
}
