/// The rows that a query with a `LIMIT` may return, bounded by the last row of an execution.
///
/// If a query of one table is sorted by columns, and has returned as many rows as its `LIMIT` allows, rows that sort
/// after the last one cannot change its result: neither existing nor new ones. The bound consists of the last row's
/// values in these columns. Values that the row does not contain are looked up by its row ID.
///
/// Invariants:
/// 1. Rows that are equal to the bound in all known columns are relevant, whatever else they are sorted by.
/// 2. If fewer rows were returned, or not all rows were read, the bound is unknown.
/// 3. A bound is valid for the state from which it was read. So it is recorded only for callers that determine the
///    region again with each fetch, and while nothing is written.
struct RegionBound: Equatable, Sendable {
  /// A column by which the rows are sorted.
  struct Term: Equatable, Sendable {
    var column: ColumnFacts
    var isDescending: Bool
  }

  /// More columns add little.
  static let termsMax = 3

  var table: TableKey

  /// The first columns by which the rows are sorted.
  var terms: [Term]

  /// The number of rows in the `LIMIT`.
  var limit: RowConstant

  /// The lowercase name of the row ID; nil if the table has none.
  var rowIDName: String?

  /// The query for the values of a row, by its row ID; nil without row IDs.
  var lookUpSQL: String? {
    guard let rowIDName else { return nil }
    let columns = terms.map(\.column.name.quotedDatabaseIdentifier).joined(separator: ", ")
    let source = "\(table.database.quotedDatabaseIdentifier).\(table.name.quotedDatabaseIdentifier)"
    return "SELECT \(columns) FROM \(source) WHERE \(rowIDName.quotedDatabaseIdentifier) = ?"
  }

  /// The number of rows that must be returned; nil without a limit.
  func rowCount(_ arguments: ConditionArguments) -> Int? {
    guard case .int64(let count)? = arguments.value(of: limit)?.storage, count > 0 else { return nil }
    return Int(clamping: count)
  }

  /// The values of the current row of a statement in the first columns by which the rows are sorted, as far as the row
  /// contains them.
  func values(in statement: Statement) -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    for term in terms {
      guard let value = statement.currentValue(ofColumnNamed: term.column.name) else { break }
      values.append(value)
    }
    return values
  }

  /// Those rows of a set that do not sort after some values.
  ///
  /// - Parameter values: The values of the first columns by which the rows are sorted.
  func rows(_ rows: ConditionRows, upTo values: [DatabaseValue], _ arguments: ConditionArguments) -> ConditionRows {
    var known: ArraySlice = Array(zip(terms, values)).prefix { $0.isKnown($1, arguments) }
    while !known.isEmpty {
      let filters = Self.filters(known)
      // Too many filters would be dropped: filters on the first columns are better than none.
      if filters.count * rows.filters.count <= ConditionRows.filtersMax {
        return rows.intersection(ConditionRows(filters: filters))
      }
      known = known.dropLast()
    }
    return rows
  }

  /// The rows that sort before the values, or are equal to them.
  private static func filters(_ terms: ArraySlice<(Term, DatabaseValue)>) -> [RowFilter] {
    var filters: [RowFilter] = []
    var equal = RowFilter.all
    for (index, (term, value)) in zip(terms.indices, terms) {
      let isLast = index == terms.endIndex - 1
      filters += term.filters(before: value, isInclusive: isLast).map(equal.intersection)
      equal = equal.intersection(RowFilter(.values([value]), ofColumn: term.column.name))
    }
    return filters
  }
}

extension RegionBound.Term {
  /// Whether the values that sort before a value are known.
  fileprivate func isKnown(_ value: DatabaseValue, _ arguments: ConditionArguments) -> Bool {
    guard case .string(let text) = value.storage else { return true }
    // A text that is compared as a number, but sorts as a text: see `CaptureLayout.Column.comparesNumbers`.
    if column.affinity.comparesNumbers, text.isNumber { return false }
    // A repaired text sorts by its original bytes, which are unknown.
    return column.isBinary && arguments.isTextOrderKnown && !text.unicodeScalars.contains("\u{FFFD}")
  }

  /// The rows whose values sort before a value.
  fileprivate func filters(before value: DatabaseValue, isInclusive: Bool) -> [RowFilter] {
    // NULL sorts first.
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
