/// The tables and columns that a statement reads, as the authorizer names them.
struct StatementReads {
  /// A table, as it is named: the database is not told for a table of which no column is read, and then the name may be
  /// that of a common table expression, too.
  struct Table: Hashable {
    var name: String
    var database: String?
  }

  /// The names of the columns. None for a table of which the rows alone matter.
  private(set) var tables: [Table: Set<String>] = [:]

  /// Takes note of what the authorizer was asked.
  mutating func record(
    table: UnsafePointer<CChar>, column: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?
  ) {
    let table = Table(name: String(cString: table), database: database.map { String(cString: $0) })
    // Taken out while they grow: a copy for each column would make wide tables quadratic.
    var columns = tables.removeValue(forKey: table) ?? []
    if let column, column.pointee != 0 { columns.insert(String(cString: column)) }
    tables[table] = columns
  }
}
