extension Row: Hashable {
  /// Returns whether two rows have equal columns, values, scopes and prefetched rows. Names are case-sensitive. A
  /// fetched row can be equal to a row created from values.
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
