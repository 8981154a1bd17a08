import CSQLite

/// The rows that a query with a `LIMIT` may show, as far as the last row of an execution tells.
///
/// A query of one table that is sorted by columns, and has shown as many rows as its `LIMIT` allows, is not changed by
/// rows that sort behind the last one: neither by those that are there nor by those that come. The values of these
/// columns in the last row are the bound.
///
/// Laws:
/// 1. Rows that sort as the bound by all columns that are known matter, whatever else they are sorted by.
/// 2. Where fewer rows were shown, or not all were asked for, there is no bound.
/// 3. A bound holds for the state that it was read from. So it is recorded by those only who look again at what is read
///    with each fetch, and while nothing is written.
struct RegionBound: Equatable, Sendable {
  /// A column that the rows are sorted by.
  struct Term: Equatable, Sendable {
    var column: ColumnFacts
    var isDescending: Bool
  }

  /// More columns tell little.
  static let termsMax = 3

  var table: TableKey

  /// The columns that the rows are sorted by first.
  var terms: [Term]

  /// The number of rows in the `LIMIT`.
  var limit: RowConstant

  /// How many rows must be shown; nil when there is no limit.
  func rowCount(_ arguments: ConditionArguments) -> Int? {
    guard case .int64(let count)? = arguments.value(of: limit)?.storage, count > 0 else { return nil }
    return Int(clamping: count)
  }

  /// Those of some rows that do not sort behind some values.
  ///
  /// - parameter values: Those of the first columns that the rows are sorted by.
  func rows(_ rows: ConditionRows, upTo values: [DatabaseValue], _ arguments: ConditionArguments) -> ConditionRows {
    var known = Array(zip(terms, values))[...].prefix { $0.isKnown($1, arguments) }
    while !known.isEmpty {
      let filters = Self.filters(known)
      // Too many filters would be none: what the first columns tell is better.
      if filters.count * rows.filters.count <= ConditionRows.filtersMax {
        return rows.intersection(ConditionRows(filters: filters))
      }
      known = known.dropLast()
    }
    return rows
  }

  /// The rows that sort before the values, or as they do.
  private static func filters(_ terms: ArraySlice<(Term, DatabaseValue)>) -> [RowFilter] {
    guard let (term, value) = terms.first else { return [] }
    let rest = terms.dropFirst()
    if rest.isEmpty { return term.filters(before: value, isInclusive: true) }
    let equal = RowFilter(.values([value]), ofColumn: term.column.name)
    return term.filters(before: value, isInclusive: false) + filters(rest).map(equal.intersection)
  }
}

extension RegionBound.Term {
  /// Whether it can be told which values sort before a value.
  fileprivate func isKnown(_ value: DatabaseValue, _ arguments: ConditionArguments) -> Bool {
    guard case .string(let text) = value.storage else { return true }
    // A text that was repaired sorts by bytes that are not known.
    return column.isBinary && arguments.isTextOrderKnown && !text.unicodeScalars.contains("\u{FFFD}")
  }

  /// The rows whose values sort before a value.
  fileprivate func filters(before value: DatabaseValue, isInclusive: Bool) -> [RowFilter] {
    // NULL comes first.
    let isNull = RowFilter(.values([.null]), ofColumn: column.name)
    if isDescending {
      let isNotNull = RowFilter(.range(ValueRange()), ofColumn: column.name)
      if value.isNull { return isInclusive ? [.all] : [isNotNull] }
      let bound = ValueRange.Bound(value: value, isInclusive: isInclusive)
      return [RowFilter(.range(ValueRange(lower: bound)), ofColumn: column.name)]
    }
    if value.isNull { return isInclusive ? [isNull] : [] }
    let bound = ValueRange.Bound(value: value, isInclusive: isInclusive)
    return [RowFilter(.range(ValueRange(upper: bound)), ofColumn: column.name), isNull]
  }
}

extension Statement {
  /// The value of a column in the current row, if the row shows it under its own name.
  fileprivate func currentValue(ofColumnNamed name: String) -> DatabaseValue? {
    // Looked for in the row itself: SQLite may have compiled the statement again.
    for index in 0..<sqlite3_column_count(sqliteStatement) {
      guard let text = sqlite3_column_name(sqliteStatement, index) else { return nil }
      if String(cString: text).asciiLowercased == name { return DatabaseValue.read(sqliteStatement, index) }
    }
    return nil
  }
}

extension Database {
  /// Takes note of the last row that a statement may show.
  func recordBound(of statement: Statement) {
    guard let plan = statement.cachedRegionPlan?.plan, let bound = plan.bound else { return }
    var values: [DatabaseValue] = []
    for term in bound.terms {
      guard let value = statement.currentValue(ofColumnNamed: term.column.name) else { break }
      values.append(value)
    }
    if values.isEmpty { return }
    let arguments = statement.parameterValues(statement.currentArguments, isChecked: statement.checksArguments)
    selection?.setSight(.bound(values), of: plan, arguments)
  }
}
