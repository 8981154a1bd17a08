// Logical operators. Usually, both operands are expressions. Overloads with a Swift value are disfavored, so that both
// tests of `$0.score > 0 && $0.name == $0.nickname` are SQL, even if Swift can compare the columns itself. Overloads
// with two `SQLExpression` operands are not generic, because the compiler would otherwise prefer the operators of
// `Bool`.

/// Returns an expression that is true if both operands are true: `a AND b`.
///
/// ```swift
/// let request = Player.filter(Column("score") > 1000 && Column("name") != nil)
/// ```
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition.
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  .chain(.and, [lhs, rhs])
}

/// Returns an expression that is true if both operands are true: `a AND b`.
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition.
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression that is true if both operands are true: `a AND b`.
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition or a Swift value.
@_disfavoredOverload
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression that is true if both operands are true: `a AND b`.
///
/// - Parameter lhs: A condition or a Swift value.
/// - Parameter rhs: A condition.
@_disfavoredOverload
public func && (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression that is true if at least one operand is true: `a OR b`.
///
/// ```swift
/// let request = Player.filter(Column("score") > 1000 || Column("isCaptain"))
/// ```
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition.
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  .chain(.or, [lhs, rhs])
}

/// Returns an expression that is true if at least one operand is true: `a OR b`.
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition.
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression that is true if at least one operand is true: `a OR b`.
///
/// - Parameter lhs: A condition.
/// - Parameter rhs: A condition or a Swift value.
@_disfavoredOverload
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression that is true if at least one operand is true: `a OR b`.
///
/// - Parameter lhs: A condition or a Swift value.
/// - Parameter rhs: A condition.
@_disfavoredOverload
public func || (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the negation of a condition.
///
/// ```swift
/// !(Column("score") == 1)   // "score" <> ?
/// !(Column("score") > 1)    // NOT ("score" > ?)
/// ```
///
/// - Parameter expression: The condition to negate.
public prefix func ! (expression: some SQLSpecificExpressible) -> SQLExpression {
  expression.sqlExpression.negated
}

/// Returns the negation of a condition.
///
/// - Parameter expression: The condition to negate.
public prefix func ! (expression: SQLExpression) -> SQLExpression { expression.negated }

// MARK: - Many

extension Sequence where Element: SQLExpressible {
  /// Returns an expression that combines all elements with an operator.
  ///
  /// ```swift
  /// let terms = [Column("firstName"), Column("lastName")].joined(operator: .concat)   // "firstName" || "lastName"
  /// ```
  ///
  /// An empty sequence returns the neutral value of the operator, for example true for `and` and 0 for `add`.
  ///
  /// - Parameter operator: The operator between the elements.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    .chain(`operator`, map { $0.sqlExpression })
  }
}

extension Sequence<any SQLExpressible> {
  /// Returns an expression that combines all elements with an operator.
  ///
  /// An empty sequence returns the neutral value of the operator, for example true for `and` and 0 for `add`.
  ///
  /// - Parameter operator: The operator between the elements.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    .chain(`operator`, map { $0.sqlExpression })
  }
}

extension Sequence<any SQLSpecificExpressible> {
  /// Returns an expression that combines all elements with an operator.
  ///
  /// ```swift
  /// let conditions: [any SQLSpecificExpressible] = [Column("isCaptain"), Column("score") > 1000]
  /// let request = Player.filter(conditions.joined(operator: .and))   // "isCaptain" AND ("score" > 1000)
  /// ```
  ///
  /// An empty sequence returns the neutral value of the operator, for example true for `and` and 0 for `add`.
  ///
  /// - Parameter operator: The operator between the elements.
  @_disfavoredOverload  // A literal of different types is an array of `any SQLExpressible`.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    .chain(`operator`, map { $0.sqlExpression })
  }
}
