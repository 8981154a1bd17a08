/// An expression without columns.
///
/// Invariant: SQLite computes the same value, or the value is unknown.
indirect enum RowConstant: Equatable, Sendable {
  case value(DatabaseValue)
  /// The index of a parameter, from 1 on.
  case parameter(Int)
  case arithmetic(RowFormula.ArithmeticOperation, RowConstant, RowConstant)

  /// Evaluates the expression.
  ///
  /// - Parameter parameters: The values of the parameters; nil if they are not known yet.
  /// - Returns: The value; nil if it is unknown.
  func value(_ parameters: [DatabaseValue]?) -> DatabaseValue? {
    switch self {
    case .value(let value): return value
    case .parameter(let index):
      guard let parameters, parameters.indices.contains(index - 1) else { return nil }
      return parameters[index - 1]
    case .arithmetic(let operation, let lhs, let rhs):
      guard let left = lhs.value(parameters)?.number, let right = rhs.value(parameters)?.number else { return nil }
      return operation.value(left, right)
    }
  }
}

/// A value of which SQLite certainly does not convert more than the type of the number.
private enum Number {
  case null
  case integer(Int64)
  case real(Double)

  /// The nearest double; nil for NULL.
  var double: Double? {
    switch self {
    case .null: nil
    case .integer(let integer): Double(integer)
    case .real(let double): double
    }
  }
}

extension DatabaseValue {
  /// The value as an operand of arithmetic; nil for a text or a blob, which SQLite would parse.
  fileprivate var number: Number? {
    switch storage {
    case .null: .null
    case .int64(let integer): .integer(integer)
    case .double(let double): double.isNaN ? .null : .real(double)
    case .string, .blob: nil
    }
  }
}

extension RowFormula.ArithmeticOperation {
  fileprivate func value(_ lhs: Number, _ rhs: Number) -> DatabaseValue? {
    guard let left = lhs.double, let right = rhs.double else { return .null }
    if case .integer(let left) = lhs, case .integer(let right) = rhs {
      switch outcome(left, right) {
      case .integer(let integer): return DatabaseValue(.int64(integer))
      case .null: return .null
      // An overflow: SQLite continues with floating-point numbers.
      case .unknown, .text: break
      }
    }
    let result: Double
    switch self {
    case .sum: result = left + right
    case .difference: result = left - right
    case .product: result = left * right
    case .quotient:
      if right == 0 { return .null }
      result = left / right
    // SQLite converts its operands to integers first.
    case .remainder: return nil
    }
    return result.isNaN ? .null : DatabaseValue(.double(result))
  }
}
