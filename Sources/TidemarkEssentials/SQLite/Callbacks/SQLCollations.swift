import CSQLite

/// A Swift closure that implements a collation.
///
/// SQLite owns the box, and releases it when the collation is replaced, removed, or the connection
/// closed.
final class SQLCollationBox {
  let compare: (String, String) -> CInt

  init(_ compare: @escaping (String, String) -> CInt) {
    self.compare = compare
  }
}

extension ConnectionHandle {
  /// Adds a collation, or replaces the one with the same name. C: `sqlite3_create_collation_v2`.
  func addCollation(_ name: String, _ box: SQLCollationBox) throws {
    let context = Unmanaged.passRetained(box)
    let code = sqlite3_create_collation_v2(
      pointer, name, SQLITE_UTF8, context.toOpaque(),
      { context, lhsCount, lhs, rhsCount, rhs in
        let box = Unmanaged<SQLCollationBox>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        return box.compare(text(lhs, lhsCount), text(rhs, rhsCount))
      },
      { context in
        Unmanaged<SQLCollationBox>.fromOpaque(context.unsafelyUnwrapped).release()
      })
    // Unlike for functions, SQLite does not release the box of a rejected collation.
    if code != SQLITE_OK { context.release() }
    try check(code)
  }

  /// C: `sqlite3_create_collation_v2` without a function.
  func removeCollation(_ name: String) throws {
    try check(sqlite3_create_collation_v2(pointer, name, SQLITE_UTF8, nil, nil, nil))
  }
}

private func text(_ bytes: UnsafeRawPointer?, _ count: CInt) -> String {
  String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
}
