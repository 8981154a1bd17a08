#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// SQL text with SQLite's equality: by bytes.
struct SQLBytes: Hashable {
  let sql: String

  /// Whether another text has the same bytes.
  func isSame(as other: String) -> Bool {
    guard sql.utf8.count == other.utf8.count else { return false }
    let areSame = sql.utf8.withContiguousStorageIfAvailable { lhs in
      other.utf8.withContiguousStorageIfAvailable { rhs in areEqual(lhs, rhs) }
    }
    return areSame.flatMap { $0 } ?? sql.utf8.elementsEqual(other.utf8)
  }

  private func areEqual(_ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>) -> Bool {
    // Usually both are the same literal. The pointers are null for empty texts.
    guard let left = lhs.baseAddress, let right = rhs.baseAddress, left != right else { return true }
    return memcmp(left, right, lhs.count) == 0
  }

  static func == (lhs: SQLBytes, rhs: SQLBytes) -> Bool { lhs.isSame(as: rhs.sql) }

  func hash(into hasher: inout Hasher) {
    // Equal texts must have equal hashes in any representation.
    var sql = sql
    sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
