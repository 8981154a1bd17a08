/// What a query selects, as a tree.
public struct SQLSelection: Sendable {
  enum Node: Sendable {
    case allColumns
    case expression(SQLExpression)
    case literal(SQL)
  }

  let node: Node

  static let allColumns = Self(node: .allColumns)
  static func expression(_ expression: SQLExpression) -> Self { Self(node: .expression(expression)) }
  static func literal(_ literal: SQL) -> Self { Self(node: .literal(literal)) }
}

extension SQLSelection: SQLSelectable {
  /// Itself.
  public var sqlSelection: SQLSelection { self }
}

/// What a query is ordered by, as a tree.
public struct SQLOrdering: Sendable {
  enum Node: Sendable {
    case expression(SQLExpression)
    case literal(SQL)
  }

  let node: Node

  static func expression(_ expression: SQLExpression) -> Self { Self(node: .expression(expression)) }
  static func literal(_ literal: SQL) -> Self { Self(node: .literal(literal)) }
}

extension SQLOrdering: SQLOrderingTerm {
  /// Itself.
  public var sqlOrdering: SQLOrdering { self }
}

/// A query inside a query, as a tree.
public struct SQLSubquery: Sendable {
  enum Node: Sendable {
    case literal(SQL)
  }

  let node: Node

  static func literal(_ literal: SQL) -> Self { Self(node: .literal(literal)) }
}

extension SQLSubquery: SQLSubqueryable {
  /// Itself.
  public var sqlSubquery: SQLSubquery { self }
}
