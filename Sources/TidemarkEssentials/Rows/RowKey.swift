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
    // They are not retained for it when they are those of the row itself (Benchmarks: `read 6 columns: by name`).
    if let layout = row.layout { index(in: layout.columns, row.hint) } else { index(in: row.baseColumns, row.hint) }
  }

  @inlinable @inline(__always)
  func index(in columns: ColumnNames, _ hint: borrowing Atomic<Int>) -> Int? {
    guard let index = columns.index(of: self, hint: hint.load(ordering: .relaxed)) else { return nil }
    let next = index + 1
    hint.store(next < columns.count ? next : 0, ordering: .relaxed)
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
