import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ConnectionHandle {
  /// The modes of `sqlite3_wal_checkpoint_v2`.
  struct Checkpoint {
    fileprivate var mode: CInt
    static let passive = Checkpoint(mode: SQLITE_CHECKPOINT_PASSIVE)
    static let full = Checkpoint(mode: SQLITE_CHECKPOINT_FULL)
    static let restart = Checkpoint(mode: SQLITE_CHECKPOINT_RESTART)
    static let truncate = Checkpoint(mode: SQLITE_CHECKPOINT_TRUNCATE)
  }

  /// The number of frames in a log, and the number of them that are in the database; -1 without a log.
  typealias LogCounts = (walFrameCount: Int, checkpointedFrameCount: Int)

  /// C: `sqlite3_wal_checkpoint_v2`.
  func checkpoint(_ checkpoint: Checkpoint, on name: String?) throws -> LogCounts {
    var logCount: CInt = -1
    var doneCount: CInt = -1
    try check(sqlite3_wal_checkpoint_v2(pointer, name, checkpoint.mode, &logCount, &doneCount))
    return (Int(logCount), Int(doneCount))
  }

  /// Calls `didCommitToLog` after each commit, and disables SQLite's own checkpoints. C: `sqlite3_wal_hook`.
  func installLogHook(_ callbacks: ConnectionCallbacks) {
    sqlite3_wal_hook(
      pointer,
      { context, _, name, frameCount in
        guard let name else { return SQLITE_OK }
        ConnectionCallbacks.withBorrowed(context) { callbacks in
          if callbacks.ownCommits.isTracking, strcmp(name, "main") == 0 {
            callbacks.ownCommits.didCommit(frameCount: UInt32(bitPattern: frameCount))
          }
          if frameCount >= callbacks.longLogFrameCount {
            callbacks.didCommitToLog?(String(cString: name), Int(frameCount))
          }
        }
        return SQLITE_OK
      }, callbacks.context)
  }

  /// A number that changes with each commit that the connection makes in its main database, and whenever it notices
  /// commits of other connections. It can be read in the commit hook. C: `SQLITE_FCNTL_DATA_VERSION`.
  ///
  /// `PRAGMA data_version` is the same number minus the number of own commits, up to a constant.
  static func dataVersionCounter(of connection: SQLiteConnection) -> UInt32? {
    var counter: UInt32 = 0
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_DATA_VERSION, &counter) == SQLITE_OK ? counter : nil
  }

  /// Executes a statement without a result, on a connection that has no other use. C: `sqlite3_exec`.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(pointer, sql, nil, nil, nil))
  }

  /// Whether the connection keeps its locks, so that no other one can use the files.
  ///
  /// It can be called at any moment, and does not use the statements of accesses. C: `sqlite3_prepare_v2`.
  var holdsFilesExclusively: Bool {
    var statement: SQLiteStatement?
    guard sqlite3_prepare_v2(pointer, "PRAGMA main.locking_mode", -1, &statement, nil) == SQLITE_OK else {
      return false
    }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let mode = sqlite3_column_text(statement, 0) else { return false }
    return String(cString: mode) == "exclusive"
  }

  /// The path of the file of an attached or main database; nil without a file. C: `sqlite3_db_filename`.
  func filePath(of name: String) -> String? {
    guard let path = sqlite3_db_filename(pointer, name), path.pointee != 0 else { return nil }
    return String(cString: path)
  }

  /// Whether a database of the connection is read-only. C: `sqlite3_db_readonly`.
  func isReadonly(_ name: String) -> Bool { sqlite3_db_readonly(pointer, name) == 1 }

  /// Whether a reading statement or a transaction of a database is active. C: `sqlite3_txn_state`.
  func isReading(_ name: String) -> Bool {
    sqlite3_txn_state(pointer, name) > SQLITE_TXN_NONE
  }

  /// Whether a transaction holds the write lock of a database. C: `sqlite3_txn_state`.
  func isWriting(_ name: String) -> Bool {
    sqlite3_txn_state(pointer, name) == SQLITE_TXN_WRITE
  }

  /// Whether a reading statement or a transaction is active. C: `sqlite3_txn_state`.
  var isReading: Bool { sqlite3_txn_state(pointer, nil) > SQLITE_TXN_NONE }

  /// Whether the file was moved, deleted or replaced since it was opened. C: `SQLITE_FCNTL_HAS_MOVED`.
  ///
  /// - Parameter name: The name of a database of the connection. Nil stands for the main one, without a lookup: this is
  ///   called before each commit.
  func hasMoved(_ name: String? = nil) -> Bool {
    var hasMoved: CInt = 0
    // A file system that does not support the request returns an error, and nothing is known.
    return sqlite3_file_control(pointer, name, SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  /// Whether SQLite's default file system layer accesses the main database, which then is the file at its path.
  ///
  /// C: `SQLITE_FCNTL_VFS_POINTER`.
  var usesDefaultFileLayer: Bool {
    var layer: UnsafeMutablePointer<sqlite3_vfs>?
    guard sqlite3_file_control(pointer, nil, SQLITE_FCNTL_VFS_POINTER, &layer) == SQLITE_OK,
      let name = layer?.pointee.zName
    else { return false }
    return strcmp(name, "unix") == 0
  }
}
