extension Database {
  /// A function that receives messages: a result code, and text.
  public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

  /// Receives the messages of SQLite's own log, and errors that cannot be thrown.
  ///
  /// ```swift
  /// Database.logError = { code, message in
  ///   FileHandle.standardError.write(Data("SQLite: \(code) \(message)\n".utf8))
  /// }
  /// ```
  ///
  /// Set it before the first connection is opened: SQLite ignores it afterwards. It must not use a
  /// database.
  public static var logError: LogErrorFunction? {
    get { ErrorLog.destination }
    set { ErrorLog.destination = newValue }
  }

  /// Reports an error that cannot be thrown.
  package static func log(_ error: any Error, _ what: String) {
    let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
    ErrorLog.write(code, "\(what): \(error)")
  }
}
