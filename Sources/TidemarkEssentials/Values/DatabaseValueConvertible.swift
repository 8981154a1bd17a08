import CSQLite
public import FoundationEssentials

/// A type that converts to a database value and back.
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
/// A conforming type can be fetched, read from rows, and passed as an argument. Types with a raw value, such as
/// enumerations, and `Codable` types need no code: they are stored as their raw value or as JSON.
///
/// A type that is stored in several columns is a record, not a value.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
  /// The database value.
  var databaseValue: DatabaseValue { get }

  /// Returns the converted value, or nil if the database value cannot be converted.
  ///
  /// Optional types convert NULL to `.some(nil)`. Programs do not call this method on optional types.
  ///
  /// ```swift
  /// enum Suit: String { case clubs, diamonds, hearts, spades }
  ///
  /// extension Suit: DatabaseValueConvertible {
  ///   static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Suit? {
  ///     String.fromDatabaseValue(dbValue).flatMap(Suit.init)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter dbValue: The database value.
  /// - Returns: The converted value.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

  /// Returns the value for a missing column, or nil if there cannot be one.
  ///
  /// Optional types return `.some(nil)`; other types return nil. Do not implement this method.
  static func fromMissingColumn() -> Self?

  /// Returns the decoder of values that are stored as JSON.
  ///
  /// ```swift
  /// static func databaseJSONDecoder() -> JSONDecoder {
  ///   let decoder = JSONDecoder()
  ///   decoder.dateDecodingStrategy = .iso8601
  ///   return decoder
  /// }
  /// ```
  static func databaseJSONDecoder() -> JSONDecoder

  /// Returns the encoder of values that are stored as JSON.
  ///
  /// ```swift
  /// static func databaseJSONEncoder() -> JSONEncoder {
  ///   let encoder = JSONEncoder()
  ///   encoder.dateEncodingStrategy = .iso8601
  ///   encoder.outputFormatting = .sortedKeys
  ///   return encoder
  /// }
  /// ```
  static func databaseJSONEncoder() -> JSONEncoder

  /// Returns the value in a column of the current row of a statement.
  ///
  /// Implementation detail; do not call or implement it. To decode without an intermediate `DatabaseValue`, adopt
  /// `StatementColumnConvertible`.
  static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self?

  /// Appends the database value to positional arguments.
  ///
  /// Implementation detail; do not call or implement it.
  func _append(to arguments: inout StatementArguments)

  /// Returns the converted value, or nil if the conversion would lose information. See `Configuration.strictDecoding`.
  ///
  /// Implementation detail; do not call or implement it.
  static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self?
}

// MARK: - Defaults

extension DatabaseValueConvertible {
  /// The value as an SQL expression.
  public var sqlExpression: SQLExpression { .value(databaseValue) }

  /// Binds the database value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(databaseValue) }

  /// Returns nil: a missing column has no value.
  @inlinable
  public static func fromMissingColumn() -> Self? { nil }

  /// Implementation detail; do not call it.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
    DatabaseValue.read(sqliteStatement, index).flatMap(fromDatabaseValue)
  }
}

// MARK: - Decoding rows

/// Decodes the first column of rows.
public enum ValueDecoding<Element: DatabaseValueConvertible>: RowDecoding {
  /// Implementation detail; do not call it.
  @inlinable
  public static func _decode(_ row: Row) throws -> Element { try row.decodeFirst(Element.self) }

  // `fetchOne` returns nil both for a missing row and for NULL.
  /// Implementation detail; do not call it.
  @inlinable
  public static func _decodeOne(_ row: Row) throws -> Element? { try row.decodeFirst(Element?.self) }
}

/// A cursor of values, under its GRDB name.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<ValueDecoding<Value>>

/// A cursor of values that are read directly from columns, under its GRDB name.
public typealias FastDatabaseValueCursor<Value> = FetchCursor<ValueDecoding<Value>>
where Value: DatabaseValueConvertible & StatementColumnConvertible
