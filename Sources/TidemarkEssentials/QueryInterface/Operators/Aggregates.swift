// Aggregate functions. A filter restricts the rows that they read: `MAX(a) FILTER (WHERE b)`.

/// Returns an expression that counts the rows where a value is not NULL: `COUNT(a)`.
///
/// ```swift
/// let request = Player.select(count(Column("email")))   // SELECT COUNT("email") FROM "player"
/// ```
///
/// - Parameter counted: The expression to count.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { aggregate("COUNT", counted, nil) }

/// Returns an expression that counts the distinct values that are not NULL: `COUNT(DISTINCT a)`.
///
/// ```swift
/// let request = Player.select(count(distinct: Column("teamId")))
/// ```
///
/// - Parameter value: The expression to count.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.countDistinct, value.sqlExpression)
}

/// Returns an aggregate expression that computes the average: `AVG(a)`.
///
/// The result is NULL if all values are NULL.
///
/// - Parameter value: The aggregated expression.
/// - Returns: An expression.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("AVG", value, nil) }

/// Returns an aggregate expression that computes the average of filtered rows: `AVG(a) FILTER (WHERE b)`.
///
/// - Parameter value: The aggregated expression.
/// - Parameter filter: The condition of the aggregated rows.
/// - Returns: An expression.
public func average(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("AVG", value, filter)
}

/// Returns an aggregate expression that computes the greatest value: `MAX(a)`.
///
/// The result is NULL if all values are NULL.
///
/// ```swift
/// Player.select(max(Column("score")))
/// ```
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MAX", value, nil) }

/// Returns an aggregate expression that computes the greatest value of filtered rows: `MAX(a) FILTER (WHERE b)`.
///
/// - Parameter value: The aggregated expression.
/// - Parameter filter: The condition of the aggregated rows.
/// - Returns: An expression.
public func max(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("MAX", value, filter)
}

/// Returns an aggregate expression that computes the least value: `MIN(a)`.
///
/// The result is NULL if all values are NULL.
///
/// - Parameter value: The aggregated expression.
/// - Returns: An expression.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MIN", value, nil) }

/// Returns an aggregate expression that computes the least value of filtered rows: `MIN(a) FILTER (WHERE b)`.
///
/// - Parameter value: The aggregated expression.
/// - Parameter filter: The condition of the aggregated rows.
/// - Returns: An expression.
public func min(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("MIN", value, filter)
}

/// Returns an aggregate expression that computes the sum: `SUM(a)`.
///
/// The result is NULL if all values are NULL, and an integer if all values are integers.
///
/// - Parameter value: The aggregated expression.
/// - Returns: An expression.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("SUM", value, nil) }

/// Returns an aggregate expression that computes the sum of filtered rows: `SUM(a) FILTER (WHERE b)`.
///
/// - Parameter value: The aggregated expression.
/// - Parameter filter: The condition of the aggregated rows.
/// - Returns: An expression.
public func sum(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("SUM", value, filter)
}

/// Returns an aggregate expression that computes the sum as a floating-point number: `TOTAL(a)`.
///
/// The result is 0.0 if all values are NULL.
///
/// - Parameter value: The aggregated expression.
/// - Returns: An expression.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("TOTAL", value, nil) }

/// Returns an aggregate expression that computes the floating-point sum of filtered rows: `TOTAL(a) FILTER (WHERE b)`.
///
/// - Parameter value: The aggregated expression.
/// - Parameter filter: The condition of the aggregated rows.
/// - Returns: An expression.
public func total(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("TOTAL", value, filter)
}

private func aggregate(
  _ name: String, _ value: some SQLSpecificExpressible, _ filter: (any SQLSpecificExpressible)?
) -> SQLExpression {
  let call = SQLExpression.function(name, [value.sqlExpression], isAggregate: true)
  return filter.map { .operation(.filtered, call, $0.sqlExpression) } ?? call
}
