public import FoundationEssentials

/// A value as SQLite stores it: NULL, an integer, a double, a text or a blob.
///
/// Use it for the exact contents of a column, without a conversion:
///
/// ```swift
/// let dbValue: DatabaseValue = row["score"]
/// switch dbValue.storage {
/// case .null: print("nothing")
/// case .int64(let integer): print(integer)
/// case .double(let double): print(double)
/// case .string(let text): print(text)
/// case .blob(let data): print(data.count)
/// }
/// ```
///
/// Two database values are equal if SQLite considers them equal: the integer 1 and the double 1.0
/// are, the integer 1 and the text "1" are not. NULL is equal to NULL.
@frozen
public struct DatabaseValue: Sendable {
  /// The five storage classes of SQLite.
  @frozen
  public enum Storage: Sendable {
    /// NULL
    case null
    /// INTEGER
    case int64(Int64)
    /// REAL
    case double(Double)
    /// TEXT
    case string(String)
    /// BLOB
    case blob(Data)
  }

  /// The storage class and the value.
  public let storage: Storage

  /// Creates a database value from its storage.
  @inlinable
  public init(_ storage: Storage) {
    self.storage = storage
  }

  /// The NULL value.
  @inlinable
  public static var null: DatabaseValue { DatabaseValue(.null) }

  /// Whether this is NULL.
  @inlinable
  public var isNull: Bool {
    if case .null = storage { true } else { false }
  }
}
