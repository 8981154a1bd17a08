/// The rows whose columns all pass: a conjunction of filters, one for each column at most, and of formulas.
///
/// The row id is a column, too: under the name of the column that stands for it, else under `rowIDName`.
struct RowFilter: Hashable, Sendable {
  /// The name of a row id that is no column. A column of that name, which is not the row id, is never filtered.
  static let rowIDName = "rowid"

  /// By name of column, in lower case.
  private(set) var columns: [String: ColumnFilter] = [:]

  /// What filters of single columns cannot say. None stands twice.
  private(set) var formulas: [RowFormula] = []

  /// All rows.
  static let all = RowFilter()

  init() {}

  init(_ columns: [String: ColumnFilter]) {
    for (name, filter) in columns { self.columns[name.asciiLowercased] = filter }
  }

  /// The rows that pass by the value of one column, given in lower case.
  init(_ filter: ColumnFilter, ofColumn name: String) {
    columns[name] = filter
  }

  /// Whether all rows pass.
  var isAll: Bool { columns.isEmpty && formulas.isEmpty }

  /// Whether no row passes.
  var isEmpty: Bool { columns.contains { $0.value.isEmpty } }

  /// The columns whose values decide, in lower case.
  var columnNames: Set<String> {
    formulas.reduce(into: Set(columns.keys)) { $0.formUnion($1.columns) }
  }

  /// Whether the value of a column, given in lower case, decides.
  func filters(_ column: String) -> Bool {
    columns[column] != nil || formulas.contains { $0.columns.contains(column) }
  }

  /// Whether a row may pass, as far as its values are known. One that is not known passes.
  func mayAdmit(_ value: (_ column: String) -> DatabaseValue?) -> Bool {
    columns.allSatisfy { name, filter in value(name).map(filter.admits) ?? true }
      && formulas.allSatisfy { $0.admits(value) != false }
  }

  /// Whether a row passes whatever its unknown values are.
  func surelyAdmits(_ value: (_ column: String) -> DatabaseValue?) -> Bool {
    columns.allSatisfy { name, filter in value(name).map(filter.surelyAdmits) ?? false }
      && formulas.allSatisfy { $0.admits(value) == true }
  }

  /// Those of the rows that pass a formula.
  func intersection(_ formula: RowFormula) -> RowFilter {
    var result = self
    if !formulas.contains(formula) { result.formulas.append(formula) }
    return result
  }

  /// The rows that pass both.
  func intersection(_ other: RowFilter) -> RowFilter {
    var result = self
    result.columns.merge(other.columns) { $0.intersection($1) }
    return other.formulas.reduce(result) { $0.intersection($1) }
  }

  /// Lets pass what passes one of both, and perhaps more.
  func hull(_ other: RowFilter) -> RowFilter {
    var result = RowFilter()
    for (name, filter) in columns { result.columns[name] = other.columns[name].flatMap(filter.hull) }
    result.formulas = formulas.filter(other.formulas.contains)
    return result
  }

  /// Whether each row that passes the other filter passes this one. No when it cannot be told.
  func admitsAll(of other: RowFilter) -> Bool {
    formulas.allSatisfy(other.formulas.contains)
      && columns.allSatisfy { name, filter in
        other.columns[name].map { filter.intersection($0) == $0 } ?? false
      }
  }

  /// The rows that pass one of both, if they can be said exactly: when the filters differ by the values of one column.
  func exactUnion(_ other: RowFilter) -> RowFilter? {
    guard columns.count == other.columns.count, formulas == other.formulas else { return nil }
    var difference: (name: String, values: ColumnFilter)?
    for (name, filter) in columns {
      guard let otherFilter = other.columns[name] else { return nil }
      if filter == otherFilter { continue }
      guard difference == nil, case .values = filter, case .values = otherFilter,
        let union = filter.hull(otherFilter)
      else { return nil }
      difference = (name, union)
    }
    var result = self
    if let difference { result.columns[difference.name] = difference.values }
    return result
  }
}
