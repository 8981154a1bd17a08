/// Anything a row can become: a row, a value, an optional value, a record.
///
/// It is the reason the fetching methods are written once: they ask these three questions, and know
/// nothing of values and records. You do not adopt this protocol: `DatabaseValueConvertible` and
/// `FetchableRecord` refine it, and answer.
public protocol RowDecodable {
  /// What a cursor shows for a row.
  ///
  /// Not for you to call.
  static func _decode(_ row: Row) throws -> Self

  /// What an array keeps of a row, when the cursor has moved on.
  ///
  /// Not for you to call.
  static func _decodeKept(_ row: Row) throws -> Self

  /// What `fetchOne` answers when there is a row.
  ///
  /// Not for you to call.
  static func _decodeOne(_ row: Row) throws -> Self?
}

extension RowDecodable {
  /// Not for you to call.
  @inlinable
  public static func _decodeKept(_ row: Row) throws -> Self { try _decode(row) }

  /// Not for you to call.
  @inlinable
  public static func _decodeOne(_ row: Row) throws -> Self? { try _decodeKept(row) }
}

// A cursor shows all its rows through one window, for speed. Kept rows are copies.
extension Row: RowDecodable {
  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) -> Row { row }

  /// Not for you to call.
  @inlinable
  public static func _decodeKept(_ row: Row) throws -> Row { try row.kept() }
}
