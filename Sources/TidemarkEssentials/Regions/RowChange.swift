/// The captured change of a row.
struct RowChange: Sendable {
  enum Kind: UInt8, Sendable {
    case insert
    case delete
    case update
  }

  /// The table of the row.
  var table: TableKey

  var kind: Kind

  /// The row before the change; nil for an insertion, or if it is unknown.
  var old: RowImage?

  /// The row after the change; nil for a deletion, or if it is unknown.
  var new: RowImage?

  /// The lowercase names of the columns whose values have changed, including `RowFilter.rowIDName` if a row ID without
  /// an alias has changed. Nil if the columns are unknown: any column may have changed.
  var changedColumns: Set<String>?
}

/// The captured values of a row.
struct RowImage: Sendable {
  /// The row ID; nil if the table has none, or if it is unknown.
  var rowID: Int64?

  /// The captured values by lowercase column name.
  var values: [String: DatabaseValue] = [:]

  /// Returns the value of a column with a lowercase name; nil if it was not captured.
  func value(of column: String) -> DatabaseValue? { values[column] }
}

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
