import CSQLite

// An optional value decodes NULL as nil. Optional records do not exist: a record is nil only if its row is missing.

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The wrapped value as an expression, or NULL.
  public var sqlExpression: SQLExpression { self?.sqlExpression ?? .value(.null) }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
  /// The wrapped ordering, or NULL.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? .expression(.value(.null)) }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
  /// The wrapped selection, or NULL.
  public var sqlSelection: SQLSelection { self?.sqlSelection ?? .expression(.value(.null)) }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
  /// Binds the wrapped value, or NULL.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    self?.bind(to: sqliteStatement, at: index) ?? DatabaseValue.null.bind(to: sqliteStatement, at: index)
  }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The database value of the wrapped value, or NULL.
  public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) {
    if let self { self._append(to: &arguments) } else { arguments.values.appendNull() }
  }

  /// Converts the database value to the wrapped type. NULL becomes nil, unless the wrapped type accepts it.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
    if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(value) }
    return dbValue.isNull ? .some(nil) : nil
  }

  /// Returns `.some(nil)`: an optional decodes a missing column as nil.
  @inlinable
  public static func fromMissingColumn() -> Wrapped?? { .some(nil) }

  /// Implementation detail; do not call it.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Wrapped?? {
    if let value = Wrapped._fromColumn(sqliteStatement, index) { return .some(value) }
    return columnReadsAsNil(sqliteStatement, index) ? .some(nil) : nil
  }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
  /// Returns the value in a column; nil if it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Wrapped?? {
    if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) { return .some(value) }
    return columnReadsAsNil(sqliteStatement, index) ? .some(nil) : nil
  }

  /// Converts a column that is not NULL.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self = .some(value)
  }
}
