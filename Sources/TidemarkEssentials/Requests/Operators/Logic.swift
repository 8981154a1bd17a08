// Logic. Both sides are expressions, most often. Where one is a Swift value, it is disfavored: in
// `$0.score > 0 && $0.name == $0.nickname` both tests go to SQL, even if Swift could compare the columns itself.
// Those of two expressions are not generic: the compiler prefers such ones, and would else prefer those of `Bool`.

/// Whether both hold: `a AND b`.
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  .chain(.and, [lhs, rhs])
}

/// Whether both hold: `a AND b`.
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Whether both hold: `a AND b`.
@_disfavoredOverload
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Whether both hold: `a AND b`.
@_disfavoredOverload
public func && (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Whether one of both holds: `a OR b`.
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  .chain(.or, [lhs, rhs])
}

/// Whether one of both holds: `a OR b`.
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Whether one of both holds: `a OR b`.
@_disfavoredOverload
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Whether one of both holds: `a OR b`.
@_disfavoredOverload
public func || (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The opposite.
///
/// ```swift
/// !(Column("score") == 1)   // "score" <> ?
/// !(Column("score") > 1)    // NOT ("score" > ?)
/// ```
public prefix func ! (expression: some SQLSpecificExpressible) -> SQLExpression {
  expression.sqlExpression.negated
}

/// The opposite.
public prefix func ! (expression: SQLExpression) -> SQLExpression { expression.negated }

// MARK: - Many

extension Sequence where Element: SQLExpressible {
  /// All the elements, with an operator between them.
  ///
  /// ```swift
  /// let terms = [Column("firstName"), Column("lastName")].joined(operator: .concat)   // "firstName" || "lastName"
  /// ```
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    .chain(`operator`, map { $0.sqlExpression })
  }
}

extension Sequence<any SQLExpressible> {
  /// All the elements, with an operator between them.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    .chain(`operator`, map { $0.sqlExpression })
  }
}
