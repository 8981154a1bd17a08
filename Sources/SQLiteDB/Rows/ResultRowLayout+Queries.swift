import Tidemark

extension ResultRowLayout {
  /// The layout of the rows of a statement, by the names that SQLite has for its columns.
  convenience init(of statement: Tidemark.Statement) {
    // Known after the first step only: the schema may have changed since the statement was compiled.
    _ = statement.columnsIdentity
    let names = statement.columnNames
    self.init(keys: names.map { $0.quote() }, names: names)
  }

  /// The layout of the rows of a query, which a statement runs.
  ///
  /// It is kept with the statement as long as that one has the same columns.
  static func layout(of clauses: QueryClauses, _ statement: Tidemark.Statement, _ db: Database) throws
    -> ResultRowLayout
  {
    // Values tell expressions apart, and are others each time.
    let isKept = clauses.columns.allSatisfy(\.bindings.isEmpty)
    let identity = statement.columnsIdentity
    if isKept, let plan = statement.cachedRowPlan as? Plan, plan.columns === identity { return plan.layout }
    let layout = try ResultRowLayout(clauses, statement, db)
    statement.cachedRowPlan = Plan(columns: identity, layout: layout)
    return layout
  }

  /// The layout of the columns that a statement answers of the rows that it has changed.
  static func layout(of returning: Returning, _ statement: Tidemark.Statement) -> ResultRowLayout {
    let names = statement.columnNames
    let keys = returning.columns.map(\.template)
    guard keys.count == names.count, !keys.contains(where: { $0.hasSuffix("*") }) else {
      return ResultRowLayout(of: statement)
    }
    return ResultRowLayout(keys: keys, bindings: returning.columns.map(\.bindings), names: names)
  }

  /// The layout that was last worked out for a statement.
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

  private convenience init(_ clauses: QueryClauses, _ statement: Tidemark.Statement, _ db: Database) throws {
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
    guard keys.count == names.count else {
      self.init(of: statement)
      return
    }
    self.init(
      keys: keys, bindings: bindings.allSatisfy(\.isEmpty) ? [] : bindings, names: names,
      table: clauses.joins.isEmpty ? clauses.name : nil)
  }
}

extension QueryClauses {
  /// What the columns are called that a selected expression stands for: itself, or all columns of tables.
  fileprivate func keys(of column: String, _ db: Database) throws -> [String] {
    // What the query itself reads from, whatever it does with that, and what is joined.
    let sources = [table] + joins.map(\.query)
    if column == "*" {
      return try sources.flatMap { source in
        try source.columnNames(db, commonTables: self).map { name in
          joins.isEmpty ? name.quote() : "\(source.name).\(name.quote())"
        }
      }
    }
    guard column.hasSuffix(".*") else { return [column] }
    let namespace = String(column.dropLast(2))
    guard let source = sources.first(where: { $0.name == namespace }) else {
      throw QueryError.noSuchTable(name: namespace)
    }
    return try source.columnNames(db, commonTables: self).map { "\(namespace).\($0.quote())" }
  }

  /// All columns and rows of the table, or of the query in its place.
  private var table: QueryClauses {
    var clauses = QueryClauses(source.name, alias: source.alias, database: source.database)
    clauses.subquery = subquery
    return clauses
  }

  /// The names of the columns of a query that is a source of another one.
  private func columnNames(_ db: Database, commonTables outer: QueryClauses) throws -> [String] {
    var query = table
    if !isPlainTable, subquery.isEmpty { query.subquery = [self] }
    query.commonTables = outer.commonTables
    query.isRecursive = outer.isRecursive
    return try db.sharedStatement(sql: query.select.template).columnNames
  }
}
