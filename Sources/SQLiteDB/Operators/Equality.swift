// Each operator has four forms:
//
// 1. two expressions that are never NULL,
// 2. two expressions one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// Forms 3 and 4 keep what is known of the expression: whether it may be NULL. The second form is chosen when the
// first does not fit.

/// Whether both are equal: `("a" = "b")`; with nil, `("a" IS NULL)`.
public func == <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "=", rhs)
}

/// Whether both are equal: `("a" = "b")`; with nil, `("a" IS NULL)`.
@_disfavoredOverload
public func == <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "=", rhs)
}

/// Whether both are equal: `("a" = "b")`; with nil, `("a" IS NULL)`.
public func == <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, rhs._binding == nil ? "IS" : "=", SQLExpression<T>.parameter(rhs))
}

/// Whether both are equal: `("a" = "b")`; with nil, `("a" IS NULL)`.
public func == <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), lhs._binding == nil ? "IS" : "=", rhs)
}

/// Whether both differ: `("a" != "b")`; with nil, `("a" IS NOT NULL)`.
public func != <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "!=", rhs)
}

/// Whether both differ: `("a" != "b")`; with nil, `("a" IS NOT NULL)`.
@_disfavoredOverload
public func != <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "!=", rhs)
}

/// Whether both differ: `("a" != "b")`; with nil, `("a" IS NOT NULL)`.
public func != <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, rhs._binding == nil ? "IS NOT" : "!=", SQLExpression<T>.parameter(rhs))
}

/// Whether both differ: `("a" != "b")`; with nil, `("a" IS NOT NULL)`.
public func != <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), lhs._binding == nil ? "IS NOT" : "!=", rhs)
}

/// Whether both are equal, NULL being equal to NULL: `("a" IS "b")`.
public func === <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "IS", rhs)
}

/// Whether both are equal, NULL being equal to NULL: `("a" IS "b")`.
@_disfavoredOverload
public func === <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "IS", rhs)
}

/// Whether both are equal, NULL being equal to NULL: `("a" IS "b")`.
public func === <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, "IS", SQLExpression<T>.parameter(rhs))
}

/// Whether both are equal, NULL being equal to NULL: `("a" IS "b")`.
public func === <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), "IS", rhs)
}

/// Whether both differ, NULL being equal to NULL: `("a" IS NOT "b")`.
public func !== <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "IS NOT", rhs)
}

/// Whether both differ, NULL being equal to NULL: `("a" IS NOT "b")`.
@_disfavoredOverload
public func !== <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "IS NOT", rhs)
}

/// Whether both differ, NULL being equal to NULL: `("a" IS NOT "b")`.
public func !== <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, "IS NOT", SQLExpression<T>.parameter(rhs))
}

/// Whether both differ, NULL being equal to NULL: `("a" IS NOT "b")`.
public func !== <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), "IS NOT", rhs)
}
