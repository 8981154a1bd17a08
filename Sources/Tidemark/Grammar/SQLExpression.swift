/// An SQL expression, as a tree. Nothing here prints or executes.
public struct SQLExpression: Sendable {
  indirect enum Node: Sendable {
    case value(DatabaseValue)
    case column(String)
    case literal(SQL)
    case subquery(SQLSubquery)
  }

  let node: Node

  init(_ node: Node) {
    self.node = node
  }

  /// A database value.
  static func value(_ value: DatabaseValue) -> Self { Self(.value(value)) }

  /// A column of the tables at hand.
  static func column(_ name: String) -> Self { Self(.column(name)) }

  /// Some SQL.
  static func literal(_ literal: SQL) -> Self { Self(.literal(literal)) }

  /// A query as a value.
  static func subquery(_ subquery: SQLSubquery) -> Self { Self(.subquery(subquery)) }
}

extension SQLExpression: SQLSpecificExpressible {
  /// Itself.
  public var sqlExpression: SQLExpression { self }
}

extension DatabaseValue: SQLExpressible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(self) }
}
