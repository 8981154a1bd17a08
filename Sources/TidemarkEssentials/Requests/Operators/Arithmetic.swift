// Arithmetic. Operands keep their nesting, because `(a + b) + c` and `a + (b + c)` can round differently.

/// Returns the sum of two expressions: `a + b`.
///
/// ```swift
/// let request = Player.filter(Column("score") + Column("bonus") > 1000)
/// ```
///
/// - parameter lhs: An expression.
/// - parameter rhs: An expression or a value.
public func + (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the sum of a value and an expression: `a + b`.
///
/// - parameter lhs: A value.
/// - parameter rhs: An expression.
public func + (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the difference of two expressions: `a - b`.
///
/// ```swift
/// Column("score") - 1   // "score" - ?
/// ```
///
/// - parameter lhs: An expression.
/// - parameter rhs: An expression or a value to subtract.
public func - (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.minus, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the difference of a value and an expression: `a - b`.
///
/// - parameter lhs: A value.
/// - parameter rhs: An expression to subtract.
public func - (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.minus, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the product of two expressions: `a * b`.
///
/// ```swift
/// Column("price") * Column("quantity")   // "price" * "quantity"
/// ```
///
/// - parameter lhs: An expression.
/// - parameter rhs: An expression or a value.
public func * (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the product of a value and an expression: `a * b`.
///
/// - parameter lhs: A value.
/// - parameter rhs: An expression.
public func * (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the quotient of two expressions: `a / b`.
///
/// The quotient of integers is an integer, and division by zero is NULL.
///
/// ```swift
/// Column("score") / 10   // "score" / ?
/// ```
///
/// - parameter lhs: The dividend.
/// - parameter rhs: The divisor: an expression or a value.
public func / (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the quotient of a value and an expression: `a / b`.
///
/// The quotient of integers is an integer, and division by zero is NULL.
///
/// - parameter lhs: The dividend.
/// - parameter rhs: The divisor.
public func / (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the opposite of an expression: `-a`.
///
/// ```swift
/// let request = Player.order(-Column("score"))
/// ```
///
/// - parameter expression: An expression with a numeric value.
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
/// - parameter lhs: An expression.
/// - parameter rhs: An expression or a value.
public func & (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the bitwise AND of a value and an expression: `a & b`.
///
/// - parameter lhs: A value.
/// - parameter rhs: An expression.
public func & (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the bitwise OR of two expressions: `a | b`.
///
/// ```swift
/// Column("mask") | 4   // "mask" | ?
/// ```
///
/// - parameter lhs: An expression.
/// - parameter rhs: An expression or a value.
public func | (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the bitwise OR of a value and an expression: `a | b`.
///
/// - parameter lhs: A value.
/// - parameter rhs: An expression.
public func | (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns an expression shifted to the left: `a << b`.
///
/// ```swift
/// Column("mask") << 2   // "mask" << ?
/// ```
///
/// - parameter lhs: The expression to shift.
/// - parameter rhs: The number of bits: an expression or a value.
public func << (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.leftShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns a value shifted to the left by an expression: `a << b`.
///
/// - parameter lhs: The value to shift.
/// - parameter rhs: The number of bits.
public func << (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.leftShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns an expression shifted to the right: `a >> b`.
///
/// ```swift
/// Column("mask") >> 2   // "mask" >> ?
/// ```
///
/// - parameter lhs: The expression to shift.
/// - parameter rhs: The number of bits: an expression or a value.
public func >> (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.rightShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns a value shifted to the right by an expression: `a >> b`.
///
/// - parameter lhs: The value to shift.
/// - parameter rhs: The number of bits.
public func >> (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.rightShift, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns the bitwise complement of an expression: `~a`.
///
/// ```swift
/// ~Column("mask")   // ~"mask"
/// ```
///
/// - parameter expression: An expression with an integer value.
public prefix func ~ (expression: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.complement, expression.sqlExpression)
}
