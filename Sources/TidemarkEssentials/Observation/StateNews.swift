/// Facts about the snapshot from which a query is fetched.
struct StateNews {
  /// For a query that is updated row by row: the rows that have changed since its last fetch.
  var rows = ChangedRows.any

  /// For a query that is updated row by row: it differs from the last fetch if there were external commits meanwhile.
  var othersCount: Int64 = 0

  /// Whether only these rows have changed, if the number is the same.
  var areAll = false

  /// For a query that reports it: the last commit of the snapshot, or an earlier one; zero if unknown.
  var commitNumber: UInt64 = 0
}
