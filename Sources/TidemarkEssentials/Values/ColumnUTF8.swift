import CSQLite

/// The bytes of the text in a column, NUL characters included. They last until the statement steps, or
/// until the column is read in another way.
///
/// Nil for NULL, and when SQLite had no memory. C: `sqlite3_column_text`, `sqlite3_column_bytes`.
@inline(__always)
func columnUTF8(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> UnsafeBufferPointer<UInt8>? {
  guard let text = sqlite3_column_text(sqliteStatement, index) else { return nil }
  return UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
}

extension String {
  /// What a closure makes of the UTF-8 bytes of the text, which are not copied if it can be helped.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}
