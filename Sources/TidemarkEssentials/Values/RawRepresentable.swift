import CSQLite

// A type with a raw value, such as an enumeration, is stored as its raw value.

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The database value of the raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// Converts the raw value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
  /// Converts the raw value that SQLite returns for the column.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self.init(rawValue: rawValue)
  }
}
