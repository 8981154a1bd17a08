// Methods that accept SQL text also accept `SQL` literals.

extension SQL {
  /// Returns the SQL text of the literal, with placeholders, and the values of its parameters.
  ///
  /// ```swift
  /// let (sql, arguments) = try ("id = \(12)" as SQL).build(db)
  /// // "id = ?", [12]
  /// ```
  ///
  /// - parameter db: A database connection.
  /// - returns: The SQL text and its arguments.
  /// - throws: A ``DatabaseError`` if the literal contains a request that cannot be prepared, for example because its
  ///   table does not exist.
  public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    // Most literals consist of text only.
    if elements.count == 1, case .sql(let sql, let arguments) = elements[0] { return (sql, arguments) }
    var printer = SQLPrinter(db)
    try printer.print(self)
    return (printer.sql, printer.arguments)
  }
}

extension Database {
  /// Executes one or several SQL statements.
  ///
  /// ```swift
  /// try db.execute(literal: "INSERT INTO book (title) VALUES (\(title))")
  /// ```
  ///
  /// If a statement fails, the following statements do not run. The effects of previous statements remain, unless the
  /// transaction is rolled back.
  ///
  /// - parameter sqlLiteral: The statements, separated by semicolons. Interpolated values become arguments.
  /// - throws: A ``DatabaseError`` if SQLite fails.
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// Returns a new prepared statement, with its arguments set.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(literal: "SELECT title FROM book WHERE pages > \(100)")
  /// let titles = try String.fetchAll(statement)
  /// ```
  ///
  /// - parameter sqlLiteral: A single statement. Interpolated values become arguments.
  /// - returns: A statement that the caller owns.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// Returns a prepared statement from the statement cache of the connection, with its arguments set.
  ///
  /// ```swift
  /// let statement = try db.cachedStatement(literal: "SELECT title FROM book WHERE pages > \(100)")
  /// let titles = try String.fetchAll(statement)
  /// ```
  ///
  /// If the cache contains no statement with the same SQL, the statement is compiled and cached.
  ///
  /// - parameter sqlLiteral: A single statement. Interpolated values become arguments.
  /// - returns: A statement that other callers of this method can share.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// Returns a cursor over all statements of an SQL literal, with their arguments set.
  ///
  /// ```swift
  /// let statements = try db.allStatements(literal: "DELETE FROM book; INSERT INTO book (title) VALUES (\(title))")
  /// while let statement = try statements.next() {
  ///   try statement.execute()
  /// }
  /// ```
  ///
  /// Each statement is compiled when the cursor reaches it, so it can depend on the previous ones.
  ///
  /// - parameter sqlLiteral: The statements, separated by semicolons. Interpolated values become arguments.
  /// - returns: A cursor over the statements.
  /// - throws: A ``DatabaseError`` if the literal contains a request that cannot be prepared.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments)
  }
}
