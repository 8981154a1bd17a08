import CSQLite

/// A `sqlite3 *`: one method for each C function that is used, which checks the result code.
///
/// It has no policy and no lock. Its owner calls it from one thread at a time, except for
/// `interrupt`.
struct ConnectionHandle {
  let pointer: SQLiteConnection

  // MARK: Opening and closing

  /// Opens a connection that takes no lock of its own: its owner serializes its calls.
  ///
  /// C: `sqlite3_open_v2` with `SQLITE_OPEN_NOMUTEX`, `sqlite3_extended_result_codes`.
  static func open(_ name: String, flags: CInt, vfs: String? = nil) throws -> ConnectionHandle {
    // In a URI, SQLite ignores everything after an escaped NUL: two names would refer to one file.
    let hasEscapedNUL = flags & SQLITE_OPEN_URI != 0 && name.contains("%00")
    guard !name.utf8.contains(0), !hasEscapedNUL else {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the path of the database contains a NUL character")
    }
    precondition(sqlite3_threadsafe() != 0, "Tidemark requires a thread-safe build of libsqlite3")
    var pointer: SQLiteConnection?
    let code = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_NOMUTEX, vfs)
    guard code == SQLITE_OK, let pointer else {
      let error = DatabaseError(
        code: pointer.map { sqlite3_extended_errcode($0) } ?? code, connection: pointer)
      // A connection must be closed even if opening it has failed.
      sqlite3_close(pointer)
      throw error
    }
    sqlite3_extended_result_codes(pointer, 1)
    return ConnectionHandle(pointer: pointer)
  }

  /// Closes the connection, or throws an error with the reason. C: `sqlite3_close`.
  func close() throws {
    try check(sqlite3_close(pointer))
  }

  /// Makes SQLite close the connection as soon as its last statement is finalized. C: `sqlite3_close_v2`.
  func closeEventually() {
    sqlite3_close_v2(pointer)
  }

  // MARK: Settings

  /// Turns an option on or off. C: `sqlite3_db_config`.
  func set(_ option: Option, _ isOn: Bool) throws {
    try check(tidemark_db_config_bool(pointer, option.rawValue, isOn ? 1 : 0, nil))
  }

  /// Whether an option is on. C: `sqlite3_db_config`.
  func isOn(_ option: Option) throws -> Bool {
    var result: CInt = 0
    try check(tidemark_db_config_bool(pointer, option.rawValue, -1, &result))
    return result != 0
  }

  /// Sets an upper bound, and returns the previous one. C: `sqlite3_limit`.
  @discardableResult
  func limit(_ category: CInt, _ value: CInt) -> CInt { sqlite3_limit(pointer, category, value) }

  /// Sets how long to wait for a lock of another connection. C: `sqlite3_busy_timeout`.
  func setBusyTimeout(milliseconds: CInt) throws {
    try check(sqlite3_busy_timeout(pointer, milliseconds))
  }

  /// The Boolean options of `sqlite3_db_config`.
  struct Option {
    var rawValue: CInt
    static let foreignKeys = Option(rawValue: SQLITE_DBCONFIG_ENABLE_FKEY)
    static let defensive = Option(rawValue: SQLITE_DBCONFIG_DEFENSIVE)
    static let trustedSchema = Option(rawValue: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
    static let doubleQuotedStringsInDDL = Option(rawValue: SQLITE_DBCONFIG_DQS_DDL)
    static let doubleQuotedStringsInDML = Option(rawValue: SQLITE_DBCONFIG_DQS_DML)
    static let triggers = Option(rawValue: SQLITE_DBCONFIG_ENABLE_TRIGGER)
    static let legacyAlteration = Option(rawValue: SQLITE_DBCONFIG_LEGACY_ALTER_TABLE)
    static let views = Option(rawValue: SQLITE_DBCONFIG_ENABLE_VIEW)
    static let noCheckpointOnClose = Option(rawValue: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
    static let loadExtension = Option(rawValue: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION)
  }

  // MARK: State

  /// Whether statements can write the schema tables. C: `SQLITE_DBCONFIG_WRITABLE_SCHEMA`.
  var hasWritableSchema: Bool {
    var result: CInt = 0
    return tidemark_db_config_bool(pointer, SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, &result) == SQLITE_OK && result != 0
  }

  /// Whether no transaction is open. C: `sqlite3_get_autocommit`.
  var isInAutocommitMode: Bool { sqlite3_get_autocommit(pointer) != 0 }

  /// C: `sqlite3_last_insert_rowid`.
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }

  /// C: `sqlite3_set_last_insert_rowid`.
  func setLastInsertedRowID(_ rowID: Int64) { sqlite3_set_last_insert_rowid(pointer, rowID) }

  /// C: `sqlite3_changes`.
  var changesCount: Int { Int(sqlite3_changes(pointer)) }

  /// C: `sqlite3_total_changes`.
  var totalChangesCount: Int { Int(sqlite3_total_changes(pointer)) }

  /// Whether the open transaction violates deferred foreign keys. C: `sqlite3_db_status`.
  var hasUnresolvedForeignKeys: Bool {
    var (current, highest): (CInt, CInt) = (0, 0)
    let code = sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return code != SQLITE_OK || current != 0
  }

  /// Frees as much memory as possible. C: `sqlite3_db_release_memory`.
  func releaseMemory() { sqlite3_db_release_memory(pointer) }

  /// Makes running statements fail as soon as possible. Can be called from any thread while
  /// the connection is open. C: `sqlite3_interrupt`.
  func interrupt() { sqlite3_interrupt(pointer) }

  // MARK: Errors

  /// C: `sqlite3_extended_errcode`.
  var lastErrorCode: ResultCode { ResultCode(rawValue: sqlite3_extended_errcode(pointer)) }

  /// C: `sqlite3_errmsg`.
  var lastErrorMessage: String? { sqlite3_errmsg(pointer).map { String(cString: $0) } }

  /// Throws the last error of the connection if a result code is not `SQLITE_OK`.
  func check(_ code: CInt) throws {
    guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: pointer) }
  }
}

/// A raw `sqlite3` pointer.
public typealias SQLiteConnection = OpaquePointer

/// A raw `sqlite3_stmt` pointer.
public typealias SQLiteStatement = OpaquePointer
