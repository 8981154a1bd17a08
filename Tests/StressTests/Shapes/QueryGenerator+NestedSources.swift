import StressSupport

// What happens to columns and rows on their way through several levels of subqueries.
extension QueryGenerator {
  /// Returns a subquery in `FROM` that selects rows of an outer join with another subquery. Rows without a match may
  /// satisfy its condition, so that a new match removes them from the result.
  mutating func outerJoinOfSubquery(_ alias: String) -> (sql: String, source: ShapeSource) {
    let (left, right, name) = (source(depth: 0), source(depth: 0), newName("s_"))
    let (own, other) = ([[left.source]], [[right.source]])
    let filter = choices.chance(40) ? " WHERE \(condition(depth: 0, other))" : ""
    let subquery = "(SELECT \(column(other)) AS k, \(column(other)) AS b FROM \(right.sql)\(filter)) AS \(name)"
    let key = column(own)
    let join =
      choices.chance(70)
      ? with(.leftJoin, "\(left.sql) LEFT JOIN \(subquery) ON \(name).k = \(left.source.name).\(unqualified(key))")
      : with(.rightJoin, "\(subquery) RIGHT JOIN \(left.sql) ON \(name).k = \(left.source.name).\(unqualified(key))")
    let rows = "SELECT \(left.source.name).\(unqualified(column(own))) AS a, \(name).b AS b FROM \(join)"
    let condition =
      switch choices.below(4) {
      case 0: "b IS NULL"
      case 1: "b IS NOT \(constant())"
      case 2: "coalesce(b, 1) = 1"
      default: "b IS NULL OR a = \(constant())"
      }
    let sql = "(SELECT * FROM (\(rows)) WHERE \(condition)) AS \(alias)"
    return (with(.outerJoinOfSubquery, sql), ShapeSource(name: alias, columns: ["a", "b"]))
  }

  /// A column without the name of its table.
  private func unqualified(_ column: String) -> String {
    // The names of tables in queries contain no point.
    guard let point = column.firstIndex(of: "."), !column.hasPrefix("\"") else { return column }
    return String(column[column.index(after: point)...])
  }

  /// Returns an expression with its name in a list of results. Some columns keep the names that SQLite gives them.
  ///
  /// - Parameter names: The names of the former results.
  mutating func result(_ item: String, _ names: [String], of sources: [ShapeSource]) -> (sql: String, name: String) {
    let column = unqualified(item)
    if choices.chance(25), !names.contains(column), sources.contains(where: { $0.columns.contains(column) }) {
      let collation = choices.chance(20) ? with(.collation, " COLLATE NOCASE") : ""
      return (with(.resultWithoutAlias, item + collation), column)
    }
    let name = choices.pick(["a", "b", "c", "e"])
    let alias = choices.chance(25) && !names.contains(name) ? name : newName("e")
    return ("\(item) AS \(alias)", alias)
  }
}
