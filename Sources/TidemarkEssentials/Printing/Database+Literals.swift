// What takes SQL as text takes `SQL` literals, too.

extension SQL {
  /// The text, and the values of its parameters.
  ///
  /// ```swift
  /// let (sql, arguments) = try ("id = \(12)" as SQL).build(db)
  /// // "id = ?", [12]
  /// ```
  public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    // Most often there is nothing to print.
    if elements.count == 1, case .sql(let sql, let arguments) = elements[0] { return (sql, arguments) }
    var printer = SQLPrinter(db)
    try printer.print(self)
    return (printer.sql, printer.arguments)
  }
}

extension Database {
  /// Executes one or several statements.
  ///
  /// ```swift
  /// try db.execute(literal: "INSERT INTO book (title) VALUES (\(title))")
  /// ```
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// A new prepared statement, with its arguments set.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// A prepared statement that is kept, with its arguments set.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// All the statements of a text, with their arguments set.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments)
  }
}
