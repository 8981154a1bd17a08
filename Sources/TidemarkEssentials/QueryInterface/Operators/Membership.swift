// Tests whether the value of an expression is in a collection or in a range. The expression is the argument, as in
// Swift.

extension Sequence where Element: SQLExpressible {
  /// Returns an expression that is true if an element of the sequence equals an expression.
  ///
  /// ```swift
  /// [1, 2, 3].contains(Column("id"))   // "id" IN (?, ?, ?)
  /// [1].contains(Column("id"))         // "id" = ?
  /// ```
  ///
  /// An empty sequence returns false.
  ///
  /// - Parameter element: The expression to search for.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isOne(of: map { $0.sqlExpression })
  }
}

extension Sequence<any SQLExpressible> {
  /// Returns an expression that is true if an element of the sequence equals an expression.
  ///
  /// ```swift
  /// let name: [any SQLExpressible] = [Column("firstName"), Column("lastName")]
  /// let request = Player.filter(name.contains(Column("nickname")))
  /// ```
  ///
  /// An empty sequence returns false.
  ///
  /// - Parameter element: The expression to search for.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isOne(of: map { $0.sqlExpression })
  }
}

extension Range where Bound: SQLExpressible {
  /// Returns an expression that is true if an expression is in the range: `(a >= ?) AND (a < ?)`.
  ///
  /// ```swift
  /// let request = Player.filter((0..<1000).contains(Column("score")))
  /// ```
  ///
  /// - Parameter element: The expression to test.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    (element >= lowerBound) && (element < upperBound)
  }
}

extension ClosedRange where Bound: SQLExpressible {
  /// Returns an expression that is true if an expression is in the range: `a BETWEEN ? AND ?`.
  ///
  /// ```swift
  /// let request = Player.filter((0...1000).contains(Column("score")))
  /// ```
  ///
  /// - Parameter element: The expression to test.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isBetween(lowerBound.sqlExpression, upperBound.sqlExpression)
  }
}

extension PartialRangeFrom where Bound: SQLExpressible {
  /// Returns an expression that is true if an expression is in the range: `a >= ?`.
  ///
  /// ```swift
  /// let request = Player.filter((1000...).contains(Column("score")))
  /// ```
  ///
  /// - Parameter element: The expression to test.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element >= lowerBound }
}

extension PartialRangeThrough where Bound: SQLExpressible {
  /// Returns an expression that is true if an expression is in the range: `a <= ?`.
  ///
  /// ```swift
  /// let request = Player.filter((...1000).contains(Column("score")))
  /// ```
  ///
  /// - Parameter element: The expression to test.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element <= upperBound }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
  /// Returns an expression that is true if an expression is in the range: `a < ?`.
  ///
  /// ```swift
  /// let request = Player.filter((..<1000).contains(Column("score")))
  /// ```
  ///
  /// - Parameter element: The expression to test.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element < upperBound }
}
