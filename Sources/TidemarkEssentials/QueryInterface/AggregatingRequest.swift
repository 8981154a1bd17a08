/// A request that can group its rows, and filter the groups.
///
/// A new grouping replaces the previous one. Conditions on groups are combined with `AND`.
public protocol AggregatingRequest {
  /// Returns a request grouped by expressions that depend on the database.
  ///
  /// The new grouping replaces the previous one.
  ///
  /// - Parameter expressions: A closure that returns the expressions. It runs each time the request is prepared for
  ///   execution, with a database connection.
  func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self

  /// Returns a request with an additional condition on its groups, which depends on the database.
  ///
  /// - Parameter predicate: A closure that returns the condition. It runs each time the request is prepared for
  ///   execution, with a database connection.
  func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension AggregatingRequest {
  /// Returns a request whose rows are grouped by the given expressions.
  ///
  /// The new grouping replaces the previous one.
  ///
  /// ```swift
  /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
  /// let request = Player.select(Column("teamId"), max(Column("score"))).group([Column("teamId")])
  /// ```
  ///
  /// - Parameter expressions: The terms of the `GROUP BY` clause. An empty array removes the grouping.
  public func group(_ expressions: [any SQLExpressible]) -> Self {
    let expressions = expressions.map { $0.sqlExpression }
    return groupWhenConnected { $0.fixedPart(expressions) }
  }

  /// Returns a request whose rows are grouped by the given expressions.
  ///
  /// The new grouping replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
  /// ```
  ///
  /// - Parameter expressions: The terms of the `GROUP BY` clause.
  public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

  /// Returns a request whose rows are grouped by raw SQL.
  ///
  /// ```swift
  /// let request = Player.select(sql: "teamId, MAX(score)").group(sql: "teamId")
  /// ```
  ///
  /// - Parameter sql: The terms of the `GROUP BY` clause, as SQL. Do not include values that come from outside the
  ///   program.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func group(sql: String, arguments: StatementArguments = []) -> Self { group(SQL(sql, arguments)) }

  /// Returns a request whose rows are grouped by an ``SQL`` literal.
  ///
  /// ```swift
  /// let request = Player.select(sql: "COUNT(*)").group(literal: "score / \(100)")
  /// ```
  ///
  /// - Parameter sqlLiteral: The terms of the `GROUP BY` clause. Interpolated values become arguments.
  public func group(literal sqlLiteral: SQL) -> Self { group(sqlLiteral) }

  /// Returns a request with an additional condition on its groups.
  ///
  /// Several conditions are combined with `AND`.
  ///
  /// ```swift
  /// let request = Player.all().group(Column("teamId")).having(max(Column("score")) > 1000)
  /// ```
  ///
  /// - Parameter predicate: A condition that each group must satisfy.
  public func having(_ predicate: some SQLSpecificExpressible) -> Self {
    let expression = predicate.sqlExpression
    return havingWhenConnected { $0.fixedPart(expression) }
  }

  /// Returns a request with an additional condition on its groups, as raw SQL.
  ///
  /// ```swift
  /// let request = Player.all().group(Column("teamId")).having(sql: "MAX(score) > ?", arguments: [1000])
  /// ```
  ///
  /// - Parameter sql: A condition that each group must satisfy, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func having(sql: String, arguments: StatementArguments = []) -> Self { having(SQL(sql, arguments)) }

  /// Returns a request with an additional condition on its groups, as an ``SQL`` literal.
  ///
  /// ```swift
  /// let request = Player.all().group(Column("teamId")).having(literal: "MAX(score) > \(1000)")
  /// ```
  ///
  /// - Parameter sqlLiteral: A condition that each group must satisfy. Interpolated values become arguments.
  public func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a request whose rows are grouped by expressions of the record's columns.
  ///
  /// The new grouping replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.select { [$0.teamId, max($0.score)] }.group { [$0.teamId] }
  /// ```
  ///
  /// - Parameter expressions: A closure that returns the terms of the `GROUP BY` clause. It runs immediately.
  /// - Throws: The error that `expressions` throws.
  public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
    group(try expressions(RowDecoder.databaseComponents))
  }

  /// Returns a request whose rows are grouped by an expression of the record's columns.
  ///
  /// The new grouping replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.select { [$0.teamId, max($0.score)] }.group { $0.teamId }
  /// ```
  ///
  /// - Parameter expression: A closure that returns the term of the `GROUP BY` clause. It runs immediately.
  /// - Throws: The error that `expression` throws.
  public func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
    group(try expression(RowDecoder.databaseComponents))
  }

  /// Returns a request with an additional condition on its groups, from the record's columns.
  ///
  /// ```swift
  /// let request = Player.all().group { $0.teamId }.having { max($0.score) > 1000 }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns a condition that each group must satisfy. It runs immediately.
  /// - Throws: The error that `predicate` throws.
  public func having(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
    let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
    return having(expression)
  }
}
