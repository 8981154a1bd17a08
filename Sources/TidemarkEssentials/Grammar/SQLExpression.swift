/// An SQL expression: a value, a column, or an operation.
///
/// Operators and functions build expressions from columns and values. An expression is a tree, which is converted to
/// SQL when a request is prepared.
///
/// ```swift
/// let condition: SQLExpression = Column("score") > 1000 && Column("name") != nil
/// let request = Player.filter(condition)
/// ```
public struct SQLExpression: Sendable {
  indirect enum Node: Sendable {
    case value(DatabaseValue)
    case column(String, of: SQLColumnOwner)
    case literal(SQL)
    case subquery(SQLSubquery)
    case operation(SQLOperation, [SQLExpression])
    case deferred(SQLDeferredExpression)

    /// The left operand of `MATCH`: a full-text table, as the hidden column that has its name.
    case table(SQLColumnOwner)
  }

  let node: Node

  /// Whether the program declares that the value is JSON. See `jsonElement`.
  private(set) var isMarkedAsJSON = false

  init(_ node: Node) {
    self.node = node
  }

  /// Returns the expression as a node of a transformed tree.
  fileprivate func replacing(_ node: Node) -> Self {
    var result = Self(node)
    result.isMarkedAsJSON = isMarkedAsJSON
    return result
  }

  /// The expression, whose value is JSON.
  var markedAsJSON: Self {
    var result = self
    result.isMarkedAsJSON = true
    return result
  }

  /// Returns a database value as an expression.
  static func value(_ value: DatabaseValue) -> Self { Self(.value(value)) }

  /// Returns a column of the current relation.
  static func column(_ name: String) -> Self { Self(.column(name, of: .currentRelation)) }

  /// Returns an SQL literal as an expression.
  static func literal(_ literal: SQL) -> Self { Self(.literal(literal)) }

  /// Returns a subquery with a single value as an expression.
  static func subquery(_ subquery: SQLSubquery) -> Self { Self(.subquery(subquery)) }

  /// Returns an operator or a function, with its operands.
  static func operation(_ operation: SQLOperation, _ operands: SQLExpression...) -> Self {
    Self(.operation(operation, operands))
  }

  /// Returns a function call.
  static func function(_ name: String, _ arguments: [SQLExpression], isAggregate: Bool = false) -> Self {
    Self(.operation(.function(name, isAggregate: isAggregate), arguments))
  }
}

extension SQLExpression: SQLSpecificExpressible {
  /// The expression itself.
  public var sqlExpression: SQLExpression { self }
}

extension DatabaseValue: SQLSpecificExpressible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(self) }
}

/// The table that a column belongs to.
enum SQLColumnOwner: Sendable {
  /// The relation that contains the expression.
  case currentRelation

  /// The table of an alias, possibly in an outer query.
  case alias(TableAliasBase)

  /// No specific table: SQLite resolves the name of the column.
  case unnamed
}

/// An expression that depends on the schema of a table, and that is built when it is printed.
struct SQLDeferredExpression: Sendable {
  /// The alias of the table, or nil for the table of the current relation.
  var alias: TableAliasBase?

  /// The name of the table if it is not defined by a relation: in SQL literals.
  var tableName: String?

  /// Returns the expression for a table. Its columns belong to that table.
  let make: @Sendable (Database, _ tableName: String) throws -> SQLExpression

  /// The expression with the opposite result.
  var negated: SQLDeferredExpression {
    SQLDeferredExpression(alias: alias, tableName: tableName) { [make] db, tableName in
      try make(db, tableName).negated
    }
  }
}

// MARK: - Transforming trees

extension SQLExpression {
  /// Returns the tree with transformed columns and late expressions. Subqueries do not change.
  func mapLeaves(_ transform: (Node) -> Node) -> SQLExpression {
    switch node {
    case .value, .subquery: self
    case .column, .deferred, .table: replacing(transform(node))
    case .literal(let literal): replacing(.literal(literal.mapExpressions { $0.mapLeaves(transform) }))
    case .operation(let operation, let operands):
      replacing(.operation(operation, operands.map { $0.mapLeaves(transform) }))
    }
  }

  /// Returns the tree, in which all columns of the current relation are assigned to an alias.
  func qualified(by alias: TableAliasBase) -> SQLExpression {
    mapLeaves { leaf in
      switch leaf {
      case .column(let name, of: .currentRelation): return .column(name, of: .alias(alias))
      case .table(.currentRelation): return .table(.alias(alias))
      case .deferred(var deferred) where deferred.alias == nil:
        deferred.alias = alias
        return .deferred(deferred)
      default: return leaf
      }
    }
  }

  /// Returns the tree whose deferred parts use a table, also in SQL literals without a relation.
  func ofTable(named name: String) -> SQLExpression {
    mapLeaves { leaf in
      guard case .deferred(var deferred) = leaf, deferred.alias == nil else { return leaf }
      deferred.tableName = name
      return .deferred(deferred)
    }
  }

  /// Returns whether a node of the tree satisfies a predicate. Subqueries are not searched.
  func contains(where predicate: (Node) -> Bool) -> Bool {
    if predicate(node) { return true }
    if case .operation(_, let operands) = node { return operands.contains { $0.contains(where: predicate) } }
    return false
  }

  /// Whether the expression aggregates several rows into one value.
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
