public import Tidemark

// Typed queries inside an access to a database: of a queue, of a pool, of a connection.

extension Database {
  /// The rows of a query.
  ///
  /// ```swift
  /// let rows = try pool.read { db in try db.prepare(users.filter(id == 1)) }
  /// ```
  public func prepare(_ query: any QueryType) throws -> [Row] {
    try rows(of: query.clauses)
  }

  /// The first row of a query; nil where there is none.
  public func pluck(_ query: any QueryType) throws -> Row? {
    var clauses = query.clauses
    clauses.limit = .init(length: 1, offset: clauses.limit?.offset)
    return try rows(of: clauses, countMax: 1).first
  }

  /// The one value of a query.
  ///
  /// - throws: A `QueryError` when there is no row, or NULL, and the type is not optional.
  public func scalar<T: ExpressionDatatype>(_ query: ScalarQuery<T>) throws -> T {
    try value(of: query.clauses.select, column: query.clauses.columns.first?.template)
  }

  /// The one value of a query.
  ///
  /// - throws: A `QueryError` when there is no row, or NULL, and the type is not optional.
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

  /// The current row, and those after it.
  private func rows(_ layout: ResultRowLayout, _ statement: Tidemark.Statement, countMax: Int = .max) throws -> [Row] {
    var rows: [Row] = []
    repeat {
      rows.append(Row(layout: layout, values: try statement.values(count: layout.names.count)))
    } while try rows.count < countMax && statement.advance()
    return rows
  }

  // MARK: Changes

  /// Inserts, and answers the row id of the row that was inserted last; 0 when there was none.
  @discardableResult
  public func run(_ query: Insert) throws -> Int64 {
    if let row = query.row {
      try insert(row)
    } else {
      try change(query)
    }
    return changesCount == 0 ? 0 : lastInsertedRowID
  }

  /// Updates, and answers the number of rows that were changed.
  @discardableResult
  public func run(_ query: Update) throws -> Int {
    try change(query)
    return changesCount
  }

  /// Deletes, and answers the number of rows that were deleted.
  @discardableResult
  public func run(_ query: Delete) throws -> Int {
    try change(query)
    return changesCount
  }

  /// Changes rows, and answers what was asked of them.
  @discardableResult
  public func run(_ query: Returning) throws -> [Row] {
    try running(query.expression) { statement in
      guard try statement.advance() else { return [] }
      return try rows(ResultRowLayout.layout(of: query, statement), statement)
    }
  }

  private func insert(_ row: InsertedRow) throws {
    let text: InsertionText
    if let last = cachedPlan as? InsertionText, last.isText(of: row) {
      text = last
    } else {
      text = InsertionText(row)
      cachedPlan = text
    }
    let values = row.setters.map { setter in
      if case .value(let binding) = setter.content { DatabaseValue(binding) } else { DatabaseValue.null }
    }
    try running(template: text.sql, values: values) { while try $0.advance() {} }
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

  /// Runs a statement, and ends it whatever happens.
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
  /// The values of a statement are not as many as its parameters.
  static func valueCount(_ count: Int, given: Int, sql: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "\(count) value\(count == 1 ? "" : "s") expected, \(given) given",
      sql: sql)
  }
}
