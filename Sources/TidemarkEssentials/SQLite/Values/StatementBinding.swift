import CSQLite
import FoundationEssentials

/// A type that can be bound to a parameter of a statement.
public protocol StatementBinding {
  /// Binds the value to the parameter at an index (the first one is 1), and returns the result
  /// code of SQLite.
  ///
  /// Call this method only in custom conversions that avoid a `DatabaseValue` for speed.
  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

extension DatabaseValue: StatementBinding {
  /// C: `sqlite3_bind_null` and its siblings.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch storage {
    case .null: sqlite3_bind_null(sqliteStatement, index)
    case .int64(let integer): sqlite3_bind_int64(sqliteStatement, index, integer)
    case .double(let double): sqlite3_bind_double(sqliteStatement, index, double)
    case .string(let string): bindText(string, to: sqliteStatement, at: index)
    case .blob(let data): bindData(data, to: sqliteStatement, at: index)
    }
  }
}

/// Binds a whole text, including NUL characters. C: `sqlite3_bind_text64`.
func bindText(_ text: String, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
  text.withUTF8Bytes { bytes in
    // A null pointer would bind NULL instead of an empty text.
    guard let start = bytes.baseAddress else {
      return sqlite3_bind_text(sqliteStatement, index, "", 0, tidemark_static())
    }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        sqliteStatement, index, $0, UInt64(bytes.count), tidemark_transient(), UInt8(SQLITE_UTF8))
    }
  }
}

extension String {
  /// Calls a closure with the UTF-8 bytes of the text, without a copy if possible.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}

/// Binds bytes. C: `sqlite3_bind_blob64`.
func bindData(_ data: Data, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
  data.withUnsafeBytes { bytes in
    // A null pointer would bind NULL instead of an empty blob.
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return sqlite3_bind_zeroblob(sqliteStatement, index, 0)
    }
    return sqlite3_bind_blob64(sqliteStatement, index, start, UInt64(bytes.count), tidemark_transient())
  }
}
