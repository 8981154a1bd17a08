public import Synchronization

/// A key that identifies a column of a row: an index, a name, or a column.
///
/// Do not adopt this protocol.
public protocol RowKey {
  /// Returns the index of the column, or nil if the row does not have it.
  ///
  /// Implementation detail; do not call it.
  func _index(in row: Row) -> Int?

  /// Returns the error of a row that does not have the column.
  ///
  /// Implementation detail; do not call it.
  func _missing(in row: Row) -> RowDecodingError
}

extension Int: RowKey {
  /// Implementation detail; do not call it.
  @inlinable
  public func _index(in row: Row) -> Int? { self >= 0 && self < row.count ? self : nil }

  /// Implementation detail; do not call it.
  public func _missing(in row: Row) -> RowDecodingError {
    RowDecodingError("column index out of range: \(self)", row: row)
  }
}

extension String: RowKey {
  /// Implementation detail; do not call it.
  @inlinable
  public func _index(in row: Row) -> Int? {
    // The branch avoids a retain of the columns if the row has no layout (benchmark `read 6 columns: by name`).
    if let layout = row.layout { index(in: layout.columns, row.hint) } else { index(in: row.baseColumns, row.hint) }
  }

  @inlinable @inline(__always)
  func index(in columns: ColumnNames, _ hint: borrowing Atomic<Int>) -> Int? {
    guard let index = columns.index(of: self, hint: hint.load(ordering: .relaxed)) else { return nil }
    let next = index + 1
    hint.store(next < columns.count ? next : 0, ordering: .relaxed)
    return index
  }

  /// Implementation detail; do not call it.
  public func _missing(in row: Row) -> RowDecodingError {
    RowDecodingError("column not found: \(String(reflecting: self))", row: row)
  }
}

extension ColumnExpression {
  /// Implementation detail; do not call it.
  @inlinable
  public func _index(in row: Row) -> Int? { name._index(in: row) }

  /// Implementation detail; do not call it.
  public func _missing(in row: Row) -> RowDecodingError { name._missing(in: row) }
}

extension Column: RowKey {}
