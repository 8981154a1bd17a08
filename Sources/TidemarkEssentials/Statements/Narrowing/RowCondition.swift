/// A condition on the rows of one table in a query, whose arguments are not known yet.
indirect enum RowCondition: Equatable, Sendable {
  case all([RowCondition])
  case any([RowCondition])
  case comparison(ValueComparison, RowColumn, RowConstant)
  case membership(RowColumn, [RowConstant])
  /// A constant that stands for itself: no row passes when it is zero.
  case constant(RowConstant)
  /// What a formula says, mentioning columns; and what is to be said without it: when it has a parameter that is no
  /// integer.
  case computed(RowFormula, mentions: Set<Int>, roughly: RowCondition)
  /// Something else, which may let any row pass.
  case unknown
}

/// A column of that table, where the text mentions it.
struct RowColumn: Equatable, Sendable {
  var facts: ColumnFacts

  /// Which mention it is, counted over the whole text.
  var mention: Int

  /// Whether texts are compared by their bytes here.
  var isBinary: Bool
}

enum RowConstant: Equatable, Sendable {
  case value(DatabaseValue)
  /// The index of a parameter, from 1 on.
  case parameter(Int)
}

/// The rows that meet a condition: those of any of some filters.
struct ConditionRows {
  /// The most filters that are kept apart. It is that of a region.
  static let filtersMax = TableRegion.partsMax

  var filters: [RowFilter]

  /// The mentions of columns that the filters stand for exactly.
  var mentions: Set<Int> = []

  /// The mentions of columns that they do not stand for, or not wholly: `BETWEEN` is two conditions of one mention.
  var inexactMentions: Set<Int> = []

  /// Whether the filters say the whole condition, as far as it concerns the table.
  var isExact = false

  static let unknown = ConditionRows(filters: [.all])

  /// All rows, where the filters cannot be used.
  var widened: ConditionRows { ConditionRows(filters: [.all], inexactMentions: allMentions) }

  private var allMentions: Set<Int> { mentions.union(inexactMentions) }

  /// The rows that pass both.
  func intersection(_ other: ConditionRows) -> ConditionRows {
    if filters.count * other.filters.count > Self.filtersMax {
      // One of both is let go. That lets more rows pass.
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

  /// The rows that pass one of both.
  func union(_ other: ConditionRows) -> ConditionRows {
    let joined = Self.joined(filters + other.filters)
    let isExact = isExact && other.isExact
    let union = ConditionRows(
      filters: joined, mentions: mentions.union(other.mentions),
      inexactMentions: inexactMentions.union(other.inexactMentions), isExact: isExact)
    if joined.contains(where: \.isAll) || joined.count > Self.filtersMax { return union.widened }
    return isExact ? union : ConditionRows(filters: joined, inexactMentions: union.allMentions)
  }

  /// The same rows by fewer filters.
  private static func joined(_ filters: [RowFilter]) -> [RowFilter] {
    var result: [RowFilter] = []
    for filter in filters where !filter.isEmpty {
      var filter = filter
      while let index = result.firstIndex(where: { $0.exactUnion(filter) != nil }) {
        filter = result.remove(at: index).exactUnion(filter) ?? filter
      }
      result.append(filter)
    }
    return result
  }
}

extension RowCondition {
  /// The rows that meet the condition with these arguments. A value that is not known lets all rows pass.
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
        // NULL is equal to nothing.
        if !value.isNull { values.insert(value) }
      }
      return ConditionRows(column, .values(values), isExact: true)
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
}

extension ValueComparison {
  /// The values of a column that compare so with a value; nil when that cannot be said.
  fileprivate func filter(_ value: DatabaseValue, _ arguments: ConditionArguments) -> ColumnFilter? {
    let nothing = ColumnFilter.values([])
    switch self {
    case .identical: return .values([value])
    case .notIdentical: return value.isNull ? .range(ValueRange()) : nil
    case .equal: return value.isNull ? nothing : .values([value])
    // What is different from something is not NULL.
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
  /// The values of the parameters; nil when there are none yet.
  var values: [DatabaseValue]?

  /// Whether texts are sorted by their bytes in UTF-8: it is not so in a database of another encoding.
  var isTextOrderKnown: Bool

  func value(of constant: RowConstant) -> DatabaseValue? {
    switch constant {
    case .value(let value): return value
    case .parameter(let index):
      guard let values, values.indices.contains(index - 1) else { return nil }
      return values[index - 1]
    }
  }

  /// A constant as SQLite compares it with a column; nil when it is not certain.
  fileprivate func value(of constant: RowConstant, comparedWith column: RowColumn) -> DatabaseValue? {
    guard let value = value(of: constant), let compared = column.facts.affinity.compared(value) else { return nil }
    if case .string = compared.storage, !column.isBinary { return nil }
    return compared
  }
}
