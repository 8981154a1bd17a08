/// A row that changed, as far as it was captured.
struct RowChange: Sendable {
  enum Kind: UInt8, Sendable {
    case insert
    case delete
    case update
  }

  /// The table of the row.
  var table: TableKey

  var kind: Kind

  /// The row as it was; nil for an insert, or when nothing is known.
  var old: RowImage?

  /// The row as it is now; nil for a delete, or when nothing is known.
  var new: RowImage?

  /// The columns whose values are not the same any more, in lower case; `RowFilter.rowIDName` is among them when the
  /// row id is another one and no column. Nil when it is not known: then it may be any.
  var changedColumns: Set<String>?
}

/// A row, as far as it was captured.
struct RowImage: Sendable {
  /// The row id: nil in a table without, or when it is not known.
  var rowID: Int64?

  /// The values that were captured, by name of column in lower case.
  var values: [String: DatabaseValue] = [:]

  /// The value of a column, given in lower case: nil when it was not captured, so that it may be anything.
  func value(of column: String) -> DatabaseValue? { values[column] }
}
