public import Tidemark

/// A type that is given to SQLite, and read from it, as it is: `Int64`, `Double`, `String`, `Blob`, and those that are
/// written as one of them, `Int` and `Bool`.
///
/// Do not adopt it: a type of yours adopts `Value`, which says what binding stands for it.
public protocol Binding: Sendable {
  /// Not for you to call: the value as it is stored.
  var _databaseValue: DatabaseValue { get }

  /// Not for you to call: the value out of what is stored, nil when that is another kind of value.
  static func _from(_ stored: DatabaseValue) -> Self?

  /// Not for you to call: what SQLite makes of a column of the current row.
  static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Self?
}

extension Binding where Self: StatementColumnConvertible {
  /// Not for you to call: what SQLite makes of a column of the current row.
  public static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Self? {
    Self(sqliteStatement: statement, index: index)
  }
}

/// A binding that is computed with.
public protocol Number: Addable {}

/// A binding that `+` can be written between: numbers are added, texts are put together.
public protocol Addable: Binding {
  /// Not for you to call: what SQL writes for `+`.
  static var _additionOperator: String { get }
}

extension Number {
  /// Not for you to call: what SQL writes for `+`.
  public static var _additionOperator: String { "+" }
}

extension Int64: Number {
  /// Not for you to call: the INTEGER.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(self)) }

  /// Not for you to call: an INTEGER.
  public static func _from(_ stored: DatabaseValue) -> Int64? {
    if case .int64(let integer) = stored.storage { integer } else { nil }
  }
}

extension Double: Number {
  /// Not for you to call: the REAL.
  public var _databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// Not for you to call: a REAL, or an INTEGER that a double can be.
  ///
  /// SQLite stores the whole numbers of a NUMERIC column as integers, and adds integers up to an integer.
  public static func _from(_ stored: DatabaseValue) -> Double? {
    switch stored.storage {
    case .double(let double): double
    case .int64(let integer): Double(exactly: integer)
    case .null, .string, .blob: nil
    }
  }
}

extension String: Addable {
  /// Not for you to call: the TEXT.
  public var _databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// Not for you to call: a TEXT.
  public static func _from(_ stored: DatabaseValue) -> String? {
    if case .string(let text) = stored.storage { text } else { nil }
  }

  /// Not for you to call: `||`.
  public static var _additionOperator: String { "||" }
}

extension Bool: Binding {
  /// Not for you to call: the INTEGER 1 or 0.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

  /// Not for you to call: an INTEGER that is not 0.
  public static func _from(_ stored: DatabaseValue) -> Bool? { Int64._from(stored).map { $0 != 0 } }
}

extension Int: Number {
  /// Not for you to call: the INTEGER.
  public var _databaseValue: DatabaseValue { DatabaseValue(.int64(Int64(self))) }

  /// Not for you to call: an INTEGER.
  public static func _from(_ stored: DatabaseValue) -> Int? { Int64._from(stored).flatMap { Int(exactly: $0) } }
}

extension DatabaseValue {
  /// What a binding is stored as; nil is NULL.
  init(_ binding: (any Binding)?) { self = binding?._databaseValue ?? .null }

  /// The value as one of the four types that stand for what SQLite stores; NULL is nil.
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
