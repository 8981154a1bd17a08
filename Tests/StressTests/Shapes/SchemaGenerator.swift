import StressSupport

/// Creates random schemas.
struct SchemaGenerator {
  private let choices: RandomChoices
  private let hasTemporaryTables: Bool
  private var schema = ShapeSchema()

  private static let names = ["a", "b", "c", "d"]

  init(_ choices: RandomChoices, hasTemporaryTables: Bool) {
    self.choices = choices
    self.hasTemporaryTables = hasTemporaryTables
  }

  mutating func makeSchema() -> ShapeSchema {
    schema = ShapeSchema()
    for number in 0..<2 + choices.below(2) { addTable(choices.chance(8) ? "Group \(number)" : "t\(number)") }
    if choices.chance(50) { addTable("t9", in: "aux") }
    if hasTemporaryTables, choices.chance(50) { addTable("t8", in: "temp") }
    addVirtualTables()
    addRows()
    for number in 0..<1 + choices.below(2) { addView("v\(number)") }
    for number in 0..<choices.below(3) { addTrigger("r\(number)") }
    return schema
  }

  // MARK: - Tables

  private mutating func addTable(_ name: String, in schemaName: String = "") {
    var table = ShapeTable(schema: schemaName, name: name, columns: [])
    table.isStrict = choices.chance(15)
    var definitions: [String] = []
    for column in columnNames() {
      var column = ShapeTable.Column(name: column, type: type(isStrict: table.isStrict))
      var definition = "\(column.sql) \(column.type)"
      if let previous = table.columns.last, choices.chance(15) {
        column.isGenerated = true
        table.columns[table.columns.count - 1].isSource = true
        definition += " AS (\(generatedValue(previous.sql))) \(choices.pick(["VIRTUAL", "STORED"]))"
      } else if choices.chance(12) {
        let collation = choices.pick(["NOCASE", "RTRIM", "FOLDED"])
        column.hasCustomCollation = collation == "FOLDED"
        definition += " COLLATE \(collation)"
      } else {
        definition += constraint(of: &column)
      }
      table.columns.append(column)
      definitions.append(definition)
    }
    addKey(to: &table, &definitions)
    if choices.chance(15), let column = table.writableColumns.last {
      let conflict = choices.chance(40) ? " ON CONFLICT \(choices.pick(["REPLACE", "IGNORE", "FAIL"]))" : ""
      definitions.append("UNIQUE (\(column.sql))\(conflict)")
    }
    if schemaName.isEmpty { addForeignKey(to: table, &definitions) }
    let options = (table.isWithoutRowID ? ["WITHOUT ROWID"] : []) + (table.isStrict ? ["STRICT"] : [])
    table.definition =
      "CREATE TABLE \(table.sql) (\(definitions.joined(separator: ", "))) \(options.joined(separator: ", "))"
    schema.statements.append(table.definition)
    for number in 0..<choices.below(3) { addIndex(number, to: &table) }
    schema.tables.append(table)
  }

  /// Returns a constraint of a column, or its default value.
  private func constraint(of column: inout ShapeTable.Column) -> String {
    let value = choices.pick(["2", "2", "'b'", "(abs(-2))"])
    switch choices.below(20) {
    case 0:
      column.isChecked = true
      return " CHECK (\(column.sql) <> 3)"
    case 1:
      column.isNotNull = true
      let conflict = choices.pick(["", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE", " ON CONFLICT FAIL"])
      return " NOT NULL\(conflict) DEFAULT \(value)"
    case 2: return " DEFAULT \(value)"
    default: return ""
    }
  }

  private func columnNames() -> [String] {
    var names = Array(Self.names.prefix(2 + choices.below(3)))
    if choices.chance(7) {
      names[names.count - 1] = choices.pick(ShapeTable.Column.rowIDNames)
    } else if choices.chance(15) {
      names[names.count - 1] = choices.pick(["order", "Select", "A b", "é", "x\"y"])
    }
    return names
  }

  private func type(isStrict: Bool) -> String {
    if isStrict { return choices.pick(["INTEGER", "INT", "TEXT", "REAL", "BLOB", "ANY", "ANY", "ANY"]) }
    return choices.pick([
      "INTEGER", "INTEGER", "INT", "TEXT", "TEXT", "REAL", "NUMERIC", "BLOB", "", "VARCHAR(9)", "BOOLEAN",
    ])
  }

  private func generatedValue(_ column: String) -> String {
    choices.pick(["\(column) + 1", "\(column) || 'x'", "coalesce(\(column), 0)", "\(column) % 3", "twice(\(column))"])
  }

  private func addKey(to table: inout ShapeTable, _ definitions: inout [String]) {
    let first = table.columns[0].sql
    switch choices.below(6) {
    case 0, 1:
      let isAutomatic = choices.chance(30)
      table.hasDescendingKey = !isAutomatic && choices.chance(12)
      let suffix = isAutomatic ? " AUTOINCREMENT" : table.hasDescendingKey ? " DESC" : ""
      definitions[0] = "\(first) INTEGER PRIMARY KEY\(suffix)"
      table.columns[0] = ShapeTable.Column(name: table.columns[0].name, type: "INTEGER")
      table.key = [table.columns[0].name]
      if isAutomatic { return }
    case 2:
      definitions[0] += " PRIMARY KEY"
      table.key = [table.columns[0].name]
    case 3:
      guard let second = table.writableColumns.dropFirst().last else { return }
      let directions = (0..<2).map { _ in choices.pick(["", "", " DESC", " COLLATE NOCASE"]) }
      definitions.append("PRIMARY KEY (\(second.sql)\(directions[0]), \(first)\(directions[1]))")
      table.key = [second.name, table.columns[0].name]
    default: return
    }
    table.isWithoutRowID = choices.chance(35)
  }

  private mutating func addForeignKey(to table: ShapeTable, _ definitions: inout [String]) {
    guard choices.chance(40),
      let parent = schema.tables.firstIndex(where: { $0.key.count == 1 && $0.schema.isEmpty }),
      let column = table.writableColumns.last(where: { !table.key.contains($0.name) })
    else { return }
    let actions = ["CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION", "RESTRICT"]
    let key = schema.tables[parent].key[0].quotedAsName
    let reference = "\(schema.tables[parent].sql) (\(key))"
    definitions.append(
      "FOREIGN KEY (\(column.sql)) REFERENCES \(reference) ON DELETE \(choices.pick(actions)) "
        + "ON UPDATE \(choices.pick(actions))\(choices.chance(60) ? " DEFERRABLE INITIALLY DEFERRED" : "")")
    schema.tables[parent].isParent = true
  }

  private mutating func addIndex(_ number: Int, to table: inout ShapeTable) {
    let name = "i\(number)_\(table.name)".quotedAsName
    var terms = [
      choices.pick(table.columns).sql + choices.pick(["", "", " DESC", " COLLATE NOCASE", " COLLATE FOLDED"])
    ]
    if choices.chance(40) { terms.append(choices.pick(table.columns).sql) }
    if choices.chance(15) {
      terms.append("\(choices.pick(["lower", "twice"]))(\(table.columns[0].sql))")
      table.columns[0].isSource = true
    }
    let columnIndex = choices.below(table.columns.count)
    let column = table.columns[columnIndex].sql
    let condition = choices.chance(15) ? " WHERE \(column) \(choices.pick(["IS NOT NULL", "> 1", "= 1"]))" : ""
    if !condition.isEmpty { table.columns[columnIndex].isSource = true }
    let schemaName = table.schema.isEmpty ? "" : "\(table.schema)."
    let isUnique = choices.chance(10)
    if isUnique { table.hasUniqueIndex = true }
    schema.statements.append(
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(schemaName)\(name) ON \(table.name.quotedAsName) (\(terms.joined(separator: ", ")))\(condition)"
    )
    if condition.isEmpty { table.indexes.append(name) }
  }

  private mutating func addVirtualTables() {
    if choices.chance(40) {
      addVirtualTable(.fullText, "ft", ["a", "b"], "fts5(a, b)")
      if choices.chance(40) { addVirtualTable(.vocabulary, "fv", ["term", "doc", "cnt"], "fts5vocab(ft, 'row')") }
    }
    if choices.chance(40) { addVirtualTable(.rTree, "rt", ["id", "a", "b"], "rtree(id, a, b)") }
    if choices.chance(20) { addExternalContent() }
    if choices.chance(10) { addVirtualTable(.contentless, "fc", ["a"], "fts5(a, content='')") }
    if choices.chance(10) { addVirtualTable(.formerFullText, "f4", ["a", "b"], "fts4(a, b)") }
  }

  /// Adds a full-text table that reads its texts from a table. Triggers may update its index.
  private mutating func addExternalContent() {
    let contents = schema.tables.filter {
      $0.kind == .table && $0.schema.isEmpty && $0.hasRowID && !$0.name.contains(" ")
    }
    guard let content = contents.first, content.columns.prefix(2).map(\.name) == ["a", "b"] else { return }
    let index = schema.tables.firstIndex { $0.name == content.name } ?? 0
    addVirtualTable(.externalContent, "fx", ["a", "b"], "fts5(a, b, content='\(content.name)')")
    schema.tables[schema.tables.count - 1].isWritable = false
    if choices.chance(50) { return }
    let insertion = "INSERT INTO fx (rowid, a, b) VALUES (new.rowid, new.a, new.b)"
    let deletion = "INSERT INTO fx (fx, rowid, a, b) VALUES ('delete', old.rowid, old.a, old.b)"
    for (event, body) in [("INSERT", insertion), ("DELETE", deletion), ("UPDATE", "\(deletion); \(insertion)")] {
      schema.statements.append(
        "CREATE TRIGGER fx_\(event) AFTER \(event) ON \(content.sql) BEGIN \(body); END")
    }
    schema.tables[index].triggerShapes.insert(.trigger)
  }

  private mutating func addVirtualTable(_ kind: ShapeTable.Kind, _ name: String, _ columns: [String], _ module: String)
  {
    let columns = columns.map { ShapeTable.Column(name: $0) }
    let key = kind == .rTree ? ["id"] : []
    let definition = "CREATE VIRTUAL TABLE \(name) USING \(module)"
    schema.tables.append(
      ShapeTable(
        kind: kind, name: name, columns: columns, key: key, isWritable: kind != .vocabulary, definition: definition))
    schema.statements.append(definition)
  }

  private mutating func addRows() {
    for table in schema.tables where table.isWritable && table.kind != .vocabulary {
      for _ in 0..<3 + choices.below(5) {
        let columns = table.writableColumns.map(\.sql).joined(separator: ", ")
        schema.statements.append(
          "INSERT OR IGNORE INTO \(table.sql) (\(columns)) VALUES \(choices.row(of: table))")
      }
    }
  }

  // MARK: - Views and triggers

  private mutating func addView(_ name: String) {
    var generator = QueryGenerator(choices, tables: schema.tables.filter { $0.schema.isEmpty })
    generator.allowsParameters = false
    let selection = generator.select(depth: choices.below(2))
    let columns = selection.columns.map { ShapeTable.Column(name: $0) }
    let definition = "CREATE VIEW \(name) AS \(selection.sql)"
    schema.statements.append(definition)
    var view = ShapeTable(kind: .view, name: name, columns: columns, isWritable: false, definition: definition)
    if choices.chance(60) { addTriggers(to: &view) }
    schema.tables.append(view)
  }

  /// Adds the triggers with which the rows of a view can be written.
  private mutating func addTriggers(to view: inout ShapeTable) {
    let table = choices.pick(schema.tables.filter { $0.kind == .table && $0.schema.isEmpty })
    guard let column = table.writableColumns.last?.sql, let value = view.columns.first?.sql else { return }
    view.isWritable = true
    view.triggerShapes = [.trigger]
    let actions = [
      ("INSERT", "INSERT OR IGNORE INTO \(table.sql) (\(column)) VALUES (new.\(value))"),
      ("UPDATE", "UPDATE OR IGNORE \(table.sql) SET \(column) = new.\(value) WHERE \(column) IS old.\(value)"),
      ("DELETE", "DELETE FROM \(table.sql) WHERE \(column) IS old.\(value)"),
    ]
    for (event, action) in actions {
      schema.statements.append(
        "CREATE TRIGGER \(view.name)_\(event) INSTEAD OF \(event) ON \(view.name) BEGIN \(action); END")
    }
  }

  /// A trigger that leaves some rows out.
  private static func ignoringAction(_ value: String) -> String { "SELECT RAISE(IGNORE) WHERE \(value) IN (1, 4)" }

  private mutating func addTrigger(_ name: String) {
    let indices = schema.tables.indices.filter { schema.tables[$0].kind == .table && schema.tables[$0].schema.isEmpty }
    let index = choices.pick(indices)
    let (table, target) = (schema.tables[index], schema.tables[choices.pick(indices)])
    guard let column = target.writableColumns.last?.sql else { return }
    let event = choices.pick(["INSERT", "DELETE", "UPDATE"])
    let value = "\(event == "DELETE" ? "old" : "new").\(choices.pick(table.columns).sql)"
    let condition = "\(choices.pick(target.columns).sql) ="
    let action = choices.pick([
      "INSERT OR IGNORE INTO \(target.sql) (\(column)) VALUES (\(value))",
      "UPDATE OR IGNORE \(target.sql) SET \(column) = \(value) WHERE \(condition) \(choices.literal())",
      "DELETE FROM \(target.sql) WHERE \(condition) \(value)",
      "UPDATE OR IGNORE \(target.sql) SET \(column) = \(column) + 1 WHERE \(condition) \(value) AND \(column) < 4",
      "SELECT RAISE(\(choices.pick(["ABORT", "FAIL", "ROLLBACK"])), 'refused') WHERE \(value) = 5",
      "REPLACE INTO \(target.sql) (\(column)) VALUES (\(value))",
      "INSERT OR IGNORE INTO \(target.sql) (\(column)) SELECT \(column) FROM \(target.sql) WHERE \(condition) \(value)",
      "INSERT INTO \(target.sql) (\(column)) VALUES (\(value)) ON CONFLICT DO UPDATE SET \(column) = \(choices.literal())",
      Self.ignoringAction(value),
    ])
    let time = choices.pick(["BEFORE", "AFTER"])
    var triggerShapes: Set<Shape> = [.trigger]
    if action == Self.ignoringAction(value) { triggerShapes.insert(.ignoringTrigger) }
    var (columns, when) = ("", "")
    if event == "UPDATE", choices.chance(40) {
      triggerShapes.insert(.triggerOfColumns)
      columns = " OF \(choices.pick(table.writableColumns).sql)"
    }
    if choices.chance(25) {
      triggerShapes.insert(.conditionalTrigger)
      when = " WHEN \(value) \(choices.pick(["> 1", "IS NOT NULL", "IN (SELECT \(column) FROM \(target.sql))"]))"
    }
    schema.statements.append(
      "CREATE TRIGGER \(name) \(time) \(event)\(columns) ON \(table.sql)\(when) BEGIN \(action); END")
    schema.tables[index].triggerShapes.formUnion(triggerShapes)
  }
}

extension RandomChoices {
  /// Returns the values of a row that a statement writes, in parentheses.
  func row(of table: ShapeTable) -> String {
    if table.kind == .rTree {
      let low = below(6)
      return "(\(below(12)), \(low), \(low + below(4)))"
    }
    let values = table.writableColumns.map { column in
      if table.kind.isVirtual { return pick(["'a b'", "'b c'", "'a'", "'c d a'", "'1 2'"]) }
      return table.key.contains(column.name) && chance(80) ? "\(below(12))" : literal()
    }
    return "(\(values.joined(separator: ", ")))"
  }
}
