import CSQLite
import Foundation
import TidemarkEssentials

/// A connection of bare SQLite to a database in memory, as the oracle of checks. One thread uses it.
final class BareSQLite: @unchecked Sendable {
  let pointer: OpaquePointer
  fileprivate var readTables: Set<String> = []

  init(_ schema: String = "") throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let opened else { throw FuzzFailure("SQLite cannot open a database: \(code)") }
    pointer = opened
    guard sqlite3_exec(opened, schema, nil, nil, nil) == SQLITE_OK else { throw FuzzFailure(message) }
  }

  deinit { sqlite3_close_v2(pointer) }

  var message: String { sqlite3_errmsg(pointer).map { String(cString: $0) } ?? "" }

  /// What SQLite knows about the first statement of a text.
  struct Compiled {
    /// The number of bytes up to the end of the statement.
    let byteCount: Int

    /// Whether the text contains only whitespace and comments.
    let isBlank: Bool

    let parameterCount: Int

    /// The names of the parameters, with their prefixes.
    let parameterNames: Set<String>

    let isReadOnly: Bool

    /// The tables of the main database that the statement reads, in lower case.
    let readTables: Set<String>
  }

  /// Compiles a statement, and does not run it. Returns nil if SQLite rejects it.
  func compile(_ sql: String) -> Compiled? {
    readTables = []
    sqlite3_set_authorizer(pointer, authorize, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_set_authorizer(pointer, nil, nil) }
    var statement: OpaquePointer?
    var byteCount = 0
    let code = sql.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(pointer, start, -1, &statement, &tail)
      byteCount = tail.map { $0 - start } ?? 0
      return code
    }
    defer { sqlite3_finalize(statement) }
    guard code == SQLITE_OK else { return nil }
    let count = sqlite3_bind_parameter_count(statement)
    var names: Set<String> = []
    if count > 0 {
      for index in 1...count {
        if let name = sqlite3_bind_parameter_name(statement, index) { names.insert(String(cString: name)) }
      }
    }
    return Compiled(
      byteCount: byteCount, isBlank: statement == nil, parameterCount: Int(count), parameterNames: names,
      isReadOnly: sqlite3_stmt_readonly(statement) != 0, readTables: readTables)
  }

  /// Runs one statement, and returns the first column of its first row; nil if it fails or has no row.
  func value(_ sql: String, _ arguments: [DatabaseValue]) throws -> DatabaseValue? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK else { throw FuzzFailure(message) }
    defer { sqlite3_finalize(statement) }
    for (index, argument) in arguments.enumerated() { try bind(argument, statement, CInt(index + 1)) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return column(statement)
  }

  private func bind(_ value: DatabaseValue, _ statement: OpaquePointer?, _ index: CInt) throws {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code: CInt =
      switch value.storage {
      case .null: sqlite3_bind_null(statement, index)
      case .int64(let integer): sqlite3_bind_int64(statement, index, integer)
      case .double(let double): sqlite3_bind_double(statement, index, double)
      case .string(let text): sqlite3_bind_text(statement, index, text, CInt(text.utf8.count), transient)
      case .blob(let data):
        data.withUnsafeBytes { bytes in
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), transient)
        }
      }
    if code != SQLITE_OK { throw FuzzFailure(message) }
  }

  private func column(_ statement: OpaquePointer?) -> DatabaseValue {
    switch sqlite3_column_type(statement, 0) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, 0).databaseValue
    case SQLITE_FLOAT: return sqlite3_column_double(statement, 0).databaseValue
    case SQLITE_TEXT:
      let count = Int(sqlite3_column_bytes(statement, 0))
      let bytes = UnsafeRawBufferPointer(start: sqlite3_column_text(statement, 0), count: count)
      return String(decoding: bytes, as: UTF8.self).databaseValue
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, 0))
      return Data(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count)).databaseValue
    default: return .null
    }
  }
}

/// The authorizer of `BareSQLite.compile`: it records the tables that are read.
private let authorize:
  @convention(c) (
    UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?
  ) -> CInt = { context, action, table, _, database, _ in
    guard action == SQLITE_READ, let context, let table, let database else { return SQLITE_OK }
    if String(cString: database) == "main" {
      let sqlite = Unmanaged<BareSQLite>.fromOpaque(context).takeUnretainedValue()
      sqlite.readTables.insert(String(cString: table).lowercased())
    }
    return SQLITE_OK
  }
