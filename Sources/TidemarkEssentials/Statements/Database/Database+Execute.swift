extension Database {
  /// Executes one or several statements.
  ///
  /// ```swift
  /// try db.execute(
  ///   sql: "INSERT INTO book (title, pages) VALUES (:title, :pages)",
  ///   arguments: ["title": "Dune", "pages": 412])
  ///
  /// try db.execute(sql: """
  ///   CREATE TABLE author (id INTEGER PRIMARY KEY);
  ///   INSERT INTO author VALUES (?);
  ///   INSERT INTO author VALUES (?);
  ///   """, arguments: [1, 2])
  /// ```
  ///
  /// Positional arguments are distributed to the statements in order. Named arguments are available to all statements.
  /// If the number of arguments does not match, no statement is executed.
  ///
  /// - Parameter sql: One or more statements, separated by semicolons.
  /// - Parameter arguments: The arguments of the statements.
  /// - Throws: A `DatabaseError`. Statements before the failed one have been executed.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
    preconditionAccess()
    if let statement = caches.fetchStatements.statement(for: sql) {
      // The general path reports a wrong number of arguments.
      if arguments.namedValues.isEmpty, arguments.values.count == statement.parameterCount {
        return try statement.availableStatement().runToEnd(arguments)
      }
    }
    var source = try SQLSource(sql)
    var next = try compileNext(of: &source, isPersistent: true)
    var statement = next.map { Statement(database: self, compiled: $0, isInternal: true) }
    try ArgumentCheck(sql).validate(arguments)
    var rest = arguments
    if let statement, statement.effects.isEmpty, !statement.isExplanation, !statement.mayWriteUnnamed, source.isAtEnd {
      caches.fetchStatements.insert(statement, for: sql)
    }
    while let current = statement {
      try current.runToEnd(rest.takeArguments(for: current))
      next = try compileNext(of: &source, isPersistent: false)
      statement = next.map { Statement(database: self, compiled: $0, isInternal: true) }
    }
  }

  /// The row ID of the last row inserted by this connection. C: `sqlite3_last_insert_rowid`.
  public var lastInsertedRowID: Int64 {
    preconditionAccess()
    return handle?.lastInsertedRowID ?? 0
  }

  /// The number of rows changed by the last statement, without changes made by triggers and foreign key actions. C:
  /// `sqlite3_changes`.
  public var changesCount: Int {
    preconditionAccess()
    return capture.recordedChanges.countBefore ?? handle?.changesCount ?? 0
  }

  /// The number of rows changed since the connection was opened. C: `sqlite3_total_changes`.
  public var totalChangesCount: Int {
    preconditionAccess()
    return (handle?.totalChangesCount ?? 0) - capture.recordedChanges.total
  }
}

extension Database {
  /// Returns the number of rows changed by the last statement. Changes to a view are made by its triggers, which SQLite
  /// counts in the total only.
  ///
  /// - Parameter totalBefore: The value of `totalChangesCount` before the statement.
  func changesCount(since totalBefore: Int, isOfView: Bool) -> Int {
    isOfView ? totalChangesCount - totalBefore : changesCount
  }
}

extension Statement {
  /// Executes the statement. Rows that it returns are ignored.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "INSERT INTO book (title, pages) VALUES (?, ?)")
  /// try statement.execute(arguments: ["Dune", 412])
  /// ```
  ///
  /// - Parameter arguments: The arguments, or nil to keep the current arguments.
  /// - Throws: A `DatabaseError`. If the arguments do not match the parameters, the statement is not executed.
  public func execute(arguments: StatementArguments? = nil) throws {
    try availableStatement().runToEnd(arguments)
  }

  func runToEnd(_ arguments: StatementArguments?) throws {
    try start(arguments)
    if try stepToFirstRow() { while try step() {} }
    finish()
  }
}

extension StatementArguments {
  /// Removes and returns the arguments of one of several statements: all named values, and as many positional values as
  /// it has parameters.
  mutating func takeArguments(for statement: Statement) throws -> StatementArguments {
    let values = try statement.values(takenFrom: &self)
    return StatementArguments(values: values)
  }
}
