/// The changes of a database that subscribers need.
///
/// The needs of all subscribers are joined; changes that are not needed are not captured.
struct CaptureNeeds: Sendable, Equatable {
  /// The needs for all tables that are not listed; nil for none.
  var otherTables: TableNeeds?

  /// The needs for some tables. For a virtual table, only kinds of changes are ever reported.
  var tables: [TableKey: TableNeeds] = [:]

  /// Whether values that no row reports are needed: the counters of tables with `AUTOINCREMENT`, and `user_version`.
  var storedNumbers = false

  /// The changes of a table that subscribers need.
  ///
  /// Names of columns are in lower case.
  struct TableNeeds: Sendable, Equatable {
    /// The relevant columns; nil for all. Updates of other columns are not reported.
    var columns: Set<String>?

    /// The columns whose values are reported; nil for all.
    var values: Set<String>? = []

    /// Whether the changed rows are reported: their row IDs, or the columns of their keys.
    var rows = false

    /// The number of changed rows per transaction up to which rows are reported one by one.
    var rowCountMax = Int.max

    /// Whether rows are needed even if the transaction has more than fit in memory: see `ChangeLog.Storage`.
    var storesRows = false

    /// All changes.
    static let all = TableNeeds(columns: nil, values: nil, rows: true)

    /// Whether each row is reported. Otherwise, insertions, deletions and updates of some columns are reported as such.
    var wantsRows: Bool { rows || values?.isEmpty != true }

    func union(_ other: Self) -> Self {
      TableNeeds(
        columns: columns.flatMap { columns in other.columns.map(columns.union) },
        values: values.flatMap { values in other.values.map(values.union) },
        rows: rows || other.rows,
        // The limit of a subscriber that needs no rows is irrelevant.
        rowCountMax: wantsRows == other.wantsRows
          ? max(rowCountMax, other.rowCountMax) : wantsRows ? rowCountMax : other.rowCountMax,
        storesRows: storesRows || other.storesRows)
    }
  }

  /// No changes.
  static let none = CaptureNeeds()

  /// All changes of rows.
  static let all = CaptureNeeds(otherTables: .all)

  var isEmpty: Bool { otherTables == nil && tables.isEmpty }

  /// The beginning of the names of the tables of the change feed, and of a node of a cluster, and the table of stored
  /// steps. Only a subscriber that names such a table needs its changes.
  static let feedTablePrefix = "tidemark_feed"
  static let clusterTablePrefix = "tidemark_cluster"
  static let undoTableName = "tidemark_undo"

  /// Whether the library stores changes in a table.
  static func isTableOfLibrary(_ name: String) -> Bool {
    // A table of the program may begin with the same letters: `tidemark_feedback`.
    name == undoTableName
      || [feedTablePrefix, clusterTablePrefix].contains { prefix in
        name == prefix || name.hasPrefix(prefix + "_")
      }
  }

  /// The needs for a table; nil for none.
  func needs(of table: TableKey) -> TableNeeds? {
    tables[table] ?? (Self.isTableOfLibrary(table.name) ? nil : otherTables)
  }

  func union(_ other: CaptureNeeds) -> CaptureNeeds {
    var result = self
    result.formUnion(other)
    return result
  }

  mutating func formUnion(_ other: CaptureNeeds) {
    for key in other.tables.keys {
      if let part = other.needs(of: key) { tables[key] = needs(of: key)?.union(part) ?? part }
    }
    if other.otherTables != nil {
      for key in tables.keys where other.tables[key] == nil {
        if let part = other.needs(of: key) { tables[key] = tables[key]?.union(part) ?? part }
      }
    }
    otherTables = otherTables.map { own in other.otherTables.map(own.union) ?? own } ?? other.otherTables
    storedNumbers = storedNumbers || other.storedNumbers
  }
}
