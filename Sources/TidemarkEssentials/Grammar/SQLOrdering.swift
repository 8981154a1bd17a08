/// A term of an `ORDER BY` clause: an expression with a direction.
///
/// ```swift
/// let byScore: SQLOrdering = Column("score").desc
/// let request = Player.order(byScore, Column("name").asc)
/// ```
public struct SQLOrdering: Sendable {
  enum Direction: String, Sendable {
    case ascending = " ASC"
    case descending = " DESC"
    case ascendingNullsLast = " ASC NULLS LAST"
    case descendingNullsFirst = " DESC NULLS FIRST"

    var reversed: Direction {
      switch self {
      case .ascending: .descending
      case .descending: .ascending
      case .ascendingNullsLast: .descendingNullsFirst
      case .descendingNullsFirst: .ascendingNullsLast
      }
    }
  }

  enum Node: Sendable {
    case expression(SQLExpression, Direction?)
    case literal(SQL)
  }

  let node: Node

  init(_ node: Node) {
    self.node = node
  }

  static func expression(_ expression: SQLExpression) -> Self { Self(.expression(expression, nil)) }
  static func literal(_ literal: SQL) -> Self { Self(.literal(literal)) }
}

extension SQLOrdering: SQLOrderingTerm {
  /// The ordering itself.
  public var sqlOrdering: SQLOrdering { self }
}

extension SQLOrdering {
  /// The ordering in the opposite direction.
  var reversed: SQLOrdering {
    switch node {
    case .expression(let expression, let direction):
      return Self(.expression(expression, (direction ?? .ascending).reversed))
    case .literal:
      preconditionFailure(
        "A raw SQL ordering cannot be reversed: order by an expression instead, such as SQL(\"…\").sqlExpression.desc")
    }
  }

  /// Returns the ordering, in which all columns of the current relation are assigned to an alias.
  func qualified(by alias: TableAliasBase) -> SQLOrdering {
    switch node {
    case .expression(let expression, let direction):
      Self(.expression(expression.qualified(by: alias), direction))
    case .literal(let literal): .literal(literal.mapExpressions { $0.qualified(by: alias) })
    }
  }
}
