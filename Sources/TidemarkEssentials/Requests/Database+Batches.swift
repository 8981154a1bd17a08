// Statements that change all rows of a request.

/// The operation that a statement performs on the rows of a request.
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

extension BatchOperation {
  /// Returns an update. Without `conflictResolution`, it uses the conflict policy for updates of the record type, or
  /// `ABORT`.
  static func update(
    _ assignments: [ColumnAssignment], _ conflictResolution: Database.ConflictResolution?, of rowDecoder: Any.Type
  ) -> BatchOperation {
    .update(
      assignments,
      conflictResolution
        ?? (rowDecoder as? any MutablePersistableRecord.Type)?.persistenceConflictPolicy.conflictResolutionForUpdate
        ?? .abort)
  }
}

extension Database {
  /// Changes the rows of a query, and returns the number of changed rows.
  func runBatch(_ operation: BatchOperation, _ relation: SQLRelation) throws -> Int {
    try makeBatch(operation, relation).statement.execute()
    return changesCount
  }

  /// Returns the statement that changes the rows of a query, with its arguments.
  func makeBatch(
    _ operation: BatchOperation, _ relation: SQLRelation, returning selection: [any SQLSelectable] = []
  ) throws -> PreparedRequest {
    let query = try targets(of: operation, SQLQuery(relation, self))
    let selection = selection.map { $0.sqlSelection }
    var printer = SQLPrinter(self)
    switch operation {
    case .delete: try printer.print(deleting: query, returning: selection)
    case .update(let assignments, let resolution):
      try printer.print(updating: query, assignments, onConflict: resolution, returning: selection)
    }
    let statement = try preparedStatement(sql: printer.sql)
    return PreparedRequest(statement: statement, arguments: printer.arguments, adapter: nil)
  }

  /// Returns a query that has only the clauses that `DELETE` and `UPDATE` support: filter, order and limit.
  ///
  /// A query that is grouped by a unique key becomes a filter on the keys that it selects. Other groupings are refused.
  private func targets(of operation: BatchOperation, _ query: SQLQuery) throws -> SQLQuery {
    if query.grouping.isEmpty && query.having == nil { return query }
    let table = query.source.tableName
    let names = query.grouping.compactMap { expression -> String? in
      if case .column(let name, _) = expression.node { name } else { nil }
    }
    guard names.count == query.grouping.count, try columnsForUniqueKey(names, in: table) != nil else {
      preconditionFailure("Can't \(operation.name) query with GROUP BY clause")
    }
    // If the key has several columns, the row ID identifies rows at a lower cost.
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
  /// Returns a column, or a row value if there are several columns.
  fileprivate static func rowValue(_ columns: [String]) -> SQLExpression {
    if columns.count == 1 { return .column(columns[0]) }
    return .literal(columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", "))
  }
}
