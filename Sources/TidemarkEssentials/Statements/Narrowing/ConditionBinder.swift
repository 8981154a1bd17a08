import FoundationEssentials

/// Finds the conditions of a query that concern one of its tables.
struct ConditionBinder {
  let sources: [NamedSource]
  var isNatural = false
  var sharedNames: Set<String> = []
  var number: (_ text: String) throws -> DatabaseValue = { _ in .null }
  var parameterIndexes: [Int] = []

  /// What an expression, as a condition, asks of the rows of a source.
  func bind(_ expression: SelectExpression, toSource source: Int) throws -> RowCondition {
    switch expression {
    case .and(let terms):
      return .all(try terms.map { try bind($0, toSource: source) })
    case .or(let arms):
      return .any(try arms.map { try bind($0, toSource: source) })
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
    case .column, .collated, .opaque:
      return .unknown
    }
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

  /// The column of a source that an expression is, and how it is compared with the other side.
  private func column(
    _ expression: SelectExpression, ofSource source: Int, otherSide: SelectExpression?
  ) -> RowColumn? {
    var expression = expression
    // Where several are given, SQLite has rules which one counts.
    var collations: [String] = []
    while case .collated(let inner, let name) = expression {
      collations.append(name)
      expression = inner
    }
    var otherSide = otherSide
    while case .collated(let inner, let name)? = otherSide {
      collations.append(name)
      otherSide = inner
    }
    guard case .column(let reference) = expression, let facts = facts(of: reference, source), !facts.isGenerated else {
      return nil
    }
    let isBinary = collations.isEmpty ? facts.isBinary : collations.allSatisfy { $0.asciiLowercased == "binary" }
    return RowColumn(facts: facts, mention: reference.number, isBinary: isBinary)
  }

  /// What is known of the column that a name means, if it is one of this source for certain.
  func facts(of reference: ColumnReference, _ source: Int) -> ColumnFacts? {
    guard let table = sources[source].facts else { return nil }
    let name = reference.name.asciiLowercased
    // In filters, this is the name of the row id.
    if name == RowFilter.rowIDName, table.columns[name] != nil, table.rowIDName != name { return nil }
    guard let qualifier = reference.table?.asciiLowercased else {
      // SQLite refuses a name that two tables have, unless the join gives both one.
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
  /// The row id under one of its names, which no column has.
  fileprivate func rowID(named name: String) -> ColumnFacts? {
    guard ["rowid", "oid", "_rowid_"].contains(name), let rowIDName else { return nil }
    return columns[rowIDName] ?? ColumnFacts(name: rowIDName, affinity: .integer)
  }
}
