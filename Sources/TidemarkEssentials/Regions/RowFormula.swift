/// An expression with columns of a row, or a condition on several of them: `owner + 0`, `lower(name)`,
/// `owner % 50 <> 3`, `NOT (a = 1 AND b = 2)`.
///
/// Invariants:
/// 1. Formulas are evaluated for integers, NULL, and the results of functions and patterns, for which all versions of
/// SQLite agree.
/// For any other value, and for an overflow, the result is unknown.
/// 2. A formula never refers to a column that may convert an integer: a `REAL` column or a generated column.
/// 3. A text is not compared with a column, whose affinity might convert it.
indirect enum RowFormula: Hashable, Sendable {
  /// A column, by its lowercase name.
  case column(String)
  case integer(Int64)
  case null

  /// A text, which is equal to another one if their bytes are.
  case text(DatabaseValue)

  /// A parameter, by its index, starting at 1.
  case parameter(Int)

  /// The result of a function of SQLite for a column, by its lowercase name.
  case function(RowFunction, String)

  /// Whether the value of a column, by its lowercase name, matches a pattern: a text, an integer, NULL or a parameter.
  case pattern(TextPattern, String, RowFormula)
  case arithmetic(ArithmeticOperation, RowFormula, RowFormula)
  case comparison(ValueComparison, RowFormula, RowFormula)
  case not(RowFormula)
  case all([RowFormula])
  case any([RowFormula])

  enum ArithmeticOperation: String, Sendable {
    case sum = "+"
    case difference = "-"
    case product = "*"
    case quotient = "/"
    case remainder = "%"
  }

  /// The result of evaluating a formula.
  enum Outcome: Equatable {
    case unknown
    case null
    case integer(Int64)
    case text(DatabaseValue)

    fileprivate init(_ value: Bool?) {
      self = value.map { .integer($0 ? 1 : 0) } ?? .null
    }
  }
}

extension RowFormula {
  /// Evaluates the formula for a row with some known values.
  func outcome(_ value: (_ column: String) -> DatabaseValue?) -> Outcome {
    switch self {
    case .column(let name): return value(name).map(Outcome.init) ?? .unknown
    case .integer(let integer): return .integer(integer)
    case .text(let text): return .text(text)
    case .null: return .null
    case .parameter: return .unknown
    case .function(let function, let name): return value(name).map(function.outcome) ?? .unknown
    case .pattern(let operation, let name, let pattern):
      guard let text = value(name), let pattern = pattern.value(value) else { return .unknown }
      return operation.outcome(text, matching: pattern)
    case .arithmetic(let operation, let lhs, let rhs):
      let (left, right) = (lhs.outcome(value), rhs.outcome(value))
      switch (left, right) {
      case (.unknown, _), (_, .unknown), (.text, _), (_, .text): return .unknown
      case (.null, _), (_, .null): return .null
      case (.integer(let left), .integer(let right)): return operation.outcome(left, right)
      }
    case .comparison(let comparison, let lhs, let rhs):
      return comparison.outcome(lhs.outcome(value), rhs.outcome(value))
    case .not(let operand):
      return operand.outcome(value).negated
    case .all(let operands):
      return Self.all(operands.map { $0.outcome(value) })
    case .any(let operands):
      // By De Morgan's law, a disjunction is a negated conjunction.
      return Self.all(operands.map { $0.outcome(value).negated }).negated
    }
  }

  private static func all(_ outcomes: [Outcome]) -> Outcome {
    if outcomes.contains(.integer(0)) { return .integer(0) }
    let isKnown = outcomes.allSatisfy { outcome in
      switch outcome {
      case .unknown, .text: false
      case .null, .integer: true
      }
    }
    if !isKnown { return .unknown }
    return Outcome(outcomes.contains(.null) ? nil : true)
  }

  /// Returns whether the formula admits a row; nil if this is unknown.
  func admits(_ value: (_ column: String) -> DatabaseValue?) -> Bool? {
    switch outcome(value) {
    case .unknown, .text: nil
    case .null: false
    case .integer(let integer): integer != 0
    }
  }

  /// Evaluates the formula as a value; nil if it is unknown.
  func value(_ value: (_ column: String) -> DatabaseValue?) -> DatabaseValue? {
    switch outcome(value) {
    case .unknown: nil
    case .null: .null
    case .integer(let integer): DatabaseValue(.int64(integer))
    case .text(let text): text
    }
  }

  /// The names of the columns in the formula.
  var columns: Set<String> {
    switch self {
    case .column(let name), .function(_, let name), .pattern(_, let name, _): [name]
    case .integer, .text, .null, .parameter: []
    case .arithmetic(_, let lhs, let rhs), .comparison(_, let lhs, let rhs): lhs.columns.union(rhs.columns)
    case .not(let operand): operand.columns
    case .all(let operands), .any(let operands): operands.reduce(into: []) { $0.formUnion($1.columns) }
    }
  }

  /// Returns the formula with substituted parameters; nil if a parameter is unknown, or has no exact result.
  func with(parameters values: [DatabaseValue]?) -> RowFormula? {
    switch self {
    case .column, .integer, .text, .null, .function: return self
    case .parameter(let index):
      guard let values, values.indices.contains(index - 1) else { return nil }
      switch values[index - 1].storage {
      case .int64(let integer): return .integer(integer)
      case .null: return .null
      case .string: return .text(values[index - 1])
      case .double, .blob: return nil
      }
    case .pattern(let operation, let name, let pattern):
      return pattern.with(parameters: values).map { .pattern(operation, name, $0) }
    case .arithmetic(let operation, let lhs, let rhs):
      guard let lhs = lhs.with(parameters: values), let rhs = rhs.with(parameters: values) else { return nil }
      switch (lhs, rhs) {
      case (.text, _), (_, .text): return nil
      default: return .arithmetic(operation, lhs, rhs)
      }
    case .comparison(let comparison, let lhs, let rhs):
      guard let lhs = lhs.with(parameters: values), let rhs = rhs.with(parameters: values) else { return nil }
      switch (lhs, rhs) {
      case (.column, .text), (.text, .column): return nil
      default: return .comparison(comparison, lhs, rhs)
      }
    case .not(let operand):
      return operand.with(parameters: values).map { .not($0) }
    case .all(let operands):
      let bound = operands.compactMap { $0.with(parameters: values) }
      return bound.count == operands.count ? .all(bound) : nil
    case .any(let operands):
      let bound = operands.compactMap { $0.with(parameters: values) }
      return bound.count == operands.count ? .any(bound) : nil
    }
  }
}

extension RowFormula.Outcome {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(integer)
    case .double, .string, .blob: self = .unknown
    }
  }

  fileprivate var negated: Self {
    switch self {
    case .text: .unknown
    case .unknown, .null: self
    case .integer(let integer): .integer(integer == 0 ? 1 : 0)
    }
  }
}

extension RowFormula.ArithmeticOperation {
  /// The result for two integers; unknown if it overflows.
  func outcome(_ lhs: Int64, _ rhs: Int64) -> RowFormula.Outcome {
    let (result, overflows): (Int64, Bool)
    switch self {
    case .sum: (result, overflows) = lhs.addingReportingOverflow(rhs)
    case .difference: (result, overflows) = lhs.subtractingReportingOverflow(rhs)
    case .product: (result, overflows) = lhs.multipliedReportingOverflow(by: rhs)
    case .quotient:
      if rhs == 0 { return .null }
      (result, overflows) = lhs.dividedReportingOverflow(by: rhs)
    case .remainder:
      if rhs == 0 { return .null }
      (result, overflows) = lhs.remainderReportingOverflow(dividingBy: rhs)
    }
    return overflows ? .unknown : .integer(result)
  }
}

extension ValueComparison {
  fileprivate func outcome(_ lhs: RowFormula.Outcome, _ rhs: RowFormula.Outcome) -> RowFormula.Outcome {
    switch (lhs, rhs) {
    case (.unknown, _), (_, .unknown): return .unknown
    case (.null, _), (_, .null):
      switch self {
      case .identical: return RowFormula.Outcome(lhs == rhs)
      case .notIdentical: return RowFormula.Outcome(lhs != rhs)
      case .equal, .different, .less, .lessOrEqual, .greater, .greaterOrEqual: return .null
      }
    case (.integer(let lhs), .integer(let rhs)):
      switch self {
      case .equal, .identical: return RowFormula.Outcome(lhs == rhs)
      case .different, .notIdentical: return RowFormula.Outcome(lhs != rhs)
      case .less: return RowFormula.Outcome(lhs < rhs)
      case .lessOrEqual: return RowFormula.Outcome(lhs <= rhs)
      case .greater: return RowFormula.Outcome(lhs > rhs)
      case .greaterOrEqual: return RowFormula.Outcome(lhs >= rhs)
      }
    case (.text(let lhs), .text(let rhs)):
      switch self {
      case .equal, .identical: return RowFormula.Outcome(lhs == rhs)
      case .different, .notIdentical: return RowFormula.Outcome(lhs != rhs)
      // The order depends on the encoding of the database.
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return .unknown
      }
    // The affinity of a column decides.
    case (.integer, .text), (.text, .integer): return .unknown
    }
  }
}

extension RowFormula: CustomStringConvertible {
  /// The formula as SQL.
  var description: String {
    switch self {
    case .column(let name): name
    case .integer(let integer): "\(integer)"
    case .text(let text): "\(text)"
    case .null: "NULL"
    case .parameter(let index): "?\(index)"
    case .function(let function, let name): "\(function.rawValue)(\(name))"
    case .pattern(let operation, let name, let pattern): "\(name) \(operation.rawValue) \(pattern)"
    case .arithmetic(let operation, let lhs, let rhs): "(\(lhs) \(operation.rawValue) \(rhs))"
    case .comparison(let comparison, let lhs, let rhs): "\(lhs) \(comparison.text) \(rhs)"
    case .not(let operand): "not (\(operand))"
    case .all(let operands): "(" + operands.map(\.description).joined(separator: " and ") + ")"
    case .any(let operands): "(" + operands.map(\.description).joined(separator: " or ") + ")"
    }
  }
}

extension ValueComparison {
  fileprivate var text: String {
    switch self {
    case .equal: "="
    case .different: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .identical: "is"
    case .notIdentical: "is not"
    }
  }
}
