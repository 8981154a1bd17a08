import CSQLite
public import FoundationEssentials

// Texts and bytes, whole: a NUL character, or byte, is one like any other.

extension String: DatabaseValueConvertible, StatementColumnConvertible {
  /// A TEXT.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// From a TEXT, or a BLOB that is valid UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
    switch dbValue.storage {
    case .string(let string): string
    case .blob(let data): String(data: data, encoding: .utf8)
    case .null, .int64, .double: nil
    }
  }

  /// The value in a column, or nil when it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> String? {
    // There is no text in NULL.
    columnText(sqliteStatement, index)
  }

  /// From the text that SQLite sees in the column. Bytes that are not UTF-8 are repaired, unless the
  /// connection refuses them (see `Configuration.invalidTextPolicy`).
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
  /// A BLOB.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(self)) }

  /// From a BLOB, or the bytes of a TEXT.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
    switch dbValue.storage {
    case .blob(let data): data
    case .string(let string): Data(string.utf8)
    case .null, .int64, .double: nil
    }
  }

  /// The value in a column, or nil when it is NULL.
  @inlinable
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Data? {
    // There are no bytes in NULL.
    columnData(sqliteStatement, index)
  }

  /// From the bytes that SQLite sees in the column.
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
