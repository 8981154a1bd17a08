/// The order in which SQLite reads the rows of the one table of a query: that of an index, or of the table.
///
/// Rows that the query sorts equally come in this order: either no sorting is needed, or the sorter keeps the order of
/// equal rows. An index is read from its end where that gives the order that the query asks for, and a table may be
/// (`PRAGMA reverse_unordered_selects`).
struct ScanOrder {
  /// A column of an index.
  struct Column {
    /// In lower case; nil for the id of the row.
    var name: String?
    var collation: RowOrder.Collation?
    var isDescending: Bool
  }

  /// The columns of the index, if one is used.
  var columns: [Column] = []

  /// Whether the rows are read from the end.
  var isReversed = false
}

extension Database {
  /// How SQLite reads the one table of a query; nil when that cannot be told. C: `EXPLAIN`.
  ///
  /// - parameter arguments: Those of the query: SQLite may choose another index for other arguments.
  func scanOrder(of sql: String, _ arguments: StatementArguments?) throws -> ScanOrder? {
    var roots: Set<Int64> = []
    var isReversed: Bool?
    for row in try internalRows("EXPLAIN \(sql)", arguments) {
      // Address, operation, and its first three operands.
      guard row.count > 4, case .string(let operation) = row[1].storage else { return nil }
      switch operation {
      case "OpenRead":
        // Only of the main database.
        guard case .int64(let root) = row[3].storage, case .int64(0) = row[4].storage else { return nil }
        roots.insert(root)
      case "Next", "Prev":
        // Values of `IN (…)` are tried in the same direction, one index range after the other.
        if let isReversed, isReversed != (operation == "Prev") { return nil }
        isReversed = operation == "Prev"
      case "RowSetAdd", "RowSetTest", "ReopenIdx", "OpenAutoindex", "VOpen", "InitCoroutine":
        // Several indexes, one after the other, or none of the table's own.
        return nil
      default:
        break
      }
    }
    guard let columns = try scanColumns(ofRoots: roots) else { return nil }
    return ScanOrder(columns: columns, isReversed: isReversed ?? false)
  }

  /// The columns of the one index among some trees; none where there is only a table, nil where there are more.
  private func scanColumns(ofRoots roots: Set<Int64>) throws -> [ScanOrder.Column]? {
    let list = roots.map(String.init).joined(separator: ", ")
    let indexes = try internalRows(
      "SELECT name FROM main.sqlite_master WHERE type = 'index' AND rootpage IN (\(list))")
    guard indexes.count <= 1 else { return nil }
    guard let index = indexes.first else { return [] }
    guard case .string(let name) = index[0].storage else { return nil }
    var columns: [ScanOrder.Column] = []
    for row in try internalRows("PRAGMA main.index_xinfo(\(name.quotedDatabaseIdentifier))") {
      // Place, number of the column (-1 for the row id, -2 for an expression), name, descending, collation, and whether
      // it is a column of the key.
      guard row.count > 5, case .int64(let number) = row[1].storage, case .string(let collation) = row[4].storage,
        number != -2
      else { return nil }
      if row[5] == DatabaseValue(.int64(0)) { continue }
      var column = ScanOrder.Column(isDescending: row[3] == DatabaseValue(.int64(1)))
      column.collation = RowOrder.Collation(rawValue: collation.asciiLowercased)
      if number != -1 {
        guard case .string(let name) = row[2].storage else { return nil }
        column.name = name.asciiLowercased
      }
      columns.append(column)
    }
    return columns
  }
}
