// Arithmetic. Operands keep their nesting, because `(a + b) + c` and `a + (b + c)` can round differently.

/// Returns the sum of two expressions: `a + b`.
///
/// ```swift
/// let request = Player.filter(Column("score") + Column("bonus") > 1000)
/// ```
///
/// - Parameter lhs: An expression.
/// - Parameter rhs: An expression or a value.
public func + (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the sum of a value and an expression: `a + b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func + (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The sum: `a + b`.
@_disfavoredOverload
public func + (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The difference: `a - b`.
public func - (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.minus, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the difference of a value and an expression: `a - b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression to subtract.
public func - (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.minus, lhs.sqlExpression, rhs.sqlExpression)
}

/// The difference: `a - b`.
@_disfavoredOverload
public func - (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.minus, lhs.sqlExpression, rhs.sqlExpression)
}

/// The product: `a * b`.
public func * (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the product of a value and an expression: `a * b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func * (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The product: `a * b`.
@_disfavoredOverload
public func * (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The quotient: `a / b`. The quotient of integers is an integer.
public func / (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the quotient of a value and an expression: `a / b`.
///
/// The quotient of integers is an integer, and division by zero is NULL.
///
/// - Parameter lhs: The dividend.
/// - Parameter rhs: The divisor.
public func / (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// The quotient: `a / b`. The quotient of integers is an integer.
@_disfavoredOverload
public func / (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// The opposite number: `-a`.
public prefix func - (expression: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.negative, expression.sqlExpression)
}

// MARK: - Bits

/// Returns the bitwise AND of two expressions: `a & b`.
///
/// ```swift
/// let request = Player.filter((Column("mask") & 4) != 0)
/// ```
///
/// - Parameter lhs: An expression.
/// - Parameter rhs: An expression or a value.
public func & (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the bitwise AND of a value and an expression: `a & b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func & (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The bits of both: `a & b`.
@_disfavoredOverload
public func & (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The bits of any: `a | b`.
public func | (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the bitwise OR of a value and an expression: `a | b`.
///
/// - Parameter lhs: A value.
/// - Parameter rhs: An expression.
public func | (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The bits of any: `a | b`.
@_disfavoredOverload
public func | (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The bits, shifted to the left: `a << b`.
public func << (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.leftShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns a value shifted to the left by an expression: `a << b`.
///
/// - Parameter lhs: The value to shift.
/// - Parameter rhs: The number of bits.
public func << (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.leftShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// The bits, shifted to the left: `a << b`.
@_disfavoredOverload
public func << (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.leftShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// The bits, shifted to the right: `a >> b`.
public func >> (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.rightShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns a value shifted to the right by an expression: `a >> b`.
///
/// - Parameter lhs: The value to shift.
/// - Parameter rhs: The number of bits.
public func >> (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.rightShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// The bits, shifted to the right: `a >> b`.
@_disfavoredOverload
public func >> (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.rightShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// The other bits: `~a`.
public prefix func ~ (expression: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.complement, expression.sqlExpression)
}
