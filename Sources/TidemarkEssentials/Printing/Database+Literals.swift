// Methods that accept SQL text also accept `SQL` literals.

extension SQL {
  /// Returns the SQL text of the literal, with a question mark for each parameter, and the values of its parameters.
  ///
  /// ```swift
  /// let (sql, arguments) = try ("id = \(12)" as SQL).build(db)
  /// // "id = ?", [12]
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The SQL text and its arguments.
  /// - Throws: A ``DatabaseError`` if the literal contains a request that cannot be prepared, for example because its
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
  /// - Parameter sqlLiteral: The statements, separated by semicolons. Interpolated values become arguments.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// A new prepared statement, with its arguments set.
  ///
  /// The text may have parameters of its own, written `?`. All arguments are then given later:
  ///
  /// ```swift
  /// let statement = try db.makeStatement(literal: "INSERT INTO \(Book.self) (title, pages) VALUES (?, ?)")
  /// try statement.execute(arguments: ["Dune", 412])
  /// ```
  ///
  /// - Parameter sqlLiteral: The SQL.
  /// - Returns: The statement.
  /// - Throws: An error when the SQL does not compile.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    try statement.setArgumentsOfLiteral(arguments)
    return statement
  }

  /// A prepared statement that is kept, with its arguments set.
  ///
  /// The text may have parameters of its own, as in ``makeStatement(literal:)``.
  ///
  /// - Parameter sqlLiteral: The SQL.
  /// - Returns: The statement.
  /// - Throws: An error when the SQL does not compile.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    try statement.setArgumentsOfLiteral(arguments)
    return statement
  }

  /// All the statements of a text, with their arguments set.
  ///
  /// The text has values for all its parameters, or for none of them: the arguments of each statement are then given
  /// before it is executed.
  ///
  /// - Parameter sqlLiteral: The SQL.
  /// - Returns: A cursor of the statements.
  /// - Throws: An error of the database, or of a value that cannot be printed.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
  }
}
