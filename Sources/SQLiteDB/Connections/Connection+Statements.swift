import Tidemark

extension Connection {
  /// Executes one or several statements.
  public func execute(_ SQL: String) throws {
    try perform { try $0.execute(sql: SQL) }
  }

  // MARK: Preparing

  /// Returns a statement, with values for its parameters if there are any.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, in the order of the parameters.
  /// - returns: The statement, which has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try prepare(statement, bindings)
  }

  /// Returns a statement, with values for its parameters if there are any.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, in the order of the parameters.
  /// - returns: The statement, which has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try compile(statement).bind(bindings)
  }

  /// Returns a statement, with values for its parameters, by their names.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, by the names of the parameters. Those that are not named are NULL.
  /// - returns: The statement, which has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try compile(statement).bind(bindings)
  }

  private func compile(_ sql: String) throws -> Statement {
    try perform { db in
      do {
        return Statement(self, try db.exclusiveStatement(sql: sql))
      } catch let error as DatabaseError where Database.isSeveralStatements(error) {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "one statement expected, several given: Connection.execute(_:) runs them all", sql: error.sql)
      }
    }
  }

  // MARK: Running

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try run(statement, bindings)
  }

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  // MARK: Values

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: (any Binding)?...) throws -> (any Binding)? {
    try scalar(statement, bindings)
  }

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  // MARK: Rows by name

  /// Returns the rows of some SQL, one after the other, whose columns are read by expression or by name.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, in the order of the parameters.
  /// - returns: An iterator, whose statement has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: (any Binding)?...) throws -> RowIterator {
    try prepareRowIterator(statement, bindings: bindings)
  }

  /// Returns the rows of some SQL, one after the other, whose columns are read by expression or by name.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, in the order of the parameters.
  /// - returns: An iterator, whose statement has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: [(any Binding)?]) throws -> RowIterator {
    RowIterator(statement: try prepare(statement, bindings), clauses: nil)
  }

  /// Returns the rows of some SQL, one after the other, whose columns are read by expression or by name.
  ///
  /// - parameter statement: One SQL statement.
  /// - parameter bindings: The values, by the names of the parameters. Those that are not named are NULL.
  /// - returns: An iterator, whose statement has not run yet.
  /// - throws: A `Result` when the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: [String: (any Binding)?]) throws -> RowIterator {
    RowIterator(statement: try prepare(statement, bindings), clauses: nil)
  }
}
