/// Combines the reports of the authorizer, the parsed text of the statement, and the known properties of the tables.
///
/// The columns always come from the authorizer. The rows come from the text, if it was parsed completely, and if
/// it contains the table.
struct RegionPlanBuilder {
  let db: Database
  let statement: Statement
  let query: ParsedQuery?

  /// The number of virtual tables that lead to this plan.
  let depth: Int

  private(set) var reader: OccurrenceCollector?
  private(set) var rest = DatabaseRegion()
  private(set) var virtualTables: Set<TableKey> = []

  mutating func plan(_ reads: StatementReads) throws -> RegionPlan {
    reader = try readText()
    var tables: [RegionPlan.ReadTable] = []
    for (table, columns) in reads.tables {
      for key in try keys(of: table) { tables.append(try readTable(key, columns)) }
    }
    try addUses(to: &tables)
    var findings = RegionPlan.Findings(
      tables: tables, rest: rest, mentions: mentions, isTextOrderKnown: try isTextOrderKnown(), bound: reader?.bound,
      equalities: reader?.equalities ?? [])
    if !findings.equalities.isEmpty {
      findings.refinementQueries = try RefinementQueryBuilder(db, findings, parameterCount: statement.parameterCount)
        .refinementQueries()
    }
    return RegionPlan(findings, query: query, parameterCount: statement.parameterCount)
  }

  // MARK: - Text

  /// The analysed text; nil if it is not supported.
  private func readText() throws -> OccurrenceCollector? {
    guard let query, let indexes = statement.parameterIndexes(of: query.mentions.parameters) else { return nil }
    do {
      var reader = OccurrenceCollector(
        factsOfTable: { [db] in try db.facts(ofTable: $0, in: $1) },
        number: { [db] in try db.internalRows("SELECT \($0)")[0][0] },
        parameterIndexes: indexes, isBuiltIn: { [db] in db.isBuiltIn($0) })
      try reader.read(query)
      return reader
    } catch is SelectParser.UnsupportedSyntax {
      return nil
    }
  }

  /// The numbers of the mentions of each column; empty if columns are read without a mention.
  private var mentions: [String: Set<Int>] {
    // SQLite may sort rows by any column that it reads, in an automatic index. If the
    // order is visible, no column is there for conditions alone.
    guard let reader, reader.hidesOrder, !reader.mentions.includeAllColumns else { return [:] }
    return reader.mentions.columnNames.enumerated().reduce(into: [:]) { $0[$1.element, default: []].insert($1.offset) }
  }

  /// Whether texts are sorted by their UTF-8 bytes.
  private func isTextOrderKnown() throws -> Bool {
    guard reader != nil else { return false }
    return try db.internalRows("PRAGMA encoding").first?.first == DatabaseValue(.string("UTF-8"))
  }

  // MARK: - Tables

  /// The tables that a name of the authorizer refers to.
  private func keys(of table: StatementReads.NamedTable) throws -> [TableKey] {
    if let database = table.database { return [TableKey(table.name, in: database)] }
    // Without a database name, it may be any table with the name, and those in the text.
    let handle = try db.openHandle()
    let databases = try db.databaseNames().filter { handle.hasTable(table.name, in: $0) }
    let keys = databases.map { TableKey(table.name, in: $0) }
    guard let reader else { return keys }
    return keys.filter { reader.occurrences[$0] != nil }
  }

  private mutating func readTable(_ key: TableKey, _ columns: Set<String>) throws -> RegionPlan.ReadTable {
    var part = TableRegion.Part(columns: columns)
    var table = RegionPlan.ReadTable(key: key, part: part)
    guard let facts = try db.facts(ofTable: key.name, in: key.database) else {
      rest = .fullDatabase
      return table
    }
    table.rowIDName = facts.rowIDName
    var columns = columns
    if facts.columns[""] != nil {
      // The authorizer reports the column without a name as it reports a table of which only the rows matter.
      columns.insert("")
      part = TableRegion.Part(columns: columns)
    }
    switch facts.kind {
    case .table:
      part.orderingColumns.formUnion(facts.keyColumns)
      // A generated column changes with the columns that it is computed from.
      if columns.contains(where: { facts.columns[$0.asciiLowercased]?.isGenerated == true }) {
        part.orderingColumns.formUnion(facts.generatingColumns)
      }
      table.occurrences = reader?.occurrences[key]
      // A join may compare columns that the authorizer does not report: any, if the text is not supported.
      let sharedColumns = table.occurrences.map { $0.reduce(into: Set()) { $0.formUnion($1.sharedColumns) } }
      part.orderingColumns.formUnion(sharedColumns ?? Set(facts.columns.keys))
    case .view:
      break
    case .virtualTable(let sql):
      virtualTables.insert(key)
      rest.formUnion(try db.region(behind: facts, createdBy: sql, depth: depth))
    }
    table.part = part
    return table
  }

  /// Adds reads that the authorizer does not report: tables, and the columns that determine the order of rows in an
  /// unordered query.
  private mutating func addUses(to tables: inout [RegionPlan.ReadTable]) throws {
    // Only a query returns rows in an order.
    guard statement.isReadonly, !statement.isExplanation else { return }
    let allUses = try db.tables(usedBy: statement.sql)
    try addVirtualTables(allUses.virtualTables, to: &tables)
    var uses = allUses.tables
    for position in tables.indices {
      guard let use = uses.removeValue(forKey: tables[position].key), reader?.hidesOrder != true else { continue }
      tables[position].part.orderingColumns.formUnion(use.columns)
      if use.hasExpressions { tables[position].part.columns = nil }
    }
    for key in uses.keys {
      let part = TableRegion.Part(columns: nil as [String]?)
      let facts = try db.facts(ofTable: key.name, in: key.database)
      tables.append(
        RegionPlan.ReadTable(
          key: key, part: part, rowIDName: facts?.rowIDName, occurrences: reader?.occurrences[key]))
    }
  }

  /// Adds virtual tables that the authorizer does not report: a join with `USING` or `NATURAL` reads columns that no
  /// expression names.
  private mutating func addVirtualTables(_ opened: Set<String>, to tables: inout [RegionPlan.ReadTable]) throws {
    var unreported = opened
    for key in virtualTables where !unreported.isEmpty {
      if let address = try db.virtualTableAddress(key.name, in: key.database) { unreported.remove(address) }
    }
    if unreported.isEmpty { return }
    for key in try db.virtualTables() where !virtualTables.contains(key) {
      // A table whose module is missing cannot be opened, neither here nor by the statement.
      guard let address = try? db.virtualTableAddress(key.name, in: key.database), unreported.remove(address) != nil
      else { continue }
      var table = try readTable(key, [])
      table.part.columns = nil
      tables.append(table)
    }
    for function in Database.functionTables where !unreported.isEmpty {
      if let address = try? db.virtualTableAddress(function) { unreported.remove(address) }
    }
    if !unreported.isEmpty { rest = .fullDatabase }
  }
}

extension Database {
  /// Whether SQLite's own function has this name: the program or an extension may have added another one.
  fileprivate func isBuiltIn(_ function: String) -> Bool {
    // Some builds of SQLite do not list their functions. Then the function is not used.
    guard
      let rows = try? internalRows(
        "SELECT builtin FROM pragma_function_list WHERE lower(name) = '\(function)'")
    else { return false }
    return !rows.isEmpty && rows.allSatisfy { $0.first == DatabaseValue(.int64(1)) }
  }
}

extension Statement {
  /// The indexes of the parameters in a text; nil if they differ from SQLite's.
  fileprivate func parameterIndexes(of mentions: [String]) -> [Int]? {
    let names = parameterNames
    var count = 0
    var named: [String: Int] = [:]
    var indexes: [Int] = []
    for mention in mentions {
      var index = count + 1
      if mention.hasPrefix("?"), let number = Int(mention.dropFirst()) {
        index = number
      } else if mention != "?" {
        index = named[mention] ?? index
        named[mention] = index
        guard names.indices.contains(index - 1), names[index - 1] == mention else { return nil }
      }
      count = max(count, index)
      indexes.append(index)
    }
    return count == parameterCount ? indexes : nil
  }
}
