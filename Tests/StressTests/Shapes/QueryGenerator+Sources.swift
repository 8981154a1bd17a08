import StressSupport

// The sources of rows: tables, joins, subqueries in `FROM`, common table expressions.
extension QueryGenerator {
  // MARK: - Tables

  /// Returns a table or another source of rows, with its alias.
  mutating func source(depth: Int) -> (sql: String, source: ShapeSource) {
    let alias = newName(choices.pick(["t", "u", "x"]) + "_")
    if depth > 0, choices.chance(14) {
      let selection = select(depth: depth - 1)
      let source = ShapeSource(name: alias, columns: selection.columns)
      return (with(.subqueryInFrom, "(\(selection.sql)) AS \(alias)"), source)
    }
    if depth > 0, choices.chance(5) { return outerJoinOfSubquery(alias) }
    if !commonTables.isEmpty, choices.chance(60) {
      let table = choices.pick(commonTables)
      return ("\(table.name) AS \(alias)", ShapeSource(name: alias, columns: table.columns))
    }
    if choices.chance(4) {
      let sql = with(.jsonEach, "json_each('[1, 2, 3, \"a\"]') AS \(alias)")
      return (sql, ShapeSource(name: alias, columns: ["key", "value"]))
    }
    if choices.chance(4) { return schemaTable(alias) }
    let table = choices.pick(tables)
    read(table)
    var columns = table.columns.map(\.name)
    if table.kind.isFullText { columns += ["rank"] }
    let source = ShapeSource(
      name: alias, columns: columns, hasRowID: table.hasRowID, isFullText: table.kind.isFullText)
    if table.kind.isFullText, choices.chance(20) {
      return (with(.fullTextFunction, "\(table.name)('a') AS \(alias)"), source)
    }
    let name = choices.chance(5) ? with(.otherCase, table.sql.uppercased()) : table.sql
    if table.kind == .table, choices.chance(5) {
      return (with(.withoutIndexes, "\(name) AS \(alias) NOT INDEXED"), source)
    }
    return ("\(name) AS \(alias)", source)
  }

  /// Returns a table of SQLite that describes the schema.
  private mutating func schemaTable(_ alias: String) -> (sql: String, source: ShapeSource) {
    if choices.chance(25) {
      let sql = with(.pragmaTable, "pragma_user_version AS \(alias)")
      return (sql, ShapeSource(name: alias, columns: ["user_version"]))
    }
    if choices.chance(40) {
      let (name, columns) = choices.pick([
        ("sqlite_sequence", ["name", "seq"]), ("sqlite_stat1", ["tbl", "idx", "stat"]),
      ])
      readTables.append(name)
      return (with(.internalTable, "\(name) AS \(alias)"), ShapeSource(name: alias, columns: columns))
    }
    if choices.chance(40) {
      let table = choices.pick(tables).name.replacing("'", with: "''")
      let source = ShapeSource(name: alias, columns: ["name", "type", "pk"])
      return (with(.pragmaTable, "pragma_table_info('\(table)') AS \(alias)"), source)
    }
    let name = choices.pick(["main.sqlite_schema", "sqlite_schema", "sqlite_master", "aux.sqlite_schema"])
    readTables.append(name)
    let source = ShapeSource(name: alias, columns: ["type", "name", "tbl_name", "sql"])
    return (with(.schemaTable, "\(name) AS \(alias)"), source)
  }

  mutating func read(_ table: ShapeTable) {
    if !readTables.contains(table.sql) { readTables.append(table.sql) }
    shapes.formUnion(table.shapes)
  }

  // MARK: - Joins

  /// Returns the tables of a query, and how they are joined.
  mutating func from(depth: Int, scope: ShapeScope, maxCount: Int) -> (sql: String, sources: [ShapeSource]) {
    var (sql, sources) = single(depth: depth)
    for _ in 0..<choices.below(maxCount) {
      let next = depth > 0 && choices.chance(12) ? nestedJoin(depth: depth, scope) : single(depth: depth)
      sql += join(next.sql, next.sources, to: sources, depth: depth, scope)
      sources += next.sources
    }
    if choices.chance(4) {
      let alias = newName("j_")
      let values = "json_array(\(column([sources])), \(column([sources])))"
      sql += with(.lateralTable, "\(choices.pick([" JOIN", ","])) json_each(\(values)) AS \(alias)")
      sources.append(ShapeSource(name: alias, columns: ["key", "value"]))
    }
    return (sql, sources)
  }

  private mutating func single(depth: Int) -> (sql: String, sources: [ShapeSource]) {
    let (sql, source) = source(depth: depth)
    return (sql, [source])
  }

  /// Returns a join in parentheses.
  private mutating func nestedJoin(depth: Int, _ scope: ShapeScope) -> (sql: String, sources: [ShapeSource]) {
    let (left, right) = (source(depth: depth), source(depth: depth))
    let sources = [left.source, right.source]
    let condition = joinCondition(depth: depth, [left.source], [right.source], scope)
    let sql = "(\(left.sql) \(choices.pick(["JOIN", "LEFT JOIN"])) \(right.sql) ON \(condition))"
    return (with(.nestedJoin, sql), sources)
  }

  private mutating func join(
    _ sql: String, _ right: [ShapeSource], to left: [ShapeSource], depth: Int, _ scope: ShapeScope
  ) -> String {
    let (shape, operation): (Shape, String) =
      switch choices.below(50) {
      case 0..<14: (.innerJoin, "JOIN")
      case 14..<25: (.leftJoin, "LEFT JOIN")
      case 25..<30: (.rightJoin, "RIGHT JOIN")
      case 30..<34: (.fullJoin, "FULL JOIN")
      case 34..<37: (.commaJoin, ",")
      case 37..<40: (.crossJoin, "CROSS JOIN")
      case 40..<44: (.naturalJoin, "NATURAL JOIN")
      case 44..<46: (.naturalLeftJoin, "NATURAL LEFT JOIN")
      case 46..<48: (.naturalFullJoin, "NATURAL FULL JOIN")
      default: (.naturalRightJoin, "NATURAL RIGHT JOIN")
      }
    shapes.insert(shape)
    if shape == .commaJoin || shape == .crossJoin || operation.hasPrefix("NATURAL") { return " \(operation) \(sql)" }
    let common = right[0].columns.filter { column in
      left.count { $0.columns.contains(column) } == 1 && right.count { $0.columns.contains(column) } == 1
    }
    if !common.isEmpty, choices.chance(30) {
      let columns = common.prefix(1 + choices.below(2)).map(\.quotedAsName).joined(separator: ", ")
      return with(.usingJoin, " \(operation) \(sql) USING (\(columns))")
    }
    return " \(operation) \(sql) ON \(joinCondition(depth: depth, left, right, scope))"
  }

  private mutating func joinCondition(
    depth: Int, _ left: [ShapeSource], _ right: [ShapeSource], _ scope: ShapeScope
  ) -> String {
    let all = [left + right] + scope
    if choices.chance(20) { return condition(depth: min(depth, 1), all) }
    let equality = "\(column([left])) = \(column([right]))"
    return choices.chance(30) ? "\(equality) AND \(condition(depth: min(depth, 1), all))" : equality
  }

  // MARK: - Common table expressions

  /// Returns a `WITH` clause. The selection that follows may read its tables.
  mutating func commonTableExpressions(depth: Int) -> String {
    let expressions = (0..<1 + choices.below(2)).map { _ in
      choices.chance(35) ? recursiveTable() : commonTable(depth: depth)
    }
    return "WITH RECURSIVE \(expressions.joined(separator: ", ")) "
  }

  private mutating func commonTable(depth: Int) -> String {
    let name = newName("c")
    let selection = select(depth: depth - 1)
    let isRenamed = choices.chance(30)
    let columns = isRenamed ? selection.columns.indices.map { "k\($0)" } : selection.columns
    let head = isRenamed ? "\(name) (\(columns.joined(separator: ", ")))" : name
    commonTables.append(ShapeSource(name: name, columns: columns))
    return with(
      .commonTable, "\(head) AS \(choices.pick(["", "MATERIALIZED ", "NOT MATERIALIZED "]))(\(selection.sql))")
  }

  private mutating func recursiveTable() -> String {
    let name = newName("c")
    let (sql, source) = source(depth: 0)
    let scope = [[source]]
    let body =
      switch choices.below(3) {
      case 0: "SELECT 1, \(constant()) UNION ALL SELECT n + 1, m FROM \(name) WHERE n < \(2 + choices.below(4))"
      case 1:
        """
        SELECT \(column(scope)), 0 FROM \(sql) WHERE \(condition(depth: 0, scope)) \
        UNION SELECT \(column(scope)), 1 FROM \(sql) JOIN \(name) ON \(name).n = \(column(scope))
        """
      default:
        """
        SELECT 0, (SELECT count(*) FROM \(sql)) UNION ALL SELECT n + 1, m FROM \(name) \
        WHERE n < 5 AND EXISTS (SELECT 1 FROM \(sql) WHERE \(column(scope)) = n)
        """
      }
    commonTables.append(ShapeSource(name: name, columns: ["n", "m"]))
    return with(.recursiveCommonTable, "\(name) (n, m) AS (\(body))")
  }
}
