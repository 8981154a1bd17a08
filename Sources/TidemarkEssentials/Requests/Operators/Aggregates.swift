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

/// Returns an expression that computes the average of a value: `AVG(a)`.
///
/// The result is a floating-point number, or NULL if all values are NULL.
///
/// ```swift
/// let mean = try Player.select(average(Column("score")), as: Double.self).fetchOne(db)
/// ```
///
/// - parameter value: The expression to average.
/// - parameter filter: A condition on the rows to include, or nil to include all rows.
public func average(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { aggregate("AVG", value, filter) }

/// Returns an aggregate expression that computes the greatest value: `MAX(a)`.
///
/// The result is NULL if all values are NULL.
///
/// ```swift
/// Player.select(max(Column("score"), filter: Column("isActive")))
/// ```
///
/// - parameter value: The expression to compare.
/// - parameter filter: A condition on the rows to include, or nil to include all rows.
public func max(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { aggregate("MAX", value, filter) }

/// Returns an aggregate expression that computes the smallest value: `MIN(a)`.
///
/// The result is NULL if all values are NULL.
///
/// ```swift
/// Player.select(min(Column("score")))
/// ```
///
/// - parameter value: The expression to compare.
/// - parameter filter: A condition on the rows to include, or nil to include all rows.
public func min(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { aggregate("MIN", value, filter) }

/// Returns an expression that computes the sum of a value: `SUM(a)`.
///
/// The result is an integer if all values are integers, and NULL if all values are NULL.
///
/// ```swift
/// Player.select(sum(Column("score")))
/// ```
///
/// - parameter value: The expression to add up.
/// - parameter filter: A condition on the rows to include, or nil to include all rows.
public func sum(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { aggregate("SUM", value, filter) }

/// Returns an expression that computes the sum of a value as a floating-point number: `TOTAL(a)`.
///
/// Unlike `sum(_:filter:)`, the result is never an integer, and it is 0.0 if all values are NULL.
///
/// ```swift
/// Player.select(total(Column("score")))
/// ```
///
/// - parameter value: The expression to add up.
/// - parameter filter: A condition on the rows to include, or nil to include all rows.
public func total(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { aggregate("TOTAL", value, filter) }

private func aggregate(
  _ name: String, _ value: some SQLSpecificExpressible, _ filter: (any SQLSpecificExpressible)?
) -> SQLExpression {
  let call = SQLExpression.function(name, [value.sqlExpression], isAggregate: true)
  return filter.map { .operation(.filtered, call, $0.sqlExpression) } ?? call
}
