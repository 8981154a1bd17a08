// Statements that change all the rows of a request.

/// What a statement does with the rows of a request.
enum BatchOperation {
  case delete
  case update([ColumnAssignment], Database.ConflictResolution)

  fileprivate var name: String {
    switch self {
    case .delete: "delete"
    case .update: "update"
    }
  }
}

extension Database {
  /// The statement that changes the rows of a query, with its arguments.
  func makeBatch(
    _ operation: BatchOperation, _ relation: SQLRelation, returning selection: [any SQLSelectable] = []
  ) throws -> PreparedRequest {
    let query = try targets(of: operation, SQLQuery(relation, self))
    let selection = selection.map(\.sqlSelection)
    var printer = SQLPrinter(self)
    switch operation {
    case .delete: try printer.print(deleting: query, returning: selection)
    case .update(let assignments, let resolution):
      try printer.print(updating: query, assignments, onConflict: resolution, returning: selection)
    }
    let statement = try preparedStatement(sql: printer.sql)
    return PreparedRequest(statement: statement, arguments: printer.arguments, adapter: nil)
  }

  /// The query with nothing but filters, orders and limits, which are all that `DELETE` and `UPDATE` know.
  private func targets(of operation: BatchOperation, _ query: SQLQuery) throws -> SQLQuery {
    if query.grouping.isEmpty && query.having == nil { return query }
    let table = query.source.tableName
    let names = query.grouping.compactMap { expression -> String? in
      if case .column(let name, _) = expression.node { name } else { nil }
    }
    guard names.count == query.grouping.count, try columnsForUniqueKey(names, in: table) != nil else {
      preconditionFailure("Can't \(operation.name) query with GROUP BY clause")
    }
    // A row is found by its key, or by its row id when the key has several columns.
    let key = try primaryKey(table).columns
    let columns = try key.count == 1 ? key : cheapestKeyColumns(of: table)
    var inner = query
    inner.selection = columns.map { .expression(.column($0)) }
    if inner.limit == nil { inner.ordering = [] }
    var outer = query
    outer.filter = .operation(.isFound(.relation(SQLRelation(inner))), .rowValue(columns))
    (outer.grouping, outer.having, outer.ordering, outer.limit) = ([], nil, [], nil)
    return outer
  }
}

extension SQLExpression {
  /// A column, or several between parentheses.
  fileprivate static func rowValue(_ columns: [String]) -> SQLExpression {
    if columns.count == 1 { return .column(columns[0]) }
    return .literal(columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", "))
  }
}

// MARK: - Deleting

extension QueryInterfaceRequest {
  /// Deletes the rows.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10
  /// let count = try Player.filter { $0.score < 10 }.deleteAll(db)
  /// ```
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int {
    try db.makeBatch(.delete, relation).statement.execute()
    return db.changesCount
  }

  /// A statement that deletes the rows, and returns something of each: `DELETE FROM … RETURNING …`.
  public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
    try db.makeBatch(.delete, relation, returning: Self.checked(selection)).statement
  }

  fileprivate static func checked(_ selection: [any SQLSelectable]) -> [any SQLSelectable] {
    precondition(!selection.isEmpty, "A statement that fetches what it changes needs a selection that is not empty")
    return selection
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// A statement that deletes the rows, and returns something of each, from the columns of the record.
  ///
  /// ```swift
  /// let statement = try Player.all().deleteAndFetchStatement(db) { [$0.id] }
  /// ```
  public func deleteAndFetchStatement(
    _ db: Database, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
  }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Deletes the rows when the cursor takes its first step, and shows them.
  public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
  }

  /// Deletes the rows, and fetches them.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
  /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchAll(db)
  /// ```
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
    try Array(deleteAndFetchCursor(db))
  }

  /// Deletes the rows, and fetches the distinct ones.
  public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(deleteAndFetchCursor(db))
  }
}

extension QueryInterfaceRequest
where RowDecoder: TableRecord & Identifiable, RowDecoder.ID: Hashable & DatabaseValueConvertible {
  /// Deletes the rows, and fetches their identifiers.
  public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
    let column = try db.singleKeyColumn(of: databaseTableName, "Fetching identifiers")
    return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [Column(column)]))
  }
}

// MARK: - Updating

extension QueryInterfaceRequest {
  /// Updates the rows.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
  /// try Player.all().updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
  /// ```
  ///
  /// Without any assignment, nothing is executed.
  ///
  /// - parameter conflictResolution: What is done about rows that break a constraint. By default, what the record type
  ///   says.
  /// - returns: The number of rows that were updated.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard assignments.contains(where: { $0.value != nil }) else { return 0 }
    try db.makeBatch(update(assignments, conflictResolution), relation).statement.execute()
    return db.changesCount
  }

  /// Updates the rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// A statement that updates the rows, and returns something of each: `UPDATE … RETURNING …`.
  ///
  /// - precondition: There is an assignment.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    precondition(
      assignments.contains { $0.value != nil }, "A statement that updates rows needs an assignment: there is none")
    return try db.makeBatch(
      update(assignments, conflictResolution), relation, returning: Self.checked(selection)
    ).statement
  }

  private func update(
    _ assignments: [ColumnAssignment], _ conflictResolution: Database.ConflictResolution?
  ) -> BatchOperation {
    .update(assignments, conflictResolution ?? Self.defaultConflictResolution)
  }

  private static var defaultConflictResolution: Database.ConflictResolution {
    .abort
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// Updates the rows, from the columns of the record.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { $0.score += 10 }
  /// ```
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
  }

  /// Updates the rows, from the columns of the record.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
  /// ```
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// A statement that updates the rows, and returns something of each, from the columns of the record.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment],
    select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    let components = RowDecoder.databaseComponents
    return try updateAndFetchStatement(
      db, onConflict: conflictResolution, assignments(components), selection: selection(components))
  }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Updates the rows when the cursor takes its first step, and shows them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(
      updateAndFetchStatement(
        db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection))
  }

  /// Updates the rows, and fetches them.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0 RETURNING *
  /// let players = try Player.all().updateAndFetchAll(db, [Column("score").set(to: 0)])
  /// ```
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows, and fetches the distinct ones.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows when the cursor takes its first step, from the columns of the record, and shows them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows, from the columns of the record, and fetches them.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try updateAndFetchAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows, from the columns of the record, and fetches the distinct ones.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try updateAndFetchSet(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }
}
