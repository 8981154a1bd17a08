import Tidemark

/// A query that somebody has given, found to be one.
struct Query: Hashable, Sendable {
  let sql: String

  /// Looks at the SQL without running it.
  ///
  /// - throws: What is wrong with it, in a sentence.
  init(_ sql: String, _ db: Database) throws {
    let statement = try db.makeStatement(sql: sql)
    guard statement.isReadonly else { throw QueryRefusal.writes }
    guard statement.columnCount > 0 else { throw QueryRefusal.hasNoResult }
    // Nobody gives arguments.
    try statement.validateArguments(StatementArguments())
    self.sql = statement.sql
  }

  /// The SQL on one line, to be shown: line breaks and what is around them are blanks.
  var title: String {
    sql.split(whereSeparator: \.isNewline).map { line in
      String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// A query that is known to be one.
  init(trusted sql: String) {
    self.sql = sql
  }

  /// The rows of a page, live.
  ///
  /// - parameter fetching: Is told when the query runs.
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

/// Why a statement is not watched.
enum QueryRefusal: Error, CustomStringConvertible {
  case writes, hasNoResult

  var description: String {
    switch self {
    case .writes: "This statement writes. Only queries can be watched"
    case .hasNoResult: "This statement has no result. Only queries can be watched"
    }
  }
}

/// An error in one line, for people who have written the SQL themselves.
func sentence(for error: any Error) -> String {
  if let error = error as? DatabaseError { return error.message ?? "\(error.extendedResultCode)" }
  return "\(error)"
}
