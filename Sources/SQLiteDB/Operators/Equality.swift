// Each operator has four forms, for these operands:
//
// 1. two expressions that are never NULL,
// 2. two expressions, at least one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// The result of forms 3 and 4 may be NULL if the expression may be. The compiler prefers form 1 to form 2.

/// Returns the condition that the operands are equal: `("a" = "b")`.
///
/// ```swift
/// let query = posts.filter(title == body)
/// ```
public func == <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "=", rhs)
}

/// Returns the condition that the operands are equal: `("a" = "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(id == managerId)
/// ```
@_disfavoredOverload
public func == <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "=", rhs)
}

/// Returns the condition that the operands are equal: `("a" = 1)`; with nil, `("a" IS NULL)`.
///
/// ```swift
/// let query = users.filter(name == "Alice")
/// let unnamed = users.filter(name == nil)
/// ```
public func == <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, rhs._binding == nil ? "IS" : "=", SQLExpression<T>.parameter(rhs))
}

/// Returns the condition that the operands are equal: `(1 = "a")`; with nil, `(NULL IS "a")`.
///
/// ```swift
/// let query = users.filter("Alice" == name)
/// ```
public func == <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), lhs._binding == nil ? "IS" : "=", rhs)
}

/// Returns the condition that the operands differ: `("a" != "b")`.
///
/// ```swift
/// let query = posts.filter(title != body)
/// ```
public func != <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "!=", rhs)
}

/// Returns the condition that the operands differ: `("a" != "b")`.
///
/// The result is NULL if one of the operands is.
///
/// ```swift
/// let query = users.filter(id != managerId)
/// ```
@_disfavoredOverload
public func != <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "!=", rhs)
}

/// Returns the condition that the operands differ: `("a" != 1)`; with nil, `("a" IS NOT NULL)`.
///
/// ```swift
/// let query = users.filter(name != "Alice")
/// let named = users.filter(name != nil)
/// ```
public func != <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, rhs._binding == nil ? "IS NOT" : "!=", SQLExpression<T>.parameter(rhs))
}

/// Returns the condition that the operands differ: `(1 != "a")`; with nil, `(NULL IS NOT "a")`.
///
/// ```swift
/// let query = users.filter("Alice" != name)
/// ```
public func != <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), lhs._binding == nil ? "IS NOT" : "!=", rhs)
}

/// Returns the condition that the operands are equal, or both NULL: `("a" IS "b")`.
///
/// ```swift
/// let query = posts.filter(title === body)
/// ```
public func === <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "IS", rhs)
}

/// Returns the condition that the operands are equal, or both NULL: `("a" IS "b")`.
///
/// ```swift
/// let query = users.filter(id === managerId)
/// ```
@_disfavoredOverload
public func === <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "IS", rhs)
}

/// Returns the condition that the operands are equal, or both NULL: `("a" IS 1)`.
///
/// ```swift
/// let query = users.filter(name === "Alice")
/// ```
public func === <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, "IS", SQLExpression<T>.parameter(rhs))
}

/// Returns the condition that the operands are equal, or both NULL: `(1 IS "a")`.
///
/// ```swift
/// let query = users.filter("Alice" === name)
/// ```
public func === <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), "IS", rhs)
}

/// Returns the condition that the operands differ, where NULL is equal to NULL: `("a" IS NOT "b")`.
///
/// ```swift
/// let query = posts.filter(title !== body)
/// ```
public func !== <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<Bool> {
  .infix(lhs, "IS NOT", rhs)
}

/// Returns the condition that the operands differ, where NULL is equal to NULL: `("a" IS NOT "b")`.
///
/// ```swift
/// let query = users.filter(id !== managerId)
/// ```
@_disfavoredOverload
public func !== <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<Bool?>
where L.WrappedType == R.WrappedType {
  .infix(lhs, "IS NOT", rhs)
}

/// Returns the condition that the operands differ, where NULL is equal to NULL: `("a" IS NOT 1)`.
///
/// ```swift
/// let query = users.filter(name !== "Alice")
/// ```
public func !== <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T) -> SQLExpression<T.Condition> {
  .infix(lhs, "IS NOT", SQLExpression<T>.parameter(rhs))
}

/// Returns the condition that the operands differ, where NULL is equal to NULL: `(1 IS NOT "a")`.
///
/// ```swift
/// let query = users.filter("Alice" !== name)
/// ```
public func !== <T: ExpressionDatatype>(lhs: T, rhs: SQLExpression<T>) -> SQLExpression<T.Condition> {
  .infix(SQLExpression<T>.parameter(lhs), "IS NOT", rhs)
}
