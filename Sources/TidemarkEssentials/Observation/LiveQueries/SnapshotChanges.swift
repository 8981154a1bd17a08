/// Facts about the snapshot from which a query is fetched.
struct SnapshotChanges {
  /// For a query that is updated row by row: the rows that have changed since its last fetch.
  var rows = ChangedRows.any

  /// For a query that is updated row by row: it differs from the last fetch if there were external commits meanwhile.
  var externalCommitCount: Int64 = 0

  /// Whether only these rows have changed, if the number is the same.
  var isComplete = false

  /// For a query that reports it: the version of the snapshot, or an earlier one; nil if it is unknown.
  var version: DatabaseVersion?
}
