// Each operator has four forms:
//
// 1. two expressions that are never NULL,
// 2. two expressions one of which may be NULL,
// 3. an expression and a Swift value,
// 4. a Swift value and an expression.
//
// Forms 3 and 4 keep what is known of the expression: whether it may be NULL. The second form is chosen when the
// first does not fit.

/// The rest of a division: `("a" % "b")`.
public func % <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "%", rhs)
}

/// The rest of a division: `("a" % "b")`.
@_disfavoredOverload
public func % <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "%", rhs)
}

/// The rest of a division: `("a" % "b")`.
public func % <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "%", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The rest of a division: `("a" % "b")`.
public func % <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "%", rhs)
}

/// The bits shifted to the left: `("a" << "b")`.
public func << <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "<<", rhs)
}

/// The bits shifted to the left: `("a" << "b")`.
@_disfavoredOverload
public func << <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "<<", rhs)
}

/// The bits shifted to the left: `("a" << "b")`.
public func << <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "<<", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The bits shifted to the left: `("a" << "b")`.
public func << <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "<<", rhs)
}

/// The bits shifted to the right: `("a" >> "b")`.
public func >> <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, ">>", rhs)
}

/// The bits shifted to the right: `("a" >> "b")`.
@_disfavoredOverload
public func >> <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, ">>", rhs)
}

/// The bits shifted to the right: `("a" >> "b")`.
public func >> <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, ">>", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The bits shifted to the right: `("a" >> "b")`.
public func >> <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), ">>", rhs)
}

/// The bits that both have: `("a" & "b")`.
public func & <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "&", rhs)
}

/// The bits that both have: `("a" & "b")`.
@_disfavoredOverload
public func & <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "&", rhs)
}

/// The bits that both have: `("a" & "b")`.
public func & <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "&", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The bits that both have: `("a" & "b")`.
public func & <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "&", rhs)
}

/// The bits that one of them has: `("a" | "b")`.
public func | <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .infix(lhs, "|", rhs)
}

/// The bits that one of them has: `("a" | "b")`.
@_disfavoredOverload
public func | <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .infix(lhs, "|", rhs)
}

/// The bits that one of them has: `("a" | "b")`.
public func | <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(lhs, "|", SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The bits that one of them has: `("a" | "b")`.
public func | <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .infix(SQLExpression<T.WrappedType>.parameter(lhs), "|", rhs)
}

/// The bits that one of them has, and not both: `(~(("a" & "b")) & ("a" | "b"))`.
public func ^ <V: Value>(lhs: SQLExpression<V>, rhs: SQLExpression<V>) -> SQLExpression<V>
where V.Datatype == Int64 {
  .exclusiveOr(lhs, rhs)
}

/// The bits that one of them has, and not both: `(~(("a" & "b")) & ("a" | "b"))`.
@_disfavoredOverload
public func ^ <L: ExpressionDatatype, R: ExpressionDatatype>(
  lhs: SQLExpression<L>, rhs: SQLExpression<R>
) -> SQLExpression<L.WrappedType?>
where L.WrappedType == R.WrappedType, L.WrappedType.Datatype == Int64 {
  .exclusiveOr(lhs, rhs)
}

/// The bits that one of them has, and not both: `(~(("a" & "b")) & ("a" | "b"))`.
public func ^ <T: ExpressionDatatype>(lhs: SQLExpression<T>, rhs: T.WrappedType) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .exclusiveOr(lhs, SQLExpression<T.WrappedType>.parameter(rhs))
}

/// The bits that one of them has, and not both: `(~(("a" & "b")) & ("a" | "b"))`.
public func ^ <T: ExpressionDatatype>(lhs: T.WrappedType, rhs: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .exclusiveOr(SQLExpression<T.WrappedType>.parameter(lhs), rhs)
}

/// The bits turned over: `~("a")`.
public prefix func ~ <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype == Int64 {
  .function("~", operand.expression)
}

/// The negative of a number: `-("a")`.
public prefix func - <T: ExpressionDatatype>(operand: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType.Datatype: Number {
  .function("-", operand.expression)
}

extension SQLExpression {
  /// SQLite has no operator for it.
  static func exclusiveOr<L, R>(_ lhs: SQLExpression<L>, _ rhs: SQLExpression<R>) -> SQLExpression {
    let both = SQLExpression<Void>.infix(lhs, "&", rhs)
    return .infix(SQLExpression<Void>.function("~", both), "&", SQLExpression<Void>.infix(lhs, "|", rhs))
  }
}
