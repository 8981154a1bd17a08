/// Fetches the result of a request: the changed rows if this is possible and cheaper, otherwise all rows.
///
/// Fetches are sequential. Rows are fetched outside of the lock of the result, and merged under it.
///
/// Invariants:
/// 1. The result belongs to one state of the database.
/// 2. If changes are not known row by row, the whole result is fetched and compared.
/// 3. The order is the order of the request's statement on the connection that fetches, also among rows with equal sort
///    keys. If SQLite may have chosen another query plan since, the whole result is fetched.
final class IncrementalFetcher<Element: Equatable & Sendable>: Sendable {
  /// Fetches and decodes rows. It is specialized for the type of the elements.
  typealias Fetch = @Sendable (PreparedRequest, inout OrderedRowReader?) throws -> [Element]

  private let request: any FetchRequest
  private let result: TrackedResult<Element>
  private let fetchElements: Fetch
  private let cost: RowFetchCost
  private let state = Mutex(State())

  private struct State {
    /// The last fetch of the whole result; nil before the first one.
    var last: WholeFetch?

    /// The analysis of the request's SQL.
    var analysis: TextAnalysis?
  }

  /// A fetch of the whole result.
  struct WholeFetch {
    /// The plan that fetches single rows; nil if there is none.
    var plan: RowFetchPlan?

    /// The number of instructions that SQLite executed.
    var instructionCount: Int
  }

  /// The analysis of a request's SQL for a schema.
  struct TextAnalysis {
    var sql: String

    /// The versions of the main and the temporary schema, whose tables hide other ones.
    var schemaVersions: [Int64]
    var query: IncrementalQuery?

    /// The column names of the completed query.
    var columnNames: [String] = []
  }

  init(
    _ request: any FetchRequest, _ result: TrackedResult<Element>, cost: RowFetchCost,
    _ fetchElements: @escaping Fetch
  ) {
    self.request = request
    self.result = result
    self.cost = cost
    self.fetchElements = fetchElements
  }

  // MARK: Fetching

  /// Fetches the changes.
  ///
  /// - Returns: Whether there may be a difference.
  func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> Bool {
    let last = state.withLock { $0.last }
    if let last, let plan = last.plan, !db.compilation.redefinesOperators,
      let ids = plan.idsToFetch(snapshotChanges), cost.allowsRows(ids.count, insteadOf: last.instructionCount),
      let rows = try fetchRows(ids, plan, db)
    {
      return result.update(rows)
    }
    let wasShort = last.map { !cost.allowsRows(1, insteadOf: $0.instructionCount) } ?? false
    return try fetchAll(db, snapshotChanges, isShort: wasShort)
  }

  /// Fetches the rows with some row IDs; nil if the whole result must be fetched.
  private func fetchRows(
    _ ids: [Int64], _ plan: RowFetchPlan, _ db: Database
  ) throws -> [IncrementalResult<Element>.Change]? {
    let statement = try db.preparedStatement(sql: plan.query.rowSQL)
    var changes: [IncrementalResult<Element>.Change] = []
    for id in ids {
      var analysis: OrderedRowReader? = OrderedRowReader(plan.query, columnNames: plan.columnNames)
      do {
        let elements = try fetchElements(plan.request(statement, forRow: id), &analysis)
        guard let analysis, analysis.isComplete else { return nil }
        changes.append(.init(id, elements.first, analysis.keys))
      } catch is OrderedRowReader.StaleColumns {
        return nil
      }
    }
    return try plan.hasOrderOfRequest(statement) ? changes : nil
  }

  /// - Parameter isShort: Whether its rows will not be fetched one by one, so that their keys are not needed.
  private func fetchAll(_ db: Database, _ snapshotChanges: SnapshotChanges, isShort: Bool) throws -> Bool {
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    let (elements, keys, fetch) =
      try (isShort ? nil : fetchInKnownOrder(prepared, db, snapshotChanges)) ?? fetchInStatementOrder(prepared)
    result.replace(elements, keys)
    _ = state.withLock { state in
      defer { state.last = fetch }
      return state.last
    }
    return true
  }

  private typealias FetchedResult = (elements: [Element], keys: OrderedKeys?, fetch: WholeFetch)

  private func fetchInStatementOrder(_ prepared: PreparedRequest) throws -> FetchedResult {
    let statement = prepared.preparedStatement
    var noAnalysis: OrderedRowReader?
    let (elements, count) = try statement.countingInstructions { try fetchElements(prepared, &noAnalysis) }
    return (elements, nil, WholeFetch(plan: nil, instructionCount: count))
  }

  /// Fetches the result in a known order; nil if the order is unknown.
  private func fetchInKnownOrder(
    _ prepared: PreparedRequest, _ db: Database, _ snapshotChanges: SnapshotChanges
  ) throws -> FetchedResult? {
    for canUseKnownAnalysis in [true, false] {
      guard !db.compilation.redefinesOperators,
        let text = try textAnalysis(prepared, db, canBeKnown: canUseKnownAnalysis), let query = text.query
      else { return nil }
      let statement = try db.preparedStatement(sql: query.sql)
      let names = text.columnNames
      let plan = RowFetchPlan(
        query, prepared, columnNames: names, externalCommits: snapshotChanges.externalCommits)
      var analysis: OrderedRowReader? = OrderedRowReader(query, columnNames: names)
      do {
        let (elements, count) = try statement.countingInstructions {
          try fetchElements(plan.request(statement), &analysis)
        }
        guard try plan.hasOrderOfRequest(statement) else { continue }
        guard let analysis, analysis.isComplete else {
          return (elements, nil, WholeFetch(plan: nil, instructionCount: count))
        }
        return (elements, analysis.keys, WholeFetch(plan: plan, instructionCount: count))
      } catch is OrderedRowReader.StaleColumns {
        return nil
      }
    }
    return nil
  }

  /// - Parameter canBeKnown: Whether the analysis may be an earlier one, perhaps from another connection.
  private func textAnalysis(_ prepared: PreparedRequest, _ db: Database, canBeKnown: Bool) throws -> TextAnalysis? {
    if prepared.supplementaryFetch != nil { return nil }
    let sql = prepared.preparedStatement.sql
    let versions = try [db.mainSchemaVersion(), db.temporarySchemaVersion()]
    if canBeKnown, let known = state.withLock({ $0.analysis }), known.sql == sql, known.schemaVersions == versions {
      return known
    }
    // SQLite notices schema changes when a statement runs. Statements that were compiled before report the former
    // columns.
    _ = try db.internalRows("SELECT rootpage FROM sqlite_master LIMIT 1")
    var analysis = TextAnalysis(sql: sql, schemaVersions: versions)
    // The completed query may exceed SQLite's limits for columns or for the depth of expressions.
    if let query = try IncrementalQuery(
      db.compile(sql, isInternal: true), prepared.currentArguments, db),
      let names = try? db.compile(query.sql, isInternal: true).columnNames,
      (try? db.compile(query.rowSQL, isInternal: true)) != nil
    {
      (analysis.query, analysis.columnNames) = (query, names)
    }
    _ = state.withLock { [analysis] state in
      defer { state.analysis = analysis }
      return state.analysis
    }
    return analysis
  }
}
