/// What somebody wants to know of the changes of a database.
///
/// The wishes of all who listen are joined; what nobody wants is not captured.
struct CaptureNeeds: Sendable, Equatable {
  /// What is wanted of all tables that are not listed; nil for nothing.
  var others: TableNeeds?

  /// What is wanted of some tables. Of a virtual table, no more than kinds of changes is ever told.
  var tables: [TableKey: TableNeeds] = [:]

  /// What somebody wants to know of the changes of a table.
  ///
  /// Names of columns are in lower case.
  struct TableNeeds: Sendable, Equatable {
    /// The columns whose changes matter; nil for all. An update of others is not told.
    var columns: Set<String>?

    /// The columns whose values are told; nil for all.
    var values: Set<String>? = []

    /// Whether it is told which rows change: by their ids, or by the columns of their keys.
    var rows = false

    /// How many rows a transaction may change before its other rows are not told one by one any more.
    var rowCountMax = Int.max

    /// Everything.
    static let all = TableNeeds(columns: nil, values: nil, rows: true)

    /// Whether each row is told. If not, it is told that there were inserts, deletes, or updates of some columns.
    var wantsRows: Bool { rows || values?.isEmpty != true }

    func union(_ other: Self) -> Self {
      TableNeeds(
        columns: columns.flatMap { columns in other.columns.map(columns.union) },
        values: values.flatMap { values in other.values.map(values.union) },
        rows: rows || other.rows,
        // Who wants no rows wants no number of them.
        rowCountMax: max(wantsRows ? rowCountMax : 0, other.wantsRows ? other.rowCountMax : 0))
    }
  }

  /// Nothing.
  static let none = CaptureNeeds()

  /// Everything.
  static let all = CaptureNeeds(others: .all)

  var isEmpty: Bool { others == nil && tables.isEmpty }

  /// What is wanted of a table; nil for nothing.
  func needs(of table: TableKey) -> TableNeeds? { tables[table] ?? others }

  func union(_ other: CaptureNeeds) -> CaptureNeeds {
    var result = CaptureNeeds(others: others.map { own in other.others.map(own.union) ?? own } ?? other.others)
    for key in Set(tables.keys).union(other.tables.keys) {
      let parts = [needs(of: key), other.needs(of: key)].compactMap { $0 }
      result.tables[key] = parts.dropFirst().reduce(parts[0]) { $0.union($1) }
    }
    return result
  }
}
