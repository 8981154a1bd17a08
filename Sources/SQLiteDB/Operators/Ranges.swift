/// A range of values that SQL can ask for: what Swift writes with `...` and `..<`.
///
/// Do not adopt it.
public protocol SQLRange<Bound> {
  /// The values.
  associatedtype Bound

  /// Not for you to call: the limits, each with what SQL writes between the expression and it.
  var _limits: [(comparison: String, bound: Bound)] { get }
}

extension ClosedRange: SQLRange {
  /// Not for you to call.
  public var _limits: [(comparison: String, bound: Bound)] { [("BETWEEN", lowerBound), ("", upperBound)] }
}

extension Range: SQLRange {
  /// Not for you to call.
  public var _limits: [(comparison: String, bound: Bound)] { [(">=", lowerBound), ("<", upperBound)] }
}

extension PartialRangeThrough: SQLRange {
  /// Not for you to call.
  public var _limits: [(comparison: String, bound: Bound)] { [("<=", upperBound)] }
}

extension PartialRangeUpTo: SQLRange {
  /// Not for you to call.
  public var _limits: [(comparison: String, bound: Bound)] { [("<", upperBound)] }
}

extension PartialRangeFrom: SQLRange {
  /// Not for you to call.
  public var _limits: [(comparison: String, bound: Bound)] { [(">=", lowerBound)] }
}

/// Whether a value is in a range: `"a" BETWEEN 1 AND 5`, `"a" >= 1 AND "a" < 5`, `"a" <= 5`.
///
/// ```swift
/// users.filter(18...65 ~= age)    // WHERE "age" BETWEEN 18 AND 65
/// ```
public func ~= <R: SQLRange, T: ExpressionDatatype>(range: R, value: SQLExpression<T>) -> SQLExpression<T.Condition>
where R.Bound == T.WrappedType, T.WrappedType.Datatype: Comparable {
  var writer = SQLWriter()
  for (index, limit) in range._limits.enumerated() {
    if index > 0 { writer.write(" AND ") }
    if !limit.comparison.isEmpty {
      writer.writeOperand(value)
      writer.write(" \(limit.comparison) ")
    }
    writer.writeParameter(limit.bound.datatypeValue)
  }
  var condition: SQLExpression<T.Condition> = writer.expression()
  condition.isLoose = true
  return condition
}

extension Collection where Element: Value {
  /// Whether an expression is one of the values: `("id" IN (1, 2, 3))`.
  ///
  /// ```swift
  /// users.filter([1, 2, 3].contains(id))
  /// ```
  public func contains<T: ExpressionDatatype>(_ value: SQLExpression<T>) -> SQLExpression<T.Condition>
  where T.WrappedType == Element {
    var writer = SQLWriter("(")
    for (index, element) in enumerated() {
      if index > 0 { writer.write(", ") }
      writer.writeParameter(element.datatypeValue)
    }
    writer.write(")")
    return .infix(value, "IN", writer.expression(of: Void.self))
  }
}
