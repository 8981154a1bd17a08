public import CSQLite

/// A value that can be decoded directly from a column of a running statement.
///
/// This protocol is a performance optimization, which avoids `DatabaseValue`. SQLite performs the conversion: like SQL
/// functions, it converts the text `"20 small cigars"` to the integer 20. Values copied from the statement (with
/// `Row.fetchAll` or `row.copy()`) are decoded from a `DatabaseValue` without such conversions, and so are all values
/// with `Configuration.strictDecoding`.
///
/// ```swift
/// extension Isbn: StatementColumnConvertible {
///   init?(sqliteStatement: SQLiteStatement, index: CInt) {
///     guard let digits = String(sqliteStatement: sqliteStatement, index: index) else { return nil }
///     self.init(digits: digits)
///   }
/// }
/// ```
public protocol StatementColumnConvertible {
  /// Returns the value in a column; nil if it is NULL or cannot be converted.
  ///
  /// Do not implement this method: implement the initializer.
  static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?

  /// Creates the value of a column. Fails if the column cannot be converted.
  ///
  /// ```swift
  /// extension Rating: StatementColumnConvertible {
  ///   init?(sqliteStatement: SQLiteStatement, index: CInt) {
  ///     self.init(rawValue: sqlite3_column_int64(sqliteStatement, index))
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter sqliteStatement: The raw statement, positioned on a row.
  /// - Parameter index: The index of the column.
  /// - Precondition: The column is not NULL.
  init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
  /// Returns the value in a column; nil if it is NULL or cannot be converted.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
    if sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return Self(sqliteStatement: sqliteStatement, index: index)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// Implementation detail; do not call it.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
    fromStatement(sqliteStatement, atUncheckedIndex: index)
  }
}
