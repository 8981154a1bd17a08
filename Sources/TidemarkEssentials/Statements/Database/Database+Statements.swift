import CSQLite

// Creating, caching and finalizing statements.

extension Database {
  /// Creates a prepared statement.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "SELECT * FROM book WHERE pages > ?")
  /// let books = try Book.fetchAll(statement, arguments: [500])
  /// ```
  ///
  /// - Parameter sql: A single statement.
  /// - Returns: A new statement.
  /// - Throws: A `DatabaseError` if the SQL does not compile, is empty, or contains several statements.
  public func makeStatement(sql: String) throws -> Statement {
    try compileWithCurrentSchema(sql, isInternal: false)
  }

  /// Returns a cached prepared statement for the SQL, and creates it if needed.
  ///
  /// ```swift
  /// let statement = try db.cachedStatement(sql: "UPDATE book SET pages = ? WHERE id = ?")
  /// try statement.execute(arguments: [412, 1])
  /// ```
  ///
  /// The library itself does not use the returned statement, so its arguments are stable. A statement whose execution
  /// failed is removed from the cache. An `EXPLAIN` is not cached, because SQLite would not adapt it to a new schema.
  ///
  /// - Parameter sql: A single statement.
  /// - Returns: A new or cached statement.
  /// - Throws: A `DatabaseError` if the SQL does not compile, is empty, or contains several statements.
  public func cachedStatement(sql: String) throws -> Statement {
    preconditionAccess()
    if let statement = caches.programStatements.statement(for: sql) { return statement }
    let statement = try compileWithCurrentSchema(sql, isInternal: false, isPersistent: true)
    if !statement.isExplanation { caches.programStatements.insert(statement, for: sql) }
    return statement
  }

  /// Returns a cached statement for internal use.
  func preparedStatement(sql: String) throws -> Statement {
    preconditionAccess()
    if let statement = caches.fetchStatements.statement(for: sql) { return statement }
    let statement = try compileWithCurrentSchema(sql, isInternal: true, isPersistent: true)
    // SQLite executes many pragmas during compilation. If such a statement were cached, its second run would have no
    // effect. A schema change that has nothing to do may have something to do later.
    let isRepeatable = !statement.effects.contains(.schemaOrPragma) || Self.pragmasReadingVersions.contains(sql)
    if isRepeatable, !statement.isExplanation, !statement.mayWriteUnnamed {
      caches.fetchStatements.insert(statement, for: sql)
    }
    return statement
  }

  /// Compiles a statement; an `EXPLAIN` with the current schema, even if another connection has changed it.
  ///
  /// SQLite compiles other statements again when they run, if the schema or the statistics have changed. It does not do
  /// this for an `EXPLAIN`. So these statements are not cached.
  private func compileWithCurrentSchema(
    _ sql: String, isInternal: Bool, isPersistent: Bool = false
  ) throws -> Statement {
    let statement = try compile(sql, isInternal: isInternal, isPersistent: isPersistent)
    guard statement.isExplanation else { return statement }
    // SQLite compares the schema when this statement runs, and reads it again if it has changed.
    _ = try internalRows("SELECT 1 FROM main.sqlite_master LIMIT 0")
    return try compile(sql, isInternal: isInternal, isPersistent: isPersistent)
  }

  /// Pragmas that SQLite executes when the statement runs. Fetches of live queries after external commits need them,
  /// and replicated writes.
  private static let pragmasReadingVersions = [
    "PRAGMA schema_version", "PRAGMA temp.schema_version", "PRAGMA data_version", "PRAGMA \"main\".user_version",
  ]

  /// Passes a statement to a closure of the program, which may run it. In any case, the statement is run exactly once
  /// and to its end.
  ///
  /// Other callers cannot get the statement during the call, so that its arguments do not change.
  ///
  /// - Parameter isRowNeeded: Whether the closure is called only if the statement returns a row.
  /// - Returns: The row ID of the row that the statement has inserted, if it is an insertion, even if the closure
  ///   inserts others; nil if the closure was not called.
  func passingStatement(
    sql: String, _ arguments: StatementArguments, isRowNeeded: Bool, _ body: (Statement) throws -> Void
  ) throws -> Int64? {
    preconditionAccess()
    let statement = try preparedStatement(sql: sql).availableStatement()
    statement.runState.isPassedToProgram = true
    defer { (statement.runState.isPassedToProgram, statement.runState.insertedRowID) = (false, nil) }
    do {
      try statement.setArguments(arguments)
      let isCalled = try !isRowNeeded || statement.startHoldingRow()
      if isCalled {
        try body(statement)
        // The closure has not run the statement, or has ignored its failure: fail again.
        if statement.runState.insertedRowID == nil, !statement.isRunning { try statement.start(arguments) }
      }
      if statement.isRunning {
        if try statement.stepToFirstRow() { while try statement.step() {} }
        statement.finish()
      }
      return isCalled ? statement.runState.insertedRowID : nil
    } catch {
      // The state of the statement is unknown.
      caches.fetchStatements.remove(statement)
      throw error
    }
  }

  /// Compiles one statement.
  func compile(_ sql: String, isInternal: Bool, isPersistent: Bool = false) throws -> Statement {
    preconditionAccess()
    var source = try SQLSource(sql)
    let next =
      isInternal
      ? try source.next(in: self, isPersistent: isPersistent)
      : try compileNext(of: &source, isPersistent: isPersistent)
    guard let compiled = next else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql.trimmedSQLStatement)
    }
    let statement = Statement(database: self, compiled: compiled, isInternal: isInternal)
    guard source.isAtEnd else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: Self.severalStatementsMessage,
        sql: sql.trimmedSQLStatement)
    }
    return statement
  }

  static var severalStatementsMessage: String {
    """
    Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
    Database.allStatements(sql:) instead.
    """
  }

  // MARK: - Ends and errors

  /// Performs the work that was deferred until the end of a statement.
  ///
  /// - Parameter error: The error of the statement, if it failed.
  func workAfterStatement(_ error: DatabaseError?) {
    if transaction.ending != .none { capture.changeObserver?.transactionMayHaveEnded(on: self, after: error) }
    guard isInAutocommitMode, !transactionWork.isDeferred, let work = transactionWork.betweenTransactions else {
      return
    }
    transactionWork.betweenTransactions = nil
    work(self)
  }

  /// Finalizes a statement, now or in the next access. It is deferred if another thread may be using the connection.
  ///
  /// - Parameter arguments: The arguments, which SQLite may read until the statement is finalized.
  func finalize(_ statement: SQLiteStatement, isRunning: Bool, keeping arguments: Statement.ArgumentState) {
    // After `fork`, the connection belongs to the parent process.
    if settings.health.isInherited { return }
    if handle != nil, isAccessible {
      sqlite3_finalize(statement)
      if isRunning { access.runningStatementCount -= 1 }
    } else {
      deferredReleases.addFinalization(of: statement, isRunning: isRunning, keeping: arguments)
    }
  }

  /// Returns the error of a failed step.
  func error(_ code: CInt, of statement: Statement) -> DatabaseError {
    DatabaseError(
      code: code, connection: handle?.pointer, sql: statement.sql, arguments: statement.argumentState.current,
      publicStatementArguments: settings.publicStatementArguments)
  }
}

extension Statement {
  /// Returns another statement with the same SQL and arguments.
  func copy() throws -> Statement {
    let copy = try database.compile(sql, isInternal: isInternal)
    copy.argumentState.current = argumentState.current
    copy.argumentState.areChecked = argumentState.areChecked
    copy.cachedRowPlan = cachedRowPlan
    return copy
  }

  /// Returns the error of the connection if SQLite could not allocate memory for a value.
  func outOfMemoryError() -> DatabaseError? {
    guard let connection = database.handle?.pointer, sqlite3_errcode(connection) == SQLITE_NOMEM else { return nil }
    return database.error(SQLITE_NOMEM, of: self)
  }
}
