import StressSupport

/// Composes random statements that change rows.
struct StatementGenerator {
  private let choices: RandomChoices
  private let table: ShapeTable
  private var queries: QueryGenerator

  /// The shapes of the last statement.
  private(set) var shapes: Set<Shape> = []

  init(_ choices: RandomChoices, schema: ShapeSchema) {
    self.choices = choices
    table = choices.pick(schema.tables.filter { $0.isWritable && !$0.writableColumns.isEmpty })
    queries = QueryGenerator(choices, tables: schema.tables)
    queries.allowsParameters = false
  }

  mutating func makeStatement() -> String {
    noteTable()
    if table.kind != .table { return simpleStatement() }
    switch choices.below(44) {
    case 0..<10: return insert()
    case 10..<20: return update()
    case 20..<25: return delete()
    case 25, 26: return insertFromSelect()
    case 27..<30: return upsert()
    case 30, 31: return updateFrom()
    case 32: return with(.deleteAll, "DELETE FROM \(table.sql)")
    case 33..<36: return updateOfKey()
    case 36, 37: return with(.changeWithCommonTable, deleteWithCommonTable())
    case 40, 41: return rowValueUpdate()
    case 42: return with(.defaultValues, "INSERT \(conflict())INTO \(table.sql) DEFAULT VALUES")
    default: return with(.returning, "\(changeOfRows()) RETURNING *")
    }
  }

  /// Returns a statement to which `RETURNING` can be added.
  mutating func changeOfRows() -> String {
    if table.kind != .table { return insert(conflict: "", rowCount: 2) }
    return switch choices.below(3) {
    case 0: insert()
    case 1: update()
    default: delete()
    }
  }

  private mutating func with(_ shape: Shape, _ sql: String) -> String {
    shapes.insert(shape)
    return sql
  }

  private mutating func noteTable() {
    switch table.kind {
    case .table: shapes.formUnion(table.triggerShapes)
    case .view: shapes.insert(.insteadOfTrigger)
    case .fullText, .externalContent, .contentless, .formerFullText: shapes.insert(.writeToFullTextTable)
    case .rTree: shapes.insert(.writeToRTree)
    case .vocabulary: break
    }
    if table.schema == "temp" { shapes.insert(.writeToTemporaryTable) }
    if table.schema == "aux" { shapes.insert(.writeToAttachedTable) }
  }

  /// A statement for a view or virtual table.
  private mutating func simpleStatement() -> String {
    switch choices.below(5) {
    case 0, 1, 2: return with(.insert, insert(conflict: "", rowCount: 1))
    case 3:
      let value = table.kind == .rTree ? "\(choices.below(6))" : "'a c'"
      return with(
        .update, "UPDATE \(table.sql) SET \(table.columns[table.columns.count - 1].sql) = \(value)\(condition())")
    default: return with(.delete, "DELETE FROM \(table.sql)\(condition())")
    }
  }

  // MARK: - Parts

  private var columnList: String { table.writableColumns.map(\.sql).joined(separator: ", ") }

  private var scope: ShapeScope {
    [[ShapeSource(name: table.name.quotedAsName, columns: table.columns.map(\.name), hasRowID: table.hasRowID)]]
  }

  private mutating func condition() -> String {
    " WHERE \(queries.condition(depth: choices.chance(30) ? 1 : 0, scope))"
  }

  private mutating func conflict() -> String {
    switch choices.below(14) {
    case 0, 1, 2: with(.orReplace, "OR REPLACE ")
    case 3, 4, 5: with(.orIgnore, "OR IGNORE ")
    case 6: with(.orFail, "OR FAIL ")
    case 7: with(.orAbort, "OR ABORT ")
    case 8: with(.orRollback, "OR ROLLBACK ")
    default: ""
    }
  }

  private mutating func assignment() -> String {
    let column = choices.pick(table.writableColumns).sql
    if table.isParent { shapes.insert(.foreignKeyAction) }
    return choices.chance(60) ? "\(column) = \(choices.literal())" : "\(column) = \(queries.scalar(depth: 1, scope))"
  }

  // MARK: - Statements

  private func insert(conflict: String, rowCount: Int) -> String {
    let rows = (0..<rowCount).map { _ in choices.row(of: table) }.joined(separator: ", ")
    return "INSERT \(conflict)INTO \(table.sql) (\(columnList)) VALUES \(rows)"
  }

  private mutating func insert() -> String {
    with(.insert, insert(conflict: conflict(), rowCount: choices.chance(30) ? 3 : 1))
  }

  private mutating func update() -> String {
    let condition = choices.chance(75) ? condition() : ""
    return with(.update, "UPDATE \(conflict())\(table.sql) SET \(assignment())\(condition)")
  }

  private mutating func delete() -> String {
    if table.isParent { shapes.insert(.foreignKeyAction) }
    return with(.delete, "DELETE FROM \(table.sql)\(condition())")
  }

  private mutating func insertFromSelect() -> String {
    let selection = queries.select(depth: 1, columnCount: table.writableColumns.count)
    let sql = "INSERT \(conflict())INTO \(table.sql) (\(columnList)) SELECT * FROM (\(selection.sql)) LIMIT 5"
    return with(.insertFromSelect, sql)
  }

  private mutating func upsert() -> String {
    let target =
      table.key.isEmpty || choices.chance(50) ? "" : " (\(table.key.map(\.quotedAsName).joined(separator: ", ")))"
    let column = choices.pick(table.writableColumns).sql
    var action = choices.chance(80) ? "UPDATE SET \(column) = excluded.\(column), \(assignment())" : "NOTHING"
    if action != "NOTHING", choices.chance(30) { action += with(.conditionalUpsert, condition()) }
    return with(.upsert, "\(insert(conflict: "", rowCount: 2)) ON CONFLICT\(target) DO \(action)")
  }

  private mutating func rowValueUpdate() -> String {
    guard table.writableColumns.count > 1 else { return update() }
    let columns = table.writableColumns.suffix(2).map(\.sql).joined(separator: ", ")
    let selection = queries.select(depth: 0, columnCount: 2, scope: scope)
    return with(
      .rowValueUpdate, "UPDATE \(conflict())\(table.sql) SET (\(columns)) = (\(selection.sql))\(condition())")
  }

  private mutating func updateFrom() -> String {
    let other = queries.source(depth: 0)
    let column = choices.pick(table.writableColumns).sql
    let link = "\(table.name.quotedAsName).\(choices.pick(table.columns).sql) = \(queries.column([[other.source]]))"
    let value = queries.column([[other.source]])
    return with(.updateFrom, "UPDATE OR IGNORE \(table.sql) SET \(column) = \(value) FROM \(other.sql) WHERE \(link)")
  }

  private mutating func updateOfKey() -> String {
    if table.isParent { shapes.insert(.foreignKeyAction) }
    guard let key = table.key.first?.quotedAsName ?? (table.hasRowID ? "rowid" : nil) else { return delete() }
    let value = choices.pick(["\(key) + 1", "\(key) - 20", "\(choices.below(12))"])
    return with(.updateOfKey, "UPDATE \(conflict())\(table.sql) SET \(key) = \(value)\(condition())")
  }

  private mutating func deleteWithCommonTable() -> String {
    let other = queries.source(depth: 0)
    let values = "SELECT \(queries.column([[other.source]])) AS v FROM \(other.sql)"
    let column = choices.pick(table.columns).sql
    return "WITH q AS (\(values)) DELETE FROM \(table.sql) WHERE \(column) IN (SELECT v FROM q LIMIT 2)"
  }
}
