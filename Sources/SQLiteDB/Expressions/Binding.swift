public import Tidemark

/// A type that SQLite stores natively: `Int64`, `Double`, `String` or ``Blob``; or `Int` or `Bool`, which are stored as
/// integers.
///
/// Do not conform your own types to this protocol. Conform them to ``Value``, which defines the binding that represents
/// a value.
public protocol Binding: Sendable {
  /// Not part of the public interface: the stored value.
  var _databaseValue: DatabaseValue { get }

  /// Not part of the public interface: decodes a stored value; nil if it has another type.
  static func _from(_ stored: DatabaseValue) -> Self?

  /// Not part of the public interface: converts a column of the current row, as SQLite does.
  static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Self?
}

extension Binding where Self: StatementColumnConvertible {
  /// Not part of the public interface: converts a column of the current row, as SQLite does.
  public static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Self? {
    Self(sqliteStatement: statement, index: index)
  }
}

/// A binding that supports arithmetic.
public protocol Number: Addable {}

/// A binding that supports `+`: numbers are added, strings are concatenated.
public protocol Addable: Binding {
  /// Not part of the public interface: the operator that represents `+` in SQL.
  static var _additionOperator: String { get }
}

extension Number {
  /// Not part of the public interface: the operator that represents `+` in SQL.
  public static var _additionOperator: String { "+" }
}

extension Int64: Number {
  /// Not part of the public interface: the INTEGER.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(self)) }

  /// Not part of the public interface: decodes an INTEGER.
  public static func _from(_ stored: DatabaseValue) -> Int64? {
    if case .int64(let integer) = stored.storage { integer } else { nil }
  }
}

extension Double: Number {
  /// Not part of the public interface: the REAL.
  public var _databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// Not part of the public interface: decodes a REAL, or an INTEGER that a `Double` can represent exactly.
  ///
  /// SQLite stores integral values of a NUMERIC column as integers, and the sum of integers is an integer.
  public static func _from(_ stored: DatabaseValue) -> Double? {
    switch stored.storage {
    case .double(let double): double
    case .int64(let integer): Double(exactly: integer)
    case .null, .string, .blob: nil
    }
  }
}

extension String: Addable {
  /// Not part of the public interface: the TEXT.
  public var _databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// Not part of the public interface: decodes a TEXT.
  public static func _from(_ stored: DatabaseValue) -> String? {
    if case .string(let text) = stored.storage { text } else { nil }
  }

  /// Not part of the public interface: `||`.
  public static var _additionOperator: String { "||" }
}

extension Bool: Binding {
  /// Not part of the public interface: the INTEGER 1 or 0.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

  /// Not part of the public interface: decodes an INTEGER; true if it is not 0.
  public static func _from(_ stored: DatabaseValue) -> Bool? { Int64._from(stored).map { $0 != 0 } }
}

extension Int: Number {
  /// Not part of the public interface: the INTEGER.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(Int64(self))) }

  /// Not part of the public interface: decodes an INTEGER.
  public static func _from(_ stored: DatabaseValue) -> Int? { Int64._from(stored).flatMap { Int(exactly: $0) } }
}

extension DatabaseValue {
  /// Creates the stored value of a binding; NULL for nil.
  init(_ binding: (any Binding)?) { self = binding?._databaseValue ?? .null }

  /// The value as one of the four native types; nil for NULL.
  var binding: (any Binding)? {
    switch storage {
    case .null: nil
    case .int64(let integer): integer
    case .double(let double): double
    case .string(let text): text
    case .blob(let data): Blob(bytes: [UInt8](data))
    }
  }
}
