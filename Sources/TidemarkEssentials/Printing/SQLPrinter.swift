/// Converts query trees to SQL text and arguments. No other code prints queries.
///
/// Invariants:
///
/// 1. A column is qualified only where this is necessary: if the program assigned a name to the table of the query, or
///    if the column belongs to an outer query.
/// 2. A column without an owner belongs to the innermost query that is being printed. In raw SQL inside a query, it has
///    no owner.
/// 3. Values are bound. NULL, limits and offsets are written as text.
struct SQLPrinter {
  let db: Database
  var sql = ""
  var arguments = StatementArguments()

  /// The version of SQLite that the SQL is for.
  var libraryVersion = SQLiteLibrary.versionNumber

  /// The queries that are being printed, from the outermost to the innermost.
  private var scopes: [SQLScope] = []

  init(_ db: Database) {
    self.db = db
  }

  /// Prints the parts of a query.
  mutating func withScope(_ scope: SQLScope, _ print: (inout SQLPrinter) throws -> Void) rethrows {
    scopes.append(scope)
    try print(&self)
    scopes.removeLast()
  }

  /// Prints elements, with a separator between them.
  mutating func printList<Element>(
    _ elements: [Element], separator: String = ", ", _ print: (inout SQLPrinter, Element) throws -> Void
  ) rethrows {
    for (index, element) in elements.enumerated() {
      if index > 0 { sql += separator }
      try print(&self, element)
    }
  }

  mutating func print(identifier name: String) { sql += name.quotedDatabaseIdentifier }

  // MARK: Values

  // NULL is written as text, because SQLite uses an index for `IS NULL` but not for `IS ?`.
  mutating func print(_ value: DatabaseValue) {
    if value.isNull {
      sql += "NULL"
    } else {
      sql += "?"
      arguments.values.append(value)
    }
  }

  // MARK: Literals

  mutating func print(_ literal: SQL) throws {
    for element in literal.elements { try print(element) }
  }

  private mutating func print(_ element: SQL.Element) throws {
    switch element {
    case .sql(let text, let arguments):
      sql += text
      self.arguments += arguments
    case .identifier(let name): print(identifier: name)
    case .expression(let expression): try print(expression)
    case .selection(let selection): try print(selection)
    case .ordering(let ordering): try print(ordering)
    case .subquery(let subquery): try print(subquery)
    }
  }

  // MARK: Columns

  mutating func print(column name: String, of owner: SQLColumnOwner) throws {
    switch owner {
    case .unnamed: break
    case .currentRelation:
      if let scope = scopes.last, scope.qualifies { printQualifier(scope.name) }
    case .alias(let alias):
      if let name = try qualifier(of: alias) { printQualifier(name) }
    }
    print(identifier: name)
  }

  mutating func printAllColumns(of alias: TableAliasBase?) throws {
    if let alias {
      if let name = try qualifier(of: alias) { printQualifier(name) }
    } else if let scope = scopes.last, scope.qualifies, !scope.isReturning {
      printQualifier(scope.name)
    }
    sql += "*"
  }

  private mutating func printQualifier(_ name: String) {
    print(identifier: name)
    sql += "."
  }

  /// Prints the hidden column that has the name of its table.
  mutating func print(tableOf owner: SQLColumnOwner) throws {
    let table: SQLTable? =
      switch owner {
      case .alias(let alias): self.table(of: alias)?.table
      case .currentRelation, .unnamed: scopes.last?.source
      }
    guard let table else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "A full-text table is matched outside of any query of this table")
    }
    // The column keeps its name if the table has another one in the query.
    if table.name != table.tableName { printQualifier(table.name) }
    print(identifier: table.tableName)
  }

  /// Returns the qualifier for columns of an alias, or nil if none is necessary.
  private func qualifier(of alias: TableAliasBase) throws -> String? {
    guard let (index, table) = table(of: alias) else {
      if let name = alias.userName { return name }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: """
          a TableAlias without a name is used in a query that does not contain its table: call aliased(_:) on the \
          request of that table
          """)
    }
    return index == scopes.count - 1 && !scopes[index].qualifies ? nil : table.name
  }

  /// Returns the table of an alias, in the innermost query that has one.
  private func table(of alias: TableAliasBase) -> (scopeIndex: Int, table: SQLTable)? {
    for index in scopes.indices.reversed() {
      if let table = scopes[index].table(of: alias) { return (index, table) }
    }
    return nil
  }

  /// Returns the name of the table of an alias, or of the innermost query.
  func tableName(of alias: TableAliasBase?) throws -> String {
    let table = if let alias { table(of: alias)?.table } else { scopes.last?.source }
    if let name = (table ?? scopes.last?.source)?.tableName { return name }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the expression depends on the table of a query, but there is no query: use it in a request")
  }
}

/// A query that is being printed, as its expressions see it.
struct SQLScope {
  /// The main table, or nil in raw SQL.
  let source: SQLTable?

  /// The other tables.
  let joined: [SQLTable]

  /// Whether it is the `RETURNING` clause of a statement, in which `*` is not qualified.
  let isReturning: Bool

  init(source: SQLTable?, isReturning: Bool = false) {
    self.source = source
    self.isReturning = isReturning
    joined = []
  }

  init(_ query: SQLQuery) {
    source = query.source
    isReturning = false
    joined = query.joins.map(\.source)
  }

  /// Whether columns are qualified with the names of their tables.
  var qualifies: Bool { source?.userName != nil || !joined.isEmpty }

  /// The name of the main table.
  var name: String { source?.name ?? "" }

  /// Returns the table of an alias.
  func table(of alias: TableAliasBase) -> SQLTable? {
    if let source, source.hasAlias(alias) { return source }
    return joined.first { $0.hasAlias(alias) }
  }
}
