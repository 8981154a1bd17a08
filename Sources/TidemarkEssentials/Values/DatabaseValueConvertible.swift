import CSQLite
public import FoundationEssentials

/// A type that one database value can become, and that can become one database value.
///
/// ```swift
/// struct Isbn { var digits: String }
///
/// extension Isbn: DatabaseValueConvertible {
///   var databaseValue: DatabaseValue { digits.databaseValue }
///
///   static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Isbn? {
///     guard let digits = String.fromDatabaseValue(dbValue), digits.count == 13 else { return nil }
///     return Isbn(digits: digits)
///   }
/// }
/// ```
///
/// Such a type can be fetched, read from rows, and given as an argument. Types with a raw value, such as
/// enumerations, and `Codable` types need no code: they are stored as their raw value, or as JSON.
///
/// A type that is made of several columns is not a value, but a record.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
  /// The value, as it is stored.
  var databaseValue: DatabaseValue { get }

  /// The value that was stored, or nil when what is stored cannot be one. An optional type answers NULL
  /// with `.some(nil)`: it is never asked by you.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

  /// The value of a column that does not exist, or nil when there can be none.
  ///
  /// Optional types answer `.some(nil)`, others nil. Do not write your own.
  static func fromMissingColumn() -> Self?

  /// The decoder of values that are stored as JSON.
  static func databaseJSONDecoder() -> JSONDecoder

  /// The encoder of values that are stored as JSON.
  static func databaseJSONEncoder() -> JSONEncoder

  /// The value in a column of the current row of a statement.
  ///
  /// Not for you to call, and not for you to write: a type that wants to be read without a
  /// `DatabaseValue` in between adopts `StatementColumnConvertible`.
  static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self?

  /// The value that was stored, or nil when what is stored would not be what is read. See
  /// `Configuration.strictDecoding`.
  ///
  /// Not for you to call, and not for you to write.
  static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self?
}

// MARK: - Defaults

extension DatabaseValueConvertible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(databaseValue) }

  /// Binds the database value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }

  /// Nil: there is no value in a missing column.
  @inlinable
  public static func fromMissingColumn() -> Self? { nil }

  /// Not for you to call.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
    DatabaseValue.read(sqliteStatement, index).flatMap(fromDatabaseValue)
  }
}

// MARK: - Decoding rows

/// Decodes the first column of rows.
public enum ValueDecoding<Element: DatabaseValueConvertible>: RowDecoding {
  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) throws -> Element { try row.decodeFirst(Element.self) }

  // No row and NULL read the same: `fetchOne` answers nil to both.
  /// Not for you to call.
  @inlinable
  public static func _decodeOne(_ row: Row) throws -> Element? { try row.decodeFirst(Element?.self) }
}

/// The name that GRDB gives to a cursor of values.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<ValueDecoding<Value>>

/// The name that GRDB gives to a cursor of values that are read straight from columns.
public typealias FastDatabaseValueCursor<Value> = FetchCursor<ValueDecoding<Value>>
where Value: DatabaseValueConvertible & StatementColumnConvertible
