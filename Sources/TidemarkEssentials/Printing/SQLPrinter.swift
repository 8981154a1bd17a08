/// Turns trees into SQL and the values of its parameters. The only place that prints.
///
/// Laws:
/// 1. A column is qualified only where it has to be: in a query whose table has a name given by the program, and
///    when it belongs to an outer query.
/// 2. A column without owner belongs to the query that it is printed in. One in raw SQL inside a query belongs to
///    nobody.
/// 3. Values are bound; NULL, limits and offsets are written out.
struct SQLPrinter {
  let db: Database
  var sql = ""
  var arguments = StatementArguments()

  /// The queries that are being printed, the innermost one last.
  private var scopes: [SQLScope] = []

  init(_ db: Database) {
    self.db = db
  }

  /// Prints what belongs to a query.
  mutating func withScope(_ scope: SQLScope, _ print: (inout SQLPrinter) throws -> Void) rethrows {
    scopes.append(scope)
    try print(&self)
    scopes.removeLast()
  }

  /// Prints elements with a separator between them.
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

  // NULL is written in full: `IS NULL` has an index, and `IS ?` none.
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
    case .relationAtHand:
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

  /// What columns of an alias are qualified with, or nil where they need not be.
  private func qualifier(of alias: TableAliasBase) throws -> String? {
    guard let index = scopes.lastIndex(where: { $0.contains(alias) }) else {
      if let name = alias.userName { return name }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "A table alias without name stands for no table of this query: use aliased(_:) on its request")
    }
    let scope = scopes[index]
    return index == scopes.count - 1 && !scope.qualifies ? nil : scope.name
  }

  /// The name of the table of an alias, or of the query that is printed.
  func tableName(of alias: TableAliasBase?) throws -> String {
    let scope = alias.map { alias in scopes.last { $0.contains(alias) } } ?? scopes.last
    if let name = scope?.source?.tableName { return name }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "An expression that depends on its table is used outside of any query")
  }
}

/// What a query that is being printed knows: its table.
struct SQLScope {
  /// The table, or nil in raw SQL.
  let source: SQLTable?

  /// Whether it is the `RETURNING` clause of a statement, where `*` stands alone.
  var isReturning = false

  /// Whether columns of the table need its name.
  var qualifies: Bool { source?.userName != nil }

  var name: String { source?.name ?? "" }

  func contains(_ alias: TableAliasBase) -> Bool { source?.aliases.contains { $0 === alias } == true }
}
