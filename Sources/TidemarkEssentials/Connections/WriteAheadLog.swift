// The write-ahead log: how a file is turned to it, and how it is emptied.

extension Database {
  /// Turns the file to the write-ahead log.
  func useWriteAheadLog(path: String, durability: Configuration.Durability) throws {
    let ownSetting = try synchronousOfProgram()
    if durability != .unsafeNoSync, ownSetting != 0 { try untraced(secureNewFile) }
    let mode = try retryingWhenBusy { try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") }
    guard mode == "wal" else { throw DatabaseError(message: "could not activate WAL Mode at path: \(path)") }
    if let ownSetting {
      try untraced { try execute(sql: "PRAGMA synchronous = \(ownSetting)") }
    } else {
      try use(durability, usesWriteAheadLog: true)
    }
    logWarnings(usesWriteAheadLog: true)
  }

  /// Sees to it that a new file is not taken away by a power failure: until it is written down in its folder, with all
  /// that belongs to it, that may happen (hazard F16).
  private func secureNewFile() throws {
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") != "wal" else { return }
    try execute(sql: "PRAGMA synchronous = EXTRA")
    if let path = handle?.filePath(of: "main") { DatabaseFile.synchronizeFolder(ofFileAtPath: path) }
  }

  // Where two connections turn the same file at the same time, each holds what the other one needs, and SQLite has
  // one of them fail at once, without a question to its busy handler.
  private func retryingWhenBusy<Result>(_ body: () throws -> Result) throws -> Result {
    var count = 0
    while true {
      do {
        return try body()
      } catch DatabaseError.SQLITE_BUSY where callbacks.busy?(count) == true {
        count += 1
      }
    }
  }
}

extension Configuration {
  /// For the connections of a pool that read.
  var forReaders: Configuration {
    var configuration = self
    configuration.readonly = true
    // The writer holds no lock that a reader waits for, but recovery and the last connection that closes do, for
    // a moment.
    configuration.busyMode = .timeout(10)
    configuration.allowsUnsafeTransactions = false
    configuration.filePermissions = nil
    return configuration
  }
}

extension Database {
  /// How much of the write-ahead log is moved into the database, and who is waited for.
  public enum CheckpointMode: Sendable {
    /// What can be moved without waiting for anybody.
    case passive

    /// Everything: writers are waited for, and readers of old states.
    case full

    /// Everything, and then until all readers read from the database, so that the next writer begins the log
    /// anew.
    case restart

    /// Everything, and then the file of the log is emptied.
    case truncate
  }

  /// Moves what is in the write-ahead log into the database.
  ///
  /// To be called outside of a transaction. It is done without being asked when the log has grown: see
  /// `PRAGMA wal_autocheckpoint`. Readers are not held up by any mode. All modes wait for somebody who writes, and all
  /// but the passive one for those who read an old state, as long as the busy mode of the configuration says.
  ///
  /// - parameter dbName: The database, or nil for all that are attached.
  /// - returns: How many frames there are in the log, and how many of them are in the database now; -1 when the
  ///   database does not use the write-ahead log. For all databases, those of the main one.
  /// - throws: An error of code `SQLITE_BUSY` when somebody was waited for in vain.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on dbName: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    preconditionAccess()
    precondition(!isInsideTransaction, "A checkpoint is made outside of a transaction: SQLite refuses it inside one")
    if let dbName { return try checkpoint(kind, ofDatabase: dbName) }
    let names = try String.fetchAll(self, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
    let counts = try names.map { try checkpoint(kind, ofDatabase: $0) }
    return counts.first ?? (-1, -1)
  }

  private func checkpoint(
    _ kind: CheckpointMode, ofDatabase name: String
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    let handle = try openHandle()
    let journalMode = try String.fetchOne(self, sql: "PRAGMA \(name.quotedDatabaseIdentifier).journal_mode")
    guard journalMode == "wal", !settings.isReadonly, !handle.isReading(name) else {
      // SQLite has nothing to do, or refuses.
      return try handle.checkpoint(.passive, on: name)
    }
    return try moduleState(Checkpointer.self).checkpoint(kind, name, of: self)
  }
}
