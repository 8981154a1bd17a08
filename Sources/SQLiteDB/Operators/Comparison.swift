// Each operator has four forms:
//
// 1. two expressions that are never NULL,
// 2. two expressions one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// Forms 3 and 4 keep what is known of the expression: whether it may be NULL. The second form is chosen when the
// first does not fit.

/// Whether the left side is greater than the right one: `("a" > "b")`.
public func > <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, ">", rhs)
}

/// Whether the left side is greater than the right one: `("a" > "b")`.
@_disfavoredOverload
public func > <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, ">", rhs)
}

/// Whether the left side is greater than the right one: `("a" > "b")`.
public func > <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, ">", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Whether the left side is greater than the right one: `("a" > "b")`.
public func > <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">", rhs)
}

/// Whether the left side is greater than or equal to the right one: `("a" >= "b")`.
public func >= <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, ">=", rhs)
}

/// Whether the left side is greater than or equal to the right one: `("a" >= "b")`.
@_disfavoredOverload
public func >= <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, ">=", rhs)
}

/// Whether the left side is greater than or equal to the right one: `("a" >= "b")`.
public func >= <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, ">=", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Whether the left side is greater than or equal to the right one: `("a" >= "b")`.
public func >= <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">=", rhs)
}

/// Whether the left side is less than the right one: `("a" < "b")`.
public func < <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, "<", rhs)
}

/// Whether the left side is less than the right one: `("a" < "b")`.
@_disfavoredOverload
public func < <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, "<", rhs)
}

/// Whether the left side is less than the right one: `("a" < "b")`.
public func < <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, "<", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Whether the left side is less than the right one: `("a" < "b")`.
public func < <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<", rhs)
}

/// Whether the left side is less than or equal to the right one: `("a" <= "b")`.
public func <= <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, "<=", rhs)
}

/// Whether the left side is less than or equal to the right one: `("a" <= "b")`.
@_disfavoredOverload
public func <= <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, "<=", rhs)
}

/// Whether the left side is less than or equal to the right one: `("a" <= "b")`.
public func <= <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, "<=", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Whether the left side is less than or equal to the right one: `("a" <= "b")`.
public func <= <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<=", rhs)
}
