public import Tidemark

// Typed queries inside an access of a queue, a pool or a connection.

extension Database {
  /// Returns the rows of a query.
  ///
  /// ```swift
  /// let rows = try await pool.read { db in try db.prepare(users.filter(id == 1)) }
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The rows.
  /// - Throws: A `DatabaseError` if the query fails.
  public func prepare(_ query: any QueryType) throws -> [Row] {
    try rows(of: query.clauses)
  }

  /// Returns the first row of a query; nil if there is none.
  ///
  /// ```swift
  /// let user = try await pool.read { db in try db.pluck(users.filter(id == 1)) }
  /// ```
  ///
  /// - Parameter query: The query. It runs with `LIMIT 1`.
  /// - Returns: The row.
  /// - Throws: A `DatabaseError` if the query fails.
  public func pluck(_ query: any QueryType) throws -> Row? {
    try rows(of: query.clauses.firstRow, countMax: 1).first
  }

  /// Returns the single value of a query.
  ///
  /// ```swift
  /// let count = try await pool.read { db in try db.scalar(users.count) }
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the query returns no row, or if the value is NULL and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: ScalarQuery<T>) throws -> T {
    try value(of: query.clauses.select, column: query.clauses.columns.first?.template)
  }

  /// Returns the single value of a query.
  ///
  /// ```swift
  /// let isEmpty = try await pool.read { db in try !db.scalar(users.exists) }
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the query returns no row, or if the value is NULL and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: Select<T>) throws -> T {
    try value(of: query.expression, column: nil)
  }

  private func value<T: ExpressionDatatype>(of select: SQLExpression<Void>, column: String?) throws -> T {
    let stored = try running(select) { statement in
      try statement.advance() ? statement.value(at: 0) : .null
    }
    if let value = try T._from(stored: stored) { return value }
    throw QueryError.unexpectedNullValue(name: column ?? select.template)
  }

  private func rows(of clauses: QueryClauses, countMax: Int = .max) throws -> [Row] {
    try running(clauses.select) { statement in
      guard try statement.advance() else { return [] }
      let layout = try ResultRowLayout.layout(of: clauses, statement, self)
      return try rows(layout, statement, countMax: countMax)
    }
  }

  /// Returns the current row, and the rows after it.
  private func rows(_ layout: ResultRowLayout, _ statement: Tidemark.Statement, countMax: Int = .max) throws -> [Row] {
    var rows: [Row] = []
    repeat {
      rows.append(Row(layout: layout, values: try statement.values(count: layout.names.count)))
    } while try rows.count < countMax && statement.advance()
    return rows
  }

  // MARK: Changes

  /// Runs an INSERT, and returns the row ID of the last inserted row; 0 if there was none.
  ///
  /// ```swift
  /// let rowid = try await pool.write { db in try db.run(users.insert(email <- "alice@mac.com")) }
  /// ```
  ///
  /// - Parameter query: The insertion.
  /// - Returns: The row ID.
  /// - Throws: A `DatabaseError` if the statement fails.
  @discardableResult
  public func run(_ query: Insert) throws -> Int64 {
    if let row = query.row {
      try insert(row)
    } else {
      try change(query)
    }
    return changesCount == 0 ? 0 : lastInsertedRowID
  }

  /// Runs an UPDATE, and returns the number of changed rows.
  ///
  /// ```swift
  /// let count = try await pool.write { db in try db.run(users.filter(id == 1).update(name <- "Alice")) }
  /// ```
  ///
  /// - Parameter query: The update.
  /// - Returns: The number of changed rows.
  /// - Throws: A `DatabaseError` if the statement fails.
  @discardableResult
  public func run(_ query: Update) throws -> Int {
    try change(query)
    return changesCount
  }

  /// Runs a DELETE, and returns the number of deleted rows.
  ///
  /// ```swift
  /// let count = try await pool.write { db in try db.run(users.filter(id == 1).delete()) }
  /// ```
  ///
  /// - Parameter query: The deletion.
  /// - Returns: The number of deleted rows.
  /// - Throws: A `DatabaseError` if the statement fails.
  @discardableResult
  public func run(_ query: Delete) throws -> Int {
    try change(query)
    return changesCount
  }

  /// Runs a statement that changes rows, and returns its RETURNING rows.
  ///
  /// ```swift
  /// let rows = try await pool.write { db in try db.run(users.filter(!verified).delete().returning(email)) }
  /// ```
  ///
  /// - Parameter query: The statement.
  /// - Returns: One row for each inserted, updated or deleted row.
  /// - Throws: A `DatabaseError` if the statement fails.
  @discardableResult
  public func run(_ query: Returning) throws -> [Row] {
    try running(query.expression) { statement in
      guard try statement.advance() else { return [] }
      return try rows(ResultRowLayout.layout(of: query, statement), statement)
    }
  }

  private func insert(_ row: InsertedRow) throws {
    let text: InsertionText
    if let last = dialect.cachedPlan as? InsertionText, last.isText(of: row) {
      text = last
    } else {
      text = InsertionText(row)
      dialect.cachedPlan = text
    }
    try running(template: text.sql, values: row.values) { while try $0.advance() {} }
  }

  private func change(_ query: some ExpressionType) throws {
    try running(template: query.template, query.bindings) { while try $0.advance() {} }
  }

  // MARK: Running

  private func running<T>(
    _ expression: SQLExpression<Void>, _ body: (Tidemark.Statement) throws -> T
  ) throws -> T {
    try running(template: expression.template, expression.bindings, body)
  }

  private func running<T>(
    template: String, _ bindings: [(any Binding)?], _ body: (Tidemark.Statement) throws -> T
  ) throws -> T {
    try running(template: template, values: bindings.map { DatabaseValue($0) }, body)
  }

  /// Runs a statement, and ends its run even if the closure throws.
  private func running<T>(
    template: String, values: [DatabaseValue], _ body: (Tidemark.Statement) throws -> T
  ) throws -> T {
    let statement = try sharedStatement(sql: template)
    guard values.count == statement.parameterTotal else {
      throw DatabaseError.valueCount(statement.parameterTotal, given: values.count, sql: template)
    }
    try statement.begin(values)
    let run = statement.runNumber
    defer { statement.endRun(run) }
    return try body(statement)
  }
}

extension DatabaseError {
  /// Returns the error of a statement whose arguments do not match its parameters.
  static func valueCount(_ count: Int, given: Int, sql: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "\(count) value\(count == 1 ? "" : "s") expected, \(given) given",
      sql: sql)
  }
}
