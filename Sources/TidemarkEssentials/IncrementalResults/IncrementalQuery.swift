/// A query whose rows come one by one from the rows of one table: each of them can be fetched alone, and it can be told
/// where it stands among the others.
///
/// Its text is completed: the rows have ids, and the values that they are sorted by, behind what the program asked for.
/// Rows that the query sorts equally are sorted in the order in which SQLite reads them (`ScanOrder`), so that the
/// completed query has the order of the query.
///
/// Invariants:
/// 1. A row of the result depends on its own row in the table, and on nothing else: there are no other tables, no
///    functions, no limit, nothing that is counted or left out because it is there already.
/// 2. The order is one that can be told from the values of a row, as SQLite tells it.
/// 3. The order is that of the query as long as SQLite reads its rows in the order `scan`.
struct IncrementalQuery: Sendable {
  /// The query of the program.
  let requestSQL: String

  /// The whole query.
  let sql: String

  /// The same query, of one row: the argument `idArgument` is its id.
  let rowSQL: String

  static let idArgument = "tidemarkRowID"

  /// How many columns the program asked for, if there are others behind them.
  private(set) var shownColumnCount: Int?

  /// The columns of ids, and of what rows are sorted by.
  private(set) var keyColumn = 0
  private(set) var termColumns: [Int] = []

  let order: RowOrder

  /// The order in which SQLite reads rows that the query sorts equally; nil if no rows are sorted equally.
  let scan: ScanOrder?

  /// Nil for a query that is another one.
  ///
  /// - parameter arguments: The arguments of the query, for which SQLite chooses a query plan.
  init?(_ statement: Statement, _ arguments: StatementArguments, _ db: Database) throws {
    guard statement.isReadonly, db.schemaFacts != nil else { return nil }
    do {
      guard let made = try Self(parsing: statement, arguments, db) else { return nil }
      self = made
    } catch is SelectParser.UnsupportedSyntax {
      return nil
    }
  }

  private init?(parsing statement: Statement, _ arguments: StatementArguments, _ db: Database) throws {
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

    let start = "\(clauses.selection)\(hidden.selection) \(clauses.source)"
    let id = table.qualified(table.rowID)
    let last = isComplete ? [] : ties.addedTerms + ["\(id)\(self.order.isKeyDescending ? " DESC" : "")"]
    sql =
      start + (clauses.condition.map { " WHERE \($0)" } ?? "") + " ORDER BY "
      + ((clauses.ordering.map { [String($0)] } ?? []) + last).joined(separator: ", ")
    rowSQL = start + " WHERE " + (clauses.condition.map { "(\($0)) AND " } ?? "") + "\(id) = :\(Self.idArgument)"
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
    /// - returns: False if it cannot be computed from the values of a row.
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

  /// The one table that is read.
  fileprivate struct SourceTable {
    let name: String
    let facts: TableFacts
    let rowID: String

    init?(_ core: SelectCore, _ db: Database) throws {
      guard core.sources.count == 1, let name = core.sources[0].exposedName,
        case .table(let table) = core.sources[0].content,
        let facts = try db.facts(ofTable: table.name, in: table.database), case .table = facts.kind,
        // What is temporary is seen by one connection.
        facts.key.database.asciiLowercased == "main",
        // SQLite changes its own tables without telling, and one of them has two names.
        !Database.isSQLiteInternalTable(facts.key.name), !Database.isSQLiteInternalTable(table.name),
        let rowID = facts.rowIDName
      else { return nil }
      (self.name, self.facts, self.rowID) = (name, facts, rowID)
    }

    func qualified(_ column: String) -> String {
      "\(name.quotedDatabaseIdentifier).\(column.quotedDatabaseIdentifier)"
    }

    /// The column that rows are sorted by, and how its texts are compared; nil when it is none, or not known.
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

  /// The columns that the program did not ask for.
  fileprivate struct HiddenColumns {
    private(set) var selection = ""
    private(set) var keyColumn = 0
    private(set) var termColumns: [Int] = []

    /// - parameter mayBeShown: Whether a column that is shown is one of the table, if it has such a name.
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
  /// Whether it shows rows of its sources one by one, all of them.
  fileprivate var showsEachSourceRow: Bool {
    guard cores.count == 1, let core = cores.first else { return false }
    return commonTables.isEmpty && nested.isEmpty && limit == nil && core.showsEachRow && core.nested.isEmpty
      // A name may be that of a column of the table, or the one that is given to something else.
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
  /// Whether the query may depend on something else than rows: functions, and the words that stand for the time.
  fileprivate var mayDependOnMoreThanRows: Bool {
    callsFunctions
      || columnNames.contains { ["current_time", "current_date", "current_timestamp"].contains($0) }
  }
}
