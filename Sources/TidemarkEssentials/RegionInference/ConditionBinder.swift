import FoundationEssentials

/// Finds the conditions of a query that concern one of its tables.
struct ConditionBinder {
  let sources: [NamedSource]
  var isNatural = false
  var sharedNames: Set<String> = []
  var number: (_ text: String) throws -> DatabaseValue = { _ in .null }
  var parameterIndexes: [Int] = []

  /// The condition that an expression imposes on the rows of a source.
  func bind(_ expression: SelectExpression, toSource source: Int) throws -> RowCondition {
    switch expression {
    case .and(let terms):
      return .all(try terms.map { try bind($0, toSource: source) })
    case .or(let arms):
      return .any(try arms.map { try bind($0, toSource: source) })
    case .comparison, .membership, .constant, .column, .collated, .arithmetic, .not, .opaque:
      let condition = try bindSingle(expression, toSource: source)
      switch condition {
      case .comparison(.notIdentical, _, .value(.null)): return condition
      case .comparison(.different, _, _), .comparison(.notIdentical, _, _), .unknown: break
      default: return condition
      }
      // An inequality with a value is not a range; a formula represents it exactly.
      var mentions: Set<Int> = []
      guard let formula = try formula(expression, ofSource: source, &mentions) else { return condition }
      return .computed(formula, mentions: mentions, roughly: condition)
    }
  }

  private func bindSingle(_ expression: SelectExpression, toSource source: Int) throws -> RowCondition {
    switch expression {
    case .comparison(let comparison, let lhs, let rhs):
      if let constant = try constant(rhs) {
        guard let column = column(lhs, ofSource: source, otherSide: rhs) else { return .unknown }
        return .comparison(comparison, column, constant)
      }
      guard let constant = try constant(lhs), let column = column(rhs, ofSource: source, otherSide: lhs) else {
        return .unknown
      }
      return .comparison(comparison.mirrored, column, constant)
    case .membership(let element, let list):
      guard let column = column(element, ofSource: source, otherSide: nil) else { return .unknown }
      var constants: [RowConstant] = []
      for element in list {
        guard case .constant = element, let constant = try constant(element) else { return .unknown }
        constants.append(constant)
      }
      return .membership(column, constants)
    case .constant:
      return try constant(expression).map(RowCondition.constant) ?? .unknown
    case .column, .collated, .arithmetic, .not, .and, .or, .opaque:
      return .unknown
    }
  }

  // MARK: - Formulas

  /// An expression as a formula of one row of a source; nil if it is more than that.
  private func formula(
    _ expression: SelectExpression, ofSource source: Int, _ mentions: inout Set<Int>
  ) throws -> RowFormula? {
    switch expression {
    case .column:
      guard let column = column(expression, ofSource: source, otherSide: nil), column.facts.affinity != .real else {
        return nil
      }
      mentions.insert(column.mention)
      return .column(column.facts.name)
    case .constant(let constant):
      switch try value(constant) {
      case .parameter(let index)?: return .parameter(index)
      case .value(let value)?:
        if value.isNull { return .null }
        if case .int64(let integer) = value.storage { return .integer(integer) }
        return nil
      case nil: return nil
      }
    case .arithmetic(let operation, let lhs, let rhs):
      guard let lhs = try formula(lhs, ofSource: source, &mentions),
        let rhs = try formula(rhs, ofSource: source, &mentions)
      else { return nil }
      return .arithmetic(operation, lhs, rhs)
    case .comparison(let comparison, let lhs, let rhs):
      guard let lhs = try formula(lhs, ofSource: source, &mentions),
        let rhs = try formula(rhs, ofSource: source, &mentions)
      else { return nil }
      return .comparison(comparison, lhs, rhs)
    case .membership(let element, let list):
      return try formula(.or(list.map { .comparison(.equal, element, $0) }), ofSource: source, &mentions)
    case .not(let operand):
      return try formula(operand, ofSource: source, &mentions).map { .not($0) }
    case .and(let operands):
      return try formulas(operands, ofSource: source, &mentions).map { .all($0) }
    case .or(let operands):
      return try formulas(operands, ofSource: source, &mentions).map { .any($0) }
    case .collated, .opaque:
      return nil
    }
  }

  private func formulas(
    _ expressions: [SelectExpression], ofSource source: Int, _ mentions: inout Set<Int>
  ) throws -> [RowFormula]? {
    var formulas: [RowFormula] = []
    for expression in expressions {
      guard let formula = try formula(expression, ofSource: source, &mentions) else { return nil }
      formulas.append(formula)
    }
    return formulas
  }

  // MARK: - Equalities

  /// The columns of two tables that a condition requires to be equal, each in both directions.
  func equalities(in expression: SelectExpression, _ occurrenceIDs: [Int: RowEquality.OccurrenceID]) -> [RowEquality] {
    switch expression {
    case .and(let terms):
      return terms.flatMap { equalities(in: $0, occurrenceIDs) }
    case .comparison(.equal, .column(let lhs), .column(let rhs)):
      guard let left = side(lhs, occurrenceIDs), let right = side(rhs, occurrenceIDs),
        left.occurrenceID != right.occurrenceID,
        RowEquality.areComparable(left.column, right.column)
      else { return [] }
      return [RowEquality(from: left, to: right), RowEquality(from: right, to: left)]
    default:
      return []
    }
  }

  private func side(_ reference: ColumnReference, _ occurrenceIDs: [Int: RowEquality.OccurrenceID]) -> RowEquality.Side?
  {
    for source in sources.indices {
      guard let column = facts(of: reference, source), !column.isGenerated, let occurrenceID = occurrenceIDs[source]
      else { continue }
      return RowEquality.Side(occurrenceID: occurrenceID, column: column)
    }
    return nil
  }

  // MARK: - Constants

  func constant(_ expression: SelectExpression) throws -> RowConstant? {
    switch expression {
    case .collated(let expression, _): return try constant(expression)
    case .constant(let constant): return try value(constant)
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

  /// The column of a source that an expression consists of, and its collation in a comparison with the other side.
  private func column(
    _ expression: SelectExpression, ofSource source: Int, otherSide: SelectExpression?
  ) -> RowColumn? {
    let (expression, ownCollations) = expression.uncollated
    // With several collations, SQLite has rules that decide which one applies.
    let collations = ownCollations + (otherSide?.uncollated.collations ?? [])
    guard case .column(let reference) = expression, let facts = facts(of: reference, source), !facts.isGenerated else {
      return nil
    }
    let isBinary = collations.isEmpty ? facts.isBinary : collations.allSatisfy { $0.asciiLowercased == "binary" }
    return RowColumn(facts: facts, mention: reference.number, isBinary: isBinary)
  }

  /// The column that a name refers to, if it is certainly a column of this source.
  func facts(of reference: ColumnReference, _ source: Int) -> ColumnFacts? {
    guard let table = sources[source].facts else { return nil }
    let name = reference.name.asciiLowercased
    // In filters, this is the name of the row ID.
    if name == RowFilter.rowIDName, table.columns[name] != nil, table.rowIDName != name { return nil }
    guard let qualifier = reference.table?.asciiLowercased else {
      // SQLite rejects a name that two tables have, unless the join merges these columns.
      if isNatural || sharedNames.contains(name) { return nil }
      if let column = table.columns[name] {
        let owners = sources.filter { $0.facts?.columns[name] != nil }
        return owners.count == 1 ? column : nil
      }
      return sources.count == 1 ? table.rowID(named: name) : nil
    }
    guard sources[source].name == qualifier, sources.count(where: { $0.name == qualifier }) == 1 else { return nil }
    if let database = reference.database {
      let isSame = database.asciiLowercased == table.key.database.asciiLowercased
      if sources[source].hasAlias || !isSame { return nil }
    }
    return table.columns[name] ?? table.rowID(named: name)
  }
}

extension TableFacts {
  /// The row ID by one of its names, if no column has the name.
  fileprivate func rowID(named name: String) -> ColumnFacts? {
    guard ["rowid", "oid", "_rowid_"].contains(name), let rowIDName else { return nil }
    return columns[rowIDName] ?? ColumnFacts(name: rowIDName, affinity: .integer)
  }
}
