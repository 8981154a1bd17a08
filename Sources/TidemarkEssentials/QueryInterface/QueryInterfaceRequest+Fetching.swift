extension QueryInterfaceRequest: FetchRequest {
  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { .relation(relation) }

  /// Returns a statement that is ready to run, with its arguments.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter singleResult: Whether the caller reads one row only. The query then ends with `LIMIT 1`, unless it has
  ///   a limit or its filter matches at most one row.
  /// - Returns: A prepared request.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the query.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    let query =
      if let printedQueries {
        try printedQueries.query(db, forSingleResult: singleResult) { try print(db, forSingleResult: singleResult) }
      } else {
        try print(db, forSingleResult: singleResult)
      }
    var request = PreparedRequest(try db.preparedStatement(sql: query.sql), query.arguments, boxed: query.adapter)
    request.supplementaryFetch = relation.supplementaryFetch()
    return request
  }

  private func print(_ db: Database, forSingleResult singleResult: Bool) throws -> PrintedQuery {
    try db.moduleState(QueryTexts.self).printed(
      SQLQuery(relation, db), db, for: singleResult ? .oneRow : .allRows)
  }

  /// The number of rows. None is decoded, and none sorted.
  ///
  /// - Parameter db: A connection.
  /// - Returns: The number of rows.
  /// - Throws: An error of the database.
  public func fetchCount(_ db: Database) throws -> Int {
    var query = try SQLQuery(relation, db)
    query.ordering = []
    if let counted = query.counted {
      query.selection = [.expression(counted)]
      query.isDistinct = false
      return try db.fetchInteger(query, for: .allRows)
    }
    return try db.fetchInteger(query, for: .count)
  }

  /// Fetches whether the request has no rows.
  ///
  /// SQLite stops at the first row, so this is faster than counting.
  ///
  /// ```swift
  /// let isFree = try Player.filter { $0.name == "Arthur" }.isEmpty(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: True if no row matches the request.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func isEmpty(_ db: Database) throws -> Bool {
    try db.fetchInteger(SQLQuery(relation, db), for: .existence) == 0
  }
}

extension Database {
  /// Fetches the integer that a query returns.
  fileprivate func fetchInteger(_ query: SQLQuery, for purpose: QueryTexts.Purpose) throws -> Int {
    let printed = try moduleState(QueryTexts.self).printed(query, self, for: purpose)
    let request = PreparedRequest(
      statement: try preparedStatement(sql: printed.sql), arguments: printed.arguments, adapter: nil)
    return try request.first(ValueDecoding<Int>.self) ?? 0
  }

  /// Returns the number of columns that a query selects.
  func columnCount(of relation: SQLRelation) throws -> Int {
    var relation = relation
    relation.ordering = []
    var printer = SQLPrinter(self)
    try printer.print(SQLQuery(relation, self))
    return try preparedStatement(sql: printer.sql).columnCount
  }
}

// MARK: - What a query finds

extension SQLQuery {
  /// The expression that counts the rows, or nil if the query must run as a subquery in order to count them.
  fileprivate var counted: SQLExpression? {
    guard joins.isEmpty, commonTables.isEmpty, limit == nil, grouping.isEmpty, having == nil else { return nil }
    guard !selection.contains(where: { $0.isOpaque }) else { return nil }
    guard !filterMayUseSelection else { return nil }
    guard isDistinct else { return .operation(.countAll) }
    guard selection.count == 1, case .expression(let expression, _) = selection[0].node else { return nil }
    return .operation(.countDistinct, expression)
  }

  /// Whether the filter may use a name that the selection gives, and that would be gone without it.
  private var filterMayUseSelection: Bool {
    let names = selection.compactMap { selection -> String? in
      if case .expression(_, let name?) = selection.node { name.asciiLowercased } else { nil }
    }
    guard let filter, !names.isEmpty else { return false }
    return filter.contains { node in
      switch node {
      case .column(let name, of: _): names.contains(name.asciiLowercased)
      // The content is unknown.
      case .literal, .subquery, .deferred, .operation(.isFound, _), .operation(.exists, _): true
      case .value, .operation, .table: false
      }
    }
  }
}

extension SQLSelection {
  /// Whether the selection can change the number of rows. Raw SQL is opaque, because it may contain an aggregate.
  fileprivate var isOpaque: Bool {
    switch node {
    case .allColumns, .deferred: false
    case .literal: true
    case .expression(let expression, _):
      expression.isAggregate
        || expression.contains { if case .literal = $0 { true } else { false } }
    }
  }
}

extension QueryInterfaceRequest {
  /// Returns the region that the request reads: tables, columns, and the rows that its filters allow, as far as they
  /// are known.
  ///
  /// ```swift
  /// try Player.filter(keys: [1, 2]).databaseRegion(db)    // player(id,name,score)[1,2]
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The region of the request.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the query.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let region = try makePreparedRequest(db, forSingleResult: false).databaseRegion
    return relation.limit == nil ? region.namingRowIDs() : region
  }
}
