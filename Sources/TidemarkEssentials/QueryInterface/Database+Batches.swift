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
    let totalBefore = totalChangesCount
    try makeBatch(operation, relation).statement.execute()
    let isOfView = try catalogTable(relation.source.tableName)?.kind == .view
    return changesCount(since: totalBefore, isOfView: isOfView)
  }

  /// Returns the statement that changes the rows of a query, with its arguments.
  func makeBatch(
    _ operation: BatchOperation, _ relation: SQLRelation, returning selection: [any SQLSelectable] = []
  ) throws -> PreparedRequest {
    let query = try targets(of: operation, relation)
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
  /// A query that is joined, or grouped by a unique key, becomes a filter on the keys that it selects. Other groupings
  /// are refused.
  private func targets(of operation: BatchOperation, _ relation: SQLRelation) throws -> SQLQuery {
    let query = try SQLQuery(relation, self)
    let isGrouped = !query.grouping.isEmpty || query.having != nil
    if query.joins.isEmpty && !isGrouped { return query }
    if isGrouped { try preconditionGroupsAreRows(of: query, operation) }
    let table = relation.source.tableName
    // If the key has several columns, the row ID identifies rows at a lower cost.
    let key = try primaryKey(table).columns
    let columns = try key.count == 1 ? key : cheapestKeyColumns(of: table)
    var inner = relation.selectingItsOwnColumns
    inner.selection = [{ _, _ in columns.map { .expression(.column($0)) } }]
    if inner.limit == nil { inner.removeOrder() }
    var outer = SQLRelation(source: SQLTable(tableName: table), selection: [.allColumns])
    if query.joins.isEmpty { outer.source = relation.source }
    let keys: [SQLExpression] = columns.map { .column($0) }
    let element = keys.count == 1 ? keys[0] : SQLExpression(.operation(.rowValue, keys))
    outer.filters = [{ [inner] _, _ in .operation(.isFound(.relation(inner)), element) }]
    return try SQLQuery(outer, self)
  }

  /// Traps unless each group of a query is one row: the grouping must contain a unique key.
  private func preconditionGroupsAreRows(of query: SQLQuery, _ operation: BatchOperation) throws {
    let table = query.source.tableName
    let rowIDColumn = try primaryKey(table).rowIDColumn
    let names = query.grouping.compactMap { $0.groupedColumn(rowIDColumn: rowIDColumn) }
    guard try columnsForUniqueKey(names, in: table) != nil else {
      preconditionFailure(
        "Can't \(operation.name) query with GROUP BY clause: group by the primary key, by a unique key, or not at all")
    }
  }
}

extension SQLExpression {
  /// The column of which two rows of a group have the same value.
  ///
  /// - Parameter rowIDColumn: The column that is the row ID: being an integer, it is the same where its negative is.
  /// - Returns: The name of the column, or nil where the expression is the same for different values.
  fileprivate func groupedColumn(rowIDColumn: String?) -> String? {
    switch node {
    case .column(let name, _): return name
    case .operation(.negative, let operands), .operation(.complement, let operands):
      let name = operands[0].groupedColumn(rowIDColumn: rowIDColumn)
      return name.flatMap { rowIDColumn?.asciiLowercased == $0.asciiLowercased ? $0 : nil }
    default: return nil
    }
  }
}
