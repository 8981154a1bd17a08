/// How the rows of a result are fetched one by one.
struct RowFetchPlan: Sendable {
  let query: IncrementalQuery
  let columnNames: [String]
  private let arguments: StatementArguments
  private let adapter: (any RowAdapter)?
  private let externalCommits: Int64

  init(_ query: IncrementalQuery, _ prepared: PreparedRequest, columnNames: [String], externalCommits: Int64) {
    self.query = query
    self.columnNames = columnNames
    self.externalCommits = externalCommits
    arguments = prepared.currentArguments
    if let count = query.shownColumnCount {
      let shown = RangeRowAdapter(0..<count)
      adapter = prepared.adapter.map { ChainedRowAdapter(first: shown, second: $0) } ?? shown
    } else {
      adapter = prepared.adapter
    }
  }

  /// The IDs of the rows that have changed; nil if other rows may have changed.
  func idsToFetch(_ snapshotChanges: SnapshotChanges) -> [Int64]? {
    guard snapshotChanges.isComplete, snapshotChanges.externalCommits == externalCommits,
      case .some(let ids) = snapshotChanges.rows
    else { return nil }
    return ids.sorted()
  }

  /// Returns whether the result has the order of the request on a connection.
  ///
  /// - Parameter statement: A statement of the plan that has run in the current snapshot.
  func hasOrderOfRequest(_ statement: Statement) throws -> Bool {
    guard let scan = query.scan else { return true }
    return try statement.scanOrder(ofQuery: query.requestSQL, arguments) == scan
  }

  func request(_ statement: Statement) -> PreparedRequest {
    PreparedRequest(statement: statement, arguments: arguments, adapter: adapter)
  }

  func request(_ statement: Statement, forRow id: Int64) -> PreparedRequest {
    PreparedRequest(
      statement: statement, arguments: arguments &+ [IncrementalQuery.idArgument: id], adapter: adapter)
  }
}

extension PreparedRequest {
  /// The arguments of the next run.
  var currentArguments: StatementArguments { arguments ?? preparedStatement.argumentState.current }
}
