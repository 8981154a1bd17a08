/// A range of values with a representation in SQL, written with `...` or `..<`.
///
/// Do not conform your own types to this protocol.
public protocol SQLRange<Bound> {
  /// The type of the values.
  associatedtype Bound

  /// Not part of the public interface: the bounds, each with the SQL operator that precedes it.
  var _limits: [(comparison: String, bound: Bound)] { get }
}

extension ClosedRange: SQLRange {
  /// Not part of the public interface.
  public var _limits: [(comparison: String, bound: Bound)] { [("BETWEEN", lowerBound), ("", upperBound)] }
}

extension Range: SQLRange {
  /// Not part of the public interface.
  public var _limits: [(comparison: String, bound: Bound)] { [(">=", lowerBound), ("<", upperBound)] }
}

extension PartialRangeThrough: SQLRange {
  /// Not part of the public interface.
  public var _limits: [(comparison: String, bound: Bound)] { [("<=", upperBound)] }
}

extension PartialRangeUpTo: SQLRange {
  /// Not part of the public interface.
  public var _limits: [(comparison: String, bound: Bound)] { [("<", upperBound)] }
}

extension PartialRangeFrom: SQLRange {
  /// Not part of the public interface.
  public var _limits: [(comparison: String, bound: Bound)] { [(">=", lowerBound)] }
}

/// Returns the condition that a value is in a range: `"a" BETWEEN 1 AND 5`, `"a" >= 1 AND "a" < 5`, `"a" <= 5`.
///
/// ```swift
/// users.filter(18...65 ~= age)    // WHERE "age" BETWEEN 18 AND 65
/// ```
///
/// - Parameters:
///   - range: The range.
///   - value: The value.
/// - Returns: The condition.
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
  /// Returns the condition that an expression is equal to one of the values: `("id" IN (1, 2, 3))`.
  ///
  /// ```swift
  /// users.filter([1, 2, 3].contains(id))
  /// ```
  ///
  /// - Parameter value: The expression.
  /// - Returns: The condition.
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
