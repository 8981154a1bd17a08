/// A query whose result can be updated row by row: each result row comes from a single row of one table, can be fetched
/// separately, and has a position that can be computed.
///
/// Columns are appended to the selection: the row ID and the sort keys. Rows with equal sort keys are ordered as SQLite
/// reads them (`ScanOrder`), so that the completed query has the order of the original query.
///
/// Invariants:
/// 1. A result row depends on its table row only: the query has no joins, functions, limit, aggregates or `DISTINCT`.
/// 2. The order of two rows can be computed from their values, exactly as SQLite does.
/// 3. The completed query has the order of the original query as long as SQLite reads its rows in the order `scan`.
struct IncrementalQuery: Sendable {
  /// The query of the program.
  let requestSQL: String

  /// The query for all rows.
  let sql: String

  /// The query for a single row, whose ID is the argument `idArgument`.
  let rowSQL: String

  static let idArgument = "tidemarkRowID"

  /// The number of columns in the program's selection; nil if no columns are appended.
  private(set) var shownColumnCount: Int?

  /// The indexes of the row ID and of the sort keys.
  private(set) var keyColumn = 0
  private(set) var termColumns: [Int] = []

  let order: RowOrder

  /// The order in which SQLite reads rows with equal sort keys; nil if no rows have equal sort keys.
  let scan: ScanOrder?

  /// Fails if the query cannot be updated row by row.
  ///
  /// - Parameter arguments: The arguments of the query, for which SQLite chooses a query plan.
  init?(_ statement: Statement, _ arguments: StatementArguments, _ db: Database) throws {
    guard statement.isReadonly, let parsed = statement.parsedQuery, let core = parsed.syntax.onlyCore,
      parsed.syntax.showsEachRow(of: core),
      !parsed.mentions.mayDependOnMoreThanRows, !parsed.mentions.parameters.contains(":\(Self.idArgument)"),
      let sourceText = core.sourceText, let table = try SourceTable(core, db),
      !table.mayHaveSeveralValues(parsed.mentions)
    else { return nil }
    let query = parsed.syntax
    var order = RowOrder(terms: [])
    var columns: [String] = []
    var isComplete = false
    for (expression, direction) in zip(query.ordering, query.directions) where !isComplete {
      guard let direction, let (column, collation) = try table.column(expression, db) else { return nil }
      order.isKeyDescending = direction
      isComplete = column == table.rowID
      if isComplete { break }
      columns.append(column)
      order.terms.append(RowOrder.Term(collation: collation, isDescending: direction))
    }
    guard try db.internalRows("PRAGMA encoding").first?.first == DatabaseValue(.string("UTF-8")) else { return nil }
    var ties = TieOrder(order, columns)
    scan = isComplete ? nil : try db.scanOrder(ofQuery: statement.sql, arguments)
    if !isComplete {
      guard let scan, ties.add(scan, table) else { return nil }
    }
    (self.order, columns) = (ties.order, ties.columns)
    requestSQL = statement.sql

    let hidden = HiddenColumns(statement, table, columns, mayBeShown: core.aliases.isEmpty && core.showsColumnsAlone)
    shownColumnCount = hidden.selection.isEmpty ? nil : statement.columnCount
    (keyColumn, termColumns) = (hidden.keyColumn, hidden.termColumns)

    let start = "\(core.selectionText)\(hidden.selection) \(sourceText)"
    let id = table.qualified(table.rowID)
    let last = isComplete ? [] : ties.addedTerms + ["\(id)\(self.order.isKeyDescending ? " DESC" : "")"]
    sql =
      start + (core.conditionText.map { " WHERE \($0)" } ?? "") + " ORDER BY "
      + ((query.orderingText.map { [String($0)] } ?? []) + last).joined(separator: ", ")
    rowSQL = start + " WHERE " + (core.conditionText.map { "(\($0)) AND " } ?? "") + "\(id) = :\(Self.idArgument)"
  }
}

extension IncrementalQuery {
  /// The terms of the query's order, followed by terms that sort rows with equal terms in scan order.
  fileprivate struct TieOrder {
    private(set) var order: RowOrder
    private(set) var columns: [String]

    /// The SQL of the added terms.
    private(set) var addedTerms: [String] = []

    init(_ order: RowOrder, _ columns: [String]) {
      (self.order, self.columns) = (order, columns)
    }

    /// Adds the order in which rows are read.
    ///
    /// - Returns: False if it cannot be computed from the values of a row.
    mutating func add(_ scan: ScanOrder, _ table: SourceTable) -> Bool {
      order.isKeyDescending = scan.isReversed
      for column in scan.columns {
        let isDescending = column.isDescending != scan.isReversed
        guard let name = column.name, name != table.rowID else {
          order.isKeyDescending = isDescending
          break
        }
        if isDetermined(name, column.collation) { continue }
        guard let collation = column.collation, table.facts.columns[name] != nil else { return false }
        columns.append(name)
        order.terms.append(RowOrder.Term(collation: collation, isDescending: isDescending))
        addedTerms.append("\(table.qualified(name)) COLLATE \(collation.rawValue)\(isDescending ? " DESC" : "")")
      }
      return true
    }

    /// Whether rows with equal terms have equal values of a column.
    private func isDetermined(_ column: String, _ collation: RowOrder.TextCollation?) -> Bool {
      zip(columns, order.terms).contains { known, term in
        known == column && (term.collation == .binary || term.collation == collation)
      }
    }
  }

  /// The only table that the query reads.
  fileprivate struct SourceTable {
    let name: String
    let facts: TableFacts
    let rowID: String

    init?(_ core: SelectCore, _ db: Database) throws {
      guard let name = core.sources[0].exposedName,
        case .table(let table) = core.sources[0].content,
        let facts = try db.facts(ofTable: table.name, in: table.database), case .table = facts.kind,
        // Temporary tables are visible to one connection only.
        facts.key.database.asciiLowercased == "main",
        // SQLite does not report changes of its internal tables, and `sqlite_master` has two names.
        !Database.isSQLiteInternalTable(facts.key.name), !Database.isSQLiteInternalTable(table.name),
        // An index that must be used may not be applicable to a query of one row.
        !core.sources[0].hasIndexHint, let rowID = facts.rowIDName
      else { return nil }
      (self.name, self.facts, self.rowID) = (name, facts, rowID)
    }

    /// Whether some column may have an integer or a double as its value, depending on the query plan: SQLite does not
    /// always convert the value of a generated column of the type REAL.
    func mayHaveSeveralValues(_ mentions: ParsedQuery.Mentions) -> Bool {
      facts.columns.values.contains { column in
        column.isGenerated && column.affinity == .real
          && (mentions.includeAllColumns || mentions.columnNames.contains(column.name))
      }
    }

    func qualified(_ column: String) -> String {
      "\(name.quotedDatabaseIdentifier).\(column.quotedDatabaseIdentifier)"
    }

    /// Returns the column that is a sort key, and its collation; nil if the sort key is not a column, or if the
    /// collation is not known.
    func column(_ expression: SelectExpression, _ db: Database) throws -> (String, RowOrder.TextCollation)? {
      switch expression {
      case .collated(let base, let collation):
        guard let (column, _) = try column(base, db) else { return nil }
        return RowOrder.TextCollation(rawValue: collation.asciiLowercased).map { (column, $0) }
      case .column(let reference):
        let name = reference.name.asciiLowercased
        guard facts.columns[name] != nil else { return name == rowID ? (name, .binary) : nil }
        let collation = try db.openHandle().collation(ofColumn: name, in: facts.key) ?? "binary"
        return RowOrder.TextCollation(rawValue: collation.asciiLowercased).map { (name, $0) }
      default:
        return nil
      }
    }
  }

  /// The appended columns.
  fileprivate struct HiddenColumns {
    private(set) var selection = ""
    private(set) var keyColumn = 0
    private(set) var termColumns: [Int] = []

    /// - Parameter mayBeShown: Whether a result column with the name of a table column is that column.
    init(_ statement: Statement, _ table: SourceTable, _ terms: [String], mayBeShown: Bool) {
      let shown = mayBeShown ? statement.columnNames.map(\.asciiLowercased) : []
      var count = statement.columnCount
      var selection = ""
      func columnIndex(of column: String) -> Int {
        if let columnIndex = shown.firstIndex(of: column) { return columnIndex }
        selection += ", \(table.qualified(column))"
        count += 1
        return count - 1
      }
      keyColumn = columnIndex(of: table.rowID)
      termColumns = terms.map { columnIndex(of: $0) }
      self.selection = selection
    }
  }
}

extension SelectSyntax {
  /// Whether the query returns one result row for each row of its source.
  fileprivate func showsEachRow(of core: SelectCore) -> Bool {
    limit == nil && core.showsEachRow
      // A name may be a column of the table, or an alias of another expression.
      && ordering.allSatisfy { term in
        guard case .column(let column) = term.uncollated.expression else { return false }
        return !core.aliases.contains(column.name.asciiLowercased)
      }
  }
}

extension ParsedQuery.Mentions {
  /// Whether the query may depend on more than rows: functions, and keywords for the current time.
  fileprivate var mayDependOnMoreThanRows: Bool {
    includeFunctions
      || columnNames.contains { ["current_time", "current_date", "current_timestamp"].contains($0) }
  }
}
