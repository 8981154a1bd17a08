// Each setter has three forms: a Swift value; an expression of the type of the column; an expression that is never
// NULL, for a column that may be.

/// Sets a column to a value: `"c" = v`.
public func <- <T: ExpressionDatatype>(column: SQLExpression<T>, value: T) -> Setter {
  Setter(column, to: value._binding)
}

/// Sets a column to a value: `"c" = v`.
public func <- <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter {
  Setter(column, value)
}

/// Sets a column to a value: `"c" = v`.
public func <- <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter {
  Setter(column, value)
}

/// Adds a number to a column, or a text at its end: `"c" = ("c" + v)`.
public func += <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Addable {
  Setter(column, computing: T.WrappedType.Datatype._additionOperator, SQLExpression<T.WrappedType>.parameter(value))
}

/// Adds a number to a column, or a text at its end: `"c" = ("c" + v)`.
public func += <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Addable {
  Setter(column, computing: T.WrappedType.Datatype._additionOperator, value)
}

/// Adds a number to a column, or a text at its end: `"c" = ("c" + v)`.
public func += <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Addable {
  Setter(column, computing: V.Datatype._additionOperator, value)
}

/// Takes a number off a column: `"c" = ("c" - v)`.
public func -= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "-", SQLExpression<T.WrappedType>.parameter(value))
}

/// Takes a number off a column: `"c" = ("c" - v)`.
public func -= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "-", value)
}

/// Takes a number off a column: `"c" = ("c" - v)`.
public func -= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "-", value)
}

/// Multiplies a column by a number: `"c" = ("c" * v)`.
public func *= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "*", SQLExpression<T.WrappedType>.parameter(value))
}

/// Multiplies a column by a number: `"c" = ("c" * v)`.
public func *= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "*", value)
}

/// Multiplies a column by a number: `"c" = ("c" * v)`.
public func *= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "*", value)
}

/// Divides a column by a number: `"c" = ("c" / v)`.
public func /= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "/", SQLExpression<T.WrappedType>.parameter(value))
}

/// Divides a column by a number: `"c" = ("c" / v)`.
public func /= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "/", value)
}

/// Divides a column by a number: `"c" = ("c" / v)`.
public func /= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "/", value)
}

/// Sets a column to the rest of its division by a number: `"c" = ("c" % v)`.
public func %= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "%", SQLExpression<T.WrappedType>.parameter(value))
}

/// Sets a column to the rest of its division by a number: `"c" = ("c" % v)`.
public func %= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "%", value)
}

/// Sets a column to the rest of its division by a number: `"c" = ("c" % v)`.
public func %= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "%", value)
}

/// Shifts the bits of a column to the left: `"c" = ("c" << v)`.
public func <<= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "<<", SQLExpression<T.WrappedType>.parameter(value))
}

/// Shifts the bits of a column to the left: `"c" = ("c" << v)`.
public func <<= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "<<", value)
}

/// Shifts the bits of a column to the left: `"c" = ("c" << v)`.
public func <<= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "<<", value)
}

/// Shifts the bits of a column to the right: `"c" = ("c" >> v)`.
public func >>= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: ">>", SQLExpression<T.WrappedType>.parameter(value))
}

/// Shifts the bits of a column to the right: `"c" = ("c" >> v)`.
public func >>= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: ">>", value)
}

/// Shifts the bits of a column to the right: `"c" = ("c" >> v)`.
public func >>= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: ">>", value)
}

/// Keeps the bits of a column that a number has, too: `"c" = ("c" & v)`.
public func &= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "&", SQLExpression<T.WrappedType>.parameter(value))
}

/// Keeps the bits of a column that a number has, too: `"c" = ("c" & v)`.
public func &= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "&", value)
}

/// Keeps the bits of a column that a number has, too: `"c" = ("c" & v)`.
public func &= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "&", value)
}

/// Adds the bits of a number to those of a column: `"c" = ("c" | v)`.
public func |= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "|", SQLExpression<T.WrappedType>.parameter(value))
}

/// Adds the bits of a number to those of a column: `"c" = ("c" | v)`.
public func |= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "|", value)
}

/// Adds the bits of a number to those of a column: `"c" = ("c" | v)`.
public func |= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "|", value)
}

/// Turns over the bits of a column that a number has: `"c" = ("c" ^ v)`.
public func ^= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, SQLExpression<T.WrappedType>.parameter(value)))
}

/// Turns over the bits of a column that a number has: `"c" = ("c" ^ v)`.
public func ^= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, value))
}

/// Turns over the bits of a column that a number has: `"c" = ("c" ^ v)`.
public func ^= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, value))
}

/// Adds 1 to a column: `"c" = ("c" + 1)`.
public postfix func ++ <T: ExpressionDatatype>(column: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "+", SQLExpression<Int>.parameter(1))
}

/// Takes 1 off a column: `"c" = ("c" - 1)`.
public postfix func -- <T: ExpressionDatatype>(column: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "-", SQLExpression<Int>.parameter(1))
}
