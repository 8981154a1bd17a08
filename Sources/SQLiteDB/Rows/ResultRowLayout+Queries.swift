import Tidemark

extension ResultRowLayout {
  /// Creates the layout of a statement from the column names of SQLite.
  convenience init(of statement: Tidemark.Statement) {
    // SQLite updates the columns in the first step, as the schema may have changed since the statement was compiled.
    _ = statement.columnsIdentity
    let names = statement.columnNames
    self.init(keys: names.map { $0.quote() }, names: names)
  }

  /// Returns the layout of the rows of a query that a statement runs.
  ///
  /// It is cached with the statement until the columns of the statement change.
  static func layout(of clauses: QueryClauses, _ statement: Tidemark.Statement, _ db: Database) throws
    -> ResultRowLayout
  {
    // Expressions with arguments are distinguished by their values, which differ in each run.
    let isKept = clauses.columns.allSatisfy(\.bindings.isEmpty)
    let identity = statement.columnsIdentity
    if isKept, let plan = statement.cachedRowPlan as? Plan, plan.columns === identity { return plan.layout }
    guard let layout = try ResultRowLayout(clauses, statement, db) else {
      // Another query with the same SQL may have a key for each column.
      statement.cachedRowPlan = nil
      return ResultRowLayout(of: statement)
    }
    statement.cachedRowPlan = Plan(columns: identity, layout: layout)
    return layout
  }

  /// Returns the layout of the RETURNING rows of a statement.
  static func layout(of returning: Returning, _ statement: Tidemark.Statement) -> ResultRowLayout {
    let names = statement.columnNames
    let keys = returning.columns.map(\.template)
    guard keys.count == names.count, !keys.contains(where: { $0.hasSuffix("*") }) else {
      return ResultRowLayout(of: statement)
    }
    return ResultRowLayout(keys: keys, bindings: returning.columns.map(\.bindings), names: names)
  }

  /// Returns the layout that was last determined for a statement.
  static func lastLayout(of statement: Tidemark.Statement) -> ResultRowLayout? {
    (statement.cachedRowPlan as? Plan)?.layout
  }

  private final class Plan: CachedPlan {
    let columns: AnyObject
    let layout: ResultRowLayout

    init(columns: AnyObject, layout: ResultRowLayout) {
      self.columns = columns
      self.layout = layout
    }
  }

  /// Returns nil if an expression of the query stands for several columns.
  private convenience init?(_ clauses: QueryClauses, _ statement: Tidemark.Statement, _ db: Database) throws {
    let names = statement.columnNames
    if clauses.joins.isEmpty, clauses.selectsAll {
      self.init(keys: names.map { $0.quote() }, names: names, table: clauses.name)
      return
    }
    var keys: [String] = []
    var bindings: [[(any Binding)?]] = []
    for column in clauses.columns {
      let columnKeys = try clauses.keys(of: column.template, db)
      keys += columnKeys
      bindings += columnKeys.map { _ in column.bindings }
    }
    guard keys.count == names.count else { return nil }
    self.init(
      keys: keys, bindings: bindings.allSatisfy(\.isEmpty) ? [] : bindings, names: names,
      table: clauses.joins.isEmpty ? clauses.name : nil)
  }
}

extension QueryClauses {
  /// Returns the keys of the columns that a selected expression represents: the expression itself, or all columns of
  /// tables.
  fileprivate func keys(of column: String, _ db: Database) throws -> [String] {
    // The sources of the query: its table or subquery, and the joined queries.
    let sources = [table] + joins.map(\.query)
    if column == "*" {
      return try sources.flatMap { source in
        try source.columnNames(db, commonTables: self).map { name in
          joins.isEmpty ? name.quote() : "\(source.name).\(name.quote())"
        }
      }
    }
    guard column.hasSuffix(".*") else { return [column] }
    guard let source = sources.first(where: { $0.allColumns.isSameText(as: column) }) else {
      throw QueryError.noSuchTable(name: String(column.dropLast(2)))
    }
    return try source.columnNames(db, commonTables: self).map { "\(source.name).\($0.quote())" }
  }

  /// A query of all columns and rows of the table, or of its subquery.
  private var table: QueryClauses {
    var clauses = QueryClauses(source.name, alias: source.alias, database: source.database)
    clauses.subquery = subquery
    return clauses
  }

  /// Returns the column names of a query that is a source of another query.
  private func columnNames(_ db: Database, commonTables outer: QueryClauses) throws -> [String] {
    var query = table
    if !isPlainTable, subquery.isEmpty { query.subquery = [self] }
    query.commonTables = outer.commonTables
    query.isRecursive = outer.isRecursive
    return try db.sharedStatement(sql: query.select.template).columnNames
  }
}
