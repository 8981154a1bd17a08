public import Synchronization

/// What can designate a column in a row: a position, a name, a column.
///
/// You do not adopt this protocol. Columns refine it.
public protocol RowKey {
  /// Where the column is, or nil when the row does not have it.
  ///
  /// Not for you to call.
  func _index(in row: Row) -> Int?

  /// The error of a row that does not have the column.
  ///
  /// Not for you to call.
  func _missing(in row: Row) -> RowDecodingError
}

extension Int: RowKey {
  /// Not for you to call.
  @inlinable
  public func _index(in row: Row) -> Int? { self >= 0 && self < row.count ? self : nil }

  /// Not for you to call.
  public func _missing(in row: Row) -> RowDecodingError {
    RowDecodingError("column index out of range: \(self)", row: row)
  }
}

extension String: RowKey {
  /// Not for you to call.
  @inlinable
  public func _index(in row: Row) -> Int? {
    let hint = row.hint.load(ordering: .relaxed)
    let columns = row.columns
    guard let index = columns.index(of: self, hint: hint) else { return nil }
    let next = index + 1
    row.hint.store(next < columns.count ? next : 0, ordering: .relaxed)
    return index
  }

  /// Not for you to call.
  public func _missing(in row: Row) -> RowDecodingError {
    RowDecodingError("column not found: \(String(reflecting: self))", row: row)
  }
}

extension ColumnExpression {
  /// Not for you to call.
  @inlinable
  public func _index(in row: Row) -> Int? { name._index(in: row) }

  /// Not for you to call.
  public func _missing(in row: Row) -> RowDecodingError { name._missing(in: row) }
}

extension Column: RowKey {}
