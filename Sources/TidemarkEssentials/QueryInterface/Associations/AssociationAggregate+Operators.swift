// Operators and functions of association aggregates. They build an expression from the expressions of their operands.

// MARK: - Logic

extension AssociationAggregate {
  /// Returns the negation of a condition.
  public static prefix func ! (aggregate: Self) -> Self { aggregate.map { $0.negated } }

  /// Returns a condition that is true if both operands are true.
  public static func && (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .chain(.and, [$0, $1]) } }

  /// Returns a condition that is true if both operands are true.
  public static func && (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .chain(.and, [$0, rhs]) }
  }

  /// Returns a condition that is true if both operands are true.
  public static func && (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .chain(.and, [lhs, $0]) }
  }

  /// Returns a condition that is true if one of the operands is true.
  public static func || (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .chain(.or, [$0, $1]) } }

  /// Returns a condition that is true if one of the operands is true.
  public static func || (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .chain(.or, [$0, rhs]) }
  }

  /// Returns a condition that is true if one of the operands is true.
  public static func || (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .chain(.or, [lhs, $0]) }
  }
}

// MARK: - Equality

extension AssociationAggregate {
  /// Returns a condition that is true if the operands are equal.
  public static func == (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .equal($0, $1) } }

  /// Returns a condition that is true if the operands are equal.
  public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    let rhs = rhs?.sqlExpression ?? .value(.null)
    return lhs.map { .equal($0, rhs) }
  }

  /// Returns a condition that is true if the operands are equal.
  public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    let lhs = lhs?.sqlExpression ?? .value(.null)
    return rhs.map { .equal(lhs, $0) }
  }

  /// Returns a condition that is true if the operands are equal.
  public static func == (lhs: Self, rhs: Bool) -> Self { lhs.map { $0.isTruth(rhs) ?? .equal($0, .value(rhs)) } }

  /// Returns a condition that is true if the operands are equal.
  public static func == (lhs: Bool, rhs: Self) -> Self { rhs.map { $0.isTruth(lhs) ?? .equal(.value(lhs), $0) } }

  /// Returns a condition that is true if the operands differ.
  public static func != (lhs: Self, rhs: Self) -> Self {
    lhs.combined(with: rhs) { SQLExpression.equal($0, $1).negated }
  }

  /// Returns a condition that is true if the operands differ.
  public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    let rhs = rhs?.sqlExpression ?? .value(.null)
    return lhs.map { SQLExpression.equal($0, rhs).negated }
  }

  /// Returns a condition that is true if the operands differ.
  public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    let lhs = lhs?.sqlExpression ?? .value(.null)
    return rhs.map { SQLExpression.equal(lhs, $0).negated }
  }

  /// Returns a condition that is true if the operands differ.
  public static func != (lhs: Self, rhs: Bool) -> Self {
    lhs.map { $0.isTruth(!rhs) ?? SQLExpression.equal($0, .value(rhs)).negated }
  }

  /// Returns a condition that is true if the operands differ.
  public static func != (lhs: Bool, rhs: Self) -> Self {
    rhs.map { $0.isTruth(!lhs) ?? SQLExpression.equal(.value(lhs), $0).negated }
  }

  /// Returns a condition that is true if the operands are equal, or both NULL.
  public static func === (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .same($0, $1) } }

  /// Returns a condition that is true if the operands are equal, or both NULL.
  public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    let rhs = rhs?.sqlExpression ?? .value(.null)
    return lhs.map { .same($0, rhs) }
  }

  /// Returns a condition that is true if the operands are equal, or both NULL.
  public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    let lhs = lhs?.sqlExpression ?? .value(.null)
    return rhs.map { .same(lhs, $0) }
  }

  /// Returns a condition that is true if the operands differ, or one is NULL.
  public static func !== (lhs: Self, rhs: Self) -> Self {
    lhs.combined(with: rhs) { SQLExpression.same($0, $1).negated }
  }

  /// Returns a condition that is true if the operands differ, or one is NULL.
  public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    let rhs = rhs?.sqlExpression ?? .value(.null)
    return lhs.map { SQLExpression.same($0, rhs).negated }
  }

  /// Returns a condition that is true if the operands differ, or one is NULL.
  public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    let lhs = lhs?.sqlExpression ?? .value(.null)
    return rhs.map { SQLExpression.same(lhs, $0).negated }
  }
}

extension SQLExpression {
  /// Returns the test of whether an expression that is true or false is a truth value, or nil for other expressions.
  fileprivate func isTruth(_ truth: Bool) -> SQLExpression? {
    guard case .operation(.countIsZero, _) = node else { return nil }
    return truth ? self : negated
  }
}

// MARK: - Order

extension AssociationAggregate {
  /// Returns a condition that is true if the left operand is less than the right one.
  public static func < (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.less, $0, $1) } }

  /// Returns a condition that is true if the left operand is less than the right one.
  public static func < (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.less, $0, rhs) }
  }

  /// Returns a condition that is true if the left operand is less than the right one.
  public static func < (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.less, lhs, $0) }
  }

  /// Returns a condition that is true if the left operand is less than or equal to the right one.
  public static func <= (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.lessOrEqual, $0, $1) } }

  /// Returns a condition that is true if the left operand is less than or equal to the right one.
  public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.lessOrEqual, $0, rhs) }
  }

  /// Returns a condition that is true if the left operand is less than or equal to the right one.
  public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.lessOrEqual, lhs, $0) }
  }

  /// Returns a condition that is true if the left operand is greater than the right one.
  public static func > (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.greater, $0, $1) } }

  /// Returns a condition that is true if the left operand is greater than the right one.
  public static func > (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.greater, $0, rhs) }
  }

  /// Returns a condition that is true if the left operand is greater than the right one.
  public static func > (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.greater, lhs, $0) }
  }

  /// Returns a condition that is true if the left operand is greater than or equal to the right one.
  public static func >= (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.greaterOrEqual, $0, $1) } }

  /// Returns a condition that is true if the left operand is greater than or equal to the right one.
  public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.greaterOrEqual, $0, rhs) }
  }

  /// Returns a condition that is true if the left operand is greater than or equal to the right one.
  public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.greaterOrEqual, lhs, $0) }
  }
}

// MARK: - Arithmetic

extension AssociationAggregate {
  /// Returns the opposite number.
  public static prefix func - (aggregate: Self) -> Self { aggregate.map { .operation(.negative, $0) } }

  /// Returns the sum of the operands.
  public static func + (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .chain(.add, [$0, $1]) } }

  /// Returns the sum of the operands.
  public static func + (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .chain(.add, [$0, rhs]) }
  }

  /// Returns the sum of the operands.
  public static func + (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .chain(.add, [lhs, $0]) }
  }

  /// Returns the difference of the operands.
  public static func - (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.minus, $0, $1) } }

  /// Returns the difference of the operands.
  public static func - (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.minus, $0, rhs) }
  }

  /// Returns the difference of the operands.
  public static func - (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.minus, lhs, $0) }
  }

  /// Returns the product of the operands.
  public static func * (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .chain(.multiply, [$0, $1]) } }

  /// Returns the product of the operands.
  public static func * (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .chain(.multiply, [$0, rhs]) }
  }

  /// Returns the product of the operands.
  public static func * (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .chain(.multiply, [lhs, $0]) }
  }

  /// Returns the quotient of the operands.
  public static func / (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { .binary(.divided, $0, $1) } }

  /// Returns the quotient of the operands.
  public static func / (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.map { .binary(.divided, $0, rhs) }
  }

  /// Returns the quotient of the operands.
  public static func / (lhs: some SQLExpressible, rhs: Self) -> Self {
    let lhs = lhs.sqlExpression
    return rhs.map { .binary(.divided, lhs, $0) }
  }

  /// Returns the aggregate, or another value where it is NULL.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.max(Column("year")) ?? 0)
  /// ```
  public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
    let rhs = rhs.sqlExpression
    return lhs.mapKeepingName { .function("IFNULL", [$0, rhs]) }
  }
}

// MARK: - Functions

/// Returns the absolute value of an aggregate.
///
/// - Parameter aggregate: A number computed from associated rows.
/// - Returns: An aggregate without name.
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
  aggregate.map { .function("ABS", [$0]) }
}

/// Returns the length of a text or of a blob.
///
/// - Parameter aggregate: A text or blob computed from associated rows.
/// - Returns: An aggregate without name.
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
  aggregate.map { .function("LENGTH", [$0]) }
}

/// Returns an aggregate, converted to a storage class.
///
/// - Parameters:
///   - aggregate: A value computed from associated rows.
///   - storageClass: The storage class of the result.
/// - Returns: An aggregate with the name of `aggregate`.
public func cast<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
  aggregate.mapKeepingName { .operation(.cast(storageClass), $0) }
}
