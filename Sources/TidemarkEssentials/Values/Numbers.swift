public import CSQLite

// Numbers. Integers that are out of range never wrap: decoding returns nil, and storing traps.

/// The integer types that can be stored.
///
/// Do not adopt this protocol.
public protocol _DatabaseInteger: FixedWidthInteger, Codable, DatabaseValueConvertible, StatementColumnConvertible {}

extension _DatabaseInteger {
  /// The integer as INTEGER.
  ///
  /// - Precondition: The value fits in a signed 64-bit integer.
  @inlinable
  public var databaseValue: DatabaseValue {
    DatabaseValue(.int64(storedInteger))
  }

  /// The integer as SQLite stores it.
  @inlinable
  var storedInteger: Int64 {
    guard let integer = Int64(exactly: self) else {
      preconditionFailure("\(self) does not fit in a signed 64-bit integer, SQLite's largest integer type")
    }
    return integer
  }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(storedInteger) }

  /// Converts an INTEGER, or a REAL without a fractional part, if it is in range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let integer): Self(exactly: integer)
    case .double(let double): Self(exactly: double.rounded(.towardZero))
    case .null, .string, .blob: nil
    }
  }

  /// Returns the value in a column; nil if it is NULL or out of range.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
    let integer = sqlite3_column_int64(sqliteStatement, index)
    // SQLite returns zero for NULL, so a nonzero value needs no second call.
    if integer == 0, sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return Self(integer, sqliteStatement, index)
  }

  /// Converts the integer that SQLite returns for the column, if it is in range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(sqlite3_column_int64(sqliteStatement, index), sqliteStatement, index)
  }

  /// Converts the integer that SQLite returns for the column, if it is in range. For larger REAL values, SQLite returns
  /// the greatest integer.
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

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(self ? 1 : 0 as Int64) }

  /// Converts a number: zero is false.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
    switch dbValue.storage {
    case .int64(let integer): integer != 0
    case .double(let double): double != 0
    case .null, .string, .blob: nil
    }
  }

  /// Converts the integer that SQLite returns for the column: zero is false.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_int64(sqliteStatement, index) != 0
  }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
  /// The number as REAL. SQLite stores NaN as NULL.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(self) }

  /// Converts a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
    switch dbValue.storage {
    case .int64(let integer): Double(integer)
    case .double(let double): double
    case .null, .string, .blob: nil
    }
  }

  /// Returns the value in a column; nil if it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Double? {
    let double = sqlite3_column_double(sqliteStatement, index)
    // SQLite returns zero for NULL, so a nonzero value needs no second call.
    if double == 0, sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return double
  }

  /// Converts the number that SQLite returns for the column.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_double(sqliteStatement, index)
  }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
  /// The number as REAL, with its precision.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.double(Double(self))) }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(Double(self)) }

  /// Converts a number, and rounds it.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
    Double.fromDatabaseValue(dbValue).map(Float.init)
  }

  /// Converts the number that SQLite returns for the column, and rounds it.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self = Float(sqlite3_column_double(sqliteStatement, index))
  }
}
