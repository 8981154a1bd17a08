import Tidemark

/// A query from the user that has been checked.
struct Query: Hashable, Sendable {
  let sql: String

  /// Prepares the SQL without running it.
  ///
  /// - Throws: A description of the problem, in a sentence.
  init(_ sql: String, _ db: Database) throws {
    let statement = try db.makeStatement(sql: sql)
    guard statement.isReadonly else { throw QueryRefusal.writes }
    guard statement.columnCount > 0 else { throw QueryRefusal.hasNoResult }
    // Arguments cannot be entered.
    try statement.validateArguments(StatementArguments())
    self.sql = statement.sql
  }

  /// The SQL on one line, for display: each line break is replaced by a blank, together with the blanks around it.
  var title: String {
    sql.split(whereSeparator: \.isNewline).map { line in
      String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Creates a query without checking it.
  init(trusted sql: String) {
    self.sql = sql
  }

  /// Observes the rows of a page.
  ///
  /// - Parameter fetching: Called when the query starts to run.
  func observation(
    _ page: PageRequest, _ fetching: FetchClock
  ) -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<ResultPage>>> {
    ValueObservation.tracking { [sql] db in
      fetching.begin()
      defer { fetching.end() }
      return try ResultPage(db, sql: sql, page)
    }.removeDuplicates()
  }
}

/// Why a statement cannot be watched.
enum QueryRefusal: Error, CustomStringConvertible {
  case writes, hasNoResult

  var description: String {
    switch self {
    case .writes: "This statement writes. Only queries can be watched"
    case .hasNoResult: "This statement has no result. Only queries can be watched"
    }
  }
}

/// Formats an error in one line, for the author of the SQL.
func sentence(for error: any Error) -> String {
  if let error = error as? DatabaseError { return error.message ?? "\(error.extendedResultCode)" }
  return "\(error)"
}
