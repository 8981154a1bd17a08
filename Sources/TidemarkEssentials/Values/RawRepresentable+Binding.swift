import CSQLite

// A type with a raw value is also an expression and an argument as its raw value is. Wrappers that are values only
// when their raw value is one, such as those of the Tagged library, need it for each protocol on its own:
//
//   extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
//   extension Tagged: StatementBinding where RawValue: StatementBinding {}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

// A value is what it says it is, even where its raw value could stand for it.
extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { .value(databaseValue) }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the database value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }
}
