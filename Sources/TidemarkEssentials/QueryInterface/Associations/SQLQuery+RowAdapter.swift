// The scopes of joined rows.

extension SQLQuery {
  /// Returns the adapter that splits the rows into the columns of the main table and one scope for each joined table,
  /// or nil if nothing is selected from the joined tables.
  func rowAdapter(_ db: Database) throws -> (any RowAdapter)? {
    guard joins.contains(where: { !$0.selection.isEmpty }) else { return nil }
    var end = try columnCount(of: selection, db)
    let mainColumns = 0..<end
    let columns = try joins.map { join -> Range<Int> in
      let start = end
      end += try columnCount(of: join.selection, db)
      return start..<end
    }
    // A join follows the join that contains it.
    var scopes: [[String: any RowAdapter]] = Array(repeating: [:], count: joins.count)
    var mainScopes: [String: any RowAdapter] = [:]
    for index in joins.indices.reversed() where !columns[index].isEmpty || !scopes[index].isEmpty {
      let adapter = RangeRowAdapter(columns[index]).addingScopes(scopes[index])
      if let parent = joins[index].parent {
        scopes[parent][joins[index].key] = adapter
      } else {
        mainScopes[joins[index].key] = adapter
      }
    }
    return RangeRowAdapter(mainColumns).addingScopes(mainScopes)
  }

  private func columnCount(of selections: [SQLSelection], _ db: Database) throws -> Int {
    try selections.reduce(0) { try $0 + columnCount(of: $1, db) }
  }

  private func columnCount(of selection: SQLSelection, _ db: Database) throws -> Int {
    switch selection.node {
    case .expression: return 1
    case .allColumns(let alias): return try db.columnCount(of: table(of: alias))
    case .deferred(let deferred):
      let tableName = deferred.tableName ?? table(of: deferred.alias).tableName
      return try columnCount(
        of: deferred.make(db, tableName).map { selection in
          deferred.alias.map(selection.qualified(by:)) ?? selection
        }, db)
    case .literal:
      // SQLite counts the columns of raw SQL.
      var query = self
      query.selection = [selection]
      for index in query.joins.indices { query.joins[index].selection = [] }
      query.ordering = []
      var printer = SQLPrinter(db)
      try printer.print(query)
      return try db.preparedStatement(sql: printer.sql).columnCount
    }
  }

  private func table(of alias: TableAliasBase?) -> SQLTable {
    guard let alias else { return source }
    return sources.first { $0.hasAlias(alias) } ?? source
  }
}

extension Database {
  fileprivate func columnCount(of table: SQLTable) throws -> Int {
    guard let commonTable = table.commonTable else { return try columns(in: table.tableName).count }
    if let columns = commonTable.columns, !columns.isEmpty { return columns.count }
    var printer = SQLPrinter(self)
    try printer.print(commonTable.definition)
    do {
      return try preparedStatement(sql: printer.sql).columnCount
    } catch let error as DatabaseError {
      throw DatabaseError(
        resultCode: error.extendedResultCode,
        message: """
          Can't compute the number of columns in the \(commonTable.name.quotedDatabaseIdentifier) common table \
          expression: \(error.message ?? ""). Check the syntax of the SQL definition, or provide the explicit list of \
          selected columns with the `columns` parameter in the CommonTableExpression initializer.
          """,
        sql: error.sql)
    }
  }
}
