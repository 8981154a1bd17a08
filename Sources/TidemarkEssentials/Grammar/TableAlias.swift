/// The part of a `TableAlias` that does not depend on the type of its rows.
///
/// Two aliases are equal when they are the same one.
public class TableAliasBase: @unchecked Sendable, Hashable {
  // Immutable: who an alias stands for is written in the relations that have it.

  /// The name in SQL, or nil when one is to be found.
  let userName: String?

  init(userName: String?) {
    self.userName = userName
  }

  /// Whether both are the same alias.
  public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

  /// Hashes the identity of the alias.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// What is selected, of the table of the alias.
  public subscript(_ selectable: some SQLSelectable) -> SQLSelection { selectable.sqlSelection.qualified(by: self) }

  /// An expression on the columns of the table of the alias.
  public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
    expression.sqlExpression.qualified(by: self)
  }

  /// An ordering by columns of the table of the alias.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering { ordering.sqlOrdering.qualified(by: self) }

  /// A column of the table of the alias.
  public subscript(_ column: some ColumnExpression) -> SQLExpression { column.sqlExpression.qualified(by: self) }

  /// A column of the table of the alias, by its name.
  public subscript(_ columnName: String) -> SQLExpression { SQLExpression(.column(columnName, of: .alias(self))) }
}

/// A name for a table inside of a query, so that several of its parts can speak of it.
///
/// ```swift
/// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 1000
/// let p = TableAlias<Player>(name: "p")
/// let request = Player.aliased(p).filter(p.score > 1000)
/// ```
///
/// With it an inner query speaks of the outer one:
///
/// ```swift
/// // SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
/// let team = TableAlias<Team>()
/// let request = Team.aliased(team).filter(Player.filter { $0.teamId == team.id }.exists())
/// ```
///
/// - note: An alias stands for one table of one query.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
  /// An alias for a table of any rows.
  ///
  /// - parameter name: The name in SQL. Without one, the table keeps its own name where it can.
  public init(name: String? = nil) where RowDecoder == Void {
    super.init(userName: name)
  }

  /// An alias for a table.
  ///
  /// - parameter name: The name in SQL. Without one, the table keeps its own name where it can.
  public init(name: String? = nil, for rowDecoder: RowDecoder.Type = RowDecoder.self) {
    super.init(userName: name)
  }
}
