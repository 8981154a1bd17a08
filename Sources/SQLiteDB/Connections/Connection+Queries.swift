import Tidemark

extension Connection {
  /// Returns the rows of a query, which runs each time that they are iterated.
  ///
  /// ```swift
  /// for user in try db.prepare(users) { print(user[email]) }
  /// ```
  ///
  /// The query runs for the first time now, and its first 100 rows are read: an error that they meet is thrown here.
  /// The first loop continues with these rows, unless the connection has changed them since. All rows of a loop are
  /// those of one moment, whatever other threads do with the connection.
  ///
  /// - precondition: No later step fails: `prepareRowIterator(_:)` throws instead.
  /// - parameter query: The query.
  /// - returns: The rows.
  /// - throws: A `Result` when the query is not valid, or when its first rows cannot be read.
  public func prepare(_ query: any QueryType) throws -> AnySequence<Row> {
    let clauses = query.clauses
    let statement = try statement(of: clauses)
    try statement.readAhead(clauses)
    return AnySequence {
      let rows = RowIterator(statement: statement.claimRows(), clauses: clauses)
      return AnyIterator { rows.next() }
    }
  }

  /// The rows of a query, one after the other, with errors that are thrown.
  public func prepareRowIterator(_ query: any QueryType) throws -> RowIterator {
    RowIterator(statement: try statement(of: query.clauses), clauses: query.clauses)
  }

  private func statement(of clauses: QueryClauses) throws -> Statement {
    let select = clauses.select
    return try perform { db in
      Statement(self, try db.sharedStatement(sql: select.template), values: select.bindings.map { DatabaseValue($0) })
    }
  }

  /// The first row of a query; nil where there is none.
  public func pluck(_ query: any QueryType) throws -> Row? {
    try translated(query.expression) { try $0.pluck(query) }
  }

  /// The one value of a query.
  ///
  /// - throws: A `QueryError` when there is no row, or NULL, and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: ScalarQuery<T>) throws -> T {
    try translated(query.expression) { try $0.scalar(query) }
  }

  /// The one value of a query.
  ///
  /// - throws: A `QueryError` when there is no row, or NULL, and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: Select<T>) throws -> T {
    try translated(query.expression) { try $0.scalar(query) }
  }

  // MARK: Changes

  /// Inserts, and answers the row id of the row that was inserted last; 0 when there was none.
  @discardableResult
  public func run(_ query: Insert) throws -> Int64 { try translated(query.expression) { try $0.run(query) } }

  /// Updates, and answers the number of rows that were changed.
  @discardableResult
  public func run(_ query: Update) throws -> Int { try translated(query.expression) { try $0.run(query) } }

  /// Deletes, and answers the number of rows that were deleted.
  @discardableResult
  public func run(_ query: Delete) throws -> Int { try translated(query.expression) { try $0.run(query) } }

  /// Changes rows, and answers what was asked of them.
  @discardableResult
  public func run(_ query: Returning) throws -> [Row] { try translated(query.expression) { try $0.run(query) } }

  /// An operation whose errors tell its statement, which is looked for when there is one.
  private func translated<T>(
    _ expression: @autoclosure () -> SQLExpression<Void>, _ body: (Database) throws -> T
  ) throws -> T {
    try access { db in
      do {
        return try body(db)
      } catch let error as DatabaseError {
        throw Result(
          error, usesExtendedCodes: usesExtendedErrorCodes, statement: failedStatement(error, expression(), db))
      }
    }
  }

  /// The statement of an error; nil when it could not even be compiled.
  private func failedStatement(_ error: DatabaseError, _ expression: SQLExpression<Void>, _ db: Database) -> Statement?
  {
    do {
      return Statement(
        self, try db.exclusiveStatement(sql: expression.template), values: expression.bindings.map { DatabaseValue($0) }
      )
    } catch {
      // That is the error which is told.
      return nil
    }
  }
}
