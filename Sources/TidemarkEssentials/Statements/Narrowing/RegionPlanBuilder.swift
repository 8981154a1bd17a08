import CSQLite

/// Puts together what the authorizer told, what the text of the statement says, and what is known of the tables.
///
/// The columns come from the authorizer, always. The rows come from the text, where it was understood whole, and where
/// it has the table.
struct RegionPlanBuilder {
  private let db: Database
  private let statement: Statement
  private var reader: OccurrenceReader?
  private var rest = DatabaseRegion()

  /// How many virtual tables this plan is behind.
  private let depth: Int

  init(_ db: Database, _ statement: Statement, depth: Int = 0) {
    self.db = db
    self.statement = statement
    self.depth = depth
  }

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
      findings.probes = try RegionProbeBuilder(db, findings, parameterCount: statement.parameterCount).probes()
    }
    return RegionPlan(findings, parameterCount: statement.parameterCount)
  }

  // MARK: - Text

  /// What the text says; nil when it is not understood.
  private func readText() throws -> OccurrenceReader? {
    guard db.schemaFacts != nil else { return nil }
    do {
      var parser = try SelectParser(statement.sql)
      let query = try parser.parseStatement()
      guard let indexes = statement.parameterIndexes(of: parser.parameters) else { return nil }
      var reader = OccurrenceReader(
        facts: { [db] in try db.facts(ofTable: $0, in: $1) },
        number: { [db] in try db.internalRows("SELECT \($0)").first?.first ?? .null },
        parameterIndexes: indexes)
      try reader.read(query, parser)
      return reader
    } catch is SelectParser.NotUnderstood {
      return nil
    }
  }

  /// The numbers of the mentions of each column; none where columns are read without a mention.
  private var mentions: [String: Set<Int>] {
    // SQLite may sort rows by any column that it reads, in an index that it makes for the time of a query. Where the
    // order shows, none is there for conditions alone.
    guard let reader, reader.hidesOrder, !reader.mentionsAllColumns else { return [:] }
    return reader.columnNames.enumerated().reduce(into: [:]) { $0[$1.element, default: []].insert($1.offset) }
  }

  /// Whether texts are sorted by the bytes of their UTF-8.
  private func isTextOrderKnown() throws -> Bool {
    guard reader != nil else { return false }
    return try db.internalRows("PRAGMA encoding").first?.first == DatabaseValue(.string("UTF-8"))
  }

  // MARK: - Tables

  /// The tables that the authorizer means.
  private func keys(of table: StatementReads.Table) throws -> [TableKey] {
    if let database = table.database { return [TableKey(table.name, in: database)] }
    // Without a name of database, all tables of that name may be meant, and those that the text has are.
    let keys = try db.databases(withTable: table.name).map { TableKey(table.name, in: $0) }
    guard let reader else { return keys }
    return keys.filter { reader.occurrences[$0] != nil }
  }

  private mutating func readTable(_ key: TableKey, _ columns: Set<String>) throws -> RegionPlan.ReadTable {
    var part = TableRegion.Part(columns: columns)
    var table = RegionPlan.ReadTable(key: key, part: part)
    guard db.schemaFacts != nil else { return table }
    guard let facts = try db.facts(ofTable: key.name, in: key.database) else {
      rest = .fullDatabase
      return table
    }
    table.rowIDName = facts.rowIDName
    switch facts.kind {
    case .table:
      part.orderingColumns.formUnion(facts.keyColumns)
      // A generated column changes when one of those changes that it is made of.
      if columns.contains(where: { facts.columns[$0.asciiLowercased]?.isGenerated == true }) {
        part.orderingColumns.formUnion(facts.generatingColumns)
      }
      table.occurrences = reader?.occurrences[key]
      // A join may compare columns without telling the authorizer: any, when the text is not understood.
      let sharedColumns = table.occurrences.map { $0.reduce(into: Set()) { $0.formUnion($1.sharedColumns) } }
      part.orderingColumns.formUnion(sharedColumns ?? Set(facts.columns.keys))
    case .view:
      break
    case .virtualTable(let sql):
      rest.formUnion(try db.region(behind: facts, createdBy: sql, depth: depth))
    }
    table.part = part
    return table
  }

  /// Adds what the authorizer was not told: tables, and what the rows may be ordered by where the query does not say
  /// it.
  private func addUses(to tables: inout [RegionPlan.ReadTable]) throws {
    // Only a query has rows whose order shows.
    guard statement.isReadonly, sqlite3_stmt_isexplain(statement.sqliteStatement) == 0 else { return }
    var uses = try db.tables(usedBy: statement.sql)
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
}

extension Statement {
  /// The indexes of the parameters that a text mentions; nil when they are not those that SQLite has found.
  fileprivate func parameterIndexes(of mentions: [String]) -> [Int]? {
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
        guard sqlite3_bind_parameter_index(sqliteStatement, mention) == CInt(clamping: index) else { return nil }
      }
      count = max(count, index)
      indexes.append(index)
    }
    return count == parameterCount ? indexes : nil
  }
}
