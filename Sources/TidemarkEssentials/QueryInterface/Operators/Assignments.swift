// Assignments that compute the new value from the current value of the column.

/// Returns an assignment that adds a value to a column: `"score" = "score" + ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("score") += 10)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The expression to add.
public func += (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column + value)
}

/// Returns an assignment that subtracts a value from a column: `"score" = "score" - ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("score") -= 10)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The expression to subtract.
public func -= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column - value)
}

/// Returns an assignment that multiplies a column by a value: `"score" = "score" * ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("score") *= 2)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The expression to multiply by.
public func *= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column * value)
}

/// Returns an assignment that divides a column by a value: `"score" = "score" / ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("score") /= 2)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The expression to divide by.
public func /= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column / value)
}

/// Returns an assignment that keeps some bits of a column: `"mask" = "mask" & ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("mask") &= 4)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The bits to keep.
public func &= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column & value)
}

/// Returns an assignment that sets some bits of a column: `"mask" = "mask" | ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("mask") |= 4)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The bits to set.
public func |= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column | value)
}

/// Returns an assignment that shifts a column to the left: `"mask" = "mask" << ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("mask") <<= 2)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The number of bits.
public func <<= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column << value)
}

/// Returns an assignment that shifts a column to the right: `"mask" = "mask" >> ?`.
///
/// ```swift
/// try Player.updateAll(db, Column("mask") >>= 2)
/// ```
///
/// - Parameter column: The column to update.
/// - Parameter value: The number of bits.
public func >>= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column >> value)
}
