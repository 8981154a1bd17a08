/// A request whose rows can be grouped.
///
/// Groups take the place of those before; conditions on groups add up.
public protocol AggregatingRequest {
  /// The request with other groups, which are made when the database is known.
  func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self

  /// The request with one more condition on its groups, which is made when the database is known.
  func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension AggregatingRequest {
  /// The request with other groups.
  ///
  /// ```swift
  /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
  /// let request = Player.select(Column("teamId"), max(Column("score"))).group([Column("teamId")])
  /// ```
  public func group(_ expressions: [any SQLExpressible]) -> Self {
    let expressions = expressions.map { $0.sqlExpression }
    return groupWhenConnected { _ in expressions }
  }

  /// The request with other groups.
  public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

  /// The request with other groups, made of SQL.
  public func group(sql: String, arguments: StatementArguments = []) -> Self { group(SQL(sql, arguments)) }

  /// The request with other groups, made of SQL with its values inside.
  public func group(literal sqlLiteral: SQL) -> Self { group(sqlLiteral) }

  /// The request with one more condition on its groups.
  ///
  /// ```swift
  /// let request = Player.all().group(Column("teamId")).having(max(Column("score")) > 1000)
  /// ```
  public func having(_ predicate: some SQLSpecificExpressible) -> Self {
    let expression = predicate.sqlExpression
    return havingWhenConnected { _ in expression }
  }

  /// The request with one more condition on its groups, made of SQL.
  public func having(sql: String, arguments: StatementArguments = []) -> Self { having(SQL(sql, arguments)) }

  /// The request with one more condition on its groups, made of SQL with its values inside.
  public func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with other groups, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.select { [$0.teamId, max($0.score)] }.group { $0.teamId }
  /// ```
  public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
    group(try expressions(RowDecoder.databaseComponents))
  }

  /// The request with other groups, from the columns of the record.
  public func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
    group(try expression(RowDecoder.databaseComponents))
  }

  /// The request with one more condition on its groups, from the columns of the record.
  public func having(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
    let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
    return having(expression)
  }
}
