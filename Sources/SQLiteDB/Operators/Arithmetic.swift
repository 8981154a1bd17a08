// Each operator has four forms:
//
// 1. two expressions that are never NULL,
// 2. two expressions one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// Forms 3 and 4 keep what is known of the expression: whether it may be NULL. The second form is chosen when the
// first does not fit.

/// The sum of numbers: `("a" + "b")`; two texts as one: `("a" || "b")`.
public func + <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Addable {
  .infix(lhs, V.Datatype._additionOperator, rhs)
}

/// The sum of numbers: `("a" + "b")`; two texts as one: `("a" || "b")`.
@_disfavoredOverload
public func + <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Addable {
  .infix(lhs, L.WrappedType.Datatype._additionOperator, rhs)
}

/// The sum of numbers: `("a" + "b")`; two texts as one: `("a" || "b")`.
public func + <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Addable {
  .infix(lhs, T.WrappedType.Datatype._additionOperator, SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The sum of numbers: `("a" + "b")`; two texts as one: `("a" || "b")`.
public func + <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Addable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), T.WrappedType.Datatype._additionOperator, rhs)
}

/// The difference of two numbers: `("a" - "b")`.
public func - <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "-", rhs)
}

/// The difference of two numbers: `("a" - "b")`.
@_disfavoredOverload
public func - <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "-", rhs)
}

/// The difference of two numbers: `("a" - "b")`.
public func - <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "-", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The difference of two numbers: `("a" - "b")`.
public func - <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "-", rhs)
}

/// The product of two numbers: `("a" * "b")`.
public func * <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "*", rhs)
}

/// The product of two numbers: `("a" * "b")`.
@_disfavoredOverload
public func * <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "*", rhs)
}

/// The product of two numbers: `("a" * "b")`.
public func * <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "*", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The product of two numbers: `("a" * "b")`.
public func * <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "*", rhs)
}

/// The quotient of two numbers: `("a" / "b")`.
public func / <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype: Number {
  .infix(lhs, "/", rhs)
}

/// The quotient of two numbers: `("a" / "b")`.
@_disfavoredOverload
public func / <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Number {
  .infix(lhs, "/", rhs)
}

/// The quotient of two numbers: `("a" / "b")`.
public func / <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(lhs, "/", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The quotient of two numbers: `("a" / "b")`.
public func / <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "/", rhs)
}
