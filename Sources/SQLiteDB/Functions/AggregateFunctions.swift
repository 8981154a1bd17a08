extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// Each value once: `DISTINCT "name"`.
  ///
  /// ```swift
  /// try db.scalar(users.select(name.distinct.count))    // SELECT count(DISTINCT "name") FROM "users"
  /// ```
  public var distinct: SQLExpression<UnderlyingType> { SQLExpression("DISTINCT \(template)", bindings) }

  /// The number of rows where it is not NULL: `count("name")`.
  public var count: SQLExpression<Int> { .function("count", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Comparable {
  /// The largest value, NULL where there is none: `max("id")`.
  public var max: SQLExpression<UnderlyingType.WrappedType?> { .function("max", expression) }

  /// The smallest value, NULL where there is none: `min("id")`.
  public var min: SQLExpression<UnderlyingType.WrappedType?> { .function("min", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Number {
  /// The mean of all values, NULL where there is none: `avg("balance")`.
  public var average: SQLExpression<Double?> { .function("avg", expression) }

  /// The sum of all values, NULL where there is none: `sum("balance")`.
  public var sum: SQLExpression<UnderlyingType.WrappedType?> { .function("sum", expression) }

  /// The sum of all values, 0.0 where there is none: `total("balance")`.
  public var total: SQLExpression<Double> { .function("total", expression) }
}

extension SQLExpression where Datatype == Int {
  static func count(_ star: Star) -> SQLExpression { .function("count", star(nil, nil)) }
}

/// The type of `*`, where it stands for all columns.
public typealias Star = (SQLExpression<any Binding>?, SQLExpression<any Binding>?) -> SQLExpression<Void>

/// All columns, where a `Star` is asked for: `users.select(*)`, `users[*]`, `count(*)`.
public func * (_: SQLExpression<any Binding>?, _: SQLExpression<any Binding>?) -> SQLExpression<Void> {
  SQLExpression(literal: "*")
}

/// The number of rows: `count(*)`.
public func count(_ star: Star) -> SQLExpression<Int> { .count(star) }
