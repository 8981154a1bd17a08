/// A query inside a query, as a tree.
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
  /// Itself.
  public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubqueryable {
  /// Whether the query finds a value.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "teamId" IN (SELECT "id" FROM "team")
  /// let request = Player.filter(Team.select(Column("id")).contains(Column("teamId")))
  /// ```
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    .operation(.isFound(sqlSubquery), element.sqlExpression)
  }

  /// Whether the query finds anything at all.
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
