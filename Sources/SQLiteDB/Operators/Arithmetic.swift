// Each operator has four forms, for these operands:
//
// 1. two expressions that are never NULL,
// 2. two expressions, at least one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// The result of forms 3 and 4 may be NULL if the expression may be. The compiler prefers form 1 to form 2.

/// Returns the sum of two numbers, or the concatenation of two strings: `("a" + "b")`, `("a" || "b")`.
///
/// ```swift
/// let query = users.select(balance + limit)
/// ```
public func + <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Addable {
  .infix(lhs, V.Datatype._additionOperator, rhs)
}

/// Returns the sum of two numbers, or the concatenation of two strings: `("a" + "b")`, `("a" || "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(balance + bonus)
/// ```
@_disfavoredOverload
public func + <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Addable {
  .infix(lhs, L.WrappedType.Datatype._additionOperator, rhs)
}

/// Returns the sum of two numbers, or the concatenation of two strings: `("a" + 1)`, `("a" || 'x')`.
///
/// ```swift
/// let query = users.select(balance + 10)
/// ```
public func + <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Addable {
  .infix(lhs, T.WrappedType.Datatype._additionOperator, SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the sum of two numbers, or the concatenation of two strings: `(1 + "a")`, `('x' || "a")`.
///
/// ```swift
/// let query = users.select(100 + balance)
/// ```
public func + <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Addable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), T.WrappedType.Datatype._additionOperator, rhs)
}

/// Returns the difference of two numbers: `("a" - "b")`.
///
/// ```swift
/// let query = users.select(balance - limit)
/// ```
public func - <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "-", rhs)
}

/// Returns the difference of two numbers: `("a" - "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(balance - bonus)
/// ```
@_disfavoredOverload
public func - <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "-", rhs)
}

/// Returns the difference of two numbers: `("a" - 1)`.
///
/// ```swift
/// let query = users.select(balance - 10)
/// ```
public func - <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "-", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the difference of two numbers: `(1 - "a")`.
///
/// ```swift
/// let query = users.select(100 - balance)
/// ```
public func - <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "-", rhs)
}

/// Returns the product of two numbers: `("a" * "b")`.
///
/// ```swift
/// let query = users.select(balance * limit)
/// ```
public func * <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "*", rhs)
}

/// Returns the product of two numbers: `("a" * "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(balance * bonus)
/// ```
@_disfavoredOverload
public func * <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "*", rhs)
}

/// Returns the product of two numbers: `("a" * 1)`.
///
/// ```swift
/// let query = users.select(balance * 10)
/// ```
public func * <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "*", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the product of two numbers: `(1 * "a")`.
///
/// ```swift
/// let query = users.select(100 * balance)
/// ```
public func * <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "*", rhs)
}

/// Returns the quotient of two numbers: `("a" / "b")`.
///
/// ```swift
/// let query = users.select(balance / limit)
/// ```
public func / <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "/", rhs)
}

/// Returns the quotient of two numbers: `("a" / "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.select(balance / bonus)
/// ```
@_disfavoredOverload
public func / <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "/", rhs)
}

/// Returns the quotient of two numbers: `("a" / 1)`.
///
/// ```swift
/// let query = users.select(balance / 10)
/// ```
public func / <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "/", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the quotient of two numbers: `(1 / "a")`.
///
/// ```swift
/// let query = users.select(100 / balance)
/// ```
public func / <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "/", rhs)
}
