/// What the rows of a result become: the three questions that all fetches ask.
///
/// The fetching functions are written once, and know nothing of rows, values and records: each of these has a
/// decoding, which answers. You do not adopt this protocol.
public protocol RowDecoding {
  /// What a row becomes.
  associatedtype Element

  /// What a cursor shows for a row.
  static func _decode(_ row: Row) throws -> Element

  /// What an array keeps of a row, when the cursor has moved on.
  static func _decodeCopy(_ row: Row) throws -> Element

  /// What `fetchOne` answers when there is a row.
  static func _decodeOne(_ row: Row) throws -> Element?
}

extension RowDecoding {
  /// Not for you to call.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Element { try _decode(row) }

  /// Not for you to call.
  @inlinable
  public static func _decodeOne(_ row: Row) throws -> Element? { try _decodeCopy(row) }
}

/// A type that a whole row can become: a row, a record.
///
/// You do not adopt this protocol: `FetchableRecord` refines it, and answers.
public protocol RowDecodable {
  /// What a cursor shows for a row.
  ///
  /// Not for you to call.
  static func _decode(_ row: Row) throws -> Self

  /// What an array keeps of a row, when the cursor has moved on.
  ///
  /// Not for you to call.
  static func _decodeCopy(_ row: Row) throws -> Self
}

extension RowDecodable {
  /// Not for you to call.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Self { try _decode(row) }
}

/// Decodes rows and records.
public enum WholeRowDecoding<Element: RowDecodable>: RowDecoding {
  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) throws -> Element { try Element._decode(row) }

  /// Not for you to call.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Element { try Element._decodeCopy(row) }
}

// A cursor shows all its rows through one window, for speed. Kept rows are copies.
extension Row: RowDecodable {
  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) -> Row { row }

  /// Not for you to call.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Row { try row.checkedCopy() }
}
