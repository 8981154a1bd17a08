// Checkpoints at the request of the program.

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
