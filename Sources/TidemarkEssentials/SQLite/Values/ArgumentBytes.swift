import CSQLite
import FoundationEssentials

/// The memory for the text and blob arguments of a statement.
///
/// SQLite would allocate and free memory for each of them, at each execution. Here, one buffer serves all
/// executions of a statement.
///
/// Invariants:
/// 1. Bound bytes stay where they are until the parameter is bound again, or the statement is finalized.
/// 2. The buffer is allocated at the second execution: programs that write SQL for each value run most statements
///    only once.
/// 3. Cached statements keep their buffers, so the size is bounded. SQLite copies the bytes that do not fit.
final class ArgumentBytes {
  private static let capacityMax = 4096

  private struct Buffer {
    var start: UnsafeMutableRawPointer?
    var capacity = 0

    // The number of bytes used so far, and the number that would have been used with enough room.
    var count = 0
    var wantedCount = 0

    /// Whether SQLite has copied some bytes.
    var hasCopies = false
  }

  @exclusivity(unchecked) private var buffer = Buffer()

  var hasCopies: Bool { buffer.hasCopies }

  deinit { buffer.start?.deallocate() }

  /// Prepares the buffer; call it before the parameters of the statement are bound.
  func begin(_ sqliteStatement: SQLiteStatement) {
    if buffer.wantedCount > buffer.capacity, buffer.capacity < Self.capacityMax { grow(sqliteStatement) }
    buffer.count = 0
    buffer.wantedCount = 0
    buffer.hasCopies = false
  }

  private func grow(_ sqliteStatement: SQLiteStatement) {
    // Invariant 1.
    sqlite3_clear_bindings(sqliteStatement)
    buffer.start?.deallocate()
    buffer.capacity = min(buffer.wantedCount * 2, Self.capacityMax)
    buffer.start = .allocate(byteCount: buffer.capacity, alignment: 1)
  }

  /// Binds a value, and returns the result code. C: `sqlite3_bind_null` and its siblings.
  @inline(__always)
  func bind(_ value: DatabaseValue, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch value.storage {
    case .null: sqlite3_bind_null(sqliteStatement, index)
    case .int64(let integer): sqlite3_bind_int64(sqliteStatement, index, integer)
    case .double(let double): sqlite3_bind_double(sqliteStatement, index, double)
    case .string(let text): bind(text, sqliteStatement, index)
    case .blob(let data): bind(data, sqliteStatement, index)
    }
  }

  private func bind(_ text: String, _ sqliteStatement: SQLiteStatement, _ index: CInt) -> CInt {
    let address = text.utf8.withContiguousStorageIfAvailable { keep(UnsafeRawBufferPointer($0)) }
    // An empty text has no bytes, and must not become NULL.
    guard let bytes = address.flatMap({ $0 }), bytes.count > 0, let start = bytes.baseAddress else {
      buffer.hasCopies = true
      return bindText(text, to: sqliteStatement, at: index)
    }
    let characters = start.assumingMemoryBound(to: CChar.self)
    return sqlite3_bind_text64(
      sqliteStatement, index, characters, UInt64(bytes.count), tidemark_static(), UInt8(SQLITE_UTF8))
  }

  private func bind(_ data: Data, _ sqliteStatement: SQLiteStatement, _ index: CInt) -> CInt {
    guard let bytes = data.withUnsafeBytes({ keep($0) }), bytes.count > 0 else {
      buffer.hasCopies = true
      return bindData(data, to: sqliteStatement, at: index)
    }
    return sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), tidemark_static())
  }

  /// Copies bytes into the buffer; returns nil if they do not fit.
  @inline(__always)
  private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let end = buffer.count &+ bytes.count
    // It cannot overflow: the summands are sizes of objects in memory.
    buffer.wantedCount &+= bytes.count
    guard end <= buffer.capacity, let start = buffer.start, let source = bytes.baseAddress else { return nil }
    let address = start + buffer.count
    address.copyMemory(from: source, byteCount: bytes.count)
    buffer.count = end
    return UnsafeRawBufferPointer(start: address, count: bytes.count)
  }
}
