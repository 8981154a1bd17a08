import CSQLite
public import FoundationEssentials

// Texts and bytes of any content, including NUL.

extension String: DatabaseValueConvertible, StatementColumnConvertible {
  /// The string as TEXT.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(self) }

  /// Converts a TEXT, or a BLOB that is valid UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
    switch dbValue.storage {
    case .string(let string): string
    case .blob(let data): String(data: data, encoding: .utf8)
    case .null, .int64, .double: nil
    }
  }

  /// Returns the value in a column; nil if it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> String? {
    // `columnText` returns nil for NULL.
    columnText(sqliteStatement, index)
  }

  /// Reads the column as text. Invalid UTF-8 is repaired, unless the connection rejects it (see
  /// `Configuration.invalidTextPolicy`).
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let text = columnText(sqliteStatement, index) else { return nil }
    self = text
  }

  /// Binds the text.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    bindText(self, to: sqliteStatement, at: index)
  }
}

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
  /// The data as BLOB.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(self)) }

  /// Implementation detail; do not call it.
  @inlinable
  public func _append(to arguments: inout StatementArguments) { arguments.values.append(self) }

  /// Converts a BLOB, or the UTF-8 bytes of a TEXT.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
    switch dbValue.storage {
    case .blob(let data): data
    case .string(let string): Data(string.utf8)
    case .null, .int64, .double: nil
    }
  }

  /// Returns the value in a column; nil if it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Data? {
    // `columnData` returns nil for NULL.
    columnData(sqliteStatement, index)
  }

  /// Reads the bytes of the column.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let data = columnData(sqliteStatement, index) else { return nil }
    self = data
  }

  /// Binds the bytes.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    bindData(self, to: sqliteStatement, at: index)
  }
}
