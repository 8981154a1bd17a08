/// The part of a ``TableAlias`` that does not depend on the type of its rows.
///
/// Two aliases are equal if they are the same object, or if a request has given both to the same table: by two calls of
/// `aliased(_:)`, or by joining an association twice.
public class TableAliasBase: @unchecked Sendable, Hashable {
  // Queries identify aliases as objects, and equality is only visible to programs: another request may give the same
  // aliases to two tables.

  /// The name in SQL, or nil if the alias does not define one.
  let userName: String?

  /// The alias with which this one was merged, directly or not. The lock `mergedAliases` protects it.
  private var merged: TableAliasBase?

  private static let mergedAliases = Mutex(())

  init(userName: String?) {
    self.userName = userName
  }

  /// Returns whether both operands are the same alias, or were given to the same table.
  ///
  /// - Parameter lhs: An alias.
  /// - Parameter rhs: Another alias.
  public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool {
    lhs === rhs || mergedAliases.withLock { _ in lhs.representative == rhs.representative }
  }

  /// Hashes the identity of the alias. Do not store aliases in sets before a request has given them to its tables:
  /// equal aliases have equal hashes.
  ///
  /// - Parameter hasher: The hasher to use.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Self.mergedAliases.withLock { _ in representative })
  }

  /// Makes this alias and another one equal, because they stand for the same table.
  func merge(with other: TableAliasBase) {
    if self === other { return }
    Self.mergedAliases.withLock { _ in
      if representative == other.representative { return }
      other.last.merged = last
    }
  }

  /// The last alias in the chain of merged ones. The caller holds the lock.
  private var last: TableAliasBase {
    var alias = self
    while let next = alias.merged { alias = next }
    return alias
  }

  /// The identity of all aliases that were merged with this one. The caller holds the lock.
  private var representative: ObjectIdentifier { ObjectIdentifier(last) }

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
public final class TableAlias<RowDecoder>: TableAliasBase, ProgramAlias, @unchecked Sendable {
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

/// Matches the aliases that programs create. The library creates ``TableAliasBase`` objects.
protocol ProgramAlias: TableAliasBase {}
