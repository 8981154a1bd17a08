// Each operator has four forms, for these operands:
//
// 1. two expressions that are never NULL,
// 2. two expressions, at least one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// The result of forms 3 and 4 may be NULL if the expression may be. The compiler prefers form 1 to form 2.

/// Returns the remainder of a division: `("a" % "b")`.
///
/// ```swift
/// let query = users.select(flags % mask)
/// ```
public func % <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "%", rhs)
}

/// Returns the remainder of a division: `("a" % "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags % extra)
/// ```
@_disfavoredOverload
public func % <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "%", rhs)
}

/// Returns the remainder of a division: `("a" % 1)`.
///
/// ```swift
/// let query = users.select(flags % 3)
/// ```
public func % <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "%", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the remainder of a division: `(1 % "a")`.
///
/// ```swift
/// let query = users.select(12 % flags)
/// ```
public func % <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "%", rhs)
}

/// Returns the bits of the left operand, shifted to the left: `("a" << "b")`.
///
/// ```swift
/// let query = users.select(flags << mask)
/// ```
public func << <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "<<", rhs)
}

/// Returns the bits of the left operand, shifted to the left: `("a" << "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags << extra)
/// ```
@_disfavoredOverload
public func << <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "<<", rhs)
}

/// Returns the bits of the left operand, shifted to the left: `("a" << 1)`.
///
/// ```swift
/// let query = users.select(flags << 3)
/// ```
public func << <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "<<", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the bits of the left operand, shifted to the left: `(1 << "a")`.
///
/// ```swift
/// let query = users.select(12 << flags)
/// ```
public func << <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<<", rhs)
}

/// Returns the bits of the left operand, shifted to the right: `("a" >> "b")`.
///
/// ```swift
/// let query = users.select(flags >> mask)
/// ```
public func >> <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, ">>", rhs)
}

/// Returns the bits of the left operand, shifted to the right: `("a" >> "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags >> extra)
/// ```
@_disfavoredOverload
public func >> <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, ">>", rhs)
}

/// Returns the bits of the left operand, shifted to the right: `("a" >> 1)`.
///
/// ```swift
/// let query = users.select(flags >> 3)
/// ```
public func >> <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, ">>", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the bits of the left operand, shifted to the right: `(1 >> "a")`.
///
/// ```swift
/// let query = users.select(12 >> flags)
/// ```
public func >> <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">>", rhs)
}

/// Returns the bits that are set in both operands: `("a" & "b")`.
///
/// ```swift
/// let query = users.select(flags & mask)
/// ```
public func & <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "&", rhs)
}

/// Returns the bits that are set in both operands: `("a" & "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags & extra)
/// ```
@_disfavoredOverload
public func & <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "&", rhs)
}

/// Returns the bits that are set in both operands: `("a" & 1)`.
///
/// ```swift
/// let query = users.select(flags & 3)
/// ```
public func & <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "&", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the bits that are set in both operands: `(1 & "a")`.
///
/// ```swift
/// let query = users.select(12 & flags)
/// ```
public func & <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "&", rhs)
}

/// Returns the bits that are set in at least one of the operands: `("a" | "b")`.
///
/// ```swift
/// let query = users.select(flags | mask)
/// ```
public func | <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "|", rhs)
}

/// Returns the bits that are set in at least one of the operands: `("a" | "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags | extra)
/// ```
@_disfavoredOverload
public func | <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "|", rhs)
}

/// Returns the bits that are set in at least one of the operands: `("a" | 1)`.
///
/// ```swift
/// let query = users.select(flags | 3)
/// ```
public func | <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "|", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the bits that are set in at least one of the operands: `(1 | "a")`.
///
/// ```swift
/// let query = users.select(12 | flags)
/// ```
public func | <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "|", rhs)
}

/// Returns the bits that are set in exactly one of the operands: `(~(("a" & "b")) & ("a" | "b"))`.
///
/// ```swift
/// let query = users.select(flags ^ mask)
/// ```
public func ^ <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .exclusiveOr(lhs, rhs)
}

/// Returns the bits that are set in exactly one of the operands: `(~(("a" & "b")) & ("a" | "b"))`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(flags ^ extra)
/// ```
@_disfavoredOverload
public func ^ <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .exclusiveOr(lhs, rhs)
}

/// Returns the bits that are set in exactly one of the operands: `(~(("a" & 1)) & ("a" | 1))`.
///
/// ```swift
/// let query = users.select(flags ^ 3)
/// ```
public func ^ <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .exclusiveOr(lhs, SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the bits that are set in exactly one of the operands: `(~((1 & "a")) & (1 | "a"))`.
///
/// ```swift
/// let query = users.select(12 ^ flags)
/// ```
public func ^ <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .exclusiveOr(SQLExpression<T.WrappedType>.parameter(lhs), rhs)
}

/// Returns the inverted bits: `~("a")`.
///
/// ```swift
/// let query = users.select(~flags)
/// ```
public prefix func ~ <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .function("~", operand.expression)
}

/// Returns the negated number: `-("a")`.
///
/// ```swift
/// let query = users.select(-balance)
/// ```
public prefix func - <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .function("-", operand.expression)
}

extension SQLExpression {
  /// Returns an expression for the exclusive or, for which SQLite does not have an operator.
  static func exclusiveOr<L, R>(_ lhs: SQLExpression<L>, _ rhs: SQLExpression<R>) -> SQLExpression {
    let both = SQLExpression<Void>.infix(lhs, "&", rhs)
    return .infix(SQLExpression<Void>.function("~", both), "&", SQLExpression<Void>.infix(lhs, "|", rhs))
  }
}
