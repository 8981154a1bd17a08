import CSQLite
import TestSupport
import Tidemark

/// A connection to the files of a database that uses SQLite's C interface only, as another program may do.
///
/// It has the collation and the functions of the schemas: statements that depend on them succeed.
final class ConnectionWithoutLibrary {
  let handle: OpaquePointer?

  init(path: String, attached: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    self.handle = handle
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    sqlite3_busy_timeout(handle, CInt(WaitLimit.seconds * 1000))
    Self.define(in: handle)
    execute("ATTACH '\(attached)' AS aux; PRAGMA foreign_keys = ON")
  }

  /// Adds the collation and the functions of the schemas.
  private static func define(in handle: OpaquePointer?) {
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 10)
    sqlite3_create_collation_v2(
      handle, "FOLDED", SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        let (left, right) = (String(bytes: left, count: leftCount), String(bytes: right, count: rightCount))
        switch ShapeSite.order(left, right) {
        case .orderedAscending: return -1
        case .orderedSame: return 0
        case .orderedDescending: return 1
        }
      }, nil)
    for (name, flags) in [("twice", SQLITE_UTF8 | SQLITE_DETERMINISTIC), ("twice_again", SQLITE_UTF8)] {
      sqlite3_create_function_v2(
        handle, name, 1, flags, nil, { context, _, arguments in setDouble(of: arguments?[0], in: context) }, nil, nil,
        nil)
    }
  }

  deinit { sqlite3_close_v2(handle) }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Executes statements, until one of them fails.
  func execute(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  /// Executes a statement, and resets it after its first row.
  func executeFirstStep(_ sql: String) {
    var statement: OpaquePointer?
    if sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK { sqlite3_step(statement) }
    sqlite3_finalize(statement)
  }

  /// Returns the first value of a query; nil if there is none.
  func integer(_ sql: String) -> Int64? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_int64(statement, 0)
  }

  /// Replaces the main database by a copy of itself, in which statements were executed. They may fail.
  func restore(executing statements: [String]) {
    var copy: OpaquePointer?
    guard sqlite3_open_v2(":memory:", &copy, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return }
    defer { sqlite3_close_v2(copy) }
    Self.define(in: copy)
    if !Self.copy(from: handle, to: copy) { return }
    for statement in statements { sqlite3_exec(copy, statement, nil, nil, nil) }
    _ = Self.copy(from: copy, to: handle)
  }

  private static func copy(from source: OpaquePointer?, to target: OpaquePointer?) -> Bool {
    let backup = sqlite3_backup_init(target, "main", source, "main")
    let code = sqlite3_backup_step(backup, -1)
    sqlite3_backup_finish(backup)
    return code == SQLITE_DONE
  }
}

/// Sets the result of the functions of the schemas, as `ShapeSite` computes it.
private func setDouble(of value: OpaquePointer?, in context: OpaquePointer?) {
  switch sqlite3_value_type(value) {
  case SQLITE_INTEGER: sqlite3_result_int64(context, sqlite3_value_int64(value) &* 2)
  case SQLITE_FLOAT: sqlite3_result_double(context, sqlite3_value_double(value) * 2)
  case SQLITE_TEXT:
    let bytes = sqlite3_value_text(value)
    let text = Array(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_result_text64(
      context, (text + text).map(CChar.init(bitPattern:)), UInt64(2 * text.count), transient, UInt8(SQLITE_UTF8))
  default: sqlite3_result_null(context)
  }
}

extension String {
  fileprivate init(bytes: UnsafeRawPointer?, count: CInt) {
    self.init(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}
