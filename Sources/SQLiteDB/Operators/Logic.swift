// Six forms each; those of two expressions are not generic, which the compiler is quick with. None is disfavoured: in
// `verified && name != nil`, the compiler would rather compare an optional expression with nil, which is a `Bool` and
// always true.

/// Whether both hold: `("a" AND "b")`.
public func && (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool> {
  .infix(lhs, and: rhs)
}

/// Whether both hold: `("a" AND "b")`.
public func && (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Whether both hold: `("a" AND "b")`.
public func && (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Whether both hold: `("a" AND "b")`.
public func && (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool?> {
  .infix(lhs, and: rhs)
}

/// Whether both hold: `("a" AND 1)`.
public func && <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: Bool) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(lhs, and: SQLExpression<Bool>.parameter(rhs))
}

/// Whether both hold: `(1 AND "a")`.
public func && <T: ExpressionDatatype>(lhs: Bool, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(SQLExpression<Bool>.parameter(lhs), and: rhs)
}

/// Whether one of both holds: `("a" OR "b")`.
public func || (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool> {
  .infix(lhs, or: rhs)
}

/// Whether one of both holds: `("a" OR "b")`.
public func || (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Whether one of both holds: `("a" OR "b")`.
public func || (lhs: SQLExpression<Bool>, rhs: SQLExpression<Bool?>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Whether one of both holds: `("a" OR "b")`.
public func || (lhs: SQLExpression<Bool?>, rhs: SQLExpression<Bool>) -> SQLExpression<Bool?> {
  .infix(lhs, or: rhs)
}

/// Whether one of both holds: `("a" OR 1)`.
public func || <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: Bool) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(lhs, or: SQLExpression<Bool>.parameter(rhs))
}

/// Whether one of both holds: `(1 OR "a")`.
public func || <T: ExpressionDatatype>(lhs: Bool, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  .infix(SQLExpression<Bool>.parameter(lhs), or: rhs)
}

/// Whether it does not hold: `NOT ("a")`.
public prefix func ! <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == Bool {
  // In an infix operator, NOT would take what follows in.
  var negation = SQLExpression<T>.function("NOT ", operand.expression.unenclosed)
  negation.isLoose = true
  return negation
}

/// Whether all conditions hold: `("a" AND "b" AND "c")`.
public func and<T: ExpressionDatatype>(_ terms: SQLExpression<T>...) -> SQLExpression<T>
where T.WrappedType == Bool {
  and(terms)
}

/// Whether all conditions hold: `("a" AND "b" AND "c")`.
public func and<T: ExpressionDatatype>(_ terms: [SQLExpression<T>]) -> SQLExpression<T>
where T.WrappedType == Bool {
  .joined(terms, " AND ", ofNone: true)
}

/// Whether one of the conditions holds: `("a" OR "b" OR "c")`.
public func or<T: ExpressionDatatype>(_ terms: SQLExpression<T>...) -> SQLExpression<T>
where T.WrappedType == Bool {
  or(terms)
}

/// Whether one of the conditions holds: `("a" OR "b" OR "c")`.
public func or<T: ExpressionDatatype>(_ terms: [SQLExpression<T>]) -> SQLExpression<T>
where T.WrappedType == Bool {
  .joined(terms, " OR ", ofNone: false)
}

/// A condition: an expression of `Bool` or of `Bool?`.
public protocol SQLCondition: ExpressionType {}

extension SQLExpression: SQLCondition where Datatype: ExpressionDatatype, Datatype.WrappedType == Bool {}

extension SQLExpression {
  // What binds closer than these operators needs no parentheses.
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

  /// It without being marked: the parentheses of a function are there already.
  fileprivate var unenclosed: SQLExpression {
    var expression = self
    expression.isLoose = false
    return expression
  }
}
