/// Moves the write-ahead logs of the writer connection into their databases.
///
/// Invariants:
/// 1. Frames are moved only while the write lock is held: no connection, in this process or in another one, commits or
///    restarts the log meanwhile (hazard F1). SQLite's own checkpoints do not take the lock, and are disabled.
/// 2. An automatic checkpoint never makes an access fail. It does not wait, except as in invariant 3.
/// 3. The log does not grow without bound when reads overlap. When it is four times as long as it should be, the
///    checkpoint waits for readers for a moment; new reads meanwhile read the database file. If this was not enough, it
///    is repeated when the log is twice as long: an endless read slows down no other access (hazard C2).
///
/// It runs after a commit that leaves the log as long as `PRAGMA wal_autocheckpoint` says, and, while readers
/// prevent frames from being moved, each time that the log has grown by a quarter of this length.
final class Checkpointer: DatabaseModuleState {
  private var location = DatabaseLocation.memory
  private var vfs: String?

  /// The number of frames that makes a log long; zero if automatic checkpoints are disabled.
  private var automaticFrameCount = 0

  /// The number of frames in each log at the last attempt.
  private var lastAttempts: [String: Int] = [:]
  private var due: Set<String> = []

  /// The number of frames from which on to wait for readers, after waiting has not helped.
  private var patientFrameCounts: [String: Int] = [:]

  init() {}

  /// Replaces SQLite's own checkpoints.
  func begin(on db: Database, at location: DatabaseLocation, _ vfs: String?) throws {
    self.location = location
    self.vfs = vfs
    setAutomaticFrameCount(try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") ?? 0, db)
    let handle = try db.openHandle()
    handle.installLogHook(db.callbacks)
    db.callbacks.didCommitToLog = { [unowned self, unowned db] name, frameCount in
      didCommit(to: name, frameCount, db)
    }
    db.compilation.didSetAutomaticCheckpoint = { [unowned self, unowned db] frameCount in
      setAutomaticFrameCount(frameCount, db)
      // SQLite has replaced our hook by its own.
      db.handle?.installLogHook(db.callbacks)
    }
  }

  private func setAutomaticFrameCount(_ count: Int, _ db: Database) {
    automaticFrameCount = max(count, 0)
    // Most commits leave a short log, and need not be reported.
    db.callbacks.longLogFrameCount = count > 0 ? CInt(clamping: count) : .max
  }

  // MARK: Automatic checkpoints

  private func didCommit(to name: String, _ frameCount: Int, _ db: Database) {
    // A log that is shorter than before has been restarted.
    let last = lastAttempts[name].flatMap { $0 <= frameCount ? $0 : nil } ?? 0
    guard last == 0 || frameCount - last >= max(automaticFrameCount / 4, 1) else { return }
    lastAttempts[name] = frameCount
    due.insert(name)
    db.transactionWork.betweenTransactions = { [unowned self] db in moveDueLogs(db) }
  }

  private func moveDueLogs(_ db: Database) {
    let names = due
    due = []
    for name in names {
      do {
        try moveAutomatically(name, of: db)
      } catch {
        db.stopIfDiskIsNotKnown(after: error)
        Database.log(error, "Could not checkpoint the write-ahead log")
      }
    }
  }

  private func moveAutomatically(_ name: String, of db: Database) throws {
    do {
      let connections = try connections(name, of: db)
      let counts = try connections.move { _ in false }
      if counts.walFrameCount < patientFrameCounts[name] ?? (4 * automaticFrameCount) { return }
      patientFrameCounts[name] = 2 * counts.walFrameCount
      try connections.restartLog(within: .milliseconds(100), db.settings.clock)
      patientFrameCounts[name] = nil
    } catch DatabaseError.SQLITE_BUSY {
      // Another connection writes or runs a checkpoint, and there will be another attempt; or this is the only one.
      let handle = try db.openHandle()
      if handle.holdsFilesExclusively { _ = try handle.checkpoint(.passive, on: name) }
    }
  }

  // MARK: Explicit checkpoints

  /// - Parameter name: The name of a database of the connection that is in WAL mode.
  func checkpoint(
    _ mode: Database.CheckpointMode, _ name: String, of db: Database
  ) throws -> ConnectionHandle.LogCounts {
    let shouldRetry: CheckpointConnections.RetryHandler = { count in db.callbacks.busy?(count) ?? false }
    do {
      let handle = try db.openHandle()
      // Other connections cannot use the file.
      if handle.holdsFilesExclusively { return try handle.checkpoint(mode.waitingKind ?? .passive, on: name) }
      let connections = try connections(name, of: db)
      // Move first what can be moved without waiting for readers.
      let counts = try connections.move(shouldRetry)
      return if let kind = mode.waitingKind { try connections.checkpoint(kind, shouldRetry) } else { counts }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw db.interruption ?? error
    } catch {
      db.stopIfDiskIsNotKnown(after: error)
      throw error
    }
  }

  private func connections(_ name: String, of db: Database) throws -> CheckpointConnections {
    let handle = try db.openHandle()
    guard let path = handle.filePath(of: name) else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "unknown database: \(name)")
    }
    let connections = try CheckpointConnections(name == "main" ? location : .file(path), vfs: vfs)
    // The path may refer to another file by now.
    if handle.hasMoved(name) {
      throw Database.movedError(path: path)
    }
    return connections
  }
}

extension Database.CheckpointMode {
  /// Nil for the mode that does not wait.
  fileprivate var waitingKind: ConnectionHandle.Checkpoint? {
    switch self {
    case .passive: nil
    case .full: .full
    case .restart: .restart
    case .truncate: .truncate
    }
  }
}
