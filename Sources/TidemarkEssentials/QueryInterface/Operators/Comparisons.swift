// Comparisons of expressions with each other and with values.
//
// The compiler tries every overload of an operator on every literal, so each has few: a value stands on the right, or
// on the left. A third one, disfavored, serves generic code, where the left operand is `some SQLExpressible`.
// Documentation/Decisions/OperatorsHaveFewOverloads.md has the measures.

// MARK: - Equality

/// Returns an expression that is true if both operands are equal: `a = b`, or `a IS NULL` if an operand is nil.
///
/// ```swift
/// Column("name") == "Arthur"   // "name" = ?
/// Column("name") == nil        // "name" IS NULL
/// ```
///
/// - Parameter lhs: An expression.
/// - Parameter rhs: An expression or a value. Nil stands for NULL.
public func == (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
  .equal(lhs.sqlExpression, rhs.sqlExpressionOrNull)
}

/// Returns an expression that is true if both operands are equal: `a = b`, or `a IS NULL` if an operand is nil.
///
/// - Parameter lhs: A value. Nil stands for NULL.
/// - Parameter rhs: An expression.
public func == (lhs: (any DatabaseValueConvertible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .equal(lhs.sqlExpressionOrNull, rhs.sqlExpression)
}

/// Returns an expression that is true if both operands are equal: `a = b`, or `a IS NULL`.
@_disfavoredOverload
public func == (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .equal(lhs.sqlExpressionOrNull, rhs.sqlExpression)
}

// A database value would match both overloads: it is a value and an expression.
/// Returns an expression that is true if both operands are equal: `a = b`, or `a IS NULL`.
public func == (lhs: DatabaseValue, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .equal(lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if both operands differ: `a <> b`, or `a IS NOT NULL` if an operand is NULL.
///
/// - Parameter lhs: A database value.
/// - Parameter rhs: An expression.
public func != (lhs: DatabaseValue, rhs: some SQLSpecificExpressible) -> SQLExpression {
  (lhs == rhs).negated
}

/// Returns an expression that is true if both operands differ: `a <> b`, or `a IS NOT NULL` if an operand is nil.
///
/// ```swift
/// Column("name") != "Arthur"   // "name" <> ?
/// Column("name") != nil        // "name" IS NOT NULL
/// ```
///
/// - Parameter lhs: An expression.
/// - Parameter rhs: An expression or a value. Nil stands for NULL.
public func != (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
  (lhs == rhs).negated
}

/// Returns an expression that is true if both operands differ: `a <> b`, or `a IS NOT NULL` if an operand is nil.
///
/// - Parameter lhs: A value. Nil stands for NULL.
/// - Parameter rhs: An expression.
public func != (lhs: (any DatabaseValueConvertible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  (lhs == rhs).negated
}

/// Returns an expression that is true if both operands differ: `a <> b`, or `a IS NOT NULL`.
@_disfavoredOverload
public func != (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  (lhs == rhs).negated
}

/// Returns an expression that is true if both operands are identical, where NULL is identical to NULL: `a IS b`.
public func === (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
  .same(lhs.sqlExpression, rhs.sqlExpressionOrNull)
}

/// Returns an expression that is true if both operands are identical, where NULL is identical to NULL: `a IS b`.
///
/// - Parameter lhs: A value. Nil stands for NULL.
/// - Parameter rhs: An expression.
public func === (lhs: (any DatabaseValueConvertible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .same(lhs.sqlExpressionOrNull, rhs.sqlExpression)
}

/// Returns an expression that is true if both operands are identical, where NULL is identical to NULL: `a IS b`.
@_disfavoredOverload
public func === (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .same(lhs.sqlExpressionOrNull, rhs.sqlExpression)
}

/// Returns an expression that is true if both operands differ, where NULL is identical to NULL: `a IS NOT b`.
public func !== (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
  (lhs === rhs).negated
}

/// Returns an expression that is true if both operands differ, where NULL is identical to NULL: `a IS NOT b`.
///
/// - Parameter lhs: A value. Nil stands for NULL.
/// - Parameter rhs: An expression.
public func !== (lhs: (any DatabaseValueConvertible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  (lhs === rhs).negated
}

/// Returns an expression that is true if both operands differ, where NULL is identical to NULL: `a IS NOT b`.
@_disfavoredOverload
public func !== (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
  (lhs === rhs).negated
}

extension Optional<any SQLExpressible> {
  fileprivate var sqlExpressionOrNull: SQLExpression { self?.sqlExpression ?? .value(.null) }
}

extension Optional<any DatabaseValueConvertible> {
  fileprivate var sqlExpressionOrNull: SQLExpression { self?.sqlExpression ?? .value(.null) }
}

// MARK: - Order

/// Returns an expression that is true if the left operand is smaller: `a < b`.
///
/// ```swift
/// let request = Player.filter(Column("score") < 1000)
/// ```
///
/// - Parameter lhs: An expression.
/// - Parameter rhs: An expression or a value.
public func < (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.less, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is smaller: `a < b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func < (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.less, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is smaller: `a < b`.
@_disfavoredOverload
public func < (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.less, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is smaller or equal: `a <= b`.
public func <= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.lessOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is smaller or equal: `a <= b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func <= (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.lessOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is smaller or equal: `a <= b`.
@_disfavoredOverload
public func <= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.lessOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater: `a > b`.
public func > (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.greater, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater: `a > b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func > (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.greater, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater: `a > b`.
@_disfavoredOverload
public func > (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.greater, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater or equal: `a >= b`.
public func >= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.greaterOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater or equal: `a >= b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func >= (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.greaterOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression that is true if the left operand is greater or equal: `a >= b`.
@_disfavoredOverload
public func >= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.greaterOrEqual, lhs.sqlExpression, rhs.sqlExpression)
}
