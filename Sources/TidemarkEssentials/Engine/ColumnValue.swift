public import CSQLite

/// The value in a column of the row that a statement is at, looked for once.
///
/// Each of `sqlite3_column_type`, `sqlite3_column_text`, `sqlite3_column_bytes` and their siblings looks for the
/// column again, and for a lack of memory: that takes 50 instructions. The functions that ask a value take 5 to 15
/// (Benchmarks: `[UUID] from blob`). They are not safe while another thread uses the connection, and none does.
///
/// When there was no memory to convert the value, `sqlite3_errcode` says so, as it does after those of columns.
@usableFromInline
struct ColumnValue {
  @usableFromInline let pointer: OpaquePointer?

  /// C: `sqlite3_column_value`.
  @inlinable @inline(__always)
  init(_ sqliteStatement: SQLiteStatement, _ index: CInt) {
    pointer = sqlite3_column_value(sqliteStatement, index)
  }

  /// `SQLITE_TEXT` and its siblings. C: `sqlite3_value_type`.
  @inlinable @inline(__always)
  var type: CInt { sqlite3_value_type(pointer) }

  /// C: `sqlite3_value_int64`.
  @inlinable @inline(__always)
  var integer: Int64 { sqlite3_value_int64(pointer) }

  /// C: `sqlite3_value_double`.
  @inlinable @inline(__always)
  var double: Double { sqlite3_value_double(pointer) }

  /// The bytes of the text, NUL characters included. They last until the statement steps, or until the column is read
  /// in another way.
  ///
  /// Nil for NULL, and when SQLite had no memory. C: `sqlite3_value_text`, `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var text: UnsafeBufferPointer<UInt8>? {
    // The order matters: asking for a text may convert the value, and change its length.
    guard let text = sqlite3_value_text(pointer) else { return nil }
    return UnsafeBufferPointer(start: text, count: byteCount)
  }

  /// How many bytes a text or a blob has. C: `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var byteCount: Int { Int(sqlite3_value_bytes(pointer)) }

  /// The bytes of a blob; none, and no pointer, for an empty one, and when SQLite had no memory. C:
  /// `sqlite3_value_blob`, `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var blob: UnsafeRawBufferPointer {
    guard let blob = sqlite3_value_blob(pointer) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: blob, count: byteCount)
  }
}
