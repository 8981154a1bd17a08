import Testing

import Tidemark
@testable import TidemarkEssentials

/// Random tables that are created with table definitions, and read back from the database.
@Suite struct RandomSchemaTests {
  /// The description of a table.
  private struct Plan {
    struct Column {
      var name: String
      var type: Database.ColumnType?
      var isNotNull = false
      var isUnique = false
      var isIndexed = false
      var isGenerated = false
      var defaultValue: DatabaseValue?
      var reference: String?
    }

    enum Key: Equatable {
      case none
      case auto(String)
      case column(String, Database.ColumnType)
      case columns([String])
    }

    var name: String
    var key: Key
    var columns: [Column]
    var uniqueKeys: [[String]]
    var options: TableOptions
  }

  private static let types: [Database.ColumnType?] = [.text, .integer, .real, .blob, .any, nil]
  private static let names = ["a", "B", "été", "the column", #"x "y""#, "order", "[z]", "it's", "select", "'q'"]

  private func plan(_ number: Int, _ others: [String], _ generator: inout SeededRandom) -> Plan {
    func flip(_ odds: Int = 2) -> Bool { Int.random(in: 0..<odds, using: &generator) == 0 }
    let isStrict = flip(3)
    var columns = Self.names.shuffled(using: &generator).prefix(Int.random(in: 1...5, using: &generator)).map { name in
      var column = Plan.Column(name: name, type: generator.pick(Self.types))
      if isStrict, column.type == nil { column.type = .any }
      column.isNotNull = flip(3)
      column.isUnique = flip(4)
      column.isIndexed = flip(4)
      if flip(3), column.type == .text || column.type == nil || column.type == .any {
        column.defaultValue = generator.pick(["it's", "", #"" -- ?"#]).databaseValue
      }
      if flip(4), !others.isEmpty { column.reference = generator.pick(others) }
      return column
    }
    let key: Plan.Key =
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: .auto("id")
      case 1: .column("id", .integer)
      case 2: .column("code", .text)
      case 3: .columns(columns.map(\.name).shuffled(using: &generator).dropLast(columns.count > 2 ? 1 : 0))
      default: .none
      }
    if flip(3) {
      var column = Plan.Column(name: "computed", type: .any)
      column.isGenerated = true
      columns.append(column)
    }
    var options: TableOptions = isStrict ? .strict : []
    if key != .none, key != .auto("id"), flip() { options.insert(.withoutRowID) }
    if flip(8) { options.insert(.temporary) }
    let uniqueKeys = flip(3) ? [columns.filter { !$0.isGenerated }.map(\.name)] : []
    return Plan(name: #"table "\#(number)" é"#, key: key, columns: columns, uniqueKeys: uniqueKeys, options: options)
  }

  private func create(_ plan: Plan, _ db: Database) throws {
    try db.create(table: plan.name, options: plan.options) { t in
      switch plan.key {
      case .auto(let name): t.autoIncrementedPrimaryKey(name)
      case .column(let name, let type): t.primaryKey(name, type)
      case .columns(let names): t.primaryKey(names)
      case .none: break
      }
      for column in plan.columns {
        let definition = t.column(column.name, column.type)
        if column.isGenerated { definition.generatedAs(sql: "1 + 1", .virtual) }
        if column.isNotNull { definition.notNull() }
        if column.isUnique { definition.unique() }
        if column.isIndexed { definition.indexed() }
        if let value = column.defaultValue { definition.defaults(to: value) }
        if let table = column.reference { definition.references(table, column: "k") }
      }
      for key in plan.uniqueKeys { t.uniqueKey(key) }
    }
  }

  private func check(_ plan: Plan, _ db: Database) throws {
    #expect(try db.tableExists(plan.name, in: plan.options.contains(.temporary) ? "temp" : "main"))
    var keyColumns: [String] = []
    switch plan.key {
    case .auto(let name), .column(let name, _): keyColumns = [name]
    case .columns(let names): keyColumns = names
    case .none: break
    }
    let added = keyColumns.filter { name in !plan.columns.contains { $0.name == name } }
    let columns = try db.columns(in: plan.name)
    #expect(columns.map(\.name) == added + plan.columns.map(\.name))
    for (column, info) in zip(plan.columns, columns.dropFirst(added.count)) {
      #expect(info.type == column.type?.rawValue ?? "")
      #expect(info.isNotNull == isRequired(column, plan, keyColumns))
      #expect(info.isGenerated == column.isGenerated)
      #expect(try info.defaultValueSQL == column.defaultValue.map { try db.text(of: $0) })
    }
    try checkKeys(plan, keyColumns, db)
    let references = try db.foreignKeys(on: plan.name).map { "\($0.originColumns[0]) \($0.destinationTable)" }
    #expect(
      references.reversed() == plan.columns.compactMap { column in column.reference.map { "\(column.name) \($0)" } })
  }

  private func isRequired(_ column: Plan.Column, _ plan: Plan, _ keyColumns: [String]) -> Bool {
    if column.isNotNull { return true }
    guard keyColumns.contains(column.name) else { return false }
    if plan.options.contains(.withoutRowID) { return true }
    // SQLite replaces a NULL row ID with a value.
    return plan.options.contains(.strict) && !(keyColumns.count == 1 && column.type == .integer)
  }

  private func checkKeys(_ plan: Plan, _ keyColumns: [String], _ db: Database) throws {
    let key = try db.primaryKey(plan.name)
    #expect(key.columns == (keyColumns.isEmpty ? ["rowid"] : keyColumns))
    let isInteger =
      switch plan.key {
      case .auto: true
      case .column(_, let type): type == .integer
      case .columns(let names):
        names.count == 1 && plan.columns.contains { $0.name == names[0] && $0.type == .integer }
      case .none: false
      }
    let isRowID = keyColumns.isEmpty || isInteger && !plan.options.contains(.withoutRowID)
    #expect(key.isRowID == isRowID)
    #expect(key.rowIDColumn == (isRowID ? keyColumns.first : nil))
    #expect(key.hasRowID == !plan.options.contains(.withoutRowID))
    for column in plan.columns where column.isUnique {
      #expect(try db.table(plan.name, hasUniqueKey: [column.name]))
    }
    for columns in plan.uniqueKeys { #expect(try db.table(plan.name, hasUniqueKey: columns.reversed())) }
    let indexed = try db.indexes(on: plan.name).filter { $0.origin == .createIndex }.map(\.columns)
    #expect(Set(indexed) == Set(plan.columns.filter(\.isIndexed).map { [$0.name] }))
  }

  @Test func definedSchemasAreFoundByIntrospection() throws {
    var generator = SeededRandom()
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { db in
      var plans: [Plan] = []
      for number in 0..<80 {
        let others = plans.filter { !$0.options.contains(.temporary) }.map(\.name)
        let plan = plan(number, others, &generator)
        try create(plan, db)
        plans.append(plan)
        try check(plan, db)
      }
      db.clearSchemaCache()
      for plan in plans { try check(plan, db) }
    }
  }
}
