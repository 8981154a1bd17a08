public import CSQLite

// Numbers. An integer that does not fit is never wrapped: it does not decode, and it is not stored.

/// The integers that can be stored.
///
/// You do not adopt this protocol.
public protocol _DatabaseInteger: FixedWidthInteger, Codable, DatabaseValueConvertible, StatementColumnConvertible {}

extension _DatabaseInteger {
  /// An INTEGER.
  ///
  /// - precondition: The value fits in 64 bits with a sign, as SQLite has them.
  @inlinable
  public var databaseValue: DatabaseValue {
    guard let integer = Int64(exactly: self) else {
      preconditionFailure("\(self) is too large for SQLite, which stores integers of 64 bits with a sign")
    }
    return DatabaseValue(.int64(integer))
  }

  /// From an INTEGER, or a REAL without its fraction, that fits.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let integer): Self(exactly: integer)
    case .double(let double): Self(exactly: double.rounded(.towardZero))
    case .null, .string, .blob: nil
    }
  }

  /// The value in a column, or nil when it is NULL or does not fit.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
    let integer = sqlite3_column_int64(sqliteStatement, index)
    // NULL reads as zero. What is not zero is asked for once.
    if integer == 0, sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return Self(integer, sqliteStatement, index)
  }

  /// From the integer that SQLite sees in the column, when it fits.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(sqlite3_column_int64(sqliteStatement, index), sqliteStatement, index)
  }

  /// From the integer that SQLite sees in the column, when it fits. Of a greater REAL, it sees the greatest integer.
  @inlinable @inline(__always)
  init?(_ integer: Int64, _ sqliteStatement: SQLiteStatement, _ index: CInt) {
    if !Self.isSigned, Self.bitWidth == 64, integer == .max {
      let double = sqlite3_column_double(sqliteStatement, index)
      if double > 0x1p63 {
        self.init(exactly: double)
        return
      }
    }
    self.init(exactly: integer)
  }
}

extension Int: _DatabaseInteger {}
extension Int8: _DatabaseInteger {}
extension Int16: _DatabaseInteger {}
extension Int32: _DatabaseInteger {}
extension Int64: _DatabaseInteger {}
extension UInt: _DatabaseInteger {}
extension UInt8: _DatabaseInteger {}
extension UInt16: _DatabaseInteger {}
extension UInt32: _DatabaseInteger {}
extension UInt64: _DatabaseInteger {}

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
  /// The INTEGER 0 or 1.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

  /// From a number: false when it is zero.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
    switch dbValue.storage {
    case .int64(let integer): integer != 0
    case .double(let double): double != 0
    case .null, .string, .blob: nil
    }
  }

  /// From the integer that SQLite sees in the column: false when it is zero.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_int64(sqliteStatement, index) != 0
  }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
  /// A REAL. SQLite has no NaN, and stores NULL for it.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// From a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
    switch dbValue.storage {
    case .int64(let integer): Double(integer)
    case .double(let double): double
    case .null, .string, .blob: nil
    }
  }

  /// The value in a column, or nil when it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Double? {
    let double = sqlite3_column_double(sqliteStatement, index)
    // NULL reads as zero. What is not zero is asked for once.
    if double == 0, sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return double
  }

  /// From the number that SQLite sees in the column.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_double(sqliteStatement, index)
  }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
  /// A REAL, with the precision of the value.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.double(Double(self))) }

  /// From a number, rounded.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
    Double.fromDatabaseValue(dbValue).map(Float.init)
  }

  /// From the number that SQLite sees in the column, rounded.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = Float(sqlite3_column_double(sqliteStatement, index))
  }
}
