import CSQLite

/// The destination of messages that are not returned to a caller: SQLite's own log, and errors that occur while another
/// error is being thrown.
///
/// The program chooses the destination once, with `Database.logError`.
enum ErrorLog {
  typealias Function = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

  private static let function = Mutex<Function?>(nil)

  static var destination: Function? {
    get { function.withLock { $0 } }
    set {
      function.exchange(newValue)
      if newValue != nil { SQLiteLog.install() }
    }
  }

  static func write(_ resultCode: ResultCode, _ message: String) {
    destination?(resultCode, message)
  }
}

/// The log of SQLite itself. C: `sqlite3_config(SQLITE_CONFIG_LOG)`.
private enum SQLiteLog {
  // SQLite accepts a log function before its first connection only, so this is done once.
  private static let isInstalled: Bool = {
    let code = tidemark_config_log(
      { _, code, message in
        ErrorLog.write(ResultCode(rawValue: code), message.map { String(cString: $0) } ?? "")
      }, nil)
    return code == SQLITE_OK
  }()

  static func install() { _ = isInstalled }
}
