// Each operator has six forms. The forms for two expressions are not generic, which makes them fast to compile.
// None of them is disfavored: in `verified && name != nil`, the compiler would prefer to compare an optional expression
// with nil, whose result is a `Bool` that is always true.

/// Returns the condition that both operands are true: `("a" AND "b")`.
///
/// ```swift
/// let query = users.filter(verified && admin)
/// ```
public func && (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool> {
  .infix(lhs, and: rhs)
}

/// Returns the condition that both operands are true: `("a" AND "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(active && trusted)
/// ```
public func && (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Returns the condition that both operands are true: `("a" AND "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(verified && active)
/// ```
public func && (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Returns the condition that both operands are true: `("a" AND "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(active && admin)
/// ```
public func && (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Returns the condition that both operands are true: `("a" AND 1)`.
///
/// ```swift
/// let isOpen = true
/// let query = users.filter(verified && isOpen)
/// ```
public func && <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: Bool) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(lhs, and: SQLExpression<Bool>.parameter(rhs))
}

/// Returns the condition that both operands are true: `(1 AND "a")`.
///
/// ```swift
/// let isOpen = true
/// let query = users.filter(isOpen && verified)
/// ```
public func && <T: ExpressionDatatype>(lhs: Bool, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(SQLExpression<Bool>.parameter(lhs), and: rhs)
}

/// Returns the condition that at least one of the operands is true: `("a" OR "b")`.
///
/// ```swift
/// let query = users.filter(verified || admin)
/// ```
public func || (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool> {
  .infix(lhs, or: rhs)
}

/// Returns the condition that at least one of the operands is true: `("a" OR "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(active || trusted)
/// ```
public func || (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Returns the condition that at least one of the operands is true: `("a" OR "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(verified || active)
/// ```
public func || (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Returns the condition that at least one of the operands is true: `("a" OR "b")`.
///
/// The result may be NULL.
///
/// ```swift
/// let query = users.filter(active || admin)
/// ```
public func || (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Returns the condition that at least one of the operands is true: `("a" OR 1)`.
///
/// ```swift
/// let isOpen = true
/// let query = users.filter(verified || isOpen)
/// ```
public func || <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: Bool) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(lhs, or: SQLExpression<Bool>.parameter(rhs))
}

/// Returns the condition that at least one of the operands is true: `(1 OR "a")`.
///
/// ```swift
/// let isOpen = true
/// let query = users.filter(isOpen || verified)
/// ```
public func || <T: ExpressionDatatype>(lhs: Bool, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(SQLExpression<Bool>.parameter(lhs), or: rhs)
}

/// Returns the condition that the operand is false: `NOT ("a")`.
///
/// ```swift
/// let query = users.filter(!verified)
/// ```
public prefix func ! <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  // In an infix operator, NOT would apply to the whole rest of the expression.
  var negation = SQLExpression<T>.function("NOT ", operand.expression.unenclosed)
  negation.isLoose = true
  return negation
}

/// Returns the condition that all conditions are true: `("a" AND "b" AND "c")`.
///
/// Without conditions, the result is true.
///
/// ```swift
/// let query = users.filter(and(verified, admin, balance > 100))
/// ```
///
/// - Parameter terms: The conditions.
/// - Returns: The combined condition.
public func and<T: ExpressionDatatype>(_ terms: SQLExpression<T>...) -> SQLExpression<T>
where T.WrappedType == Bool {
  and(terms)
}

/// Returns the condition that all conditions are true: `("a" AND "b" AND "c")`.
///
/// Without conditions, the result is true.
///
/// ```swift
/// let conditions = [verified, admin]
/// let query = users.filter(and(conditions))
/// ```
///
/// - Parameter terms: The conditions.
/// - Returns: The combined condition.
public func and<T: ExpressionDatatype>(_ terms: [SQLExpression<T>]) -> SQLExpression<T>
where T.WrappedType == Bool {
  .joined(terms, " AND ", ofNone: true)
}

/// Returns the condition that at least one of the conditions is true: `("a" OR "b" OR "c")`.
///
/// Without conditions, the result is false.
///
/// ```swift
/// let query = users.filter(or(verified, admin, balance > 100))
/// ```
///
/// - Parameter terms: The conditions.
/// - Returns: The combined condition.
public func or<T: ExpressionDatatype>(_ terms: SQLExpression<T>...) -> SQLExpression<T>
where T.WrappedType == Bool {
  or(terms)
}

/// Returns the condition that at least one of the conditions is true: `("a" OR "b" OR "c")`.
///
/// Without conditions, the result is false.
///
/// ```swift
/// let conditions = [verified, admin]
/// let query = users.filter(or(conditions))
/// ```
///
/// - Parameter terms: The conditions.
/// - Returns: The combined condition.
public func or<T: ExpressionDatatype>(_ terms: [SQLExpression<T>]) -> SQLExpression<T>
where T.WrappedType == Bool {
  .joined(terms, " OR ", ofNone: false)
}

/// A condition: an expression of type `Bool` or `Bool?`.
public protocol SQLCondition: ExpressionType {}

extension SQLExpression: SQLCondition where Datatype: ExpressionDatatype, Datatype.WrappedType == Bool {}

extension SQLExpression {
  // Operators with a higher precedence do not need parentheses.
  fileprivate static func infix<L, R>(_ lhs: SQLExpression<L>, and rhs: SQLExpression<R>) -> SQLExpression {
    .joined([lhs.expression, rhs.expression], " AND ", ofNone: true)
  }

  fileprivate static func infix<L, R>(_ lhs: SQLExpression<L>, or rhs: SQLExpression<R>) -> SQLExpression {
    .joined([lhs.expression, rhs.expression], " OR ", ofNone: false)
  }

  fileprivate static func joined<T>(
    _ terms: [SQLExpression<T>], _ operation: String, ofNone: Bool
  ) -> SQLExpression {
    if terms.isEmpty { return SQLExpression("?", [ofNone]) }
    var writer = SQLWriter("(")
    writer.writeList(terms.map(\.expression), separator: operation)
    writer.write(")")
    return writer.expression()
  }

  /// The expression without `isLoose`: the parentheses of a function call already enclose it.
  fileprivate var unenclosed: SQLExpression {
    var expression = self
    expression.isLoose = false
    return expression
  }
}
