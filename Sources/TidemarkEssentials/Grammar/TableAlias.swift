/// The part of a ``TableAlias`` that does not depend on the type of its rows.
///
/// Two aliases are equal if they are the same object.
public class TableAliasBase: @unchecked Sendable, Hashable {
  // Immutable: relations store the aliases of their tables, and aliases do not store relations.

  /// The name in SQL, or nil if the alias does not define one.
  let userName: String?

  init(userName: String?) {
    self.userName = userName
  }

  /// Returns whether both operands are the same alias.
  ///
  /// - Parameter lhs: An alias.
  /// - Parameter rhs: Another alias.
  public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

  /// Hashes the identity of the alias.
  ///
  /// - Parameter hasher: The hasher to use.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Returns a selection of columns of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).select(p[AllColumns()])
  /// ```
  ///
  /// - Parameter selectable: A selection whose columns belong to the table.
  public subscript(_ selectable: some SQLSelectable) -> SQLSelection { selectable.sqlSelection.qualified(by: self) }

  /// Returns an expression on columns of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p[Column("score") + Column("bonus")] > 1000)
  /// ```
  ///
  /// - Parameter expression: An expression whose columns belong to the table.
  public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
    expression.sqlExpression.qualified(by: self)
  }

  /// Returns an ordering by columns of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).order(p[Column("score").desc])
  /// ```
  ///
  /// - Parameter ordering: An ordering whose columns belong to the table.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering { ordering.sqlOrdering.qualified(by: self) }

  /// Returns a column of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p[Column("score")] > 1000)
  /// ```
  ///
  /// - Parameter column: A column of the table.
  public subscript(_ column: some ColumnExpression) -> SQLExpression { column.sqlExpression.qualified(by: self) }

  /// Returns a column of the table of the alias, by its name.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p["score"] > 1000)
  /// ```
  ///
  /// - Parameter columnName: The name of a column of the table, without quotes.
  public subscript(_ columnName: String) -> SQLExpression { SQLExpression(.column(columnName, of: .alias(self))) }
}

/// An identifier of a table in a query, which other parts of the query and subqueries use to refer to the table.
///
/// ```swift
/// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 1000
/// let p = TableAlias<Player>(name: "p")
/// let request = Player.aliased(p).filter(p.score > 1000)
/// ```
///
/// A subquery can refer to the outer query with an alias:
///
/// ```swift
/// // SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
/// let team = TableAlias<Team>()
/// let request = Team.aliased(team).filter(Player.filter { $0.teamId == team.id }.exists())
/// ```
///
/// - Note: An alias identifies a single table of a single query.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
  /// Creates an alias for a table with any rows.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// ```
  ///
  /// - Parameter name: The name of the table in SQL. Without a name, the table keeps its own name if possible.
  public init(name: String? = nil) where RowDecoder == Void {
    super.init(userName: name)
  }

  /// Creates an alias for a table with the given type of rows.
  ///
  /// ```swift
  /// let p = TableAlias<Player>(name: "p")
  /// ```
  ///
  /// - Parameter name: The name of the table in SQL. Without a name, the table keeps its own name if possible.
  /// - Parameter rowDecoder: The type of the rows.
  public init(name: String? = nil, for rowDecoder: RowDecoder.Type = RowDecoder.self) {
    super.init(userName: name)
  }
}
