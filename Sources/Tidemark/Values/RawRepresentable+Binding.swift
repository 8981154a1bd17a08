import CSQLite

// A type with a raw value is also an expression and an argument as its raw value is. Wrappers that are values only
// when their raw value is one, such as those of the Tagged library, need it for each protocol on its own:
//
//   extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
//   extension Tagged: StatementBinding where RawValue: StatementBinding {}

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

// What values do by default, and what types with a raw value do, meet here.
extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }

  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}
