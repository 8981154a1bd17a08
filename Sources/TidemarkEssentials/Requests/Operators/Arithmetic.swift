// Arithmetic. What is nested stays so: `(a + b) + c` is not rounded as `a + (b + c)`.

/// The sum: `a + b`.
public func + (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The sum: `a + b`.
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

/// The difference: `a - b`.
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

/// The product: `a * b`.
public func * (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The product: `a * b`.
@_disfavoredOverload
public func * (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The quotient: `a / b`. That of integers is an integer.
public func / (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// The quotient: `a / b`. That of integers is an integer.
public func / (lhs: some DatabaseValueConvertible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// The quotient: `a / b`. That of integers is an integer.
@_disfavoredOverload
public func / (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
  .binary(.divided, lhs.sqlExpression, rhs.sqlExpression)
}

/// The opposite number: `-a`.
public prefix func - (expression: some SQLSpecificExpressible) -> SQLExpression {
  .operation(.negative, expression.sqlExpression)
}

// MARK: - Bits

/// The bits of both: `a & b`.
public func & (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
}

/// The bits of both: `a & b`.
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

/// The bits of any: `a | b`.
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

/// The bits, shifted to the left: `a << b`.
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

/// The bits, shifted to the right: `a >> b`.
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
