import FoundationEssentials

/// Finds the conditions of a query that concern one of its tables.
struct ConditionBinder {
  typealias OccurrenceID = RowEquality.OccurrenceID

  /// The names of its sources.
  let names: SourceNames
  let number: (_ text: String) throws -> DatabaseValue
  let parameterIndexes: [Int]

  /// Returns whether SQLite's own function has this name.
  let isBuiltIn: (_ function: String) -> Bool

  /// The condition that an expression imposes on the rows of an occurrence of a table.
  func bind(_ expression: SelectExpression, to occurrenceID: OccurrenceID) throws -> RowCondition {
    switch expression {
    case .and(let terms):
      return .all(try terms.map { try bind($0, to: occurrenceID) })
    case .or(let arms):
      return .any(try arms.map { try bind($0, to: occurrenceID) })
    case .comparison, .membership, .constant, .column, .collated, .arithmetic, .not, .call, .pattern, .row, .exists,
      .memberOf, .scalar, .opaque:
      if let condition = try bindComputed(expression, to: occurrenceID) { return condition }
      let condition = try bindSingle(expression, to: occurrenceID)
      switch condition {
      case .comparison(.notIdentical, _, .value(.null)): return condition
      case .comparison(.different, _, _), .comparison(.notIdentical, _, _), .unknown: break
      default: return condition
      }
      // An inequality with a value is not a range; a formula represents it exactly.
      var mentions: Set<Int> = []
      guard let formula = try formula(expression, of: occurrenceID, &mentions) else { return condition }
      return .computed(formula, mentions: mentions, roughly: condition)
    }
  }

  private func bindSingle(_ expression: SelectExpression, to occurrenceID: OccurrenceID) throws -> RowCondition {
    switch expression {
    case .comparison(let comparison, let lhs, let rhs):
      if let constant = try constant(rhs) {
        guard let column = column(lhs, of: occurrenceID, otherSide: rhs) else { return .unknown }
        return .comparison(comparison, column, constant)
      }
      guard let constant = try constant(lhs), let column = column(rhs, of: occurrenceID, otherSide: lhs) else {
        return .unknown
      }
      return .comparison(comparison.mirrored, column, constant)
    case .membership(let element, let list):
      guard let column = column(element, of: occurrenceID, otherSide: nil) else { return .unknown }
      var constants: [RowConstant] = []
      for element in list {
        guard !element.isCollated, let constant = try constant(element) else { return .unknown }
        constants.append(constant)
      }
      return .membership(column, constants)
    case .constant:
      return try constant(expression).map(RowCondition.constant) ?? .unknown
    case .column, .collated, .arithmetic, .not, .and, .or, .call, .pattern, .row, .exists, .memberOf, .scalar, .opaque:
      return .unknown
    }
  }

  /// The condition that compares an expression with constants; nil if it is anything else.
  private func bindComputed(_ condition: SelectExpression, to occurrenceID: OccurrenceID) throws -> RowCondition? {
    switch condition {
    case .comparison(let comparison, let lhs, let rhs):
      // A formula represents an inequality exactly.
      if comparison == .different || comparison == .notIdentical { return nil }
      if let constant = try constant(rhs), !rhs.isCollated {
        return try computed(lhs, of: occurrenceID).map { .expression(comparison, $0, constant) }
      }
      guard let constant = try constant(lhs), !lhs.isCollated else { return nil }
      return try computed(rhs, of: occurrenceID).map { .expression(comparison.mirrored, $0, constant) }
    case .membership(let element, let list):
      guard let element = try computed(element, of: occurrenceID) else { return nil }
      let constants = try list.compactMap { $0.isCollated ? nil : try constant($0) }
      return constants.count == list.count ? .expressionMembership(element, constants) : nil
    default:
      return nil
    }
  }

  /// An expression that computes a value from columns of an occurrence; nil if it is anything else.
  private func computed(_ expression: SelectExpression, of occurrenceID: OccurrenceID) throws -> RowExpression? {
    switch expression {
    case .arithmetic, .call: break
    default: return nil
    }
    var mentions: Set<Int> = []
    guard let formula = try formula(expression, of: occurrenceID, &mentions), !mentions.isEmpty else { return nil }
    return RowExpression(formula: formula, mentions: mentions)
  }

  // MARK: - Formulas

  /// An expression as a formula of one row of an occurrence; nil if it is more than that.
  private func formula(
    _ expression: SelectExpression, of occurrenceID: OccurrenceID, _ mentions: inout Set<Int>
  ) throws -> RowFormula? {
    switch expression {
    case .column:
      guard let column = column(expression, of: occurrenceID, otherSide: nil), column.facts.affinity != .real else {
        return nil
      }
      mentions.insert(column.mention)
      return .column(column.facts.name)
    case .constant(let constant):
      switch try value(constant) {
      case .parameter(let index)?: return .parameter(index)
      case .value(let value)?:
        switch value.storage {
        case .null: return .null
        case .int64(let integer): return .integer(integer)
        case .string: return .text(value)
        case .double, .blob: return nil
        }
      case .arithmetic?, nil: return nil
      }
    case .arithmetic(let operation, let lhs, let rhs):
      guard let lhs = try formula(lhs, of: occurrenceID, &mentions),
        let rhs = try formula(rhs, of: occurrenceID, &mentions)
      else { return nil }
      return .arithmetic(operation, lhs, rhs)
    case .comparison(let comparison, let lhs, let rhs):
      guard let lhs = try formula(lhs, of: occurrenceID, &mentions),
        let rhs = try formula(rhs, of: occurrenceID, &mentions)
      else { return nil }
      switch (lhs, rhs) {
      // The affinity of the column may convert the text.
      case (.column, .text), (.text, .column): return nil
      default: return .comparison(comparison, lhs, rhs)
      }
    case .membership(let element, let list):
      return try formula(.or(list.map { .comparison(.equal, element, $0) }), of: occurrenceID, &mentions)
    case .not(let operand):
      return try formula(operand, of: occurrenceID, &mentions).map { .not($0) }
    case .and(let operands):
      return try formulas(operands, of: occurrenceID, &mentions).map { .all($0) }
    case .or(let operands):
      return try formulas(operands, of: occurrenceID, &mentions).map { .any($0) }
    case .call(let name, let argument):
      guard let function = RowFunction(rawValue: name),
        case .column(let column)? = try formula(argument, of: occurrenceID, &mentions), isBuiltIn(name)
      else { return nil }
      return .function(function, column)
    case .pattern(let operation, let text, let pattern):
      guard case .column(let column)? = try formula(text, of: occurrenceID, &mentions),
        let pattern = try formula(pattern, of: occurrenceID, &mentions), isBuiltIn(operation.rawValue)
      else { return nil }
      switch pattern {
      case .text, .integer, .null, .parameter: return .pattern(operation, column, pattern)
      default: return nil
      }
    case .row, .collated, .exists, .memberOf, .scalar, .opaque:
      return nil
    }
  }

  private func formulas(
    _ expressions: [SelectExpression], of occurrenceID: OccurrenceID, _ mentions: inout Set<Int>
  ) throws -> [RowFormula]? {
    var formulas: [RowFormula] = []
    for expression in expressions {
      guard let formula = try formula(expression, of: occurrenceID, &mentions) else { return nil }
      formulas.append(formula)
    }
    return formulas
  }

  // MARK: - Constants

  func constant(_ expression: SelectExpression) throws -> RowConstant? {
    switch expression {
    case .collated(let expression, _): return try constant(expression)
    case .constant(let constant): return try value(constant)
    case .arithmetic(let operation, let lhs, let rhs):
      // The result would have the collation of an operand.
      guard !lhs.isCollated, !rhs.isCollated, let lhs = try constant(lhs), let rhs = try constant(rhs) else {
        return nil
      }
      return .arithmetic(operation, lhs, rhs)
    default: return nil
    }
  }

  private func value(_ constant: SelectConstant) throws -> RowConstant? {
    switch constant {
    case .null: return .value(.null)
    case .text(let text): return .value(DatabaseValue(.string(text)))
    case .number(let text):
      if let integer = Int64(text) { return .value(DatabaseValue(.int64(integer))) }
      return .value(try number(text))
    case .blob(let digits): return Self.bytes(digits).map { .value(DatabaseValue(.blob($0))) }
    case .parameter(let mention): return .parameter(parameterIndexes[mention])
    }
  }

  private static func bytes(_ digits: String) -> Data? {
    let digits = Array(digits.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var data = Data()
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
      data.append(byte)
    }
    return data
  }

  // MARK: - Columns

  /// The column of an occurrence that an expression consists of, and its collation in a comparison with the other side.
  private func column(
    _ expression: SelectExpression, of occurrenceID: OccurrenceID, otherSide: SelectExpression?
  ) -> RowColumn? {
    let (expression, ownCollations) = expression.uncollated
    // With several collations, SQLite has rules that decide which one applies.
    let collations = ownCollations + (otherSide?.uncollated.collations ?? [])
    guard case .column(let reference) = expression,
      let facts = names.origins(of: reference).first(where: { $0.occurrenceID == occurrenceID })?.column
    else { return nil }
    let isBinary = collations.isEmpty ? facts.isBinary : collations.allSatisfy { $0.asciiLowercased == "binary" }
    return RowColumn(facts: facts, mention: reference.number, isBinary: isBinary)
  }
}
