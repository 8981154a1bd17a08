import CSQLite

/// The rows that a query with a `LIMIT` may show, as far as the last row of an execution tells.
///
/// A query of one table that is sorted by a column, and has shown as many rows as its `LIMIT` allows, is not changed by
/// rows that sort behind the last one: neither by those that are there nor by those that come. The value of that column
/// in the last row is the bound.
///
/// Laws:
/// 1. Rows that sort as the bound matter, whatever else they are sorted by.
/// 2. Where fewer rows were shown, or not all were asked for, there is no bound.
/// 3. A bound holds for the state that it was read from. So it is recorded by those only who look again at what is read
///    with each fetch, and while nothing is written.
struct RegionBound: Equatable, Sendable {
  var table: TableKey

  /// The column that the rows are sorted by first.
  var column: RowColumn
  var isDescending: Bool

  /// The number of rows in the `LIMIT`.
  var limit: RowConstant

  /// How many rows must be shown; nil when there is no limit.
  func rowCount(_ arguments: ConditionArguments) -> Int? {
    guard case .int64(let count)? = arguments.value(of: limit)?.storage, count > 0 else { return nil }
    return Int(clamping: count)
  }

  /// The rows that do not sort behind a value; nil when that cannot be told.
  func rows(_ value: DatabaseValue, _ arguments: ConditionArguments) -> ConditionRows? {
    if value.isNull { return nil }
    if case .string(let text) = value.storage {
      // A text that was repaired sorts by bytes that are not known.
      if !column.isBinary || !arguments.isTextOrderKnown || text.unicodeScalars.contains("\u{FFFD}") { return nil }
    }
    let bound = ValueRange.Bound(value: value, isInclusive: true)
    let name = column.facts.name
    if isDescending { return ConditionRows(filters: [RowFilter(.range(ValueRange(lower: bound)), ofColumn: name)]) }
    // NULL comes first.
    return ConditionRows(filters: [
      RowFilter(.range(ValueRange(upper: bound)), ofColumn: name), RowFilter(.values([.null]), ofColumn: name),
    ])
  }
}

extension Statement {
  /// The value of a column in the current row, if the row shows it under its own name.
  func currentValue(ofColumnNamed name: String) -> DatabaseValue? {
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
    guard let plan = statement.cachedRegionPlan?.plan, let bound = plan.bound,
      let value = statement.currentValue(ofColumnNamed: bound.column.facts.name)
    else { return }
    let arguments = statement.parameterValues(statement.currentArguments, isChecked: statement.checksArguments)
    selection?.setBound(value, of: plan, arguments)
  }
}
