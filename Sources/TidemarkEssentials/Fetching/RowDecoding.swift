/// Decodes the rows of a result.
///
/// The fetching functions are generic over a decoding: rows, values and records have one each. Do not adopt this
/// protocol.
public protocol RowDecoding {
  /// The decoded type.
  associatedtype Element

  /// Decodes the current row of a cursor.
  static func _decode(_ row: Row) throws -> Element

  /// Decodes a row to an element that outlives the next step, for an array.
  static func _decodeCopy(_ row: Row) throws -> Element

  /// Decodes the row of `fetchOne`.
  static func _decodeOne(_ row: Row) throws -> Element?

  /// Whether rows that are fetched by other queries are decoded, too. A single value does not need them.
  static var _decodesPrefetchedRows: Bool { get }
}

extension RowDecoding {
  /// Not part of the public interface.
  @inlinable
  public static var _decodesPrefetchedRows: Bool { false }

  /// Not part of the public interface.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Element { try _decode(row) }

  /// Not part of the public interface.
  @inlinable
  public static func _decodeOne(_ row: Row) throws -> Element? { try _decodeCopy(row) }
}

/// A type that can be decoded from a whole row: a row, a record.
///
/// Do not adopt this protocol: `FetchableRecord` refines it, and implements its requirements.
public protocol RowDecodable {
  /// Decodes the current row of a cursor.
  ///
  /// Not part of the public interface.
  static func _decode(_ row: Row) throws -> Self

  /// Decodes a row to an element that outlives the next step, for an array.
  ///
  /// Not part of the public interface.
  static func _decodeCopy(_ row: Row) throws -> Self
}

extension RowDecodable {
  /// Not part of the public interface.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Self { try _decode(row) }
}

/// Decodes rows and records.
public enum WholeRowDecoding<Element: RowDecodable>: RowDecoding {
  /// Not part of the public interface.
  @inlinable
  public static var _decodesPrefetchedRows: Bool { true }

  /// Not part of the public interface.
  @inlinable
  public static func _decode(_ row: Row) throws -> Element { try Element._decode(row) }

  /// Not part of the public interface.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Element { try Element._decodeCopy(row) }
}

// For speed, a cursor returns all its rows through one window. Rows in arrays are copies.
extension Row: RowDecodable {
  /// Not part of the public interface.
  @inlinable
  public static func _decode(_ row: Row) -> Row { row }

  /// Not part of the public interface.
  @inlinable
  public static func _decodeCopy(_ row: Row) throws -> Row { try row.checkedCopy() }
}
