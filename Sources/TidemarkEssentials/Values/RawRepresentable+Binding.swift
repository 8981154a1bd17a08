import CSQLite

// A type with a raw value is also an expression and an argument if its raw value is. Conditionally conforming wrappers,
// such as the types of the Tagged library, declare each protocol separately:
//
//   extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
//   extension Tagged: StatementBinding where RawValue: StatementBinding {}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

// A value uses its own database value, even if its raw value is also an expression.
extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The value as an SQL expression.
  public var sqlExpression: SQLExpression { .value(databaseValue) }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the database value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }
}
