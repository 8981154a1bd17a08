// Assignments that start from the value of the column.

/// Adds to a column: `"score" = "score" + ?`.
public func += (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column + value)
}

/// Subtracts from a column: `"score" = "score" - ?`.
public func -= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column - value)
}

/// Multiplies a column: `"score" = "score" * ?`.
public func *= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column * value)
}

/// Divides a column: `"score" = "score" / ?`.
public func /= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column / value)
}

/// Keeps bits of a column: `"mask" = "mask" & ?`.
public func &= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column & value)
}

/// Adds bits to a column: `"mask" = "mask" | ?`.
public func |= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column | value)
}

/// Shifts the bits of a column to the left: `"mask" = "mask" << ?`.
public func <<= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column << value)
}

/// Shifts the bits of a column to the right: `"mask" = "mask" >> ?`.
public func >>= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
  column.set(to: column >> value)
}
