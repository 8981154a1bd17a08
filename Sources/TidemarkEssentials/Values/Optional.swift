import CSQLite

// An optional value decodes as a value: NULL is nil. There are no optional records: what makes a record
// nil is a missing row.

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The value as an expression, or NULL.
  public var sqlExpression: SQLExpression { self?.sqlExpression ?? .value(.null) }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
  /// The order, or NULL.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? .expression(.value(.null)) }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
  /// What is selected, or NULL.
  public var sqlSelection: SQLSelection { self?.sqlSelection ?? .expression(.value(.null)) }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
  /// Binds the value, or NULL.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    self?.bind(to: sqliteStatement, at: index) ?? DatabaseValue.null.bind(to: sqliteStatement, at: index)
  }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The value as it is stored, or NULL.
  public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

  /// The value that was stored. NULL is nil, unless it is a value of the wrapped type.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
    if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(value) }
    return dbValue.isNull ? .some(nil) : nil
  }

  /// `.some(nil)`: an optional reads as nil from a column that does not exist.
  @inlinable
  public static func fromMissingColumn() -> Wrapped?? { .some(nil) }

  /// Not for you to call.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Wrapped?? {
    if let value = Wrapped._fromColumn(sqliteStatement, index) { return .some(value) }
    return columnReadsAsNil(sqliteStatement, index) ? .some(nil) : nil
  }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
  /// The value in a column. NULL is nil.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Wrapped?? {
    if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) { return .some(value) }
    return columnReadsAsNil(sqliteStatement, index) ? .some(nil) : nil
  }

  /// The value in a column that is not NULL.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self = .some(value)
  }
}
