/// The order in which SQLite reads the rows of a query of one table: the order of an index, or of the row IDs.
///
/// Rows that the query sorts equally are returned in this order. Either the query needs no sorter, or the sorter is
/// stable. SQLite reads an index from its end if this yields the requested order, and a table likewise (`PRAGMA
/// reverse_unordered_selects`).
///
/// The order belongs to a query plan. SQLite chooses the plan when it compiles the query: another connection, or the
/// same connection with another schema, other statistics or other arguments, may choose a different one.
struct ScanOrder: Equatable, Sendable {
  /// A column of an index.
  struct Column: Equatable, Sendable {
    /// The name in lower case; nil for the row ID.
    var name: String?
    var collation: RowOrder.TextCollation?
    var isDescending: Bool
  }

  /// The columns of the used index; empty if no index is used.
  var columns: [Column] = []

  /// Whether the rows are read from the end.
  var isReversed = false
}

/// The scan order that was found for a query when a statement for the same table had run, for as long as SQLite does
/// not compile the statement again.
///
/// SQLite compiles all statements of a connection again after a change of the schema, of the statistics or of a
/// setting of the connection that affects query plans.
private struct ScanOrderRecord {
  var sql: String
  var arguments: StatementArguments
  var recompilationCount: CInt
  var order: ScanOrder?
}

extension Statement {
  /// Returns the scan order of another query of the same table on this connection; nil if it is unknown.
  ///
  /// This statement must have run in the current snapshot, so that it was compiled for the current schema.
  func scanOrder(ofQuery sql: String, _ arguments: StatementArguments) throws -> ScanOrder? {
    let count = recompilationCountOfSQLite
    if let known = cached.scanOrder as? ScanOrderRecord, known.recompilationCount == count, known.sql == sql,
      known.arguments == arguments
    {
      return known.order
    }
    let order = try database.scanOrder(ofQuery: sql, arguments)
    cached.scanOrder = ScanOrderRecord(sql: sql, arguments: arguments, recompilationCount: count, order: order)
    return order
  }
}

extension Database {
  /// Returns the scan order of a query of one table; nil if it is unknown. C: `EXPLAIN`.
  func scanOrder(ofQuery sql: String, _ arguments: StatementArguments) throws -> ScanOrder? {
    var roots: Set<Int64> = []
    var isReversed: Bool?
    for row in try internalRows("EXPLAIN \(sql)", arguments.isEmpty ? nil : arguments) {
      // Address, operation, and its first three operands.
      guard row.count > 4, case .string(let operation) = row[1].storage else { return nil }
      switch operation {
      case "OpenRead":
        guard case .int64(let root) = row[3].storage, case .int64(0) = row[4].storage else { return nil }
        roots.insert(root)
      case "Next", "Prev":
        // The values of `IN (…)` are tried in the order of the index, one range after the other.
        if let isReversed, isReversed != (operation == "Prev") { return nil }
        isReversed = operation == "Prev"
      case "RowSetAdd", "RowSetTest", "ReopenIdx", "OpenAutoindex", "VOpen", "InitCoroutine":
        // It reads several indexes in turn, or a temporary one.
        return nil
      default:
        break
      }
    }
    guard let columns = try scanColumns(ofRoots: roots) else { return nil }
    return ScanOrder(columns: columns, isReversed: isReversed ?? false)
  }

  /// Returns the columns of the only index among some B-trees: empty if there is only a table, nil if there are more
  /// indexes.
  private func scanColumns(ofRoots roots: Set<Int64>) throws -> [ScanOrder.Column]? {
    let list = roots.map(String.init).joined(separator: ", ")
    let indexes = try internalRows(
      "SELECT name FROM main.sqlite_master WHERE type = 'index' AND rootpage IN (\(list))")
    guard indexes.count <= 1 else { return nil }
    guard let index = indexes.first else { return [] }
    guard case .string(let name) = index[0].storage else { return nil }
    var columns: [ScanOrder.Column] = []
    for row in try internalRows("PRAGMA main.index_xinfo(\(name.quotedDatabaseIdentifier))") {
      // Rank, number of the column (-1 for the row ID, -2 for an expression), name, whether it is descending,
      // collation, and whether it belongs to the key.
      guard row.count > 5, case .int64(let number) = row[1].storage, case .string(let collation) = row[4].storage,
        number != -2
      else { return nil }
      if row[5] == DatabaseValue(.int64(0)) { continue }
      var column = ScanOrder.Column(isDescending: row[3] == DatabaseValue(.int64(1)))
      column.collation = RowOrder.TextCollation(rawValue: collation.asciiLowercased)
      if number != -1 {
        guard case .string(let name) = row[2].storage else { return nil }
        column.name = name.asciiLowercased
      }
      columns.append(column)
    }
    return columns
  }
}
