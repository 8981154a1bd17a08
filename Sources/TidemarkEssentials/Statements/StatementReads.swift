/// The tables and columns that a statement reads, as reported by the authorizer.
struct StatementReads {
  /// A table, as reported: the database is unknown for a table of which no column is read, and then the name may also
  /// be the name of a common table expression.
  struct NamedTable: Hashable {
    var name: String
    var database: String?
  }

  /// The names of the columns. Empty for a table of which only the rows matter.
  private(set) var tables: [NamedTable: Set<String>] = [:]

  /// Records a report of the authorizer.
  mutating func record(
    table: UnsafePointer<CChar>, column: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?
  ) {
    let table = NamedTable(name: String(cString: table), database: database.map { String(cString: $0) })
    // Removed while they grow: a copy for each column would take quadratic time.
    var columns = tables.removeValue(forKey: table) ?? []
    if let column, column.pointee != 0 { columns.insert(String(cString: column)) }
    tables[table] = columns
  }
}
