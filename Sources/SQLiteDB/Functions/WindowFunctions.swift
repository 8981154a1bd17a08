// Functions of a row among others, in the order that is given.

/// In which of so many parts of the rows a row is: `ntile(4) OVER (ORDER BY "score")`.
public func ntile(_ size: Int, _ orderBy: any Expressible) -> SQLExpression<Int> {
  .window("ntile", [size.expression], orderBy)
}

/// The place of a row: `row_number() OVER (ORDER BY "score")`.
public func rowNumber(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("row_number", [], orderBy) }

/// The rank of a row; after equal ones, some are left out: `rank() OVER (ORDER BY "score")`.
public func rank(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("rank", [], orderBy) }

/// The rank of a row; after equal ones, none is left out: `dense_rank() OVER (ORDER BY "score")`.
public func denseRank(_ orderBy: any Expressible) -> SQLExpression<Int> { .window("dense_rank", [], orderBy) }

/// The rank of a row, from 0 to 1: `percent_rank() OVER (ORDER BY "score")`.
public func percentRank(_ orderBy: any Expressible) -> SQLExpression<Double> { .window("percent_rank", [], orderBy) }

/// Which part of the rows comes before a row or is equal to it: `cume_dist() OVER (ORDER BY "score")`.
public func cumeDist(_ orderBy: any Expressible) -> SQLExpression<Double> { .window("cume_dist", [], orderBy) }

extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// The value of a row before: `lag("score", 1) OVER (ORDER BY "date")`.
  ///
  /// - parameter offset: How many rows before. Mind the default, which is the row itself.
  /// - parameter default: The value where there is no such row. Without it, that is NULL.
  /// - parameter orderBy: The order of the rows.
  public func lag(
    offset: Int = 0, default: (any Expressible)? = nil, _ orderBy: any Expressible
  ) -> SQLExpression<UnderlyingType> {
    neighbour("lag", offset, `default`, orderBy)
  }

  /// The value of a row after: `lead("score", 1) OVER (ORDER BY "date")`.
  ///
  /// - parameter offset: How many rows after. Mind the default, which is the row itself.
  /// - parameter default: The value where there is no such row. Without it, that is NULL.
  /// - parameter orderBy: The order of the rows.
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
  /// - parameter orderBy: The order of the rows.
  /// - returns: An expression of the same type: there is a first row.
  public func firstValue(_ orderBy: any Expressible) -> SQLExpression<UnderlyingType> {
    .window("first_value", [expression], orderBy)
  }

  /// Returns the value of the last row so far: `last_value("score") OVER (ORDER BY "date")`.
  ///
  /// - parameter orderBy: The order of the rows.
  /// - returns: An expression of the same type: there is a last row.
  public func lastValue(_ orderBy: any Expressible) -> SQLExpression<UnderlyingType> {
    .window("last_value", [expression], orderBy)
  }

  /// Returns the value of a row: `nth_value("score", 3) OVER (ORDER BY "date")`.
  ///
  /// - parameter index: The number of the row, counted from 1.
  /// - parameter orderBy: The order of the rows.
  /// - returns: An expression that is NULL as long as there are fewer rows.
  public func value(_ index: Int, _ orderBy: any Expressible) -> SQLExpression<UnderlyingType.WrappedType?> {
    .window("nth_value", [expression, SQLExpression(literal: "\(index)")], orderBy)
  }

  /// Returns the value of a row, where a type that cannot be NULL is asked for:
  /// `nth_value("score", 3) OVER (ORDER BY "date")`.
  ///
  /// - parameter index: The number of the row, counted from 1.
  /// - parameter orderBy: The order of the rows.
  /// - returns: An expression of the same type. Reading it is an error as long as there are fewer rows.
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
