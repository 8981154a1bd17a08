import Tidemark

extension Connection {
  /// Returns the rows of a query, which runs with each iteration.
  ///
  /// ```swift
  /// for user in try db.prepare(users) { print(user[email]) }
  /// ```
  ///
  /// The query runs for the first time now, and its first 100 rows are read: their errors are thrown here. The first
  /// loop continues with these rows, unless the connection has changed them since. A loop reads one snapshot,
  /// regardless of other threads that use the connection.
  ///
  /// - Precondition: No later step fails: `prepareRowIterator(_:)` throws instead.
  /// - Parameter query: The query.
  /// - Returns: The rows.
  /// - Throws: A ``Result`` if the query is not valid, or if its first rows cannot be read.
  public func prepare(_ query: any QueryType) throws -> AnySequence<Row> {
    let clauses = query.clauses
    let statement = try statement(of: clauses)
    try statement.readAhead(clauses)
    return AnySequence {
      let rows = RowIterator(statement: statement.claimRows(), clauses: clauses)
      return AnyIterator { rows.next() }
    }
  }

  /// Returns an iterator over the rows of a query, which throws errors.
  ///
  /// ```swift
  /// let emails = try db.prepareRowIterator(users).map { $0[email] }
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The iterator.
  /// - Throws: A ``Result`` if the query is not valid.
  public func prepareRowIterator(_ query: any QueryType) throws -> RowIterator {
    RowIterator(statement: try statement(of: query.clauses), clauses: query.clauses)
  }

  private func statement(of clauses: QueryClauses) throws -> Statement {
    let select = clauses.select
    return try perform { db in
      Statement(self, try db.sharedStatement(sql: select.template), values: select.bindings.map { DatabaseValue($0) })
    }
  }

  /// Returns the first row of a query; nil if there is none.
  ///
  /// ```swift
  /// if let user = try db.pluck(users.filter(id == 1)) { print(user[email]) }
  /// ```
  ///
  /// - Parameter query: The query. It runs with `LIMIT 1`.
  /// - Returns: The row.
  /// - Throws: A ``Result`` if the query is not valid, or if the row cannot be read.
  public func pluck(_ query: any QueryType) throws -> Row? {
    try translated(query.expression) { try $0.pluck(query) }
  }

  /// Returns the single value of a query.
  ///
  /// ```swift
  /// let count = try db.scalar(users.count)
  /// let oldest = try db.scalar(users.select(age.max))
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the query returns no row, or if the value is NULL and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: ScalarQuery<T>) throws -> T {
    try translated(query.expression) { try $0.scalar(query) }
  }

  /// Returns the single value of a query.
  ///
  /// ```swift
  /// let isTaken = try db.scalar(users.filter(email == "alice@mac.com").exists)
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the query returns no row, or if the value is NULL and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: Select<T>) throws -> T {
    try translated(query.expression) { try $0.scalar(query) }
  }

  // MARK: Changes

  /// Runs an INSERT, and returns the row ID of the last inserted row; 0 if there was none.
  ///
  /// ```swift
  /// let rowid = try db.run(users.insert(email <- "alice@mac.com"))
  /// ```
  ///
  /// - Parameter query: The insertion.
  /// - Returns: The row ID.
  /// - Throws: A ``Result`` if the statement fails.
  @discardableResult
  public func run(_ query: Insert) throws -> Int64 { try translated(query.expression) { try $0.run(query) } }

  /// Runs an UPDATE, and returns the number of changed rows.
  ///
  /// ```swift
  /// let count = try db.run(users.filter(id == 1).update(name <- "Alice"))
  /// ```
  ///
  /// - Parameter query: The update.
  /// - Returns: The number of changed rows.
  /// - Throws: A ``Result`` if the statement fails.
  @discardableResult
  public func run(_ query: Update) throws -> Int { try translated(query.expression) { try $0.run(query) } }

  /// Runs a DELETE, and returns the number of deleted rows.
  ///
  /// ```swift
  /// let count = try db.run(users.filter(id == 1).delete())
  /// ```
  ///
  /// - Parameter query: The deletion.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``Result`` if the statement fails.
  @discardableResult
  public func run(_ query: Delete) throws -> Int { try translated(query.expression) { try $0.run(query) } }

  /// Runs a statement that changes rows, and returns its RETURNING rows.
  ///
  /// ```swift
  /// let deleted = try db.run(users.filter(!verified).delete().returning(id, email))
  /// ```
  ///
  /// - Parameter query: The statement.
  /// - Returns: One row for each inserted, updated or deleted row.
  /// - Throws: A ``Result`` if the statement fails.
  @discardableResult
  public func run(_ query: Returning) throws -> [Row] { try translated(query.expression) { try $0.run(query) } }

  /// Runs an operation. Its errors carry the statement, which is only looked up for an error.
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

  /// Returns the statement of an error; nil if it could not be compiled.
  private func failedStatement(_ error: DatabaseError, _ expression: SQLExpression<Void>, _ db: Database) -> Statement?
  {
    do {
      return Statement(
        self, try db.exclusiveStatement(sql: expression.template), values: expression.bindings.map { DatabaseValue($0) }
      )
    } catch {
      // The error of the compilation is the one to throw.
      return nil
    }
  }
}
