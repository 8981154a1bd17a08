// Fetching the rows of associations that requests include with `including(all:)`.
//
// The rows of the request are fetched first. Then each association is fetched by one query for all these rows: the
// values of the foreign key are collected from the rows, and select the associated rows. Each associated row contains
// the columns that lead back to its row in additional columns, `grdb_authorId`. If the foreign key has several columns,
// the values are in a common table expression, `grdb_base`. A request that has the same rows again is this expression
// itself.
//
// An association is prefetched through other tables in two cases: it is defined so, or it belongs to a joined table. In
// both cases, the associated table is joined backwards to the table next to the request's table, the pivot.
//
// Associated rows can have associated rows, which their own query prefetches.

/// A path from a relation to rows that are fetched by a query of their own.
struct Prefetch {
  /// The associations on the way. The last one is of the kind `all`.
  var steps: [SQLRelationChild]

  var keys: [String] { steps.map(\.key) }
}

extension SQLRelation {
  /// The rows to fetch along with the rows of the relation, in the order of the associations.
  var prefetches: [Prefetch] {
    children.flatMap { child -> [Prefetch] in
      if child.kind == .all { return [Prefetch(steps: [child])] }
      return child.relation.prefetches.map { prefetch in
        // The path itself joins the next table. A second join of it would repeat the prefetched rows.
        var child = child
        child.relation.children.removeAll { $0.key == prefetch.steps[0].key }
        return Prefetch(steps: [child] + prefetch.steps)
      }
    }
  }
}

extension Prefetch {
  /// Returns the columns that lead from a row of the request to the rows of the pivot.
  func columns(_ db: Database) throws -> [(left: String, right: String)] {
    guard case .columns(let columns) = steps[0].condition else {
      preconditionFailure(
        "Not implemented: prefetch association without any foreign key. Use including(optional:) or a second request.")
    }
    return try columns.pairs(db)
  }

  /// Returns the query of the associated rows.
  ///
  /// - Parameters:
  ///   - pivotFilter: Returns a condition on columns of the pivot. Nil means all rows.
  ///   - pivotColumns: The columns of the pivot that are added to the selection.
  func relation(
    where pivotFilter: (@Sendable (Database) throws -> SQLExpression)?, adding pivotColumns: [String] = []
  ) -> SQLRelation {
    func filter(_ relation: inout SQLRelation) {
      if let pivotFilter { relation.filters.append { db, _ in try pivotFilter(db) } }
    }
    var relation = steps[steps.count - 1].relation
    if steps.count == 1 {
      filter(&relation)
      relation.add(pivotColumns: pivotColumns.map { ($0, .column($0)) }, isPivot: true)
      return relation
    }
    let alias = TableAliasBase(userName: nil)
    var pivot = steps[0].relation.joiningOnly
    pivot.source = pivot.source.aliased(alias)
    filter(&pivot)
    for step in steps.dropFirst().dropLast() {
      var middle = step.relation.joiningOnly
      middle.children.append(step.backwards(to: pivot))
      pivot = middle
    }
    relation.children.append(steps[steps.count - 1].backwards(to: pivot))
    relation.add(pivotColumns: pivotColumns.map { ($0, alias[$0]) }, isPivot: false)
    return relation
  }
}

extension SQLRelation {
  /// Adds columns of the pivot to the selection, and to the grouping if there is one: associated rows of different rows
  /// of the request are not in one group.
  ///
  /// - Parameter isPivot: Whether this relation is the pivot. If each group is one of its rows, no columns are added.
  fileprivate mutating func add(pivotColumns columns: [(name: String, expression: SQLExpression)], isPivot: Bool) {
    if columns.isEmpty { return }
    selection.append { _, _ in columns.map { .named($0.expression, "grdb_\($0.name)") } }
    guard let grouping else { return }
    self.grouping = { db, relation in
      let expressions = try grouping(db, relation)
      if try expressions.isEmpty || isPivot && relation.containsKey(expressions, db) { return expressions }
      return expressions + columns.map(\.expression)
    }
  }

  /// Whether expressions contain all columns that identify a row of the table.
  private func containsKey(_ expressions: [SQLExpression], _ db: Database) throws -> Bool {
    let tableName = source.tableName
    guard source.commonTable == nil, let table = try db.catalogTable(tableName), try table.hasKey(db) else {
      return false
    }
    let names = expressions.compactMap {
      if case .column(let name, of: .currentRelation) = $0.node { name.asciiLowercased } else { nil }
    }
    return try db.cheapestKeyColumns(of: tableName).allSatisfy { names.contains($0.asciiLowercased) }
  }
}

extension SQLRelation {
  /// Whether the relation has the same rows if it runs again, and selects other columns.
  ///
  /// Conditions and groups can depend on a selected expression, by its name, or as the row of a group depends on `MAX`.
  /// Nothing refers to the columns of a pivot by their names.
  fileprivate func hasSameRowsAgain(_ db: Database) throws -> Bool {
    guard limit == nil else { return false }
    let selectsStoredColumns = try resolvedSelection(db).allSatisfy { selection in
      switch selection.node {
      case .allColumns, .deferred: true
      case .expression(let expression, let name):
        if case .column = expression.node { name?.hasPrefix("grdb_") ?? true } else { false }
      case .literal: false
      }
    }
    guard selectsStoredColumns else { return false }
    return try children.allSatisfy { try !$0.kind.isJoined || $0.relation.hasSameRowsAgain(db) }
  }
}

extension SQLRelationChild {
  /// The key of the join from an associated table back to the pivot. It differs from the keys of the program, so that
  /// the join is not merged with a join of the program.
  private static let pivotKey = "grdb_pivot"

  /// Returns a join from the table of this child to its parent.
  fileprivate func backwards(to parent: SQLRelation) -> SQLRelationChild {
    SQLRelationChild(key: Self.pivotKey, kind: .required, condition: condition.reversed, relation: parent)
  }
}

// MARK: - Running

extension SQLRelation {
  /// Returns the fetch of the associated rows, or nil if there are none to fetch.
  func supplementaryFetch() -> SupplementaryFetch? {
    let prefetches = prefetches
    if prefetches.isEmpty { return nil }
    return SupplementaryFetch(
      fetch: { db, rows in
        if rows.count == 0 { return }
        for prefetch in prefetches { try prefetch.complete(rows, of: self, db) }
      },
      region: { db in
        try prefetches.reduce(into: DatabaseRegion()) { region, prefetch in
          let columns = try prefetch.columns(db).map(\.right)
          let request = QueryInterfaceRequest<Row>(prefetch.relation(where: nil, adding: columns))
          region.formUnion(try request.databaseRegion(db))
        }
      },
      requests: { db, rows in
        if rows.count == 0 { return [] }
        return try prefetches.flatMap { prefetch in
          try prefetch.requests(for: rows, of: self, db).map {
            SupplementaryFetch.Request(keys: prefetch.keys, request: $0)
          }
        }
      })
  }
}

extension Prefetch {
  /// Fetches the associated rows of the rows of a relation.
  fileprivate func complete(_ rows: StoredRows, of base: SQLRelation, _ db: Database) throws {
    let columns = try columns(db)
    let keys = PrefetchKeys(of: rows, columns: try indexes(of: columns.map(\.left), in: rows))
    let requests = try requests(for: keys, columns, of: base, db)
    let fetched = try observing(keys, of: columns.map(\.right), db) { try fetch(requests, db) }
    guard let fetched else { return }
    // The rows that they prefetch in turn are observed on their own.
    try fetched.last.complete(fetched.rows)
    rows.prefetched.set(keys.groups(of: fetched.rows, width: columns.count), at: self.keys[...])
  }

  /// Returns the positions of the columns that lead to the associated rows.
  ///
  /// A column may be missing although the program selects all columns: another process may have renamed it.
  private func indexes(of columns: [String], in rows: StoredRows) throws -> [Int] {
    try columns.map { column in
      guard let index = rows.visibleColumns.index(of: column) else {
        let message =
          "Missing column: \(column). A request that prefetches associated rows selects the columns that lead to them."
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
      }
      return index
    }
  }

  /// Fetches the rows of some requests, without those that they prefetch.
  private func fetch(
    _ requests: [QueryInterfaceRequest<Row>], _ db: Database
  ) throws -> (rows: StoredRows, last: PreparedRequest)? {
    var fetched: (rows: StoredRows, last: PreparedRequest)?
    for request in requests {
      let prepared = try request.makePreparedRequest(db, forSingleResult: false)
      fetched = (try prepared.storedRows(appendedTo: fetched?.rows), prepared)
    }
    return fetched
  }

  /// Returns the requests of the associated rows of the rows of a relation.
  fileprivate func requests(
    for rows: StoredRows, of base: SQLRelation, _ db: Database
  ) throws -> [QueryInterfaceRequest<Row>] {
    let columns = try columns(db)
    return try requests(
      for: PrefetchKeys(of: rows, columns: indexes(of: columns.map(\.left), in: rows)), columns, of: base, db)
  }

  /// Returns the requests of the associated rows with some keys. There is at least one, also without keys.
  private func requests(
    for keys: PrefetchKeys, _ columns: [(left: String, right: String)], of base: SQLRelation, _ db: Database
  ) throws -> [QueryInterfaceRequest<Row>] {
    if columns.count > 1, try base.hasSameRowsAgain(db) { return [request(withCompositeKey: columns, of: base)] }
    var requests: [QueryInterfaceRequest<Row>] = []
    // SQLite limits the number of arguments. The rows of one key come from one query, in the order of the query.
    let keyCountMax = Self.argumentsMax / columns.count
    var start = 0
    repeat {
      let end = min(start + keyCountMax, keys.count)
      requests.append(request(for: keys, in: start..<end, columns.map(\.right)))
      start = end
    } while start < keys.count
    return requests
  }

  /// The maximum number of key values in a query. The limit of SQLite is 32,766 by default.
  private static let argumentsMax = 30_000

  private func request(
    for keys: PrefetchKeys, in range: Range<Int>, _ columns: [String]
  ) -> QueryInterfaceRequest<Row> {
    if columns.count == 1 {
      let filter = keys.values(in: range).contains(Column(columns[0]))
      return QueryInterfaceRequest<Row>(relation(where: { _ in filter }, adding: columns))
    }
    if range.isEmpty { return QueryInterfaceRequest<Row>(relation(where: { _ in .value(false) }, adding: columns)) }
    let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
    let values = SQL(
      sql: "VALUES \(range.map { _ in row }.joined(separator: ", "))",
      arguments: StatementArguments(range.flatMap(keys.composite)))
    return request(withKeys: columns, in: .literal(values))
  }

  /// Returns a request that runs the request of the relation again.
  private func request(
    withCompositeKey columns: [(left: String, right: String)], of base: SQLRelation
  ) -> QueryInterfaceRequest<Row> {
    var base = base.selectingItsOwnColumns
    base.selection = [{ _, _ in columns.map { .expression(.column($0.left)) } }]
    base.isDistinct = false
    base.removeOrder()
    return request(withKeys: columns.map(\.right), in: .relation(base))
  }

  private func request(withKeys columns: [String], in keys: SQLSubquery) -> QueryInterfaceRequest<Row> {
    let table = SQLCommonTable(name: "grdb_base", columns: nil, isRecursive: false, definition: keys)
    let key = SQLExpression(.operation(.rowValue, columns.map { .column($0) }))
    let filter = SQLExpression.operation(.isInTable(table.name), key)
    var relation = relation(where: { _ in filter }, adding: columns)
    relation.commonTables.define(table)
    return QueryInterfaceRequest<Row>(relation)
  }

  /// Runs a fetch of the rows with some keys of several columns. An observation observes these rows only.
  ///
  /// The region of the query itself would have all rows of the associated table, because the keys are in a common table
  /// expression. A change of the keys changes the rows of the request, which are observed anyway.
  private func observing<Fetched>(
    _ keys: PrefetchKeys, of columns: [String], _ db: Database, _ fetch: () throws -> Fetched
  ) throws -> Fetched {
    guard columns.count > 1, db.readRecorder?.usesBounds == true, keys.count <= Self.observedKeysMax else {
      return try fetch()
    }
    let conditions = columns.enumerated().map { keys.values(at: $0.offset).contains(Column($0.element)) }
    let filter = keys.count == 0 ? SQLExpression.value(false) : .chain(.and, conditions)
    let observed = try QueryInterfaceRequest<Row>(relation(where: { _ in filter }, adding: columns))
      .makePreparedRequest(db, forSingleResult: false)
    return try db.recordingReads(of: observed.statement, insteadOf: fetch)
  }

  /// The maximum number of keys of which the rows are observed separately.
  private static let observedKeysMax = 200
}
