import Tidemark
@testable import TidemarkEssentials

// Queries whose rows depend on rows of other tables: in subqueries, in views, in common tables, and by merged columns.

extension OracleQuery {
  static func related(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0..<4: subquery(schema, &generator)
    case 8: recursive(schema, &generator)
    case 4..<7: derived(schema, &generator)
    default: merged(schema, &generator)
    }
  }

  /// Rows with a condition on a subquery, which may refer to them.
  static func subquery(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let outer = generator.pick(schema.tables)
    let relation = Relation(outer: ("x", outer), schema, depth: 0, &generator)
    let test = relation.test
    var query = OracleQuery(sql: "", arguments: [])
    let other = OracleCondition.random(on: [("x", outer)], depth: 1, &generator)
    let column = "x.\(generator.pick(outer.columns).name)"
    let shown = generator.pick(["*", "*", "count(*)", column])
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      query.sql = "SELECT \(shown) FROM \(outer.sql) x WHERE \(test) OR \(other.sql)"
      query.arguments = relation.arguments + other.arguments
    case 1:
      query.sql = "SELECT \(shown) FROM \(outer.sql) x WHERE NOT \(test) AND \(other.sql)"
      query.arguments = relation.arguments + other.arguments
    case 2:
      query.sql = "SELECT \(test), \(column) FROM \(outer.sql) x WHERE \(other.sql)"
      query.arguments = relation.arguments + other.arguments
    case 3, 4:
      let second = generator.pick(schema.tables)
      let kind = generator.pick(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
      let pair = "x.\(generator.pick(outer.columns).name) = z.\(generator.pick(second.columns).name)"
      let last = OracleCondition.random(on: [("x", outer), ("z", second)], depth: 1, &generator)
      query.sql = "SELECT z.\(generator.pick(second.columns).name), \(column) FROM \(second.sql) z"
      if Bool.random(using: &generator) {
        query.sql += " \(kind) \(outer.sql) x ON \(pair) AND \(test) WHERE \(last.sql)"
      } else {
        query.sql += " \(kind) \(outer.sql) x ON \(pair) WHERE \(test) AND \(last.sql)"
      }
      query.arguments = relation.arguments + last.arguments
    default:
      query.sql = "SELECT \(shown) FROM \(outer.sql) x WHERE \(test)"
      query.arguments = relation.arguments
      if Int.random(in: 0..<3, using: &generator) == 0 {
        query.sql += " AND x.\(relation.column.name) = ?"
        query.arguments.append(generator.pick(OracleSchema.plainValues(for: relation.column.affinity)))
      } else if Bool.random(using: &generator) {
        query.sql += " AND \(other.sql)"
        query.arguments += other.arguments
      }
    }
    query.sql += generator.pick(["", "", " ORDER BY x.\(outer.identity[0])", " ORDER BY 1 LIMIT 3"])
    return query
  }

  /// A condition with a subquery.
  private struct Relation {
    var test = ""
    var arguments: [DatabaseValue] = []

    /// The column that is compared with the subquery.
    var column: OracleTable.Column

    init(outer: (name: String, table: OracleTable), _ schema: OracleSchema, depth: Int, _ generator: inout SeededRandom)
    {
      let name = depth == 0 ? "y" : "w"
      let inner = generator.pick(schema.tables)
      var pairs: [(outer: String, inner: String)] = []
      for column in outer.table.linkColumns {
        for other in inner.linkColumns where column.affinity == other.affinity {
          pairs.append((column.name, other.name))
        }
      }
      let anyPair = (outer: generator.pick(outer.table.columns).name, inner: generator.pick(inner.columns).name)
      let pair = pairs.isEmpty || Int.random(in: 0..<8, using: &generator) == 0 ? anyPair : generator.pick(pairs)
      column = outer.table.linkColumns.first { $0.name == pair.outer } ?? .init(name: pair.outer, type: "")
      let outerColumn = Bool.random(using: &generator) ? "\(outer.name).\(pair.outer)" : pair.outer
      let innerColumn = Bool.random(using: &generator) ? "\(name).\(pair.inner)" : pair.inner
      var conditions: [String] = []
      let isCorrelated = Bool.random(using: &generator)
      if isCorrelated { conditions.append("\(innerColumn) = \(outer.name).\(pair.outer)") }
      if Int.random(in: 0..<5, using: &generator) < 3 {
        let linked = inner.linkColumns.first { $0.name == pair.inner }
        let column = Bool.random(using: &generator) ? generator.pick(inner.linkColumns) : linked ?? inner.linkColumns[0]
        conditions.append("\(name).\(column.name) \(generator.pick(["=", "=", "<", "IS"])) ?")
        arguments.append(generator.pick(OracleSchema.plainValues(for: column.affinity)))
      }
      if Int.random(in: 0..<6, using: &generator) == 0 {
        let condition = OracleCondition.random(on: [(name, inner)], depth: 1, &generator)
        conditions.append(condition.sql)
        arguments += condition.arguments
      }
      if depth == 0, Int.random(in: 0..<5, using: &generator) == 0 {
        let nested = Relation(outer: (name, inner), schema, depth: 1, &generator)
        conditions.append(nested.test)
        arguments += nested.arguments
      }
      var source = "FROM \(inner.sql) \(name)"
      if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
      let other = generator.pick(inner.columns).name
      let end = generator.pick([
        "", "", "", "", "", " LIMIT 1", " ORDER BY count(*)", " ORDER BY \(other) LIMIT 2",
        " ORDER BY \(other) LIMIT 3",
        " GROUP BY \(name).\(other)", " LIMIT 1 OFFSET 1",
      ])
      let value = generator.pick([
        innerColumn, innerColumn, innerColumn, innerColumn, "max(\(innerColumn))", "count(*)",
        "DISTINCT \(innerColumn)", "+\(innerColumn)",
      ])
      // The qualified name may not be visible everywhere: an unqualified name may belong to the inner table.
      let subquery = "SELECT \(value) \(source)\(end)"
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1, 2: test = "\(outerColumn) IN (\(subquery))"
      case 3, 4: test = "EXISTS (\(subquery))"
      case 5: test = "\(outerColumn) = (\(subquery))"
      case 6: test = "\(outerColumn) \(generator.pick(["<", ">=", "IS", "IS", "IS", "<>"])) (\(subquery))"
      default:
        let third = generator.pick(schema.tables)
        let second = "SELECT \(generator.pick(third.columns).name) FROM \(third.sql)"
        test = "\(outerColumn) IN (\(subquery) \(generator.pick(["UNION", "UNION ALL", "EXCEPT"])) \(second))"
        if subquery.contains("LIMIT") { test = "\(outerColumn) IN (\(subquery))" }
      }
    }
  }

  /// Rows of a view, a common table or a subquery, by conditions on its columns.
  static func derived(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let table = generator.pick(schema.tables)
    var columns = Array(
      table.storedColumns.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
    let inside =
      Bool.random(using: &generator)
      ? OracleCondition.random(on: [("x", table)], depth: 1, &generator) : OracleCondition(sql: "1")
    var arguments = inside.arguments
    var body = "FROM \(table.sql) x"
    if Int.random(in: 0..<3, using: &generator) == 0 {
      let other = generator.pick(schema.tables)
      let pair = "x.\(generator.pick(table.columns).name) = y.\(generator.pick(other.columns).name)"
      body += " \(generator.pick(["JOIN", "LEFT JOIN"])) \(other.sql) y ON \(pair)"
    }
    body += " WHERE \(inside.sql)"
    let usesStar = Int.random(in: 0..<4, using: &generator) == 0 && !body.contains(" y ")
    if usesStar { columns = table.storedColumns }
    var names = columns.map(\.name)
    let givesNames = !usesStar && Bool.random(using: &generator)
    if givesNames { names = columns.indices.map { "n\($0)" } }
    let isCommon = Bool.random(using: &generator)
    let selected = zip(columns, names).map { column, name in
      "x.\(column.name)" + (givesNames && !isCommon ? " AS \(name)" : "")
    }
    let distinct = generator.pick(["", "", "", "DISTINCT "])
    var query = "SELECT \(distinct)\(usesStar ? "*" : selected.joined(separator: ", ")) \(body)"
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 4: query += " ORDER BY 1 LIMIT \(Int.random(in: 3...8, using: &generator))"
    case 1: query += " GROUP BY \(selected[0].split(separator: " ")[0])"
    case 2, 3:
      let other = generator.pick(schema.tables)
      let condition = OracleCondition.random(on: [("", other)], depth: 0, &generator)
      let others = columns.map { column in
        (other.storedColumns.filter { $0.affinity == column.affinity }.first ?? generator.pick(other.columns)).name
      }
      query += " \(generator.pick(["UNION ALL", "UNION ALL", "UNION", "EXCEPT"])) "
      query += "SELECT \(others.joined(separator: ", ")) FROM \(other.sql) WHERE \(condition.sql)"
      arguments += condition.arguments
    default: break
    }
    let shape = OracleTable(
      database: "", name: "s", columns: zip(columns, names).map { .init(name: $1, type: $0.type) }, identity: ["none"])
    var outside = OracleCondition.random(on: [("s", shape)], depth: 1, &generator)
    if Bool.random(using: &generator) {
      let column = generator.pick(shape.columns)
      let value = generator.pick(OracleSchema.plainValues(for: column.affinity))
      outside = OracleCondition(sql: "s.\(column.name) = ?", arguments: [value])
    }
    var prefix = ""
    var source = "(\(query)) s"
    if isCommon {
      let list = givesNames ? "(\(names.joined(separator: ", ")))" : ""
      prefix = "WITH q\(list) AS (\(query)) "
      source = "q s"
    }
    let second = generator.pick(schema.tables)
    let pair = "s.\(generator.pick(names)) = z.\(generator.pick(second.columns).name)"
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      source = "\(second.sql) z \(generator.pick(["JOIN", "LEFT JOIN", "RIGHT JOIN"])) \(source) ON \(pair)"
    case 1:
      source += " \(generator.pick(["JOIN", "LEFT JOIN", "FULL JOIN"])) \(second.sql) z ON \(pair)"
    case 2 where isCommon:
      source += ", q r"
    default: break
    }
    let shown = generator.pick(["s.\(names[0])", "*", "count(*)"])
    return OracleQuery(
      sql: "\(prefix)SELECT \(shown) FROM \(source) WHERE \(outside.sql)", arguments: arguments + outside.arguments)
  }

  /// Rows that are found from other rows, by a condition on the result.
  static func recursive(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let table = generator.pick(schema.tables)
    let (first, second) = (generator.pick(table.linkColumns), generator.pick(table.linkColumns))
    let start = generator.pick(OracleSchema.plainValues(for: first.affinity))
    let condition = OracleCondition.random(on: [("x", table)], depth: 0, &generator)
    let end = generator.pick(OracleSchema.plainValues(for: second.affinity))
    let columns = (first: first.name, second: second.name)
    let union = generator.pick(["UNION ALL", "UNION"])
    return OracleQuery(
      sql: """
        WITH RECURSIVE q (v, depth) AS (SELECT \(columns.first), 0 FROM \(table.sql) WHERE \(columns.first) = ?
        \(union) SELECT x.\(columns.second), depth + 1 FROM \(table.sql) x JOIN q
        ON x.\(columns.first) = q.v AND depth < 2 AND (\(condition.sql)))
        SELECT * FROM q WHERE v \(generator.pick(["=", ">", "<>"])) ?
        """, arguments: [start] + condition.arguments + [end])
  }

  /// A join that merges columns, with conditions on them.
  static func merged(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let first = generator.pick(schema.tables)
    var sources = [("x", first)]
    var sql = "FROM \(first.sql) x"
    for name in ["y", "z"].prefix(Int.random(in: 1...2, using: &generator)) {
      let table = generator.pick(schema.tables)
      let common = table.storedColumns.map(\.name).filter { name in first.storedColumns.contains { $0.name == name } }
      let shared = common.shuffled(using: &generator).prefix(Int.random(in: 1...2, using: &generator))
      let kind = generator.pick(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
      if Int.random(in: 0..<4, using: &generator) == 0 {
        sql += " NATURAL \(kind) \(table.sql) \(name)"
      } else {
        sql += " \(kind) \(table.sql) \(name) USING (\(shared.joined(separator: ", ")))"
      }
      sources.append((name, table))
    }
    let column = generator.pick(first.storedColumns)
    let name = Bool.random(using: &generator) ? column.name : "\(generator.pick(sources).0).\(column.name)"
    let condition = OracleCondition.random(on: sources, depth: 1, &generator)
    let comparison = generator.pick(["=", "=", "<", "IS"])
    let shown = generator.pick(["*", column.name, "count(*)", "x.\(column.name)"])
    let value = generator.pick(OracleSchema.plainValues(for: column.affinity))
    let last = Bool.random(using: &generator) ? condition : OracleCondition(sql: "1")
    return OracleQuery(
      sql: "SELECT \(shown) \(sql) WHERE \(name) \(comparison) ? AND \(last.sql)", arguments: [value] + last.arguments)
  }
}

extension OracleTable {
  /// The columns that may equal columns of other tables.
  fileprivate var linkColumns: [Column] {
    storedColumns + (hasRowID ? [.init(name: "rowid", type: "INTEGER")] : [])
  }
}
