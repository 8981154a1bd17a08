/// What a statement is about to do to a table.
public enum DatabaseEventKind: Sendable, Hashable {
  /// Rows are inserted.
  case insert(tableName: String)

  /// Rows are deleted.
  case delete(tableName: String)

  /// Some columns of rows are updated.
  case update(tableName: String, columnNames: Set<String>)

  /// The table.
  public var tableName: String {
    switch self {
    case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
    }
  }
}
