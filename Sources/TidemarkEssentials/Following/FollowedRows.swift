/// A result that is kept up with: what it is, and what of it was another one when its consumer last asked.
///
/// One thread fetches, another one asks for differences. What has changed is fetched outside of the lock, and put in
/// under it.
///
/// Laws:
/// 1. The result is that of one state of the database.
/// 2. A difference leads from the result that the consumer has seen to the one there is, whatever there was between.
/// 3. What cannot be told of single rows is told by the whole result: it is fetched, and compared.
@usableFromInline
final class FollowedRows<Element: Equatable & Sendable, ID: Hashable & Sendable>: Sendable {
  /// What the compiler makes for the type of the elements.
  @usableFromInline
  struct Functions: Sendable {
    let fetch: @Sendable (PreparedRequest, inout RowReading?) throws -> [Element]
    let difference: @Sendable ([Element], [Element]) -> KeyedDifference<Element>
    let id: @Sendable (Element) -> ID

    @usableFromInline
    init(
      fetch: @escaping @Sendable (PreparedRequest, inout RowReading?) throws -> [Element],
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
    var result = FollowedResult<Element>()

    /// How rows are fetched one by one; nil when they are not.
    var plan: RowPlan?

    /// What the text of the request was found to be.
    var reading: TextReading?
  }

  /// What the text of a request is, with some schema.
  struct TextReading {
    var sql: String

    /// Those of the main and of the temporary schema, whose tables hide the others.
    var schemaVersions: [Int64]
    var query: RowwiseQuery?

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
  func fetch(_ db: Database, _ news: StateNews) throws -> Bool {
    let (plan, count) = state.withLock { ($0.plan, $0.result.count) }
    if let plan, !db.compilation.redefinesOperators, let ids = plan.idsToFetch(news, count),
      let rows = try fetchRows(ids, plan, db)
    {
      return state.withLock { state in
        let replaced = state.result.update(rows)
        return (hasNews: state.result.hasNews, replaced)
      }.hasNews
    }
    return try fetchAll(db, news)
  }

  /// The rows with some ids; nil when the result has to be fetched as a whole.
  private func fetchRows(
    _ ids: [Int64], _ plan: RowPlan, _ db: Database
  ) throws -> [FollowedResult<Element>.Change]? {
    let statement = try db.preparedStatement(sql: plan.query.rowSQL)
    var changes: [FollowedResult<Element>.Change] = []
    for id in ids {
      var reading: RowReading? = RowReading(plan.query, columnNames: plan.columnNames)
      do {
        let elements = try functions.fetch(plan.request(statement, forRow: id), &reading)
        guard let reading, reading.isComplete else { return nil }
        changes.append(.init(id, elements.first, reading.keys))
      } catch is RowReading.Outdated {
        return nil
      }
    }
    return changes
  }

  private func fetchAll(_ db: Database, _ news: StateNews) throws -> Bool {
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    let (elements, keys, plan) = try fetchInOrder(prepared, db, news) ?? (fetchInItsOrder(prepared), nil, nil)
    _ = state.withLock { state in
      defer { state.plan = plan }
      return (state.result.replace(elements, keys), state.plan)
    }
    return true
  }

  private func fetchInItsOrder(_ prepared: PreparedRequest) throws -> [Element] {
    var noReading: RowReading?
    return try functions.fetch(prepared, &noReading)
  }

  /// The result, in an order that can be told; nil when there is none.
  private func fetchInOrder(
    _ prepared: PreparedRequest, _ db: Database, _ news: StateNews
  ) throws -> ([Element], OrderedKeys?, RowPlan?)? {
    guard !db.compilation.redefinesOperators, let text = try textReading(prepared, db), let query = text.query else {
      return nil
    }
    let statement = try db.preparedStatement(sql: query.sql)
    let names = text.columnNames
    let plan = RowPlan(query, prepared, columnNames: names, othersCount: news.othersCount)
    var reading: RowReading? = RowReading(query, columnNames: names)
    do {
      let elements = try functions.fetch(plan.request(statement), &reading)
      guard let reading, reading.isComplete else { return (elements, nil, nil) }
      return (elements, reading.keys, plan)
    } catch is RowReading.Outdated {
      return nil
    }
  }

  private func textReading(_ prepared: PreparedRequest, _ db: Database) throws -> TextReading? {
    if prepared.supplementaryFetch != nil { return nil }
    let sql = prepared.preparedStatement.sql
    let versions = try [db.mainSchemaVersion(), db.temporarySchemaVersion()]
    if let known = state.withLock(\.reading), known.sql == sql, known.schemaVersions == versions { return known }
    // SQLite learns of changes of the schema when it runs a statement, and those that were compiled before tell the
    // columns of before.
    _ = try db.internalRows("SELECT rootpage FROM sqlite_master LIMIT 1")
    var reading = TextReading(sql: sql, schemaVersions: versions)
    // What is completed may be more than SQLite takes: columns, or conditions in each other.
    if let query = try RowwiseQuery(db.compile(sql, isInternal: true), db),
      let names = try? db.compile(query.sql, isInternal: true).columnNames,
      (try? db.compile(query.rowSQL, isInternal: true)) != nil
    {
      (reading.query, reading.columnNames) = (query, names)
    }
    _ = state.withLock { [reading] state in
      defer { state.reading = reading }
      return state.reading
    }
    return reading
  }

  // MARK: The consumer

  /// What has changed since the last call: nil when that is nothing. The first one leads from nothing to the result.
  func takeDifference() -> KeyedDifference<Element>? {
    let (news, _) = state.withLock { state in
      let seen = state.result.seen
      return (state.result.takeNews(by: functions.id), seen)
    }
    switch news {
    case nil: return nil
    case .first(let elements): return functions.difference([], elements)
    case .rows(let difference): return difference.isEmpty ? nil : difference
    case .all(let old, let new):
      let difference = functions.difference(old, new)
      return difference.isEmpty ? nil : difference
    }
  }
}
