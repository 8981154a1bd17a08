extension SQLPrinter {
  mutating func print(_ subquery: SQLSubquery) throws {
    switch subquery.node {
    case .literal(let literal): try withScope(SQLScope(source: nil)) { try $0.print(literal) }
    case .relation(let relation): try print(SQLQuery(relation, db))
    }
  }

  mutating func print(_ query: SQLQuery) throws {
    try withScope(SQLScope(source: query.source)) { printer in
      printer.sql += query.isDistinct ? "SELECT DISTINCT " : "SELECT "
      precondition(!query.selection.isEmpty, "A request has to select something: its selection is empty")
      try printer.print(selection: query.selection)
      printer.sql += " FROM "
      printer.print(query.source, separator: " ")
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

  /// Prints a table, and the name that the program assigned to it.
  mutating func print(_ source: SQLTable, separator: String) {
    print(identifier: source.tableName)
    if let name = source.userName, name != source.tableName {
      sql += separator
      print(identifier: name)
    }
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
