import Foundation

import Tidemark
@testable import TidemarkEssentials

/// A random condition, and its arguments in order.
struct OracleCondition {
  var sql: String
  var arguments: [DatabaseValue] = []

  /// A condition on the columns of tables, each with the name that qualifies its columns; may be empty.
  static func random(
    on sources: [(name: String, table: OracleTable)], depth: Int, literalsOnly: Bool = false,
    _ generator: inout SeededRandom
  ) -> OracleCondition {
    if depth > 0, Int.random(in: 0..<2, using: &generator) == 0 {
      let parts = (0..<Int.random(in: 2...3, using: &generator)).map { _ in
        random(on: sources, depth: depth - 1, literalsOnly: literalsOnly, &generator)
      }
      let word = generator.pick(["AND", "AND", "OR"])
      let not = Int.random(in: 0..<12, using: &generator) == 0 ? "NOT " : ""
      return OracleCondition(
        sql: not + "(" + parts.map(\.sql).joined(separator: " \(word) ") + ")", arguments: parts.flatMap(\.arguments))
    }
    return simple(on: sources, literalsOnly: literalsOnly, &generator)
  }

  private static func simple(
    on sources: [(name: String, table: OracleTable)], literalsOnly: Bool, _ generator: inout SeededRandom
  ) -> OracleCondition {
    let source = generator.pick(sources)
    var column = generator.pick(source.table.columns)
    var name = column.name
    if source.table.hasRowID, Int.random(in: 0..<6, using: &generator) == 0 {
      name = generator.pick(["rowid", "oid", "_rowid_"])
      column = .init(name: name, type: "INTEGER")
    }
    let qualified = source.name.isEmpty ? name : "\(source.name).\(name)"
    var condition = OracleCondition(sql: "")
    func constant(_ generator: inout SeededRandom) -> String {
      let isPlain = Int.random(in: 0..<3, using: &generator) > 0
      let value = generator.pick(isPlain ? OracleSchema.plainValues(for: column.affinity) : OracleSchema.values)
      if literalsOnly || Bool.random(using: &generator) { return value.oracleLiteral }
      condition.arguments.append(value)
      return "?"
    }
    let comparison = generator.pick(["=", "=", "==", "<", "<=", ">", ">=", "IS", "<>", "IS NOT"])
    switch Int.random(in: 0..<23, using: &generator) {
    case 18:
      let other = generator.pick(source.table.columns).name
      let sum = "\(qualified) + \(source.name.isEmpty ? other : "\(source.name).\(other)")"
      condition.sql = "\(sum) \(comparison) \(constant(&generator))"
    case 19:
      let function = generator.pick(["lower", "upper", "length", "abs", "typeof"])
      condition.sql = "\(function)(\(qualified)) \(comparison) \(constant(&generator))"
    case 20:
      let operation = generator.pick(["+", "-", "*", "/", "%"])
      condition.sql =
        "\(qualified) BETWEEN \(constant(&generator)) AND \(constant(&generator)) \(operation) \(constant(&generator))"
    case 14:
      let operation = generator.pick(["+", "-", "*", "/", "%"])
      condition.sql = "\(qualified) \(operation) \(constant(&generator)) \(comparison) \(constant(&generator))"
    case 15:
      condition.sql = "NOT (\(qualified) \(comparison) \(constant(&generator)))"
    case 16:
      let values = (0..<Int.random(in: 0...3, using: &generator)).map { _ in constant(&generator) }
      condition.sql = "\(qualified) NOT IN (\(values.joined(separator: ", ")))"
    case 17:
      let other = generator.pick(source.table.columns).name
      condition.sql = "\(qualified) \(comparison) \(source.name.isEmpty ? other : "\(source.name).\(other)")"
    case 0: condition.sql = "\(qualified) IS NULL"
    case 1: condition.sql = "\(qualified) IS NOT NULL"
    case 2:
      let values = (0..<Int.random(in: 0...3, using: &generator)).map { _ in constant(&generator) }
      condition.sql = "\(qualified) IN (\(values.joined(separator: ", ")))"
    case 3: condition.sql = "\(qualified) BETWEEN \(constant(&generator)) AND \(constant(&generator))"
    case 4: condition.sql = "\(constant(&generator)) \(comparison) \(qualified)"
    case 5:
      condition.sql =
        "\(qualified) COLLATE \(generator.pick(["BINARY", "NOCASE"])) \(comparison) \(constant(&generator))"
    case 6:
      condition.sql =
        "\(qualified) \(comparison) \(constant(&generator)) COLLATE \(generator.pick(["BINARY", "NOCASE"]))"
    case 7, 21:
      let pattern = generator.pick(["'a%'", "'%A'", "'_'", "'%1_'", "'a*'", "'*[a-b]'", "'?'", constant(&generator)])
      condition.sql = "\(qualified) \(generator.pick(["", "NOT "]))\(generator.pick(["LIKE", "GLOB"])) \(pattern)"
    case 22:
      let other = generator.pick(source.table.columns).name
      let row = "(\(qualified), \(source.name.isEmpty ? other : "\(source.name).\(other)"))"
      func values() -> String { "(\(constant(&generator)), \(constant(&generator)))" }
      condition.sql =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: "\(row) IN (\(values()), \(values()))"
        case 1: "\(row) BETWEEN \(values()) AND \(values())"
        default: "\(row) \(comparison) \(values())"
        }
    case 8: condition.sql = "\(generator.pick(["+", "-", "abs"]))(\(qualified)) \(comparison) \(constant(&generator))"
    default: condition.sql = "\(qualified) \(comparison) \(constant(&generator))"
    }
    return condition
  }
}

/// A random query.
struct OracleQuery {
  var sql: String
  var arguments: [DatabaseValue]

  /// Whether it selects the rows of one table by conditions with `=`, `IN` and ranges: then its region predicts exactly
  /// when its result changes.
  var isPlain = false

  static func random(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    switch Int.random(in: 0..<23, using: &generator) {
    case 15..<19: subquery(schema, &generator)
    case 19..<22: derived(schema, &generator)
    case 22: merged(schema, &generator)
    case 10..<13: linked(schema, &generator)
    case 13..<15: limited(schema, &generator)
    case 0..<4: plain(schema, &generator)
    case 4..<6: join(schema, &generator)
    case 6: nested(schema, &generator)
    case 7: compound(schema, &generator)
    case 8: view(schema, &generator)
    default: single(schema, &generator)
    }
  }

  /// The columns of the rows of one table, in random order.
  private static func plain(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let table = generator.pick(schema.tables)
    var conditions: [String] = []
    var arguments: [DatabaseValue] = []
    let comparable = table.storedColumns.filter { !$0.type.contains("COLLATE") }
    for column in comparable.shuffled(using: &generator).prefix(Int.random(in: 1...2, using: &generator)) {
      let values = OracleSchema.plainValues(for: column.affinity)
      func constant() -> String {
        let value = generator.pick(values)
        if Bool.random(using: &generator) { return value.oracleLiteral }
        arguments.append(value)
        return "?"
      }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: conditions.append("\(column.name) IN (\(constant()), \(constant()))")
      case 1: conditions.append("\(column.name) BETWEEN \(constant()) AND \(constant())")
      case 2: conditions.append("\(column.name) > \(constant())")
      case 3: conditions.append("\(column.name) <= \(constant())")
      default: conditions.append("\(column.name) = \(constant())")
      }
    }
    let shown = table.columns.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)).map(\.name)
    // The identity is selected, so that each change is visible, and so that it determines the order.
    let columns = Int.random(in: 0..<3, using: &generator) == 0 ? "*" : (table.identity + shown).joined(separator: ", ")
    let order = table.identity.joined(separator: ", ")
    let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
    let sql = "SELECT \(columns) FROM \(table.sql) WHERE \(condition) ORDER BY \(order)"
    return OracleQuery(sql: sql, arguments: arguments, isPlain: true)
  }

  private static func end(_ generator: inout SeededRandom) -> String {
    let order = Int.random(in: 0..<3, using: &generator) == 0 ? " ORDER BY 1" : ""
    return order + (Int.random(in: 0..<4, using: &generator) == 0 ? " LIMIT 2" : "")
  }

  private static func single(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let table = generator.pick(schema.tables)
    let alias = generator.pick(["", "x"])
    let condition = OracleCondition.random(on: [(generator.pick(["", alias]), table)], depth: 2, &generator)
    let column = generator.pick(table.columns).name
    let columns = generator.pick([
      "*", column, "DISTINCT \(column)", "count(*)", "max(\(column)), count(*)", "group_concat(\(column))", "1",
      "row_number() OVER (ORDER BY \(column)), \(column)",
    ])
    let group =
      columns.hasPrefix("max") && Bool.random(using: &generator)
      ? " GROUP BY \(generator.pick(table.columns).name)" : ""
    return OracleQuery(
      sql: "SELECT \(columns) FROM \(table.sql) \(alias) WHERE \(condition.sql)\(group)\(end(&generator))",
      arguments: condition.arguments)
  }

  private static func join(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let names = Array(["x", "y", "z"].prefix(Int.random(in: 2...3, using: &generator)))
    let sources = names.map { (name: $0, table: generator.pick(schema.tables)) }
    var sql = "SELECT "
    var columns: [String] = []
    for source in sources where Int.random(in: 0..<3, using: &generator) > 0 {
      columns.append("\(source.name).\(generator.pick(source.table.columns).name)")
    }
    sql += columns.isEmpty ? generator.pick(["*", "count(*)"]) : columns.joined(separator: ", ")
    sql += " FROM \(sources[0].table.sql) x"
    var arguments: [DatabaseValue] = []
    for index in sources.indices.dropFirst() {
      let kind = generator.pick([
        "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ",", "NATURAL JOIN",
      ])
      sql += " \(kind) \(sources[index].table.sql) \(sources[index].name)"
      if kind == "," || kind.hasPrefix("NATURAL") { continue }
      if Int.random(in: 0..<6, using: &generator) == 0 {
        sql += " USING (c0)"
        continue
      }
      let other = sources[Int.random(in: 0..<index, using: &generator)]
      let (lhs, rhs) = (generator.pick(sources[index].table.columns).name, generator.pick(other.table.columns).name)
      sql += " ON \(sources[index].name).\(lhs) = \(other.name).\(rhs)"
      if Bool.random(using: &generator) {
        let known = Array(sources.prefix(index + 1))
        let condition = OracleCondition.random(on: known, depth: 1, &generator)
        sql += " AND \(condition.sql)"
        arguments += condition.arguments
      }
    }
    if Int.random(in: 0..<4, using: &generator) > 0 {
      let condition = OracleCondition.random(on: sources, depth: 2, &generator)
      sql += " WHERE \(condition.sql)"
      arguments += condition.arguments
    }
    return OracleQuery(sql: sql + end(&generator), arguments: arguments)
  }

  /// Rows of one table with matching rows in others, by columns of the same type.
  private static func linked(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let names = Array(["x", "y", "z"].prefix(Int.random(in: 2...3, using: &generator)))
    let sources = names.map { (name: $0, table: generator.pick(schema.tables)) }
    func columns(_ table: OracleTable) -> [OracleTable.Column] {
      table.storedColumns + (table.hasRowID ? [.init(name: "rowid", type: "INTEGER")] : [])
    }
    var sql = "FROM \(sources[0].table.sql) x"
    var arguments: [DatabaseValue] = []
    for index in sources.indices.dropFirst() {
      let other = sources[Int.random(in: 0..<index, using: &generator)]
      var pairs: [(String, String)] = []
      for column in columns(sources[index].table) {
        for otherColumn in columns(other.table) where column.affinity == otherColumn.affinity {
          pairs.append(("\(sources[index].name).\(column.name)", "\(other.name).\(otherColumn.name)"))
        }
      }
      if pairs.isEmpty { return join(schema, &generator) }
      let (lhs, rhs) = generator.pick(pairs)
      sql += " \(generator.pick(["JOIN", "JOIN", "LEFT JOIN"])) \(sources[index].table.sql) \(sources[index].name)"
      sql += " ON \(generator.pick(["\(lhs) = \(rhs)", "\(rhs) = \(lhs)"]))"
      if Int.random(in: 0..<4, using: &generator) == 0 {
        let condition = OracleCondition.random(on: [sources[index]], depth: 0, &generator)
        sql += " AND \(condition.sql)"
        arguments += condition.arguments
      }
    }
    let source = generator.pick([sources[0], sources[0], generator.pick(sources)])
    let column = generator.pick(columns(source.table))
    let value = generator.pick(OracleSchema.plainValues(for: column.affinity))
    sql += " WHERE \(source.name).\(column.name) \(generator.pick(["=", "=", "=", "<", "IS"])) ?"
    arguments.append(value)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let condition = OracleCondition.random(on: sources, depth: 1, &generator)
      sql += " AND \(condition.sql)"
      arguments += condition.arguments
    }
    let shown = sources.map { "\($0.name).\(generator.pick($0.table.columns).name)" }.joined(separator: ", ")
    return OracleQuery(
      sql: "SELECT \(generator.pick([shown, "*", "count(*)"])) \(sql)\(end(&generator))", arguments: arguments)
  }

  /// The first rows of a table, sorted by several columns.
  private static func limited(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let table = generator.pick(schema.tables)
    let condition = OracleCondition.random(on: [("", table)], depth: 1, &generator)
    let terms = (table.columns.map(\.name).shuffled(using: &generator).prefix(2) + table.identity).map { name in
      "\(name)\(generator.pick(["", " ASC", " DESC", "", " DESC NULLS LAST", " COLLATE NOCASE"]))"
    }
    let order = terms.suffix(Int.random(in: 1...3, using: &generator)).joined(separator: ", ")
    let columns = generator.pick([
      "*", "*", (table.columns.map(\.name) + table.identity).joined(separator: ", "), table.identity[0],
      "\(table.identity[0]), \(generator.pick(table.columns).name)",
    ])
    let limit = Int.random(in: 1...6, using: &generator)
    return OracleQuery(
      sql: "SELECT \(columns) FROM \(table.sql) WHERE \(condition.sql) ORDER BY \(order) LIMIT \(limit)",
      arguments: condition.arguments)
  }

  private static func nested(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    let outer = generator.pick(schema.tables)
    let inner = generator.pick(schema.tables)
    let outerColumn = generator.pick(outer.columns).name
    let innerColumn = generator.pick(inner.columns).name
    let inside = OracleCondition.random(on: [("y", inner)], depth: 1, &generator)
    let outside = OracleCondition.random(on: [("x", outer)], depth: 1, &generator)
    let query = "SELECT \(innerColumn) FROM \(inner.sql) y WHERE \(inside.sql)"
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      return OracleQuery(
        sql: "SELECT * FROM \(outer.sql) x WHERE x.\(outerColumn) IN (\(query)) AND \(outside.sql)",
        arguments: inside.arguments + outside.arguments)
    case 1:
      let correlated = "\(query) AND y.\(innerColumn) = x.\(outerColumn)"
      return OracleQuery(
        sql: "SELECT * FROM \(outer.sql) x WHERE NOT EXISTS (\(correlated)) AND \(outside.sql)",
        arguments: inside.arguments + outside.arguments)
    case 2:
      return OracleQuery(
        sql: "SELECT (SELECT count(*) FROM (\(query))), x.\(outerColumn) FROM \(outer.sql) x WHERE \(outside.sql)",
        arguments: inside.arguments + outside.arguments)
    case 3:
      // A common table expression that hides a table.
      let name = generator.pick([outer.name, "other"])
      return OracleQuery(
        sql:
          "WITH \(name)(v) AS (\(query)) SELECT v, x.\(outerColumn) FROM \(name), \(outer.sql) x WHERE \(outside.sql)",
        arguments: inside.arguments + outside.arguments)
    default:
      return OracleQuery(
        sql: "SELECT * FROM (\(query)) s LEFT JOIN \(outer.sql) x ON \(outside.sql)",
        arguments: inside.arguments + outside.arguments)
    }
  }

  private static func compound(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    var arguments: [DatabaseValue] = []
    let queries = (0..<2).map { _ in
      let table = generator.pick(schema.tables)
      let condition = OracleCondition.random(on: [("", table)], depth: 1, &generator)
      arguments += condition.arguments
      return "SELECT \(generator.pick(table.columns).name) FROM \(table.sql) WHERE \(condition.sql)"
    }
    let word = generator.pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
    return OracleQuery(sql: queries.joined(separator: " \(word) ") + end(&generator), arguments: arguments)
  }

  private static func view(_ schema: OracleSchema, _ generator: inout SeededRandom) -> OracleQuery {
    guard !schema.views.isEmpty else { return join(schema, &generator) }
    let table = generator.pick(schema.tables)
    let condition = OracleCondition.random(on: [("x", table)], depth: 1, &generator)
    // An unqualified name may refer to a temporary table.
    let name = generator.pick([table.sql, table.sql, "t0"])
    let source = name == "t0" ? schema.tables.last { $0.name == "t0" } ?? table : table
    let used = name == "t0" ? OracleCondition.random(on: [("x", source)], depth: 1, &generator) : condition
    let sql = "SELECT * FROM \(generator.pick(schema.views)) v LEFT JOIN \(name) x ON x.c0 = v.c0 WHERE \(used.sql)"
    return OracleQuery(sql: sql, arguments: used.arguments)
  }
}
