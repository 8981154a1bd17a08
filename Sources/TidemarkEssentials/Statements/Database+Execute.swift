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
  /// Positional arguments are dealt to the statements in order, named arguments are common to all. When
  /// there are too few or too many, nothing is executed.
  ///
  /// - throws: A `DatabaseError`. The statements before the one that failed have been executed.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
    preconditionAccess()
    if let statement = statements.statement(for: sql) {
      // With another number of arguments, the general way finds the words.
      if arguments.namedValues.isEmpty, arguments.values.count == statement.parameterCount {
        return try statement.availableStatement().runToEnd(arguments)
      }
    }
    var source = try SQLSource(sql)
    var next = try source.next(in: self, isPersistent: true)
    var statement = next.map { Statement(database: self, compiled: $0, isInternal: true) }
    try ArgumentCheck(sql).validate(arguments)
    var rest = arguments
    if let statement, let next, next.effects.isEmpty, source.isAtEnd { statements.insert(statement, for: sql) }
    while let current = statement {
      try current.runToEnd(rest.deal(to: current))
      next = try source.next(in: self, isPersistent: false)
      statement = next.map { Statement(database: self, compiled: $0, isInternal: true) }
    }
  }

  /// The row id of the last row that this connection inserted. C: `sqlite3_last_insert_rowid`.
  public var lastInsertedRowID: Int64 {
    preconditionAccess()
    return handle?.lastInsertedRowID ?? 0
  }

  /// The number of rows that the last statement changed, without the changes made by triggers and foreign
  /// keys. C: `sqlite3_changes`.
  public var changesCount: Int {
    preconditionAccess()
    return handle?.changesCount ?? 0
  }

  /// The number of rows that were changed since the connection was opened. C: `sqlite3_total_changes`.
  public var totalChangesCount: Int {
    preconditionAccess()
    return handle?.totalChangesCount ?? 0
  }
}

extension Database {
  /// The number of rows that the last statement changed: in a view, by its triggers, which SQLite counts in the total
  /// only.
  ///
  /// - parameter totalBefore: `totalChangesCount` before the statement.
  func changesCount(since totalBefore: Int, isOfView: Bool) -> Int {
    isOfView ? totalChangesCount - totalBefore : changesCount
  }
}

extension Statement {
  /// Executes the statement, with these arguments or those that were set before.
  ///
  /// Rows that the statement may produce are ignored.
  ///
  /// - throws: A `DatabaseError`, before anything is executed when the arguments do not fit.
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
  /// Takes the arguments of one statement among several: all names, and the positional values it needs.
  mutating func deal(to statement: Statement) throws -> StatementArguments {
    let values = try statement.values(takenFrom: &self)
    return StatementArguments(values: values)
  }
}
