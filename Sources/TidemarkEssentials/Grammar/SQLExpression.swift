/// An SQL expression, as a tree. Nothing here prints or executes.
public struct SQLExpression: Sendable {
  indirect enum Node: Sendable {
    case value(DatabaseValue)
    case column(String, of: SQLColumnOwner)
    case literal(SQL)
    case subquery(SQLSubquery)
    case operation(SQLOperation, [SQLExpression])
    case late(SQLLateExpression)
  }

  let node: Node

  init(_ node: Node) {
    self.node = node
  }

  /// A database value.
  static func value(_ value: DatabaseValue) -> Self { Self(.value(value)) }

  /// A column of the tables at hand.
  static func column(_ name: String) -> Self { Self(.column(name, of: .relationAtHand)) }

  /// Some SQL.
  static func literal(_ literal: SQL) -> Self { Self(.literal(literal)) }

  /// A query as a value.
  static func subquery(_ subquery: SQLSubquery) -> Self { Self(.subquery(subquery)) }

  /// An operator or a function, with what it is applied to.
  static func operation(_ operation: SQLOperation, _ operands: SQLExpression...) -> Self {
    Self(.operation(operation, operands))
  }

  /// The call of a function.
  static func function(_ name: String, _ arguments: [SQLExpression], isAggregate: Bool = false) -> Self {
    Self(.operation(.function(name, isAggregate: isAggregate), arguments))
  }
}

extension SQLExpression: SQLSpecificExpressible {
  /// Itself.
  public var sqlExpression: SQLExpression { self }
}

extension DatabaseValue: SQLSpecificExpressible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(self) }
}

/// Where a column is found.
enum SQLColumnOwner: Sendable {
  /// In the relation that the expression is applied to.
  case relationAtHand

  /// In the table of an alias, maybe in an outer query.
  case alias(TableAliasBase)

  /// Nobody is named: SQLite finds it.
  case unnamed
}

/// An expression that depends on what the database says of a table, and that is made when it is printed.
struct SQLLateExpression: Sendable {
  /// The alias of the table, or nil for that of the relation at hand.
  var alias: TableAliasBase?

  /// The name of the table where no relation tells it: in SQL.
  var tableName: String?

  /// The expression, from the name of the table. Its columns are those of that table.
  let make: @Sendable (Database, _ tableName: String) throws -> SQLExpression
}

// MARK: - The parts of a tree

extension SQLExpression {
  /// The tree with other columns, and other late parts. Queries inside keep their own.
  func mapLeaves(_ transform: (Node) -> Node) -> SQLExpression {
    switch node {
    case .value, .subquery: self
    case .column, .late: Self(transform(node))
    case .literal(let literal): .literal(literal.mapExpressions { $0.mapLeaves(transform) })
    case .operation(let operation, let operands):
      Self(.operation(operation, operands.map { $0.mapLeaves(transform) }))
    }
  }

  /// The tree with the columns that have no owner yet given to an alias.
  func qualified(by alias: TableAliasBase) -> SQLExpression {
    mapLeaves { leaf in
      switch leaf {
      case .column(let name, of: .relationAtHand): return .column(name, of: .alias(alias))
      case .late(var late) where late.alias == nil:
        late.alias = alias
        return .late(late)
      default: return leaf
      }
    }
  }

  /// The tree whose late parts are made for a table, also in SQL where no relation tells which one it is.
  func ofTable(named name: String) -> SQLExpression {
    mapLeaves { leaf in
      guard case .late(var late) = leaf, late.alias == nil else { return leaf }
      late.tableName = name
      return .late(late)
    }
  }

  /// Whether a node of the tree is of some kind. Queries inside are not looked into.
  func contains(where predicate: (Node) -> Bool) -> Bool {
    if predicate(node) { return true }
    if case .operation(_, let operands) = node { return operands.contains { $0.contains(where: predicate) } }
    return false
  }

  /// Whether one row is made of many.
  var isAggregate: Bool {
    contains { node in
      switch node {
      case .operation(.function(_, let isAggregate), _): isAggregate
      case .operation(.countAll, _), .operation(.countDistinct, _): true
      default: false
      }
    }
  }
}
