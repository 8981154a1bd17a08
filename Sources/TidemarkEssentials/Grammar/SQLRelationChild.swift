/// A relation that is associated with another one, its parent.
struct SQLRelationChild: Sendable {
  enum Kind: Sendable {
    /// The tables are joined with `LEFT JOIN`.
    case optional

    /// The tables are joined with `JOIN`.
    case required

    /// The rows of the child are fetched by a query of their own, for all rows of the parent.
    case all

    /// The table is not fetched, but it connects the parent to descendants of the kind `all`.
    case bridge

    var isJoined: Bool {
      switch self {
      case .optional, .required: true
      case .all, .bridge: false
      }
    }
  }

  /// The name of the scope, or of the prefetched rows. It identifies the child among its siblings.
  var key: String

  var kind: Kind
  var condition: SQLJoinCondition
  var relation: SQLRelation
}

/// The condition by which the rows of two tables belong together. The left table is the parent.
enum SQLJoinCondition: Sendable {
  /// Columns of both tables are equal.
  case columns(SQLJoinColumns)

  /// An expression on both tables. The closure is called each time the query is prepared, because an alias stands for
  /// the table of one query.
  case expression(@Sendable () -> SQLJoinExpression)

  /// The condition with left and right exchanged.
  var reversed: SQLJoinCondition {
    switch self {
    case .columns(let columns): .columns(columns.reversed)
    case .expression(let make):
      .expression {
        let join = make()
        return SQLJoinExpression(left: join.right, right: join.left, expression: join.expression)
      }
    }
  }
}

/// An expression on two tables.
struct SQLJoinExpression {
  /// The aliases by which the expression refers to the tables.
  var left: TableAliasBase
  var right: TableAliasBase

  /// The expression, or nil if all rows belong together.
  var expression: SQLExpression?
}

/// The columns of a foreign key. They are looked up in the schema when a query is prepared.
struct SQLJoinColumns: Sendable {
  /// The foreign key as the program described it. Two joins on the same foreign key can be merged.
  struct Key: Equatable, Sendable {
    /// The table that declares the foreign key.
    var originTable: String

    /// The table that the foreign key refers to.
    var destinationTable: String

    var originColumns: [String]?
    var destinationColumns: [String]?
  }

  typealias Pairs = [(origin: String, destination: String)]

  var foreignKey: Key

  /// Whether the left table is the origin of the foreign key.
  var originIsLeft: Bool

  let lookUp: @Sendable (Database, Key) throws -> Pairs

  /// Returns the pairs of equal columns.
  func pairs(_ db: Database) throws -> [(left: String, right: String)] {
    try lookUp(db, foreignKey).map { pair in
      originIsLeft ? (left: pair.origin, right: pair.destination) : (left: pair.destination, right: pair.origin)
    }
  }

  var reversed: SQLJoinColumns {
    var columns = self
    columns.originIsLeft.toggle()
    return columns
  }
}
