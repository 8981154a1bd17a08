// How operators build expression trees. The printer does not simplify: it prints the tree that these functions return.

extension SQLExpression {
  /// Whether the expression needs parentheses if it is an operand.
  var isOperator: Bool {
    switch node {
    case .value, .column, .subquery, .deferred, .table: false
    case .literal: true
    case .operation(let operation, _): operation.isOperator
    }
  }

  var isNull: Bool {
    if case .value(let value) = node { value.isNull } else { false }
  }

  // MARK: Comparing

  /// Returns an operation with two operands. The collation of an operand of a comparison applies to the whole
  /// comparison.
  static func binary(_ sqlOperator: SQLBinaryOperator, _ lhs: SQLExpression, _ rhs: SQLExpression) -> SQLExpression {
    if sqlOperator.isComparison { return collecting(lhs, rhs) { .operation(.binary(sqlOperator), $0, $1) } }
    return .operation(.binary(sqlOperator), lhs, rhs)
  }

  /// Returns `a = b` or `a IS NULL`.
  static func equal(_ lhs: SQLExpression, _ rhs: SQLExpression) -> SQLExpression {
    if rhs.isNull { return binary(.same, lhs, rhs) }
    if lhs.isNull { return binary(.same, rhs, lhs) }
    return binary(.equal, lhs, rhs)
  }

  /// Returns `a IS b`.
  static func same(_ lhs: SQLExpression, _ rhs: SQLExpression) -> SQLExpression {
    lhs.isNull ? binary(.same, rhs, lhs) : binary(.same, lhs, rhs)
  }

  /// Returns a test whether the value is in a closed range.
  ///
  /// The collation is applied to the value: after the bounds, it would apply to the upper bound only.
  func isBetween(_ lower: SQLExpression, _ upper: SQLExpression) -> SQLExpression {
    .operation(.between(), self, lower, upper)
  }

  /// Returns a test whether the value equals one of several values. One element needs no list, and no elements yield
  /// false.
  func isOne(of elements: [SQLExpression]) -> SQLExpression {
    switch elements.count {
    case 0: .value(false)
    case 1: .equal(self, elements[0])
    default: Self(.operation(.isOneOf(), [self] + elements))
    }
  }

  static func value(_ truth: Bool) -> SQLExpression {
    .value(DatabaseValue(.int64(truth ? 1 : 0)))
  }

  // MARK: Combining

  /// Returns an operation with any number of operands.
  static func chain(
    _ sqlOperator: AssociativeBinaryOperator, _ operands: [SQLExpression]
  ) -> SQLExpression {
    let operands = sqlOperator.isFlat ? operands.flatMap { $0.operands(of: sqlOperator) } : operands
    switch operands.count {
    case 0: return .value(sqlOperator.neutral)
    case 1: return operands[0]
    default: return Self(.operation(.chain(sqlOperator), operands))
    }
  }

  private func operands(of sqlOperator: AssociativeBinaryOperator) -> [SQLExpression] {
    if case .operation(.chain(let other), let operands) = node, other.sql == sqlOperator.sql { return operands }
    return [self]
  }

  /// The operands if the expression is a conjunction. If the expression is true, they are all true.
  var conjuncts: [SQLExpression] { operands(of: .and) }

  /// The negation of the expression.
  var negated: SQLExpression {
    switch node {
    case .value(let value):
      if case .int64(let number) = value.storage, number == 0 || number == 1 { return .value(number == 0) }
    case .operation(.collated(let name), let operands):
      let negated = operands[0].negated
      // In `NOT (a < b) COLLATE NOCASE`, the collation would not apply to the comparison.
      if operands[0].isTest, case .operation(.not, _) = negated.node { break }
      return .operation(.collated(name), negated)
    case .operation(let operation, let operands):
      if let opposite = operation.negated { return Self(.operation(opposite, operands)) }
    case .deferred(let deferred): return SQLExpression(.deferred(deferred.negated))
    case .column, .literal, .subquery, .table: break
    }
    return .operation(.not, self)
  }

  // MARK: Collating

  /// Returns the expression with a collation, or unchanged if it is nil.
  ///
  /// The result of a test is a number, so the collation is applied to the operands of the test.
  func collated(_ name: String?) -> SQLExpression {
    guard let name else { return self }
    if case .operation(let operation, let operands) = node {
      switch operation {
      case .between, .isOneOf, .isFound:
        return Self(.operation(operation, [operands[0].collated(name)] + operands[1...]))
      case .chain, .not:
        if isTest { return Self(.operation(operation, operands.map { $0.collated(name) })) }
      default: break
      }
    }
    // After a comparison of two values, SQLite applies the collation to the comparison.
    return .operation(.collated(name), self)
  }

  /// Whether the expression is a comparison, or combines only comparisons.
  private var isTest: Bool {
    guard case .operation(let operation, let operands) = node else { return false }
    switch operation {
    case .binary(let sqlOperator): return sqlOperator.isComparison
    case .between, .isOneOf, .isFound: return true
    case .chain(let sqlOperator): return sqlOperator.isLogical && operands.allSatisfy(\.isTest)
    case .not, .collated: return operands[0].isTest
    default: return false
    }
  }

  /// The value and its collation. The collation of a test is not separated: it determines the result.
  private var uncollated: (SQLExpression, collation: String?) {
    guard case .operation(.collated(let name), let operands) = node, !operands[0].isTest else { return (self, nil) }
    return (operands[0], name)
  }

  private static func collecting(
    _ lhs: SQLExpression, _ rhs: SQLExpression, _ make: (SQLExpression, SQLExpression) -> SQLExpression
  ) -> SQLExpression {
    let (left, right) = (lhs.uncollated, rhs.uncollated)
    return make(left.0, right.0).collated(left.collation ?? right.collation)
  }
}
