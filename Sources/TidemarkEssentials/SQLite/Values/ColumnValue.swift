public import CSQLite

/// The value of a column in the current row of a statement, looked up once.
///
/// Each of `sqlite3_column_type`, `sqlite3_column_text`, `sqlite3_column_bytes` and their siblings looks up the
/// column again, and checks for a lack of memory: this takes 50 instructions. The functions on values take 5 to 15
/// (Benchmarks: `[UUID] from blob`). They require that no other thread uses the connection, which accesses ensure.
///
/// Without enough memory to convert the value, `sqlite3_errcode` reports an error, as after the functions on columns.
@usableFromInline
struct ColumnValue {
  @usableFromInline let pointer: OpaquePointer?

  /// C: `sqlite3_column_value`.
  @inlinable @inline(__always)
  init(_ sqliteStatement: SQLiteStatement, _ index: CInt) {
    pointer = sqlite3_column_value(sqliteStatement, index)
  }

  /// A value that SQLite passes to a hook.
  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// `SQLITE_TEXT` and its siblings. C: `sqlite3_value_type`.
  @inlinable @inline(__always)
  var type: CInt { sqlite3_value_type(pointer) }

  /// C: `sqlite3_value_int64`.
  @inlinable @inline(__always)
  var integer: Int64 { sqlite3_value_int64(pointer) }

  /// C: `sqlite3_value_double`.
  @inlinable @inline(__always)
  var double: Double { sqlite3_value_double(pointer) }

  /// The bytes of the text, including NUL characters. They are valid until the statement steps, or until the column is
  /// read in another way.
  ///
  /// Nil for NULL, and without enough memory. C: `sqlite3_value_text`, `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var text: UnsafeBufferPointer<UInt8>? {
    // The order matters: reading a text may convert the value, and change its length.
    guard let text = sqlite3_value_text(pointer) else { return nil }
    return UnsafeBufferPointer(start: text, count: byteCount)
  }

  /// The number of bytes of a text or a blob. C: `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var byteCount: Int { Int(sqlite3_value_bytes(pointer)) }

  /// The bytes of a blob; an empty buffer without a pointer for an empty blob, and without enough memory. C:
  /// `sqlite3_value_blob`, `sqlite3_value_bytes`.
  @inlinable @inline(__always)
  var blob: UnsafeRawBufferPointer {
    guard let blob = sqlite3_value_blob(pointer) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: blob, count: byteCount)
  }
}
