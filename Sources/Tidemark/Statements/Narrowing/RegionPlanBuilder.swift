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
    if !reads.tables.isEmpty { reader = try readText() }
    var tables: [RegionPlan.ReadTable] = []
    for (table, columns) in reads.tables {
      for key in try keys(of: table) { tables.append(try readTable(key, columns)) }
    }
    try addOrderingColumns(to: &tables)
    return RegionPlan(
      tables: tables, rest: rest, mentions: mentions, isTextOrderKnown: try isTextOrderKnown(),
      parameterCount: statement.parameterCount)
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
    guard let reader, !reader.mentionsAllColumns else { return [:] }
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
        part.orderingColumns.formUnion(facts.columns.keys)
      }
      table.occurrences = reader?.occurrences[key]
    case .view:
      break
    case .virtualTable(let sql):
      rest.formUnion(try db.region(behind: facts, createdBy: sql, depth: depth))
    }
    table.part = part
    return table
  }

  /// Adds what the rows may be ordered by where the query does not say it: the columns of the indexes that SQLite uses.
  private func addOrderingColumns(to tables: inout [RegionPlan.ReadTable]) throws {
    // Only the rows of a query have an order that shows.
    guard statement.isReadonly, sqlite3_stmt_isexplain(statement.sqliteStatement) == 0, !tables.isEmpty else { return }
    let indexes = try db.indexes(usedBy: statement.sql)
    if indexes.isEmpty { return }
    for position in tables.indices {
      guard let index = indexes[tables[position].key] else { continue }
      if index.hasExpressions {
        tables[position].part.columns = nil
      } else {
        tables[position].part.orderingColumns.formUnion(index.columns)
      }
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
