// Aggregate functions. A filter restricts the rows that they read: `MAX(a) FILTER (WHERE b)`.

/// Returns an expression that counts the rows where a value is not NULL: `COUNT(a)`.
///
/// ```swift
/// let request = Player.select(count(Column("email")))   // SELECT COUNT("email") FROM "player"
/// ```
///
/// - parameter counted: The expression to count.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { aggregate("COUNT", counted, nil) }

/// Returns an expression that counts the distinct values that are not NULL: `COUNT(DISTINCT a)`.
///
/// ```swift
/// let request = Player.select(count(distinct: Column("teamId")))
/// ```
///
/// - parameter value: The expression to count.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.countDistinct, value.sqlExpression)
}

/// The average: `AVG(a)`. It is NULL when there is no value.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("AVG", value, nil) }

/// The same, of the rows that a filter lets through: `AVG(a) FILTER (WHERE b)`.
///
/// - Parameter value: What is aggregated.
/// - Parameter filter: Which rows count.
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

/// The same, of the rows that a filter lets through: `MAX(a) FILTER (WHERE b)`.
///
/// - Parameter value: What is aggregated.
/// - Parameter filter: Which rows count.
/// - Returns: An expression.
public func max(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("MAX", value, filter)
}

/// The smallest value: `MIN(a)`. It is NULL when there is none.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MIN", value, nil) }

/// The same, of the rows that a filter lets through: `MIN(a) FILTER (WHERE b)`.
///
/// - Parameter value: What is aggregated.
/// - Parameter filter: Which rows count.
/// - Returns: An expression.
public func min(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("MIN", value, filter)
}

/// The sum: `SUM(a)`. It is NULL when there is no value, and an integer when all values are.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("SUM", value, nil) }

/// The same, of the rows that a filter lets through: `SUM(a) FILTER (WHERE b)`.
///
/// - Parameter value: What is aggregated.
/// - Parameter filter: Which rows count.
/// - Returns: An expression.
public func sum(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression {
  aggregate("SUM", value, filter)
}

/// The sum: `TOTAL(a)`. It is 0.0 when there is no value, and never an integer.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("TOTAL", value, nil) }

/// The same, of the rows that a filter lets through: `TOTAL(a) FILTER (WHERE b)`.
///
/// - Parameter value: What is aggregated.
/// - Parameter filter: Which rows count.
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
