/// An occurrence of a table in a query, and the conditions on its rows.
struct RowOccurrence: Equatable, Sendable {
  /// The conditions of the whole query: from `WHERE`, and from inner joins.
  var conditions: [RowCondition] = []

  /// The condition of the outer join whose right side is the table: other rows contribute nothing.
  var joinCondition: RowCondition?

  /// Whether NULL may replace the rows if none matches.
  var isNullable: Bool

  /// The columns that a join compares implicitly, in lower case. The authorizer does not report them.
  var sharedColumns: Set<String> = []

  /// Whether all rows may be read, with any arguments.
  var isUnconditional: Bool { conditions.isEmpty && joinCondition == nil }

  /// The relevant rows, with some arguments.
  func rows(_ arguments: ConditionArguments) -> ConditionRows {
    var rows = RowCondition.all(conditions).rows(arguments)
    // If a row of NULL satisfies the conditions, its presence also depends on rows that do not satisfy them.
    if isNullable, rows.filters.contains(where: { $0.mayAdmit { _ in .null } }) { rows = rows.widened }
    if let joinCondition { rows = rows.intersection(joinCondition.rows(arguments)) }
    return rows
  }
}
