// The functions that make one value of many rows.

/// The number of rows where a value is not NULL: `COUNT(a)`.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("COUNT", counted)
}

/// The number of different values that are not NULL: `COUNT(DISTINCT a)`.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.countDistinct, value.sqlExpression)
}

/// The average: `AVG(a)`. It is NULL when there is no value.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("AVG", value)
}

/// The average of the rows of a kind: `AVG(a) FILTER (WHERE …)`.
public func average(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("AVG", value, filter: filter)
}

/// The greatest value: `MAX(a)`. It is NULL when there is none.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("MAX", value)
}

/// The greatest value of the rows of a kind: `MAX(a) FILTER (WHERE …)`.
///
/// ```swift
/// Player.select(max(Column("score"), filter: Column("isActive")))
/// ```
public func max(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("MAX", value, filter: filter)
}

/// The smallest value: `MIN(a)`. It is NULL when there is none.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("MIN", value)
}

/// The smallest value of the rows of a kind: `MIN(a) FILTER (WHERE …)`.
public func min(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("MIN", value, filter: filter)
}

/// The sum: `SUM(a)`. It is NULL when there is no value, and an integer when all values are.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("SUM", value)
}

/// The sum over the rows of a kind: `SUM(a) FILTER (WHERE …)`.
public func sum(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("SUM", value, filter: filter)
}

/// The sum: `TOTAL(a)`. It is 0.0 when there is no value, and never an integer.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("TOTAL", value)
}

/// The sum over the rows of a kind: `TOTAL(a) FILTER (WHERE …)`.
public func total(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("TOTAL", value, filter: filter)
}

private func aggregate(_ name: String, _ value: some SQLSpecificExpressible) -> SQLExpression {
  .function(name, [value.sqlExpression], isAggregate: true)
}

private func aggregate(
  _ name: String, _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
  .operation(.filtered, aggregate(name, value), filter.sqlExpression)
}
