import Tidemark

/// Composes random queries on the tables of a schema.
struct QueryGenerator {
  /// The rows of a selection that `ORDER BY` arranges.
  enum Order {
    case any
    /// The order and limit may depend on some columns only.
    case partial
    /// The order depends on all columns.
    case complete
  }

  struct Selection {
    var sql: String
    /// The names of its columns, without duplicates.
    var columns: [String]
  }

  let choices: RandomChoices
  let tables: [ShapeTable]
  var allowsParameters = true

  /// The shapes of the composed query.
  var shapes: Set<Shape> = []
  var arguments: [DatabaseValue] = []
  var readTables: [String] = []

  /// The common table expressions that the current selection may read.
  var commonTables: [ShapeSource] = []
  private var nameCount = 0

  init(_ choices: RandomChoices, tables: [ShapeTable]) {
    self.choices = choices
    self.tables = tables
  }

  mutating func makeQuery() -> ShapeQuery {
    if choices.chance(20) {
      var requests = RequestGenerator(choices, tables: tables)
      var query = requests.makeQuery()
      setObservation(of: &query)
      if !query.countsRows, choices.chance(20) { setDifferences(of: &query, .differencesByRow) }
      return query
    }
    (shapes, arguments, readTables) = ([], [], [])
    allowsParameters = choices.chance(60)
    let order: Order = choices.chance(50) ? .complete : .any
    let isOfOneTable = choices.chance(12)
    let sql =
      isOfOneTable ? rowsOfOneTable() : select(depth: choices.pick([0, 0, 1, 1, 1, 2, 2]), order: order).sql
    var query = ShapeQuery(
      sql: sql, arguments: arguments, shapes: shapes, tables: readTables,
      isOrdered: order == .complete && !isOfOneTable)
    setObservation(of: &query)
    if isOfOneTable, choices.chance(70) { setDifferences(of: &query, .differencesByRow) }
    return query
  }

  private func setDifferences(of query: inout ShapeQuery, _ observation: ShapeQuery.Observation) {
    (query.observation, query.second, query.extent) = (observation, nil, .all)
    query.shapes.subtract([
      .constantRegion, .givenRegion, .sharedObservation, .sharedDifferences, .twoQueries, .firstRow, .firstRowOfCursor,
    ])
    query.shapes.insert(.differences)
  }

  /// Returns a query of one table, whose changed rows often can be fetched one by one.
  private mutating func rowsOfOneTable() -> String {
    let candidates = tables.filter { $0.kind == .table }
    let (table, alias) = (choices.pick(candidates.filter(\.hasRowID) + candidates), newName("t_"))
    read(table)
    let source = ShapeSource(name: alias, columns: table.columns.map(\.name), hasRowID: table.hasRowID)
    let items = (0..<1 + choices.below(3)).map { _ in column([[source]]) }
    let list = choices.chance(30) ? with(.allColumns, "*") : items.joined(separator: ", ")
    let condition = choices.chance(50) ? " WHERE \(condition(depth: choices.below(2), [[source]]))" : ""
    let terms = (0..<choices.below(3)).map { _ in
      let collation =
        choices.chance(25) ? with(.collation, " COLLATE \(choices.pick(["NOCASE", "RTRIM", "BINARY"]))") : ""
      return column([[source]]) + collation + choices.pick(["", "", " ASC", " DESC"])
    }
    let order = terms.isEmpty ? "" : with(.orderBy, " ORDER BY \(terms.joined(separator: ", "))")
    return "SELECT \(list) FROM \(table.sql) AS \(alias)\(condition)\(order)"
  }

  private mutating func setObservation(of query: inout ShapeQuery) {
    switch choices.below(20) {
    case 0, 1: (query.observation, query.shapes) = (.constantRegion, query.shapes.union([.constantRegion]))
    case 2, 3: (query.observation, query.shapes) = (.givenRegion, query.shapes.union([.givenRegion]))
    case 4, 5: (query.observation, query.shapes) = (.shared, query.shapes.union([.sharedObservation]))
    case 6 where !query.countsRows: return setDifferences(of: &query, .differences)
    case 7 where !query.countsRows:
      setDifferences(of: &query, .sharedDifferences)
      query.shapes.insert(.sharedDifferences)
      return
    case 8, 9:
      if query.countsRows || query.shapes.isDisjoint(with: [.orderBy, .requestLimit]) { break }
      // A cursor cannot prefetch rows.
      query.extent = query.shapes.contains(.prefetchedAssociation) ? .first : choices.pick([.first, .firstOfCursor])
      query.shapes.insert(query.extent == .first ? .firstRow : .firstRowOfCursor)
    default: break
    }
    guard query.observation != .givenRegion, choices.chance(15) else { return }
    let table = choices.pick(tables)
    query.shapes.insert(.twoQueries)
    query.second = "SELECT count(*), max(\(choices.pick(table.columns).sql)) FROM \(table.sql)"
  }

  /// Returns a name that no other part of the query has.
  mutating func newName(_ prefix: String) -> String {
    nameCount += 1
    return "\(prefix)\(nameCount)"
  }

  /// Returns a part of a query, which has a shape.
  mutating func with(_ shape: Shape, _ sql: String) -> String {
    shapes.insert(shape)
    return sql
  }

  // MARK: - Selections

  /// - Parameters:
  ///   - depth: The number of levels of subqueries.
  ///   - columnCount: The number of columns; nil for any.
  ///   - scope: The tables of the enclosing queries.
  mutating func select(
    depth: Int, columnCount: Int? = nil, scope: ShapeScope = [], order: Order = .partial
  ) -> Selection {
    let outerTables = commonTables
    defer { commonTables = outerTables }
    let prefix = depth > 0 && choices.chance(15) ? commonTableExpressions(depth: depth) : ""
    if order == .partial, choices.chance(3) {
      let count = columnCount ?? 2
      let rows = (0..<2).map { _ in "(\((0..<count).map { _ in constant() }.joined(separator: ", ")))" }
      let columns = (1...count).map { "column\($0)" }
      return Selection(sql: prefix + with(.values, "VALUES \(rows.joined(separator: ", "))"), columns: columns)
    }
    let isCompound = depth > 0 && choices.chance(15)
    let core = core(
      depth: depth, columnCount: columnCount, scope: scope,
      allowsAllColumns: columnCount == nil && order != .complete && !isCompound)
    var sql = core.selection.sql
    if isCompound {
      for _ in 0..<1 + choices.below(2) {
        let next = self.core(
          depth: depth - 1, columnCount: core.selection.columns.count, scope: scope, allowsAllColumns: false)
        sql += " \(compoundOperator()) \(next.selection.sql)"
      }
    }
    sql += ordering(of: core.selection, sources: isCompound ? [] : core.sources, order)
    return Selection(sql: prefix + sql, columns: core.selection.columns)
  }

  private mutating func compoundOperator() -> String {
    switch choices.below(5) {
    case 0, 1: with(.unionAll, "UNION ALL")
    case 2: with(.union, "UNION")
    case 3: with(.except, "EXCEPT")
    default: with(.intersect, "INTERSECT")
    }
  }

  /// Returns `ORDER BY` and `LIMIT`.
  ///
  /// - Parameter sources: The tables by whose columns the rows may be ordered; none in a compound selection.
  private mutating func ordering(of selection: Selection, sources: [ShapeSource], _ order: Order) -> String {
    if order == .any || order == .partial && !choices.chance(15) { return "" }
    var terms: [String] = []
    for _ in 0..<1 + choices.below(2) {
      let term = sources.isEmpty ? "\(1 + choices.below(selection.columns.count))" : column([sources])
      let collation = choices.chance(10) ? with(.collation, " COLLATE NOCASE") : ""
      terms.append(term + collation + choices.pick(["", "", " DESC", " DESC", " NULLS LAST", " DESC NULLS FIRST"]))
    }
    if order == .complete { terms += selection.columns.indices.map { "\($0 + 1) COLLATE BINARY" } }
    var sql = with(.orderBy, " ORDER BY \(terms.joined(separator: ", "))")
    if choices.chance(50) {
      sql += with(.limit, " LIMIT \(1 + choices.below(4))")
      if choices.chance(25) { sql += with(.offset, " OFFSET \(1 + choices.below(2))") }
    }
    return sql
  }

  /// Returns a selection without `WITH`, compound operators and order.
  private mutating func core(
    depth: Int, columnCount: Int?, scope: ShapeScope, allowsAllColumns: Bool
  ) -> (selection: Selection, sources: [ShapeSource]) {
    let from = from(depth: depth, scope: scope, maxCount: (depth > 0 ? 2 : 1) + (scope.isEmpty ? 1 : 0))
    let inner = [from.sources] + scope
    if allowsAllColumns, choices.chance(30) {
      let columns = from.sources.flatMap(\.columns).uniqued
      let condition = choices.chance(70) ? " WHERE \(condition(depth: depth, inner))" : ""
      let sql = with(.allColumns, "SELECT * FROM \(from.sql)\(condition)")
      return (Selection(sql: sql, columns: columns), from.sources)
    }
    let (items, grouping) = items(depth: depth, count: columnCount ?? 1 + choices.below(3), inner)
    var (columns, results): ([String], [String]) = ([], [])
    for item in items {
      let (sql, name) = result(item, columns, of: from.sources)
      results.append(sql)
      columns.append(name)
    }
    let list = results.joined(separator: ", ")
    let distinct = choices.chance(8) ? with(.distinct, "DISTINCT ") : ""
    let condition = choices.chance(70) ? " WHERE \(condition(depth: depth, inner))" : ""
    let sql = "SELECT \(distinct)\(list) FROM \(from.sql)\(condition)\(grouping)"
    return (Selection(sql: sql, columns: columns), from.sources)
  }

  /// Returns the expressions of a selection, and its `GROUP BY`.
  private mutating func items(depth: Int, count: Int, _ scope: ShapeScope) -> (items: [String], grouping: String) {
    let own = [scope[0]]
    switch choices.below(100) {
    case 0..<14:
      let group = choices.chance(80) ? column(own) : scalar(depth: 1, own)
      let items = (0..<count).map { number in
        number == 0 && choices.chance(60) || choices.chance(25) ? group : aggregate(own)
      }
      var grouping = with(.groupBy, " GROUP BY \(group)")
      if choices.chance(40) {
        grouping += with(.having, " HAVING \(aggregate(own)) \(choices.pick([">", "=", "<"])) \(constant())")
      }
      return (items, grouping)
    case 14..<24: return ((0..<count).map { _ in aggregate(own) }, "")
    case 24..<32: return windows(count: count, own)
    default:
      let items = (0..<count).map { _ in
        choices.chance(70) ? column(own) : scalar(depth: min(depth, 2), scope)
      }
      return (items, "")
    }
  }

  mutating func aggregate(_ scope: ShapeScope) -> String {
    shapes.insert(.aggregate)
    switch choices.below(9) {
    case 0, 1: return "count(*)"
    case 2: return "count(\(column(scope)))"
    case 3: return "max(\(column(scope)))"
    case 4: return "min(\(column(scope)))"
    case 5: return "sum(\(column(scope)) % 1000)"
    case 6: return "count(DISTINCT \(column(scope)))"
    case 7: return "total(CAST(\(column(scope)) AS INTEGER) % 1000)"
    default: return with(.filteredAggregate, "count(*) FILTER (WHERE \(condition(depth: 0, scope)))")
    }
  }

  /// Returns expressions of which the first ones are window functions, and the clause that names their window.
  private mutating func windows(count: Int, _ scope: ShapeScope) -> (items: [String], grouping: String) {
    if choices.chance(70) { return ((0..<count).map { $0 == 0 ? window(scope) : column(scope) }, "") }
    let items = (0..<count).map { $0 < 2 ? "\(windowFunction(scope)) OVER w" : column(scope) }
    return (items, with(.namedWindow, " WINDOW w AS (ORDER BY \(column(scope)), \(column(scope)))"))
  }

  private mutating func windowFunction(_ scope: ShapeScope) -> String {
    let argument = column(scope)
    if choices.chance(60) {
      return choices.pick([
        "rank()", "dense_rank()", "count(\(argument))", "max(\(argument))", "min(\(argument))",
        "sum(\(argument) % 100)",
      ])
    }
    // Rows with equal terms have any order, but many rows differ.
    let function = choices.pick([
      "row_number()", "percent_rank()", "cume_dist()", "ntile(2)", "lag(\(argument))", "lead(\(argument), 1, 7)",
      "first_value(\(argument))", "last_value(\(argument))", "nth_value(\(argument), 2)",
      "count(\(argument)) FILTER (WHERE \(condition(depth: 0, scope)))",
    ])
    return with(.windowFunction, function)
  }

  private mutating func window(_ scope: ShapeScope) -> String {
    let function = windowFunction(scope)
    let frame = choices.pick(["", "", " RANGE UNBOUNDED PRECEDING EXCLUDE TIES", " GROUPS 1 PRECEDING"])
    let partition = choices.chance(50) ? "PARTITION BY \(column(scope)) " : ""
    return with(
      .window, "\(function) OVER (\(partition)ORDER BY \(column(scope))\(choices.pick(["", " DESC"]))\(frame))")
  }
}

extension [String] {
  /// The elements without repetitions, in their order.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
