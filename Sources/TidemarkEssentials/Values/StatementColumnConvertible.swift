public import CSQLite

/// A value that can be read straight from a column of a running statement.
///
/// It is a shortcut for speed, which goes around `DatabaseValue`. SQLite then converts: the text
/// `"20 small cigars"` reads as the integer 20, as SQLite's own functions have it. What has been copied
/// out of the statement (`Row.fetchAll`, `row.copy()`) is read through `DatabaseValue`, and is not
/// converted. With `Configuration.strictDecoding`, everything is read through `DatabaseValue`.
///
/// ```swift
/// extension Isbn: StatementColumnConvertible {
///   init?(sqliteStatement: SQLiteStatement, index: CInt) {
///     guard let digits = String(sqliteStatement: sqliteStatement, index: index) else { return nil }
///     self.init(digits)
///   }
/// }
/// ```
public protocol StatementColumnConvertible {
  /// The value in a column, or nil when it is NULL or cannot be converted.
  ///
  /// Do not write your own: write the initializer.
  static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?

  /// The value in a column, or nil when it cannot be converted.
  ///
  /// - precondition: The column is not NULL.
  init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
  /// The value in a column, or nil when it is NULL or cannot be converted.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
    if sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
    return Self(sqliteStatement: sqliteStatement, index: index)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// Not for you to call.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
    fromStatement(sqliteStatement, atUncheckedIndex: index)
  }
}
