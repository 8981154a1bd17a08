// WAL mode and checkpoints.

extension Database {
  /// Switches the file to WAL mode.
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

  /// Protects a new file from being lost in a power failure, by syncing its folder (hazard F16).
  private func secureNewFile() throws {
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") != "wal" else { return }
    try execute(sql: "PRAGMA synchronous = EXTRA")
    if let path = handle?.filePath(of: "main") { DatabaseFile.synchronizeFolder(ofFileAtPath: path) }
  }

  // If two connections switch the same file at the same time, each holds a lock that the other one needs. SQLite fails
  // in one of them immediately, without calling its busy handler.
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
  /// The configuration of the readers of a pool.
  var forReaders: Configuration {
    var configuration = self
    configuration.readonly = true
    // The writer holds no lock that a reader waits for. Recovery and the last closing connection do, for a moment.
    configuration.busyMode = .timeout(10)
    configuration.allowsUnsafeTransactions = false
    configuration.filePermissions = nil
    return configuration
  }
}

extension Database {
  /// The kind of a checkpoint, which determines the frames that it transfers, and the connections for which it waits.
  public enum CheckpointMode: Sendable {
    /// Moves the frames that can be moved without waiting.
    case passive

    /// Moves all frames, and waits for writers and for readers of older snapshots.
    case full

    /// Moves all frames, and then waits until all readers read from the database, so that the next writer restarts the
    /// log.
    case restart

    /// Moves all frames as `restart`, and then truncates the log file.
    case truncate
  }

  /// Runs a checkpoint, which moves the content of the write-ahead log into the database.
  ///
  /// Call this method outside of a transaction. Checkpoints run automatically when the log has grown: see `PRAGMA
  /// wal_autocheckpoint`. No mode blocks readers. All modes wait for writers, and all except the passive one wait for
  /// readers of older snapshots, up to the busy timeout of the configuration.
  ///
  /// - Parameter kind: The kind of the checkpoint.
  /// - Parameter dbName: The database, or nil for all attached databases.
  /// - Returns: The number of frames in the log, and the number of frames that were moved into the database; -1 if the
  ///   database is not in WAL mode. For all databases, the numbers of the main database.
  /// - Throws: An error of code `SQLITE_BUSY` if a wait has timed out.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on dbName: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    preconditionAccess()
    precondition(
      !isInsideTransaction,
      "checkpoint(_:on:) must be called outside of a transaction: call it in writeWithoutTransaction")
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
