// Whether a value is in a collection or in a range. What is asked stands on the right, as in Swift.

extension Sequence where Element: SQLExpressible {
  /// Whether one of the elements is equal to an expression.
  ///
  /// ```swift
  /// [1, 2, 3].contains(Column("id"))   // "id" IN (?, ?, ?)
  /// [1].contains(Column("id"))         // "id" = ?
  /// ```
  ///
  /// No element at all contains nothing.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isOne(of: map { $0.sqlExpression })
  }
}

extension Sequence<any SQLExpressible> {
  /// Whether one of the elements is equal to an expression.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isOne(of: map { $0.sqlExpression })
  }
}

extension Range where Bound: SQLExpressible {
  /// Whether an expression is in the range: `(a >= ?) AND (a < ?)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    (element >= lowerBound) && (element < upperBound)
  }
}

extension ClosedRange where Bound: SQLExpressible {
  /// Whether an expression is in the range: `a BETWEEN ? AND ?`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isBetween(lowerBound.sqlExpression, upperBound.sqlExpression)
  }
}

extension PartialRangeFrom where Bound: SQLExpressible {
  /// Whether an expression is in the range: `a >= ?`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element >= lowerBound }
}

extension PartialRangeThrough where Bound: SQLExpressible {
  /// Whether an expression is in the range: `a <= ?`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element <= upperBound }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
  /// Whether an expression is in the range: `a < ?`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element < upperBound }
}
