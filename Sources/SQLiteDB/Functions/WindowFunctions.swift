// Window functions, with the order of the rows as an argument.

/// Returns the number of the bucket that contains the row: `ntile(4) OVER (ORDER BY "score")`.
///
/// ```swift
/// let quartiles = posts.select(title, ntile(4, score.desc))
/// ```
///
/// - Parameters:
///   - size: The number of buckets.
///   - orderBy: The order of the rows.
/// - Returns: The expression.
public func ntile(_ size: Int, _ orderBy: any Expressible) -> SQLExpression<Int> {
  .window("ntile", [size.expression], orderBy)
}

/// Returns the number of the row, counted from 1: `row_number() OVER (ORDER BY "score")`.
///
/// ```swift
/// let numbered = posts.select(title, rowNumber(score.desc))
/// ```
///
/// - Parameter orderBy: The order of the rows.
/// - Returns: The expression.
public func rowNumber(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("row_number", [], orderBy) }

/// Returns the rank of the row, with gaps after equal rows: `rank() OVER (ORDER BY "score")`.
///
/// ```swift
/// let ranking = posts.select(title, rank(score.desc))
/// ```
///
/// - Parameter orderBy: The order of the rows.
/// - Returns: The expression.
public func rank(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("rank", [], orderBy) }

/// Returns the rank of the row, without gaps after equal rows: `dense_rank() OVER (ORDER BY "score")`.
///
/// ```swift
/// let ranking = posts.select(title, denseRank(score.desc))
/// ```
///
/// - Parameter orderBy: The order of the rows.
/// - Returns: The expression.
public func denseRank(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("dense_rank", [], orderBy) }

/// Returns the relative rank of the row, from 0 to 1: `percent_rank() OVER (ORDER BY "score")`.
///
/// ```swift
/// let ranking = posts.select(title, percentRank(score))
/// ```
///
/// - Parameter orderBy: The order of the rows.
/// - Returns: The expression.
public func percentRank(_ orderBy: any Expressible) -> SQLExpression<Double> { .window("percent_rank", [], orderBy) }

/// Returns the share of rows that precede the row or are equal to it: `cume_dist() OVER (ORDER BY "score")`.
///
/// ```swift
/// let distribution = posts.select(title, cumeDist(score))
/// ```
///
/// - Parameter orderBy: The order of the rows.
/// - Returns: The expression.
public func cumeDist(_ orderBy: any Expressible) -> SQLExpression<Double> { .window("cume_dist", [], orderBy) }

extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// Returns the value of a preceding row: `lag("score", 1) OVER (ORDER BY "date")`.
  ///
  /// ```swift
  /// let previous = posts.select(score, score.lag(offset: 1, default: 0, date))
  /// ```
  ///
  /// - Parameters:
  ///   - offset: The distance of the row. The default is 0, which is the row itself.
  ///   - default: The value if the row does not exist; nil for NULL.
  ///   - orderBy: The order of the rows.
  /// - Returns: The expression.
  public func lag(
    offset: Int = 0, default: (any Expressible)? = nil, _ orderBy: any Expressible
  ) -> SQLExpression<UnderlyingType> {
    neighbour("lag", offset, `default`, orderBy)
  }

  /// Returns the value of a following row: `lead("score", 1) OVER (ORDER BY "date")`.
  ///
  /// ```swift
  /// let next = posts.select(score, score.lead(offset: 1, default: 0, date))
  /// ```
  ///
  /// - Parameters:
  ///   - offset: The distance of the row. The default is 0, which is the row itself.
  ///   - default: The value if the row does not exist; nil for NULL.
  ///   - orderBy: The order of the rows.
  /// - Returns: The expression.
  public func lead(
    offset: Int = 0, default: (any Expressible)? = nil, _ orderBy: any Expressible
  ) -> SQLExpression<UnderlyingType> {
    neighbour("lead", offset, `default`, orderBy)
  }

  private func neighbour(
    _ name: String, _ offset: Int, _ other: (any Expressible)?, _ orderBy: any Expressible
  ) -> SQLExpression<UnderlyingType> {
    .window(name, [expression, SQLExpression(literal: "\(offset)")] + (other.map { [$0.expression] } ?? []), orderBy)
  }

  /// Returns the value of the first row: `first_value("score") OVER (ORDER BY "date")`.
  ///
  /// ```swift
  /// let query = posts.select(score, score.firstValue(date))
  /// ```
  ///
  /// - Parameter orderBy: The order of the rows.
  /// - Returns: An expression of the same type, as there is always a first row.
  public func firstValue(_ orderBy: any Expressible) -> SQLExpression<UnderlyingType> {
    .window("first_value", [expression], orderBy)
  }

  /// Returns the value of the last row up to the current one: `last_value("score") OVER (ORDER BY "date")`.
  ///
  /// ```swift
  /// let query = posts.select(score, score.lastValue(date))
  /// ```
  ///
  /// - Parameter orderBy: The order of the rows.
  /// - Returns: An expression of the same type, as there is always a last row.
  public func lastValue(_ orderBy: any Expressible) -> SQLExpression<UnderlyingType> {
    .window("last_value", [expression], orderBy)
  }

  /// Returns the value of a row by its number: `nth_value("score", 3) OVER (ORDER BY "date")`.
  ///
  /// ```swift
  /// let third: SQLExpression<Int?> = score.value(3, date)
  /// ```
  ///
  /// - Parameters:
  ///   - index: The number of the row, counted from 1.
  ///   - orderBy: The order of the rows.
  /// - Returns: An expression that is NULL while there are fewer rows.
  public func value(_ index: Int, _ orderBy: any Expressible) -> SQLExpression<UnderlyingType.WrappedType?> {
    .window("nth_value", [expression, SQLExpression(literal: "\(index)")], orderBy)
  }

  /// Returns the value of a row by its number, with the type of the expression.
  ///
  /// ```swift
  /// let third: SQLExpression<Int> = score.value(3, date)
  /// ```
  ///
  /// - Parameters:
  ///   - index: The number of the row, counted from 1.
  ///   - orderBy: The order of the rows.
  /// - Returns: An expression of the same type. Reading it throws an error while there are fewer rows.
  @_disfavoredOverload
  public func value(_ index: Int, _ orderBy: any Expressible) -> SQLExpression<UnderlyingType> {
    .window("nth_value", [expression, SQLExpression(literal: "\(index)")], orderBy)
  }
}

extension SQLExpression {
  fileprivate static func window(
    _ name: String, _ arguments: [SQLExpression<Void>], _ orderBy: any Expressible
  ) -> SQLExpression {
    var writer = SQLWriter()
    writer.write(SQLExpression<Void>.function(name, arguments))
    writer.write(" OVER (ORDER BY ")
    writer.write(orderBy.expression)
    writer.write(")")
    return writer.expression()
  }
}
