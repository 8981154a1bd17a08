/// The tables of a schema, and the roots of their b-trees.
struct TablesOfPages {
  /// The roots of the tables and their indexes.
  private(set) var roots: [(page: UInt32, owner: PageMap.Owner)] = []

  /// The tables, by their owner number.
  private var tables: [TableKey]

  /// The virtual tables that store their content in other tables, by the number of such a table.
  private var virtualTables: [PageMap.Owner: [TableKey]] = [:]

  /// The virtual tables whose content may depend on any table.
  private var dependentTables: [TableKey] = []

  /// Reads the schema of the main database. Nil if it has too many tables.
  init?(_ db: Database) throws {
    tables = [TableKey(""), TableKey("sqlite_schema")]
    // A program may have written rows without names.
    let rows = try db.lookUp(
      """
      SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master
      WHERE type IN ('table', 'index') AND name NOT NULL AND tbl_name NOT NULL
      """)
    var numbers: [TableKey: PageMap.Owner] = [:]
    var virtual: [(table: TableKey, sql: String)] = []
    for row in rows {
      let (type, name, tableName, root) = (row[0] as String, row[1] as String, row[2] as String, row[3] as Int64?)
      let key = TableKey(tableName)
      guard let root, root > 0 else {
        if type == "table" { virtual.append((TableKey(name), row[4] as String? ?? "")) }
        continue
      }
      if numbers[key] == nil {
        guard let number = PageMap.Owner(exactly: tables.count), let _ = UInt32(exactly: root) else { return nil }
        numbers[key] = number
        tables.append(key)
      }
      if let owner = numbers[key], let page = UInt32(exactly: root) { roots.append((page, owner)) }
    }
    for (table, sql) in virtual { add(virtual: table, sql.asciiLowercased, numbers) }
  }

  private mutating func add(virtual table: TableKey, _ sql: String, _ numbers: [TableKey: PageMap.Owner]) {
    let prefix = table.name.asciiLowercased + "_"
    let stores = numbers.filter { $0.key.name.asciiLowercased.hasPrefix(prefix) }
    let isKnown = Self.modules.contains { sql.contains("using \($0)") } && !sql.contains("content")
    if !isKnown || stores.isEmpty { return dependentTables.append(table) }
    for number in stores.values { virtualTables[number, default: []].append(table) }
  }

  /// The modules whose tables store their content in tables with their name as prefix.
  private static let modules = ["fts3", "fts4", "fts5", "rtree"]

  /// The tables that have changed if the pages of some owners have.
  func keys(of owners: Set<PageMap.Owner>) -> [TableKey] {
    if owners.isEmpty { return [] }
    var keys = Set(owners.map { tables[Int($0)] })
    for owner in owners { keys.formUnion(virtualTables[owner] ?? []) }
    return Array(keys) + dependentTables
  }
}
