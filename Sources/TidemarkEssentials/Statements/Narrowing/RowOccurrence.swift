/// A place in a query where rows of a table are read, and the conditions that they must meet there.
struct RowOccurrence: Equatable, Sendable {
  /// The conditions of the whole query: its `WHERE`, and those of its inner joins.
  var conditions: [RowCondition] = []

  /// The condition of the outer join that the table is the right side of: a row that does not meet it joins nothing.
  var joinCondition: RowCondition?

  /// Whether NULL may stand in for the rows, where nothing joins.
  var isNullable = false

  /// The columns that a join compares without an expression that names them, in lower case. The authorizer is not told.
  var sharedColumns: Set<String> = []

  /// Whether any row may be read, whatever the arguments.
  var isUnconditional: Bool { conditions.isEmpty && joinCondition == nil }

  /// The rows that matter, with these arguments.
  func rows(_ arguments: ConditionArguments) -> ConditionRows {
    var rows = RowCondition.all(conditions).rows(arguments)
    // When a row of NULL meets the conditions, another row that does not meet them still decides whether it is there.
    if isNullable, rows.filters.contains(where: { $0.mayAdmit { _ in .null } }) { rows = rows.widened }
    if let joinCondition { rows = rows.intersection(joinCondition.rows(arguments)) }
    return rows
  }
}
