import CSQLite

// A type with a raw value is stored as its raw value: enumerations above all.

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value, as it is stored.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// From the raw value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

// A value is what it says it is, even if its raw value could stand for it.
extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the database value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(databaseValue) }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
  /// From the raw value that SQLite sees in the column.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self.init(rawValue: rawValue)
  }
}
