// Statements that change the rows of a query.

extension SQLPrinter {
  /// `DELETE FROM …`
  mutating func print(deleting query: SQLQuery, returning selection: [SQLSelection]) throws {
    try print(query.commonTables)
    try withScope(SQLScope(source: query.source, isReturning: true)) { printer in
      printer.sql += "DELETE FROM "
      try printer.print(targetOf: query, returning: selection)
    }
  }

  /// `UPDATE …`
  mutating func print(
    updating query: SQLQuery, _ assignments: [ColumnAssignment], onConflict resolution: Database.ConflictResolution,
    returning selection: [SQLSelection]
  ) throws {
    try print(query.commonTables)
    try withScope(SQLScope(source: query.source, isReturning: true)) { printer in
      printer.sql += resolution == .abort ? "UPDATE " : "UPDATE OR \(resolution.rawValue) "
      try printer.print(targetOf: query, returning: selection) { printer in
        printer.sql += " SET "
        try printer.print(assignments)
      }
    }
  }

  private mutating func print(
    targetOf query: SQLQuery, returning selection: [SQLSelection],
    change: (inout SQLPrinter) throws -> Void = { _ in }
  ) throws {
    print(query.source, separator: " AS ")
    try change(&self)
    try print(conditionOf: query)
    if query.limit != nil || !selection.isEmpty {
      try print(returning: selection, orderAndLimitOf: query)
    }
  }

  private mutating func print(returning selection: [SQLSelection], orderAndLimitOf query: SQLQuery) throws {
    // SQLite requires RETURNING before ORDER BY. An order without a limit has no effect.
    if !selection.isEmpty {
      sql += " RETURNING "
      try print(selection: selection)
    }
    if query.limit != nil { try print(orderAndLimitOf: query) }
  }

  /// `"score" = ?, "bonus" = "bonus" + ?`
  mutating func print(_ assignments: [ColumnAssignment]) throws {
    try printList(assignments.filter { $0.value != nil }) { printer, assignment in
      guard let value = assignment.value else { return }
      printer.print(identifier: assignment.columnName)
      printer.sql += " = "
      try printer.print(value)
    }
  }
}
