public import CSQLite
public import FoundationEssentials

extension DatabaseValue {
  /// Creates the value of a column in the current row of a statement.
  ///
  /// A text that is not UTF-8 is read as a blob if the connection rejects it (see `Configuration.invalidTextPolicy`).
  ///
  /// - Precondition: SQLite has enough memory to return the value.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.readWithoutRefusal(sqliteStatement, index) else {
      fatalError("Could not read column \(index): out of memory")
    }
    self = value
  }

  /// Returns the value of a column; nil if SQLite has not enough memory. A text that the connection rejects is returned
  /// as a blob: for callers that cannot throw, and must not change the stored value.
  static func readWithoutRefusal(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> DatabaseValue? {
    read(sqliteStatement, index) ?? columnData(sqliteStatement, index).map { DatabaseValue(.blob($0)) }
  }

  /// Creates the value of a column, as far as it can be read: for descriptions.
  init(describing sqliteStatement: SQLiteStatement, index: CInt) {
    if let value = Self.read(sqliteStatement, index) {
      self = value
    } else if let bytes = ColumnValue(sqliteStatement, index).text {
      self.init(.string(String(decoding: bytes, as: UTF8.self)))
    } else {
      self = .null
    }
  }

  /// Creates the value of a column; nil if SQLite has not enough memory to return it.
  ///
  /// Hazard D7: a lack of memory is never read as NULL. Throwing callers use this initializer.
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

/// Whether a column without a value is NULL. Otherwise SQLite had not enough memory (hazard D7): a
/// failed conversion may leave NULL behind.
@inlinable
func columnReadsAsNil(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Bool {
  columnIsNull(sqliteStatement, index) && sqlite3_errcode(sqlite3_db_handle(sqliteStatement)) != SQLITE_NOMEM
}

/// The integer in a column. C: `sqlite3_column_int64`.
func columnInteger(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Int64 {
  sqlite3_column_int64(sqliteStatement, index)
}

/// Calls a closure with the bytes of a column, which are not copied and valid during the call; nil
/// for NULL.
///
/// Returns nil if SQLite has not enough memory.
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
/// Nil if SQLite has not enough memory, or if the bytes are not UTF-8 and the connection
/// rejects such texts.
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

/// Reads a text that may be rejected if its bytes are not UTF-8.
@usableFromInline
func validText(_ bytes: UnsafeBufferPointer<UInt8>, _ sqliteStatement: SQLiteStatement) -> String? {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  if InvalidText.isRefused(by: sqlite3_db_handle(sqliteStatement)) { return nil }
  return String(decoding: bytes, as: UTF8.self)
}

/// The bytes of a text that is not UTF-8; nil for other values. Such a text is read with replacement characters.
func invalidColumnText(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Data? {
  let value = ColumnValue(sqliteStatement, index)
  guard value.type == SQLITE_TEXT, let bytes = value.text, !UnsafeRawBufferPointer(bytes).isUTF8 else { return nil }
  return Data(bytes)
}

/// A copy of the bytes of a column.
///
/// Nil if SQLite has not enough memory.
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

/// The bytes of a blob, or of a text in UTF-8. They are valid until SQLite reads the column again.
///
/// Nil if SQLite has not enough memory.
@inlinable
func columnBytes(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> UnsafeRawBufferPointer? {
  columnBytes(ColumnValue(sqliteStatement, index), sqliteStatement)
}

@inlinable @inline(__always)
func columnBytes(_ value: ColumnValue, _ sqliteStatement: SQLiteStatement) -> UnsafeRawBufferPointer? {
  if value.type == SQLITE_BLOB {
    let bytes = value.blob
    // SQLite returns a null pointer for an empty blob.
    let isMissing =
      bytes.baseAddress == nil
      && (value.byteCount > 0 || sqlite3_errcode(sqlite3_db_handle(sqliteStatement)) == SQLITE_NOMEM)
    return isMissing ? nil : bytes
  }
  // As a blob, SQLite would return the text in the encoding of the file, which may be UTF-16.
  return value.text.map(UnsafeRawBufferPointer.init)
}
