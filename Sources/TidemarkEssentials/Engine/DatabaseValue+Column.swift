public import CSQLite
public import FoundationEssentials

extension DatabaseValue {
  /// The value in a column of the current row of a statement.
  ///
  /// A text that is not UTF-8, and that the connection refuses (see `Configuration.invalidTextPolicy`), is a blob.
  ///
  /// - precondition: SQLite has the memory to give the value.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.readWithoutRefusal(sqliteStatement, index) else {
      fatalError("The value of column \(index) cannot be read: SQLite lacks memory")
    }
    self = value
  }

  /// The value in a column, or nil when SQLite had no memory to give it. A text that the connection refuses is a blob
  /// of its bytes: for callers that can throw no error, and must not change what is stored.
  static func readWithoutRefusal(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> DatabaseValue? {
    read(sqliteStatement, index) ?? columnData(sqliteStatement, index).map { DatabaseValue(.blob($0)) }
  }

  /// The value in a column, as far as it can be read: for descriptions.
  init(describing sqliteStatement: SQLiteStatement, index: CInt) {
    if let value = Self.read(sqliteStatement, index) {
      self = value
    } else if let bytes = ColumnValue(sqliteStatement, index).text {
      self.init(.string(String(decoding: bytes, as: UTF8.self)))
    } else {
      self = .null
    }
  }

  /// The value in a column, or nil when SQLite had no memory to give it.
  ///
  /// Law D7: lack of memory is never read as NULL. Whoever can throw calls this one.
  @inlinable
  static func read(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> DatabaseValue? {
    let value = ColumnValue(sqliteStatement, index)
    switch value.type {
    case SQLITE_INTEGER:
      return DatabaseValue(.int64(value.integer))
    case SQLITE_FLOAT:
      return DatabaseValue(.double(value.double))
    case SQLITE_TEXT:
      return columnText(value, sqliteStatement).map { DatabaseValue(.string($0)) }
    case SQLITE_BLOB:
      return columnData(value, sqliteStatement).map { DatabaseValue(.blob($0)) }
    default:
      return .null
    }
  }
}

// MARK: - Columns without a database value

/// Whether a column is NULL. C: `sqlite3_column_type`.
@inlinable
func columnIsNull(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Bool {
  sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL
}

/// Whether a column that gave no value is NULL, and SQLite did not merely lack the memory to give it (law D7): a
/// failed conversion may leave NULL behind.
@inlinable
func columnReadsAsNil(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Bool {
  columnIsNull(sqliteStatement, index) && sqlite3_errcode(sqlite3_db_handle(sqliteStatement)) != SQLITE_NOMEM
}

/// The integer in a column. C: `sqlite3_column_int64`.
func columnInteger(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Int64 {
  sqlite3_column_int64(sqliteStatement, index)
}

/// What a closure makes of the bytes of a column, which are not copied and last as long as the closure; nil
/// for NULL.
///
/// Answers nil when SQLite had no memory to give them.
func withColumnBytes<Result>(
  _ sqliteStatement: SQLiteStatement, _ index: CInt, _ body: (UnsafeRawBufferPointer?) throws -> Result
) rethrows -> Result? {
  if columnIsNull(sqliteStatement, index) { return try body(nil) }
  guard let bytes = columnBytes(sqliteStatement, index) else { return nil }
  return try body(bytes)
}

// MARK: - Bytes of a column

/// The text of a column, NUL characters included.
///
/// Nil when SQLite had no memory to give it, or when the bytes are not UTF-8 and the connection does
/// not want them repaired.
@inlinable
func columnText(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> String? {
  columnText(ColumnValue(sqliteStatement, index), sqliteStatement)
}

@inlinable @inline(__always)
func columnText(_ value: ColumnValue, _ sqliteStatement: SQLiteStatement) -> String? {
  guard let bytes = value.text else { return nil }
  if InvalidText.mayBeRefused { return validText(bytes, sqliteStatement) }
  return String(decoding: bytes, as: UTF8.self)
}

/// A text that may be refused when its bytes are not UTF-8.
@usableFromInline
func validText(_ bytes: UnsafeBufferPointer<UInt8>, _ sqliteStatement: SQLiteStatement) -> String? {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  if InvalidText.isRefused(by: sqlite3_db_handle(sqliteStatement)) { return nil }
  return String(decoding: bytes, as: UTF8.self)
}

/// A copy of the bytes of a column.
///
/// Nil when SQLite had no memory to give them.
@inlinable
func columnData(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Data? {
  columnData(ColumnValue(sqliteStatement, index), sqliteStatement)
}

@inlinable @inline(__always)
func columnData(_ value: ColumnValue, _ sqliteStatement: SQLiteStatement) -> Data? {
  guard let bytes = columnBytes(value, sqliteStatement) else { return nil }
  guard let start = bytes.baseAddress else { return Data() }
  return Data(bytes: start, count: bytes.count)
}

/// The bytes of a blob, or those of a text in UTF-8, until SQLite is asked for something else.
///
/// Nil when SQLite had no memory to give them.
@inlinable
func columnBytes(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> UnsafeRawBufferPointer? {
  columnBytes(ColumnValue(sqliteStatement, index), sqliteStatement)
}

@inlinable @inline(__always)
func columnBytes(_ value: ColumnValue, _ sqliteStatement: SQLiteStatement) -> UnsafeRawBufferPointer? {
  if value.type == SQLITE_BLOB {
    let bytes = value.blob
    // SQLite answers a null pointer for an empty blob.
    let isMissing =
      bytes.baseAddress == nil
      && (value.byteCount > 0 || sqlite3_errcode(sqlite3_db_handle(sqliteStatement)) == SQLITE_NOMEM)
    return isMissing ? nil : bytes
  }
  // Asked for a blob, SQLite would give a text as the file has it, which may be UTF-16.
  return value.text.map(UnsafeRawBufferPointer.init)
}
