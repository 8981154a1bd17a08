// Each operator has four forms, for these operands:
//
// 1. two expressions that are never NULL,
// 2. two expressions, at least one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// The result of forms 3 and 4 may be NULL if the expression may be. The compiler prefers form 1 to form 2.

/// Returns the condition that the left operand is greater than the right operand: `("a" > "b")`.
///
/// ```swift
/// let query = users.filter(balance > limit)
/// ```
public func > <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, ">", rhs)
}

/// Returns the condition that the left operand is greater than the right operand: `("a" > "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(balance > bonus)
/// ```
@_disfavoredOverload
public func > <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, ">", rhs)
}

/// Returns the condition that the left operand is greater than the right operand: `("a" > 1)`.
///
/// ```swift
/// let query = users.filter(balance > 10)
/// ```
public func > <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, ">", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the condition that the left operand is greater than the right operand: `(1 > "a")`.
///
/// ```swift
/// let query = users.filter(100 > balance)
/// ```
public func > <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">", rhs)
}

/// Returns the condition that the left operand is greater than or equal to the right operand: `("a" >= "b")`.
///
/// ```swift
/// let query = users.filter(balance >= limit)
/// ```
public func >= <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, ">=", rhs)
}

/// Returns the condition that the left operand is greater than or equal to the right operand: `("a" >= "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(balance >= bonus)
/// ```
@_disfavoredOverload
public func >= <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, ">=", rhs)
}

/// Returns the condition that the left operand is greater than or equal to the right operand: `("a" >= 1)`.
///
/// ```swift
/// let query = users.filter(balance >= 10)
/// ```
public func >= <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, ">=", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the condition that the left operand is greater than or equal to the right operand: `(1 >= "a")`.
///
/// ```swift
/// let query = users.filter(100 >= balance)
/// ```
public func >= <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">=", rhs)
}

/// Returns the condition that the left operand is less than the right operand: `("a" < "b")`.
///
/// ```swift
/// let query = users.filter(balance < limit)
/// ```
public func < <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, "<", rhs)
}

/// Returns the condition that the left operand is less than the right operand: `("a" < "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(balance < bonus)
/// ```
@_disfavoredOverload
public func < <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, "<", rhs)
}

/// Returns the condition that the left operand is less than the right operand: `("a" < 1)`.
///
/// ```swift
/// let query = users.filter(balance < 10)
/// ```
public func < <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, "<", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the condition that the left operand is less than the right operand: `(1 < "a")`.
///
/// ```swift
/// let query = users.filter(100 < balance)
/// ```
public func < <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<", rhs)
}

/// Returns the condition that the left operand is less than or equal to the right operand: `("a" <= "b")`.
///
/// ```swift
/// let query = users.filter(balance <= limit)
/// ```
public func <= <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool>
where V.Datatype: Comparable {
  .infix(lhs, "<=", rhs)
}

/// Returns the condition that the left operand is less than or equal to the right operand: `("a" <= "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(balance <= bonus)
/// ```
@_disfavoredOverload
public func <= <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype: Comparable {
  .infix(lhs, "<=", rhs)
}

/// Returns the condition that the left operand is less than or equal to the right operand: `("a" <= 1)`.
///
/// ```swift
/// let query = users.filter(balance <= 10)
/// ```
public func <= <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(lhs, "<=", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// Returns the condition that the left operand is less than or equal to the right operand: `(1 <= "a")`.
///
/// ```swift
/// let query = users.filter(100 <= balance)
/// ```
public func <= <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T.Condition>
where T.WrappedType.Datatype: Comparable {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<=", rhs)
}
