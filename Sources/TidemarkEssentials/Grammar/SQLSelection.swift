/// A part of the selection of a query: columns, or an expression with an optional name.
///
/// ```swift
/// let total: SQLSelection = (Column("score") + Column("bonus")).forKey("total")
/// let request = Player.annotated(with: total)
/// ```
public struct SQLSelection: Sendable {
  indirect enum Node: Sendable {
    /// All columns of the current relation, or of the table of an alias.
    case allColumns(of: TableAliasBase?)
    case expression(SQLExpression, name: String?)
    case literal(SQL)
    case deferred(SQLDeferredSelection)
  }

  let node: Node

  init(_ node: Node) {
    self.node = node
  }

  static let allColumns = Self(.allColumns(of: nil))
  static func expression(_ expression: SQLExpression) -> Self { Self(.expression(expression, name: nil)) }
  static func literal(_ literal: SQL) -> Self { Self(.literal(literal)) }

  /// Returns `a AS "name"`.
  static func named(_ expression: SQLExpression, _ name: String) -> Self { Self(.expression(expression, name: name)) }
}

extension SQLSelection: SQLSelectable {
  /// The selection itself.
  public var sqlSelection: SQLSelection { self }
}

/// A selection that depends on the schema of a table, and that is built when it is printed.
struct SQLDeferredSelection: Sendable {
  /// The alias of the table, or nil for the table of the current relation.
  var alias: TableAliasBase?

  /// The name of the table if it is not defined by a relation: in SQL literals.
  var tableName: String?

  /// Returns the selection for a table.
  let make: @Sendable (Database, _ tableName: String) throws -> [SQLSelection]
}

extension SQLSelection {
  /// Returns the selection whose deferred parts use a table, also in SQL literals without a relation.
  func ofTable(named name: String) -> SQLSelection {
    switch node {
    case .allColumns: return self
    case .expression(let expression, let key): return Self(.expression(expression.ofTable(named: name), name: key))
    case .literal(let literal): return .literal(literal.mapExpressions { $0.ofTable(named: name) })
    case .deferred(var deferred):
      deferred.tableName = name
      return Self(.deferred(deferred))
    }
  }

  /// Returns the selection in which columns without an owner are assigned to an alias.
  func qualified(by alias: TableAliasBase) -> SQLSelection {
    switch node {
    case .allColumns(of: nil): return Self(.allColumns(of: alias))
    case .allColumns: return self
    case .expression(let expression, let name): return Self(.expression(expression.qualified(by: alias), name: name))
    case .literal(let literal): return .literal(literal.mapExpressions { $0.qualified(by: alias) })
    case .deferred(var deferred):
      deferred.alias = deferred.alias ?? alias
      return Self(.deferred(deferred))
    }
  }
}

/// A selection of all columns of a table: `*`.
///
/// ```swift
/// // SELECT *, "rowid" FROM "player"
/// let request = Player.select(.allColumns, .rowID)
/// ```
public struct AllColumns: Sendable, SQLSelectable {
  /// Creates a selection of all columns.
  public init() {}

  /// The selection, as a part of a query.
  public var sqlSelection: SQLSelection { .allColumns }
}

extension SQLSelectable where Self == AllColumns {
  /// A selection of all columns of the table: `*`.
  public static var allColumns: AllColumns { AllColumns() }
}
