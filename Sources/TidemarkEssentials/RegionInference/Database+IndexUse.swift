// The tables and indexes that a query opens.
//
// The rows of an unordered query come in the order of an index, so an update of a column that the query does not
// even name may change its result. And the authorizer does not report everything: the tables of a join with `USING` or
// `NATURAL` are read for columns that no expression names.

extension Database {
  /// How a query reads a table.
  struct TableUse: Equatable {
    /// The columns of the used indexes, in lower case.
    var columns: Set<String> = []

    /// Whether indexes on expressions are used.
    var hasExpressions = false
  }

  /// The tables that SQLite opens to run a query.
  struct TableUses {
    /// Ordinary tables, opened directly or through an index.
    var tables: [TableKey: TableUse] = [:]

    /// Virtual tables, by their addresses: see `virtualTableAddress`.
    var virtualTables: Set<String> = []
  }

  /// The tables that SQLite opens to run a query. C: `EXPLAIN`.
  func tables(usedBy sql: String, _ arguments: StatementArguments? = nil) throws -> TableUses {
    var roots: [Int64: Set<Int64>] = [:]
    var uses = TableUses()
    // Address, operation, and its first four operands.
    for row in try internalRows("EXPLAIN \(sql)", arguments) where row.count > 5 {
      switch row[1].storage {
      case .string("OpenRead"), .string("ReopenIdx"):
        if case .int64(let root) = row[3].storage, case .int64(let database) = row[4].storage {
          roots[database, default: []].insert(root)
        }
      case .string("VOpen"):
        uses.virtualTables.insert(row[5].description)
      default: continue
      }
    }
    let names = try roots.isEmpty ? [] : databaseNames()
    for (number, roots) in roots {
      guard names.indices.contains(Int(number)) else { throw DatabaseError(message: "no such schema: \(number)") }
      try addTables(withRoots: roots, in: names[Int(number)], to: &uses.tables)
    }
    return uses
  }

  /// The address by which `EXPLAIN` names a virtual table; nil if the name belongs to another table.
  func virtualTableAddress(_ name: String, in database: String? = nil) throws -> String? {
    let schema = database.map { $0.quotedDatabaseIdentifier + "." } ?? ""
    let sql = "SELECT 1 FROM \(schema)\(name.quotedDatabaseIdentifier)"
    return try tables(usedBy: sql).virtualTables.first
  }

  /// The virtual tables of all databases, without eponymous ones.
  func virtualTables() throws -> [TableKey] {
    try databaseNames().flatMap { database in
      let table = database == "temp" ? "sqlite_temp_master" : "\(database.quotedDatabaseIdentifier).sqlite_master"
      return try internalRows("SELECT name FROM \(table) WHERE type = 'table' AND rootpage = 0").compactMap { row in
        if case .string(let name) = row[0].storage { TableKey(name, in: database) } else { nil }
      }
    }
  }

  private func addTables(withRoots roots: Set<Int64>, in database: String, to uses: inout [TableKey: TableUse]) throws {
    let schemaName = database.quotedDatabaseIdentifier
    let list = roots.map(String.init).joined(separator: ", ")
    let table = database == "temp" ? "sqlite_temp_master" : "\(schemaName).sqlite_master"
    let sql = "SELECT name, tbl_name, type = 'index' FROM \(table) WHERE rootpage IN (\(list))"
    for row in try internalRows(sql) {
      guard case .string(let index) = row[0].storage, case .string(let table) = row[1].storage else { continue }
      let key = TableKey(table, in: database)
      var use = uses[key] ?? TableUse()
      defer { uses[key] = use }
      if row[2] == DatabaseValue(.int64(0)) { continue }
      for column in try internalRows("PRAGMA \(schemaName).index_xinfo(\(index.quotedDatabaseIdentifier))") {
        // The number of the column is -1 for the row ID, and -2 for an expression.
        if column[1] == DatabaseValue(.int64(-2)) { use.hasExpressions = true }
        if case .string(let name) = column[2].storage { use.columns.insert(name.asciiLowercased) }
      }
    }
  }
}
