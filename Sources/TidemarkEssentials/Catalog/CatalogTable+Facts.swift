// The facts about tables from which regions are inferred.

extension Database {
  /// Enables region inference, which needs facts about tables. This module knows them.
  func provideSchemaFacts() {
    schema.generations = SchemaGenerations(
      current: { try $0.catalogGeneration() }, lastKnown: { $0.moduleState(Catalog.self).generation })
    moduleState(RegionInference.self).facts = { db, name, database in
      try db.catalogTable(name, in: database)?.facts(db)
    }
  }
}

extension CatalogTable {
  /// Returns the facts about the table that region inference needs to determine which rows a query reads.
  func facts(_ db: Database) throws -> TableFacts {
    if let knownFacts { return knownFacts }
    let key = TableKey(name, in: id.schemaID.name)
    var facts = TableFacts(key: key, kind: factsKind, columns: [:])
    switch kind {
    case .table:
      for column in allColumns { facts.columns[column.name.asciiLowercased] = try column.facts(in: key, db) }
      try addKey(to: &facts, db)
      if allColumns.contains(where: \.isGenerated) { facts.generatingColumns = generatingColumns }
    case .virtualTable:
      facts.shadowTables = try shadowTables(db)
    case .view:
      break
    }
    knownFacts = facts
    return facts
  }

  private var factsKind: TableFacts.Kind {
    switch kind {
    case .table: .table
    case .view: .view(sql: sql ?? "")
    case .virtualTable: .virtualTable(sql: sql)
    }
  }

  private func addKey(to facts: inout TableFacts, _ db: Database) throws {
    // A table without a primary key can have columns with all names of the row ID. Then the row ID has no name.
    guard !hidesRowID, let key = try primaryKey(db) else { return }
    if let column = key.rowIDColumn {
      facts.rowIDName = column.asciiLowercased
    } else if key.hasRowID {
      // Filters use the same name. If a column has this name, filters cannot name the row ID.
      if column(named: RowFilter.rowIDName) == nil { facts.rowIDName = RowFilter.rowIDName }
    } else {
      facts.keyColumns = key.columns.map(\.asciiLowercased)
    }
  }

  /// The columns that are named inside the parentheses of an `AS (…)` clause.
  private var generatingColumns: Set<String> {
    let all = Set(allColumns.map(\.name.asciiLowercased))
    guard let sql, let lexemes = SQLLexeme.all(in: sql) else { return all }
    var names: Set<String> = []
    var depth = 0
    for (previous, lexeme) in zip(lexemes, lexemes.dropFirst()) {
      if lexeme.kind == .symbol, lexeme.text == "(", depth > 0 || previous.keyword == "AS" { depth += 1 }
      if lexeme.kind == .symbol, lexeme.text == ")", depth > 0 { depth -= 1 }
      if depth > 0 { names.insert(lexeme.text.asciiLowercased) }
    }
    return all.intersection(names)
  }

  private var hidesRowID: Bool {
    allColumns.allSatisfy { $0.primaryKeyIndex == 0 }
      && ["rowid", "_rowid_", "oid"].allSatisfy { column(named: $0) != nil }
  }

  /// Returns the shadow tables that the module of a virtual table created.
  private func shadowTables(_ db: Database) throws -> [TableKey] {
    let prefix = name.asciiLowercased + "_"
    func isNamedAfter(_ other: String) -> Bool { other.asciiLowercased.hasPrefix(prefix) }
    let list = try db.lookUp("PRAGMA \(id.schemaID.sql).table_list")
    // SQLite reports shadow tables since version 3.37. In earlier versions, every table with the name prefix may be
    // one.
    let names =
      if list.isEmpty {
        try db.freshCatalog().objects(in: id.schemaID, db).all.filter { $0.type == "table" }.map(\.name)
      } else {
        list.filter {
          $0["type"] == "shadow" && TableKey(name, in: $0["schema"]) == TableKey(name, in: id.schemaID.name)
        }
        .map { $0["name"] as String }
      }
    return names.filter(isNamedAfter).map { TableKey($0, in: id.schemaID.name) }
  }
}

extension ColumnInfo {
  fileprivate func facts(in table: TableKey, _ db: Database) throws -> ColumnFacts {
    let collation = try db.openHandle().collation(ofColumn: name, in: table)
    return ColumnFacts(
      name: name.asciiLowercased, affinity: ColumnAffinity(ofDeclaredType: type), isGenerated: isGenerated,
      isBinary: collation?.asciiLowercased == "binary")
  }
}
