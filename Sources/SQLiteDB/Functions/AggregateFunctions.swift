extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// The expression with each distinct value once, as the argument of an aggregate function: `DISTINCT "name"`.
  ///
  /// ```swift
  /// try db.scalar(users.select(name.distinct.count))    // SELECT count(DISTINCT "name") FROM "users"
  /// ```
  public var distinct: SQLExpression<UnderlyingType> { SQLExpression("DISTINCT \(template)", bindings) }

  /// The number of rows in which the expression is not NULL: `count("name")`.
  public var count: SQLExpression<Int> { .function("count", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Comparable {
  /// The largest value; NULL if there is none: `max("id")`.
  public var max: SQLExpression<UnderlyingType.WrappedType?> { .function("max", expression) }

  /// The smallest value; NULL if there is none: `min("id")`.
  public var min: SQLExpression<UnderlyingType.WrappedType?> { .function("min", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Number {
  /// The average of all values; NULL if there are none: `avg("balance")`.
  public var average: SQLExpression<Double?> { .function("avg", expression) }

  /// The sum of all values; NULL if there are none: `sum("balance")`.
  public var sum: SQLExpression<UnderlyingType.WrappedType?> { .function("sum", expression) }

  /// The sum of all values; 0.0 if there are none: `total("balance")`.
  public var total: SQLExpression<Double> { .function("total", expression) }
}

extension SQLExpression where Datatype == Int {
  static func count(_ star: Star) -> SQLExpression { .function("count", star(nil, nil)) }
}

/// The type of `*`, which stands for all columns.
public typealias Star = (SQLExpression<any Binding>?, SQLExpression<any Binding>?) -> SQLExpression<Void>

/// All columns, as an argument of type ``Star``: `users.select(*)`, `users[*]`, `count(*)`.
///
/// ```swift
/// let query = users.select(*)
/// ```
public func * (_: SQLExpression<any Binding>?, _: SQLExpression<any Binding>?) -> SQLExpression<Void> {
  SQLExpression(literal: "*")
}

/// Returns the number of rows: `count(*)`.
///
/// ```swift
/// let perUser = posts.select(userId, count(*)).group(userId)
/// ```
///
/// - Parameter star: `*`.
/// - Returns: The expression.
public func count(_ star: Star) -> SQLExpression<Int> { .count(star) }
