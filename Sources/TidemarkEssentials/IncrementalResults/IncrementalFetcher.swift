/// A result that is kept up with: what it is, and what of it was another one when its consumer last asked.
///
/// One thread fetches, another one asks for differences. What has changed is fetched outside of the lock, and put in
/// under it.
///
/// Invariants:
/// 1. The result is that of one state of the database.
/// 2. A difference leads from the result that the consumer has seen to the one there is, whatever there was between.
/// 3. What cannot be told of single rows is told by the whole result: it is fetched, and compared.
@usableFromInline
final class IncrementalFetcher<Element: Equatable & Sendable, ID: Hashable & Sendable>: Sendable {
  /// What the compiler makes for the type of the elements.
  @usableFromInline
  struct Functions: Sendable {
    let fetch: @Sendable (PreparedRequest, inout OrderedRowReader?) throws -> [Element]
    let difference: @Sendable ([Element], [Element]) -> KeyedDifference<Element>
    let id: @Sendable (Element) -> ID

    @usableFromInline
    init(
      fetch: @escaping @Sendable (PreparedRequest, inout OrderedRowReader?) throws -> [Element],
      difference: @escaping @Sendable ([Element], [Element]) -> KeyedDifference<Element>,
      id: @escaping @Sendable (Element) -> ID
    ) {
      (self.fetch, self.difference, self.id) = (fetch, difference, id)
    }
  }

  let request: any FetchRequest
  let functions: Functions
  private let state = Mutex(State())

  private struct State {
    var result = IncrementalResult<Element>()

    /// How rows are fetched one by one; nil when they are not.
    var plan: RowFetchPlan?

    /// What the text of the request was found to be.
    var analysis: TextAnalysis?
  }

  /// What the text of a request is, with some schema.
  struct TextAnalysis {
    var sql: String

    /// Those of the main and of the temporary schema, whose tables hide the others.
    var schemaVersions: [Int64]
    var query: IncrementalQuery?

    /// Those of the completed query.
    var columnNames: [String] = []
  }

  init(_ request: any FetchRequest, _ functions: Functions) {
    self.request = request
    self.functions = functions
  }

  // MARK: The thread that fetches

  /// Fetches what has changed.
  ///
  /// - returns: Whether there may be something to tell.
  func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> Bool {
    let (plan, count) = state.withLock { ($0.plan, $0.result.count) }
    if let plan, !db.compilation.redefinesOperators, let ids = plan.idsToFetch(snapshotChanges, count),
      let rows = try fetchRows(ids, plan, db)
    {
      return state.withLock { state in
        let replaced = state.result.update(rows)
        return (hasChanges: state.result.hasChanges, replaced)
      }.hasChanges
    }
    return try fetchAll(db, snapshotChanges)
  }

  /// The rows with some ids; nil when the result has to be fetched as a whole.
  private func fetchRows(
    _ ids: [Int64], _ plan: RowFetchPlan, _ db: Database
  ) throws -> [IncrementalResult<Element>.Change]? {
    let statement = try db.preparedStatement(sql: plan.query.rowSQL)
    var changes: [IncrementalResult<Element>.Change] = []
    for id in ids {
      var analysis: OrderedRowReader? = OrderedRowReader(plan.query, columnNames: plan.columnNames)
      do {
        let elements = try functions.fetch(plan.request(statement, forRow: id), &analysis)
        guard let analysis, analysis.isComplete else { return nil }
        changes.append(.init(id, elements.first, analysis.keys))
      } catch is OrderedRowReader.StaleColumns {
        return nil
      }
    }
    return changes
  }

  private func fetchAll(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> Bool {
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    let (elements, keys, plan) =
      try fetchInKnownOrder(prepared, db, snapshotChanges) ?? (fetchInStatementOrder(prepared), nil, nil)
    _ = state.withLock { state in
      defer { state.plan = plan }
      return (state.result.replace(elements, keys), state.plan)
    }
    return true
  }

  private func fetchInStatementOrder(_ prepared: PreparedRequest) throws -> [Element] {
    var noAnalysis: OrderedRowReader?
    return try functions.fetch(prepared, &noAnalysis)
  }

  /// The result, in an order that can be told; nil when there is none.
  private func fetchInKnownOrder(
    _ prepared: PreparedRequest, _ db: Database, _ snapshotChanges: SnapshotChanges
  ) throws -> ([Element], OrderedKeys?, RowFetchPlan?)? {
    guard !db.compilation.redefinesOperators, let text = try textAnalysis(prepared, db), let query = text.query else {
      return nil
    }
    let statement = try db.preparedStatement(sql: query.sql)
    let names = text.columnNames
    let plan = RowFetchPlan(
      query, prepared, columnNames: names, externalCommitCount: snapshotChanges.externalCommitCount)
    var analysis: OrderedRowReader? = OrderedRowReader(query, columnNames: names)
    do {
      let elements = try functions.fetch(plan.request(statement), &analysis)
      guard let analysis, analysis.isComplete else { return (elements, nil, nil) }
      return (elements, analysis.keys, plan)
    } catch is OrderedRowReader.StaleColumns {
      return nil
    }
  }

  private func textAnalysis(_ prepared: PreparedRequest, _ db: Database) throws -> TextAnalysis? {
    if prepared.supplementaryFetch != nil { return nil }
    let sql = prepared.preparedStatement.sql
    let versions = try [db.mainSchemaVersion(), db.temporarySchemaVersion()]
    if let known = state.withLock(\.analysis), known.sql == sql, known.schemaVersions == versions { return known }
    // SQLite learns of changes of the schema when it runs a statement, and those that were compiled before tell the
    // columns of before.
    _ = try db.internalRows("SELECT rootpage FROM sqlite_master LIMIT 1")
    var analysis = TextAnalysis(sql: sql, schemaVersions: versions)
    // What is completed may be more than SQLite takes: columns, or conditions in each other.
    if let query = try IncrementalQuery(db.compile(sql, isInternal: true), db),
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

  // MARK: The consumer

  /// What has changed since the last call: nil when that is nothing. The first one leads from nothing to the result.
  func takeDifference() -> KeyedDifference<Element>? {
    let (snapshotChanges, _) = state.withLock { state in
      let seen = state.result.seen
      return (state.result.takeChanges(by: functions.id), seen)
    }
    switch snapshotChanges {
    case nil: return nil
    case .first(let elements): return functions.difference([], elements)
    case .rows(let difference): return difference.isEmpty ? nil : difference
    case .all(let old, let new):
      let difference = functions.difference(old, new)
      return difference.isEmpty ? nil : difference
    }
  }
}
