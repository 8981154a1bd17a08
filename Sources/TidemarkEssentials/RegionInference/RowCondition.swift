/// A condition on the rows of one table in a query, before its arguments are known.
indirect enum RowCondition: Equatable, Sendable {
  case all([RowCondition])
  case any([RowCondition])
  case comparison(ValueComparison, RowColumn, RowConstant)
  case membership(RowColumn, [RowConstant])
  /// A constant condition: no row satisfies it if it is zero.
  case constant(RowConstant)
  /// A comparison of an expression with a constant, which the value of the expression decides.
  case expression(ValueComparison, RowExpression, RowConstant)
  case expressionMembership(RowExpression, [RowConstant])
  /// A formula with columns, and the condition that replaces it if it cannot be evaluated with the value of a
  /// parameter.
  case computed(RowFormula, mentions: Set<Int>, roughly: RowCondition)
  /// Any other condition, which all rows may satisfy.
  case unknown
}

/// A mention of a column of the table in the text.
struct RowColumn: Equatable, Sendable {
  var facts: ColumnFacts

  /// The number of the mention, counted over the whole text.
  var mention: Int

  /// Whether texts are compared by their bytes here.
  var isBinary: Bool
}

/// An expression with columns of one table.
struct RowExpression: Equatable, Sendable {
  var formula: RowFormula

  /// The mentions of its columns.
  var mentions: Set<Int>
}

/// The rows that satisfy a condition: the union of some filters.
struct ConditionRows {
  /// The maximum number of filters, as in a region.
  static let filtersMax = TableRegion.partsMax

  var filters: [RowFilter]

  /// The mentions of columns that the filters represent exactly.
  var mentions: Set<Int> = []

  /// The mentions of columns that they represent partly or not at all: `BETWEEN` is two conditions with one mention.
  var inexactMentions: Set<Int> = []

  /// Whether the filters represent the whole condition, as far as it concerns the table.
  var isExact = false

  static let unknown = ConditionRows(filters: [.all])

  /// All rows, of a condition with some mentions of columns.
  fileprivate static func unknown(_ mentions: Set<Int>) -> ConditionRows {
    ConditionRows(filters: [.all], inexactMentions: mentions)
  }

  /// All rows, if the filters cannot be used.
  var widened: ConditionRows { ConditionRows(filters: [.all], inexactMentions: allMentions) }

  private var allMentions: Set<Int> { mentions.union(inexactMentions) }

  /// The rows in both sets.
  func intersection(_ other: ConditionRows) -> ConditionRows {
    if filters.count * other.filters.count > Self.filtersMax {
      // Dropping one side keeps more rows.
      var kept = filters.count <= other.filters.count ? self : other
      let dropped = filters.count <= other.filters.count ? other : self
      kept.isExact = false
      kept.inexactMentions.formUnion(dropped.allMentions)
      return kept
    }
    let products = filters.flatMap { filter in other.filters.map(filter.intersection) }
    return ConditionRows(
      filters: Self.joined(products), mentions: mentions.union(other.mentions),
      inexactMentions: inexactMentions.union(other.inexactMentions), isExact: isExact && other.isExact)
  }

  /// The rows in either set.
  func union(_ other: ConditionRows) -> ConditionRows {
    let joined = Self.joined(filters + other.filters)
    let isExact = isExact && other.isExact
    let union = ConditionRows(
      filters: joined, mentions: mentions.union(other.mentions),
      inexactMentions: inexactMentions.union(other.inexactMentions), isExact: isExact)
    if joined.contains(where: \.isAll) || joined.count > Self.filtersMax { return union.widened }
    return isExact ? union : ConditionRows(filters: joined, inexactMentions: union.allMentions)
  }

  /// The same rows with fewer filters.
  private static func joined(_ filters: [RowFilter]) -> [RowFilter] {
    var result: [RowFilter] = []
    for filter in filters where !filter.isEmpty {
      var filter = filter
      while let union = result.removeFirst(joining: { $0.exactUnion(filter) }) { filter = union }
      result.append(filter)
    }
    return result
  }
}

extension RowCondition {
  /// The rows that satisfy the condition with some arguments. Unknown values select all rows.
  func rows(_ arguments: ConditionArguments) -> ConditionRows {
    switch self {
    case .all(let conditions):
      guard let first = conditions.first else { return ConditionRows(filters: [.all], isExact: true) }
      return conditions.dropFirst().reduce(first.rows(arguments)) { $0.intersection($1.rows(arguments)) }
    case .any(let conditions):
      guard let first = conditions.first else { return .unknown }
      return conditions.dropFirst().reduce(first.rows(arguments)) { $0.union($1.rows(arguments)) }
    case .comparison(let comparison, let column, let constant):
      guard let value = arguments.value(of: constant, comparedWith: column),
        let filter = comparison.filter(value, arguments)
      else { return ConditionRows(filters: [.all], inexactMentions: [column.mention]) }
      return ConditionRows(column, filter, isExact: comparison != .different)
    case .membership(let column, let constants):
      var values: Set<DatabaseValue> = []
      for constant in constants {
        guard let value = arguments.value(of: constant, comparedWith: column) else {
          return ConditionRows(filters: [.all], inexactMentions: [column.mention])
        }
        // NULL equals nothing.
        if !value.isNull { values.insert(value) }
      }
      return ConditionRows(column, .values(values), isExact: true)
    case .expression(let comparison, let expression, let constant):
      guard let value = arguments.value(of: constant), let filter = comparison.filter(value, arguments) else {
        return .unknown(expression.mentions)
      }
      return ConditionRows(expression, filter, arguments)
    case .expressionMembership(let expression, let constants):
      let values = constants.compactMap { arguments.value(of: $0) }
      if values.count < constants.count { return .unknown(expression.mentions) }
      // NULL equals nothing.
      return ConditionRows(expression, .values(Set(values.filter { !$0.isNull })), arguments)
    case .constant(let constant):
      switch arguments.value(of: constant)?.storage {
      case .null?, .int64(0)?, .double(0)?: return ConditionRows(filters: [], isExact: true)
      default: return .unknown
      }
    case .computed(let formula, let mentions, let rough):
      var rows = rough.rows(arguments)
      guard let formula = formula.with(parameters: arguments.values) else {
        rows.isExact = false
        rows.inexactMentions.formUnion(mentions)
        return rows
      }
      rows.filters = rows.filters.map { $0.intersection(formula) }
      return ConditionRows(filters: rows.filters, mentions: mentions, isExact: true)
    case .unknown:
      return .unknown
    }
  }
}

extension ConditionRows {
  fileprivate init(_ column: RowColumn, _ filter: ColumnFilter, isExact: Bool) {
    self.init(
      filters: filter.isEmpty ? [] : [RowFilter(filter, ofColumn: column.facts.name)],
      mentions: isExact ? [column.mention] : [], inexactMentions: isExact ? [] : [column.mention], isExact: isExact)
  }

  fileprivate init(_ expression: RowExpression, _ filter: ColumnFilter, _ arguments: ConditionArguments) {
    guard let formula = expression.formula.with(parameters: arguments.values) else {
      self = .unknown(expression.mentions)
      return
    }
    self.init(
      filters: filter.isEmpty ? [] : [RowFilter(filter, ofExpression: formula)], mentions: expression.mentions,
      isExact: true)
  }
}

extension ValueComparison {
  /// The values of a column that satisfy a comparison with a value; nil if they are unknown.
  fileprivate func filter(_ value: DatabaseValue, _ arguments: ConditionArguments) -> ColumnFilter? {
    let nothing = ColumnFilter.values([])
    switch self {
    case .identical: return .values([value])
    case .notIdentical: return value.isNull ? .range(ValueRange()) : nil
    case .equal: return value.isNull ? nothing : .values([value])
    // An inequality excludes NULL.
    case .different: return value.isNull ? nothing : .range(ValueRange())
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if value.isNull { return nothing }
      if case .string = value.storage, !arguments.isTextOrderKnown { return nil }
      let isInclusive = self == .lessOrEqual || self == .greaterOrEqual
      let bound = ValueRange.Bound(value: value, isInclusive: isInclusive)
      let isUpper = self == .less || self == .lessOrEqual
      return .range(isUpper ? ValueRange(upper: bound) : ValueRange(lower: bound))
    }
  }
}

/// The arguments of an execution.
struct ConditionArguments {
  /// The values of the parameters; nil if they are not known yet.
  var values: [DatabaseValue]?

  /// Whether texts are sorted by their UTF-8 bytes, which is not the case in databases with other encodings.
  var isTextOrderKnown: Bool

  func value(of constant: RowConstant) -> DatabaseValue? { constant.value(values) }

  /// A constant as SQLite compares it with a column; nil if this is uncertain.
  fileprivate func value(of constant: RowConstant, comparedWith column: RowColumn) -> DatabaseValue? {
    guard let value = value(of: constant), let compared = column.facts.affinity.compared(value) else { return nil }
    if case .string = compared.storage, !column.isBinary { return nil }
    return compared
  }
}
