/// A query that is a part of another query.
public struct SQLSubquery: Sendable {
  indirect enum Node: Sendable {
    case literal(SQL)
    case relation(SQLRelation)
  }

  let node: Node

  static func literal(_ literal: SQL) -> Self { Self(node: .literal(literal)) }
  static func relation(_ relation: SQLRelation) -> Self { Self(node: .relation(relation)) }
}

extension SQLSubquery: SQLSubqueryable {
  /// The subquery itself.
  public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubqueryable {
  /// Returns an expression that is true if the query returns a value: `a IN (SELECT …)`.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "teamId" IN (SELECT "id" FROM "team")
  /// let request = Player.filter(Team.select(Column("id")).contains(Column("teamId")))
  /// ```
  ///
  /// - Parameter element: The value to search for. The query must select a single column.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    .operation(.isFound(sqlSubquery), element.sqlExpression)
  }

  /// Returns an expression that is true if the query returns at least one row: `EXISTS (SELECT …)`.
  ///
  /// ```swift
  /// // SELECT * FROM "team"
  /// // WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
  /// let team = TableAlias<Team>()
  /// let players = Player.filter(Column("teamId") == team[Column("id")])
  /// let request = Team.aliased(team).filter(players.exists())
  /// ```
  public func exists() -> SQLExpression { .operation(.exists(sqlSubquery)) }
}
