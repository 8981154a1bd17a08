extension Row: Hashable {
  /// Whether both rows have the same columns, values, scopes and prefetched rows. Here the case of names
  /// counts, and it does not matter whether a row was fetched or made.
  public static func == (lhs: Row, rhs: Row) -> Bool {
    if lhs === rhs { return true }
    guard lhs.columnNames == rhs.columnNames, lhs.databaseValues == rhs.databaseValues else { return false }
    let names = lhs.scopes.names
    guard names == rhs.scopes.names, names.allSatisfy({ lhs.scopes[$0] == rhs.scopes[$0] }) else { return false }
    return lhs.prefetched == rhs.prefetched
  }

  /// Hashes the columns and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(columnNames)
    hasher.combine(databaseValues)
  }
}
