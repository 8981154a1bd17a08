/// A kind of change that a statement may make to a table.
public enum DatabaseEventKind: Sendable, Hashable {
  /// The statement inserts rows.
  case insert(tableName: String)

  /// The statement deletes rows.
  case delete(tableName: String)

  /// The statement updates columns of rows.
  case update(tableName: String, columnNames: Set<String>)

  /// The name of the table.
  public var tableName: String {
    switch self {
    case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
    }
  }
}
