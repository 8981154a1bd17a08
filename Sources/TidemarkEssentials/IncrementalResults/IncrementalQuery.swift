/// A query whose result can be updated row by row: each result row comes from a single row of one table, can be fetched
/// separately, and has a position that can be computed.
///
/// Columns are appended to the selection: the row ID and the sort keys. Rows with equal sort keys are ordered by row
/// ID.
///
/// Invariants:
/// 1. A result row depends on its table row only: the query has no joins, functions, limit, aggregates or `DISTINCT`.
/// 2. The order of two rows can be computed from their values, exactly as SQLite does.
struct IncrementalQuery: Sendable {
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

  /// Fails if the query cannot be updated row by row.
  init?(_ statement: Statement, _ db: Database) throws {
    guard statement.isReadonly, db.schemaFacts != nil else { return nil }
    do {
      guard let made = try Self(parsing: statement, db) else { return nil }
      self = made
    } catch is SelectParser.UnsupportedSyntax {
      return nil
    }
  }

  private init?(parsing statement: Statement, _ db: Database) throws {
    var parser = try SelectParser(statement.sql)
    let query = try parser.parseStatement()
    guard query.showsEachSourceRow, !parser.mayDependOnMoreThanRows, !parser.parameters.contains(":\(Self.idArgument)"),
      let core = query.cores.first, let clauses = PlainQueryClauses(statement.sql),
      let table = try SourceTable(core, db)
    else { return nil }
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
    self.order = order

    let hidden = HiddenColumns(statement, table, columns, mayBeShown: core.aliases.isEmpty && core.showsColumnsAlone)
    shownColumnCount = hidden.selection.isEmpty ? nil : statement.columnCount
    (keyColumn, termColumns) = (hidden.keyColumn, hidden.termColumns)

    let start = "\(clauses.selection)\(hidden.selection) \(clauses.source)"
    let id = table.qualified(table.rowID)
    let last = isComplete ? nil : "\(id)\(order.isKeyDescending ? " DESC" : "")"
    sql =
      start + (clauses.condition.map { " WHERE \($0)" } ?? "") + " ORDER BY "
      + [clauses.ordering.map(String.init), last].compactMap { $0 }.joined(separator: ", ")
    rowSQL = start + " WHERE " + (clauses.condition.map { "(\($0)) AND " } ?? "") + "\(id) = :\(Self.idArgument)"
  }
}

extension IncrementalQuery {
  /// The only table that the query reads.
  fileprivate struct SourceTable {
    let name: String
    let facts: TableFacts
    let rowID: String

    init?(_ core: SelectCore, _ db: Database) throws {
      guard core.sources.count == 1, let name = core.sources[0].exposedName,
        case .table(let table) = core.sources[0].content,
        let facts = try db.facts(ofTable: table.name, in: table.database), case .table = facts.kind,
        // Temporary tables are visible to one connection only.
        facts.key.database.asciiLowercased == "main",
        // SQLite does not report changes of its internal tables, and `sqlite_master` has two names.
        !Database.isSQLiteInternalTable(facts.key.name), !Database.isSQLiteInternalTable(table.name),
        let rowID = facts.rowIDName
      else { return nil }
      (self.name, self.facts, self.rowID) = (name, facts, rowID)
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
  fileprivate var showsEachSourceRow: Bool {
    guard cores.count == 1, let core = cores.first else { return false }
    return commonTables.isEmpty && nested.isEmpty && limit == nil && core.showsEachRow && core.nested.isEmpty
      // A name may be a column of the table, or an alias of another expression.
      && ordering.allSatisfy { $0.columnName.map { !core.aliases.contains($0) } ?? false }
  }
}

extension SelectExpression {
  fileprivate var columnName: String? {
    switch self {
    case .column(let reference): reference.name.asciiLowercased
    case .collated(let expression, _): expression.columnName
    default: nil
    }
  }
}

extension SelectParser {
  /// Whether the query may depend on more than rows: functions, and keywords for the current time.
  fileprivate var mayDependOnMoreThanRows: Bool {
    callsFunctions
      || columnNames.contains { ["current_time", "current_date", "current_timestamp"].contains($0) }
  }
}
