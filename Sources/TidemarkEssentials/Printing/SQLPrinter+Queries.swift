extension SQLPrinter {
  mutating func print(_ subquery: SQLSubquery) throws {
    switch subquery.node {
    case .literal(let literal): try withScope(SQLScope(source: nil)) { try $0.print(literal) }
    case .relation(let relation): try print(SQLQuery(relation, db))
    }
  }

  mutating func print(_ query: SQLQuery) throws {
    var query = query
    query.nameTables()
    try print(query.commonTables)
    try withScope(SQLScope(query)) { printer in
      printer.sql += query.isDistinct ? "SELECT DISTINCT " : "SELECT "
      let selection = query.allSelections
      precondition(!selection.isEmpty, "Can't generate SQL with an empty selection: select a column")
      try printer.print(selection: selection)
      printer.sql += " FROM "
      printer.print(query.source, separator: " ")
      for join in query.joins { try printer.print(join) }
      try printer.print(conditionOf: query)
      if !query.grouping.isEmpty {
        printer.sql += " GROUP BY "
        try printer.print(list: query.grouping)
      }
      if let having = query.having {
        printer.sql += " HAVING "
        try printer.print(having)
      }
      try printer.print(orderAndLimitOf: query)
    }
  }

  /// Prints a table, and its name in the query.
  mutating func print(_ source: SQLTable, separator: String) {
    print(identifier: source.tableName)
    if source.name != source.tableName {
      sql += separator
      print(identifier: source.name)
    }
  }

  private mutating func print(_ join: SQLJoin) throws {
    sql += join.isOptional ? " LEFT JOIN " : " JOIN "
    print(join.source, separator: " ")
    if let condition = join.condition {
      sql += " ON "
      try print(condition)
    }
  }

  // MARK: Common table expressions

  /// Prints a `WITH` clause, followed by a space.
  mutating func print(_ commonTables: [SQLCommonTable]) throws {
    if commonTables.isEmpty { return }
    sql += commonTables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH "
    try printList(commonTables) { try $0.print(definitionOf: $1) }
    sql += " "
  }

  /// `"best"("teamId", "score") AS (SELECT …)`
  mutating func print(definitionOf commonTable: SQLCommonTable) throws {
    print(identifier: commonTable.name)
    if let columns = commonTable.columns, !columns.isEmpty {
      sql += "("
      printList(columns) { $0.print(identifier: $1) }
      sql += ")"
    }
    sql += " AS ("
    try print(commonTable.definition)
    sql += ")"
  }

  mutating func print(conditionOf query: SQLQuery) throws {
    guard let filter = query.filter else { return }
    sql += " WHERE "
    try print(filter)
  }

  mutating func print(orderAndLimitOf query: SQLQuery) throws {
    if !query.ordering.isEmpty {
      sql += " ORDER BY "
      try printList(query.ordering) { try $0.print($1) }
    }
    if let limit = query.limit {
      sql += " LIMIT \(limit.count)"
      if let offset = limit.offset { sql += " OFFSET \(offset)" }
    }
  }

  // MARK: Selections

  mutating func print(selection: [SQLSelection]) throws {
    try printList(selection) { try $0.print($1) }
  }

  mutating func print(_ selection: SQLSelection) throws {
    switch selection.node {
    case .allColumns(let alias): try printAllColumns(of: alias)
    case .expression(let expression, let name):
      try print(expression)
      if let name {
        sql += " AS "
        print(identifier: name)
      }
    case .literal(let literal): try print(literal)
    case .deferred(let deferred):
      let parts = try deferred.make(db, deferred.tableName ?? tableName(of: deferred.alias))
      try print(selection: deferred.alias.map { alias in parts.map { $0.qualified(by: alias) } } ?? parts)
    }
  }

  // MARK: Orderings

  mutating func print(_ ordering: SQLOrdering) throws {
    switch ordering.node {
    case .expression(let expression, let direction):
      try print(expression)
      if let direction { sql += direction.rawValue }
    case .literal(let literal): try print(literal)
    }
  }
}
