// WAL mode.

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
