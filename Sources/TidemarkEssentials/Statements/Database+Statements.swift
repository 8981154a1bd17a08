import CSQLite

// Making statements.

extension Database {
  /// A new prepared statement.
  ///
  /// - throws: An error when the SQL does not compile, is empty, or has several statements.
  public func makeStatement(sql: String) throws -> Statement {
    try compile(sql, isInternal: false)
  }

  /// A prepared statement that is kept, and given again for the same SQL.
  ///
  /// ```swift
  /// let statement = try db.cachedStatement(sql: "UPDATE book SET pages = ? WHERE id = ?")
  /// ```
  ///
  /// The statement is the program's: nobody else changes its arguments. A statement that failed is not
  /// given again.
  public func cachedStatement(sql: String) throws -> Statement {
    preconditionAccess()
    if let statement = publicStatements.statement(for: sql) { return statement }
    let statement = try compile(sql, isInternal: false, isPersistent: true)
    publicStatements.insert(statement, for: sql)
    return statement
  }

  /// A statement of the library, kept for its next use.
  func preparedStatement(sql: String) throws -> Statement {
    preconditionAccess()
    if let statement = statements.statement(for: sql) { return statement }
    let statement = try compile(sql, isInternal: true, isPersistent: true)
    // Many pragmas are carried out by the compiler: one that is kept would do nothing the second time.
    if !statement.effects.contains(.schemaOrPragma) { statements.insert(statement, for: sql) }
    return statement
  }

  /// Lends a statement to a closure of the program, which may run it or not. Whatever it does, the statement is run
  /// once, and to its end.
  ///
  /// Nobody else gets the statement meanwhile: its arguments stay what they are.
  ///
  /// - parameter isRowNeeded: Whether the closure is called only when there is a row.
  /// - returns: Whether the closure was called.
  func lendingStatement(
    sql: String, _ arguments: StatementArguments, isRowNeeded: Bool, _ body: (Statement) throws -> Void
  ) throws -> Bool {
    preconditionAccess()
    let statement = try preparedStatement(sql: sql).availableStatement()
    statement.isLent = true
    defer { statement.isLent = false }
    do {
      try statement.setArguments(arguments)
      let isCalled = try !isRowNeeded || statement.startHoldingRow()
      if isCalled {
        let run = statement.run
        try body(statement)
        if statement.run == run { try statement.start() }
      }
      if statement.isRunning {
        while try statement.step() {}
        statement.finish()
      }
      return isCalled
    } catch {
      // Nobody knows what became of it.
      statements.remove(statement)
      throw error
    }
  }

  /// Compiles one statement.
  func compile(_ sql: String, isInternal: Bool, isPersistent: Bool = false) throws -> Statement {
    preconditionAccess()
    var source = try SQLSource(sql)
    guard let compiled = try source.next(in: self, isPersistent: isPersistent) else {
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

  /// Does what was put off until a statement has ended.
  ///
  /// - parameter error: That of the statement, if it failed.
  func workAfterStatement(_ error: DatabaseError?) {
    if callbacks.hasTransactionEnded { executionObserver?.transactionMayHaveEnded(after: error) }
    guard isInAutocommitMode, !defersWork, let work = workBetweenTransactions else { return }
    workBetweenTransactions = nil
    work(self)
  }

  /// Frees a statement now, or at the next access when somebody else may be using the connection.
  ///
  /// - parameter arguments: What SQLite may look at until then.
  func finalize(_ statement: SQLiteStatement, isRunning: Bool, keeping arguments: ArgumentBytes) {
    // In a child made by fork() it belongs to the parent.
    if settings.health.isInherited { return }
    if handle != nil, isAccessible {
      sqlite3_finalize(statement)
      if isRunning { runningCount -= 1 }
    } else {
      deferredReleases.addFinalization(of: statement, isRunning: isRunning, keeping: arguments)
    }
  }

  /// The error of a failed step.
  func error(_ code: CInt, of statement: Statement) -> DatabaseError {
    DatabaseError(
      code: code, connection: handle?.pointer, sql: statement.sql, arguments: statement.currentArguments,
      publicStatementArguments: settings.publicStatementArguments)
  }
}

extension Statement {
  /// Another statement of the same text and arguments.
  func copy() throws -> Statement {
    let copy = try database.compile(sql, isInternal: isInternal)
    copy.currentArguments = currentArguments
    copy.checksArguments = checksArguments
    copy.cachedRowPlan = cachedRowPlan
    return copy
  }

  /// The error of SQLite that had no memory to give a value, if that was its last failure.
  func outOfMemoryError() -> DatabaseError? {
    guard let connection = database.handle?.pointer, sqlite3_errcode(connection) == SQLITE_NOMEM else { return nil }
    return database.error(SQLITE_NOMEM, of: self)
  }
}
