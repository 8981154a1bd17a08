/// An occurrence of a table in a query, and the conditions on its rows.
struct RowOccurrence: Equatable, Sendable {
  /// The conditions, from the inside out. A level begins where an outer join may replace the rows of a subquery, which
  /// contains the table, by NULL.
  private(set) var levels: [Level]

  /// The columns that a join compares implicitly, in lower case. The authorizer does not report them.
  var sharedColumns: Set<String> = []

  struct Level: Equatable, Sendable {
    /// The conditions of the whole query: from `WHERE`, and from inner joins.
    var conditions: [RowCondition] = []

    /// The condition of the outer join whose right side is the table: other rows contribute nothing.
    var joinCondition: RowCondition?

    /// Whether NULL may replace the rows if none matches.
    var isNullable: Bool
  }

  init(
    conditions: [RowCondition] = [], joinCondition: RowCondition? = nil, isNullable: Bool,
    sharedColumns: Set<String> = []
  ) {
    levels = [Level(conditions: conditions, joinCondition: joinCondition, isNullable: isNullable)]
    self.sharedColumns = sharedColumns
  }

  /// Adds the condition of an outer join whose right side is a subquery that contains the table.
  mutating func addOuterJoin(_ condition: RowCondition?) {
    levels.append(Level(joinCondition: condition, isNullable: true))
  }

  /// Adds conditions of the query around a subquery that contains the table.
  mutating func add(_ conditions: [RowCondition]) { levels[levels.count - 1].conditions += conditions }

  /// Whether all rows may be read, with any arguments.
  var isUnconditional: Bool { levels.allSatisfy { $0.conditions.isEmpty && $0.joinCondition == nil } }

  /// The conditions on the rows that matter to tables which are joined with them.
  ///
  /// Conditions around an outer join of a subquery do not belong to them: a row of NULL may satisfy them.
  var conditionsOfJoinedRows: [RowCondition] { levels[0].conditions + levels.compactMap(\.joinCondition) }

  /// The relevant rows, with some arguments.
  func rows(_ arguments: ConditionArguments) -> ConditionRows {
    levels.dropFirst().reduce(levels[0].rows(arguments)) { $0.intersection($1.rows(arguments)) }
  }
}

extension RowOccurrence.Level {
  fileprivate func rows(_ arguments: ConditionArguments) -> ConditionRows {
    var rows = RowCondition.all(conditions).rows(arguments)
    // If a row of NULL satisfies the conditions, its presence also depends on rows that do not satisfy them.
    if isNullable, rows.filters.contains(where: { $0.mayAdmit { _ in .null } }) { rows = rows.widened }
    if let joinCondition { rows = rows.intersection(joinCondition.rows(arguments)) }
    return rows
  }
}
