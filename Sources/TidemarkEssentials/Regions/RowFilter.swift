/// A set of rows: a conjunction of at most one filter per column and per expression, and of formulas.
///
/// The row ID is treated as a column. Its name is the column that is an alias of the row ID, or `rowIDName`.
struct RowFilter: Hashable, Sendable {
  /// The name of a row ID without an alias. A column with this name that is not the row ID never has a filter.
  static let rowIDName = "rowid"

  /// The filters by lowercase column name.
  private(set) var columns: [String: ColumnFilter] = [:]

  /// The filters by the value of an expression: `owner + 0`, `lower(name)`.
  private(set) var expressions: [RowFormula: ColumnFilter] = [:]

  /// The distinct conditions that cannot be expressed by filters of single columns or expressions.
  private(set) var formulas: [RowFormula] = []

  /// All rows.
  static let all = RowFilter()

  init() {}

  init(_ columns: [String: ColumnFilter]) {
    for (name, filter) in columns { self.columns[name.asciiLowercased] = filter }
  }

  /// Creates the filter that admits rows by the value of a column with a lowercase name.
  init(_ filter: ColumnFilter, ofColumn name: String) {
    columns[name] = filter
  }

  /// Creates the filter that admits rows by the value of an expression.
  init(_ filter: ColumnFilter, ofExpression expression: RowFormula) {
    expressions[expression] = filter
  }

  /// Whether the filter admits all rows.
  var isAll: Bool { columns.isEmpty && formulas.isEmpty && expressions.isEmpty }

  /// Whether the filter admits no rows.
  var isEmpty: Bool { columns.contains { $0.value.isEmpty } || expressions.contains { $0.value.isEmpty } }

  /// Whether it consists of the filter of one column.
  var isOfOneColumn: Bool { columns.count == 1 && formulas.isEmpty && expressions.isEmpty }

  /// The lowercase names of the columns on which the filter depends.
  var columnNames: Set<String> {
    var names = formulas.reduce(into: Set(columns.keys)) { $0.formUnion($1.columns) }
    for expression in expressions.keys { names.formUnion(expression.columns) }
    return names
  }

  /// Returns whether the filter depends on a column with a lowercase name.
  func filters(_ column: String) -> Bool {
    columns[column] != nil || formulas.contains { $0.columns.contains(column) }
      || expressions.keys.contains { $0.columns.contains(column) }
  }

  /// Returns whether the filter may admit a row. Unknown values are assumed to match.
  func mayAdmit(_ value: (_ column: String) -> DatabaseValue?) -> Bool {
    columns.allSatisfy { name, filter in value(name).map(filter.admits) ?? true }
      && formulas.allSatisfy { $0.admits(value) != false }
      && expressions.allSatisfy { expression, filter in expression.value(value).map(filter.admits) ?? true }
  }

  /// Returns whether the filter admits a row for any unknown values.
  func surelyAdmits(_ value: (_ column: String) -> DatabaseValue?) -> Bool {
    columns.allSatisfy { name, filter in value(name).map(filter.surelyAdmits) ?? false }
      && formulas.allSatisfy { $0.admits(value) == true }
      && expressions.allSatisfy { expression, filter in expression.value(value).map(filter.surelyAdmits) ?? false }
  }

  /// Returns the rows that also satisfy a formula.
  func intersection(_ formula: RowFormula) -> RowFilter {
    var result = self
    if !formulas.contains(formula) { result.formulas.append(formula) }
    return result
  }

  /// Returns the rows that both filters admit.
  func intersection(_ other: RowFilter) -> RowFilter {
    var result = self
    result.columns.merge(other.columns) { $0.intersection($1) }
    result.expressions.merge(other.expressions) { $0.intersection($1) }
    return other.formulas.reduce(result) { $0.intersection($1) }
  }

  /// Returns a filter that admits the rows of both filters, and perhaps more.
  func hull(_ other: RowFilter) -> RowFilter {
    var result = RowFilter()
    for (name, filter) in columns { result.columns[name] = other.columns[name].flatMap(filter.hull) }
    for (expression, filter) in expressions {
      result.expressions[expression] = other.expressions[expression].flatMap(filter.hull)
    }
    result.formulas = formulas.filter(other.formulas.contains)
    return result
  }

  /// Returns whether this filter admits all rows of another filter; false if this is not certain.
  func admitsAll(of other: RowFilter) -> Bool {
    formulas.allSatisfy(other.formulas.contains) && columns.admitAll(of: other.columns)
      && expressions.admitAll(of: other.expressions)
  }

  /// Returns the exact union of two filters; nil if it cannot be represented. It can if the filters differ in one
  /// column or expression.
  func exactUnion(_ other: RowFilter) -> RowFilter? {
    guard formulas == other.formulas else { return nil }
    var result = self
    if expressions == other.expressions {
      guard let union = columns.exactUnion(other.columns) else { return nil }
      result.columns = union
    } else {
      guard columns == other.columns, let union = expressions.exactUnion(other.expressions) else { return nil }
      result.expressions = union
    }
    return result
  }
}

extension Dictionary where Value == ColumnFilter {
  /// Returns whether the filters admit all rows that other filters admit; false if this is not certain.
  fileprivate func admitAll(of other: Self) -> Bool {
    allSatisfy { key, filter in other[key].map { filter.intersection($0) == $0 } ?? false }
  }

  /// Returns the exact union of two conjunctions, which differ in one filter at most; nil if it cannot be represented.
  fileprivate func exactUnion(_ other: Self) -> Self? {
    guard count == other.count else { return nil }
    var difference: (key: Key, values: ColumnFilter)?
    for (key, filter) in self {
      guard let otherFilter = other[key] else { return nil }
      if filter == otherFilter { continue }
      guard difference == nil, case .values = filter, case .values = otherFilter, let union = filter.hull(otherFilter)
      else { return nil }
      difference = (key, union)
    }
    var result = self
    if let difference { result[difference.key] = difference.values }
    return result
  }
}
