// Each setter has three forms: a Swift value; an expression of the type of the column; an expression that is never
// NULL, for a nullable column.

/// Assigns a value to a column: `"a" = 1`.
///
/// ```swift
/// try db.run(users.insert(email <- "alice@mac.com", name <- nil))
/// ```
public func <- <T: ExpressionDatatype>(column: SQLExpression<T>, value: T) -> Setter {
  Setter(column, to: value._binding)
}

/// Assigns an expression to a column: `"a" = "b"`.
///
/// ```swift
/// try db.run(users.update(email <- email.lowercaseString))
/// ```
public func <- <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter {
  Setter(column, value)
}

/// Assigns an expression to a nullable column: `"a" = "b"`.
///
/// ```swift
/// try db.run(users.update(name <- email))
/// ```
public func <- <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter {
  Setter(column, value)
}

/// Adds a number to a column, or appends a string: `"a" = ("a" + 1)`.
///
/// ```swift
/// try db.run(users.update(balance += 10))
/// ```
public func += <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Addable {
  Setter(column, computing: T.WrappedType.Datatype._additionOperator, SQLExpression<T.WrappedType>.parameter(value))
}

/// Adds an expression to a column, or appends a string: `"a" = ("a" + "b")`.
///
/// ```swift
/// try db.run(users.update(balance += limit))
/// ```
public func += <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Addable {
  Setter(column, computing: T.WrappedType.Datatype._additionOperator, value)
}

/// Adds an expression to a nullable column, or appends a string: `"a" = ("a" + "b")`.
///
/// ```swift
/// try db.run(users.update(bonus += limit))
/// ```
public func += <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Addable {
  Setter(column, computing: V.Datatype._additionOperator, value)
}

/// Subtracts a number from a column: `"a" = ("a" - 1)`.
///
/// ```swift
/// try db.run(users.update(balance -= 10))
/// ```
public func -= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "-", SQLExpression<T.WrappedType>.parameter(value))
}

/// Subtracts an expression from a column: `"a" = ("a" - "b")`.
///
/// ```swift
/// try db.run(users.update(balance -= limit))
/// ```
public func -= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "-", value)
}

/// Subtracts an expression from a nullable column: `"a" = ("a" - "b")`.
///
/// ```swift
/// try db.run(users.update(bonus -= limit))
/// ```
public func -= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "-", value)
}

/// Multiplies a column by a number: `"a" = ("a" * 1)`.
///
/// ```swift
/// try db.run(users.update(balance *= 2))
/// ```
public func *= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "*", SQLExpression<T.WrappedType>.parameter(value))
}

/// Multiplies a column by an expression: `"a" = ("a" * "b")`.
///
/// ```swift
/// try db.run(users.update(balance *= limit))
/// ```
public func *= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "*", value)
}

/// Multiplies a nullable column by an expression: `"a" = ("a" * "b")`.
///
/// ```swift
/// try db.run(users.update(bonus *= limit))
/// ```
public func *= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "*", value)
}

/// Divides a column by a number: `"a" = ("a" / 1)`.
///
/// ```swift
/// try db.run(users.update(balance /= 2))
/// ```
public func /= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "/", SQLExpression<T.WrappedType>.parameter(value))
}

/// Divides a column by an expression: `"a" = ("a" / "b")`.
///
/// ```swift
/// try db.run(users.update(balance /= limit))
/// ```
public func /= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype: Number {
  Setter(column, computing: "/", value)
}

/// Divides a nullable column by an expression: `"a" = ("a" / "b")`.
///
/// ```swift
/// try db.run(users.update(bonus /= limit))
/// ```
public func /= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, computing: "/", value)
}

/// Sets a column to the remainder of its division by a number: `"a" = ("a" % 1)`.
///
/// ```swift
/// try db.run(users.update(flags %= 3))
/// ```
public func %= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "%", SQLExpression<T.WrappedType>.parameter(value))
}

/// Sets a column to the remainder of its division by an expression: `"a" = ("a" % "b")`.
///
/// ```swift
/// try db.run(users.update(flags %= mask))
/// ```
public func %= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "%", value)
}

/// Sets a nullable column to the remainder of its division by an expression: `"a" = ("a" % "b")`.
///
/// ```swift
/// try db.run(users.update(extra %= mask))
/// ```
public func %= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "%", value)
}

/// Shifts the bits of a column to the left by a number: `"a" = ("a" << 1)`.
///
/// ```swift
/// try db.run(users.update(flags <<= 1))
/// ```
public func <<= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "<<", SQLExpression<T.WrappedType>.parameter(value))
}

/// Shifts the bits of a column to the left by an expression: `"a" = ("a" << "b")`.
///
/// ```swift
/// try db.run(users.update(flags <<= mask))
/// ```
public func <<= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "<<", value)
}

/// Shifts the bits of a nullable column to the left by an expression: `"a" = ("a" << "b")`.
///
/// ```swift
/// try db.run(users.update(extra <<= mask))
/// ```
public func <<= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "<<", value)
}

/// Shifts the bits of a column to the right by a number: `"a" = ("a" >> 1)`.
///
/// ```swift
/// try db.run(users.update(flags >>= 1))
/// ```
public func >>= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: ">>", SQLExpression<T.WrappedType>.parameter(value))
}

/// Shifts the bits of a column to the right by an expression: `"a" = ("a" >> "b")`.
///
/// ```swift
/// try db.run(users.update(flags >>= mask))
/// ```
public func >>= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: ">>", value)
}

/// Shifts the bits of a nullable column to the right by an expression: `"a" = ("a" >> "b")`.
///
/// ```swift
/// try db.run(users.update(extra >>= mask))
/// ```
public func >>= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: ">>", value)
}

/// Clears the bits of a column that are not set in a number: `"a" = ("a" & 1)`.
///
/// ```swift
/// try db.run(users.update(flags &= 3))
/// ```
public func &= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "&", SQLExpression<T.WrappedType>.parameter(value))
}

/// Clears the bits of a column that are not set in an expression: `"a" = ("a" & "b")`.
///
/// ```swift
/// try db.run(users.update(flags &= mask))
/// ```
public func &= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "&", value)
}

/// Clears the bits of a nullable column that are not set in an expression: `"a" = ("a" & "b")`.
///
/// ```swift
/// try db.run(users.update(extra &= mask))
/// ```
public func &= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "&", value)
}

/// Sets the bits of a column that are set in a number: `"a" = ("a" | 1)`.
///
/// ```swift
/// try db.run(users.update(flags |= 3))
/// ```
public func |= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "|", SQLExpression<T.WrappedType>.parameter(value))
}

/// Sets the bits of a column that are set in an expression: `"a" = ("a" | "b")`.
///
/// ```swift
/// try db.run(users.update(flags |= mask))
/// ```
public func |= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "|", value)
}

/// Sets the bits of a nullable column that are set in an expression: `"a" = ("a" | "b")`.
///
/// ```swift
/// try db.run(users.update(extra |= mask))
/// ```
public func |= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, computing: "|", value)
}

/// Inverts the bits of a column that are set in a number: `"a" = (~(("a" & 1)) & ("a" | 1))`.
///
/// ```swift
/// try db.run(users.update(flags ^= 3))
/// ```
public func ^= <T: ExpressionDatatype>(column: SQLExpression<T>, value: T.WrappedType) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, SQLExpression<T.WrappedType>.parameter(value)))
}

/// Inverts the bits of a column that are set in an expression: `"a" = (~(("a" & "b")) & ("a" | "b"))`.
///
/// ```swift
/// try db.run(users.update(flags ^= mask))
/// ```
public func ^= <T: ExpressionDatatype>(column: SQLExpression<T>, value: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, value))
}

/// Inverts the bits of a nullable column that are set in an expression: `"a" = (~(("a" & "b")) & ("a" | "b"))`.
///
/// ```swift
/// try db.run(users.update(extra ^= mask))
/// ```
public func ^= <V: Value>(column: SQLExpression<V?>, value: SQLExpression<V>) -> Setter
where V.Datatype == Int64 {
  Setter(column, SQLExpression<Void>.exclusiveOr(column, value))
}

/// Adds 1 to a column: `"a" = ("a" + 1)`.
///
/// ```swift
/// try db.run(users.update(logins++))
/// ```
public postfix func ++ <T: ExpressionDatatype>(column: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "+", SQLExpression<Int>.parameter(1))
}

/// Subtracts 1 from a column: `"a" = ("a" - 1)`.
///
/// ```swift
/// try db.run(users.update(logins--))
/// ```
public postfix func -- <T: ExpressionDatatype>(column: SQLExpression<T>) -> Setter
where T.WrappedType.Datatype == Int64 {
  Setter(column, computing: "-", SQLExpression<Int>.parameter(1))
}
