/// What is known of the state that a query is fetched in.
struct StateNews {
  /// For a query that follows rows: those that have changed since it was last fetched.
  var rows = ChangedRows.any

  /// For a query that follows rows: another number than at its last fetch when others have committed meanwhile.
  var othersCount: Int64 = 0

  /// Whether nothing but these rows has changed, if the number is the same.
  var areAll = false

  /// For a query that tells it: that of the last commit of the state, or of one before; zero when it is not known.
  var commitNumber: UInt64 = 0
}
