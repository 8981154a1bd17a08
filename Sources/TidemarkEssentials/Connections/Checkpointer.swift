/// Moves the write-ahead logs of a connection that writes into their databases.
///
/// Laws:
/// 1. Frames are moved only while the lock of the writer is ours: nobody, in this process or in another one, commits or
///    begins the log anew meanwhile (hazard F1). SQLite's own checkpoints go without, and are turned off.
/// 2. A checkpoint that comes by itself never makes an access fail. It waits for nobody, unless law 3 says so.
/// 3. The log does not grow for ever because reads overlap. When it is four times as long as it should be, those who
///    read are waited for, for a moment; whoever comes meanwhile reads from the database. When that was not enough, it
///    is tried again when the log is twice as long: a read that takes for ever slows nobody down (hazard C2).
///
/// It comes after a commit that has left the log as long as `PRAGMA wal_autocheckpoint` says, and, as long as readers
/// keep frames from being moved, each time that the log has grown by a quarter of it.
final class Checkpointer: DatabasePart {
  private var location = DatabaseLocation.memory
  private var vfs: String?

  /// How many frames make a log long; zero when nothing comes by itself.
  private var automaticFrameCount = 0

  /// How many frames there were in the logs at the last attempt.
  private var lastAttempts: [String: Int] = [:]
  private var due: Set<String> = []

  /// How many frames there must be for readers to be waited for, where that was in vain.
  private var patientFrameCounts: [String: Int] = [:]

  init() {}

  /// Takes the place of SQLite's own checkpoints.
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
      // SQLite has put its own hook in the place of ours.
      db.handle?.installLogHook(db.callbacks)
    }
  }

  private func setAutomaticFrameCount(_ count: Int, _ db: Database) {
    automaticFrameCount = max(count, 0)
    // Most commits leave a log that is not long, and need not be told.
    db.callbacks.longLogFrameCount = count > 0 ? CInt(clamping: count) : .max
  }

  // MARK: By itself

  private func didCommit(to name: String, _ frameCount: Int, _ db: Database) {
    // A log that is shorter than it was has begun anew.
    let last = lastAttempts[name].flatMap { $0 <= frameCount ? $0 : nil } ?? 0
    guard last == 0 || frameCount - last >= max(automaticFrameCount / 4, 1) else { return }
    lastAttempts[name] = frameCount
    due.insert(name)
    db.workBetweenTransactions = { [unowned self] db in moveWhatIsDue(db) }
  }

  private func moveWhatIsDue(_ db: Database) {
    let names = due
    due = []
    for name in names {
      do {
        try moveUnasked(name, of: db)
      } catch {
        db.stopIfDiskIsNotKnown(after: error)
        Database.log(error, "The write-ahead log could not be moved into the database")
      }
    }
  }

  private func moveUnasked(_ name: String, of db: Database) throws {
    do {
      let connections = try connections(name, of: db)
      let counts = try connections.move { _ in false }
      if counts.walFrameCount < patientFrameCounts[name] ?? (4 * automaticFrameCount) { return }
      patientFrameCounts[name] = 2 * counts.walFrameCount
      try connections.beginAnew(within: .milliseconds(100), db.settings.clock)
      patientFrameCounts[name] = nil
    } catch DatabaseError.SQLITE_BUSY {
      // Somebody else writes or moves, and there is a next time; or nobody else can be there at all.
      let handle = try db.openHandle()
      if handle.holdsFilesExclusively { _ = try handle.checkpoint(.passive, on: name) }
    }
  }

  // MARK: On demand

  /// - parameter name: A database of the connection that uses the write-ahead log.
  func checkpoint(
    _ mode: Database.CheckpointMode, _ name: String, of db: Database
  ) throws -> ConnectionHandle.LogCounts {
    let patience: CheckpointConnections.Patience = { count in db.callbacks.busy?(count) ?? false }
    do {
      let handle = try db.openHandle()
      // Nobody else can be there.
      if handle.holdsFilesExclusively { return try handle.checkpoint(mode.waitingKind ?? .passive, on: name) }
      let connections = try connections(name, of: db)
      // What need not wait for readers is done in any case.
      let counts = try connections.move(patience)
      return if let kind = mode.waitingKind { try connections.checkpoint(kind, patience) } else { counts }
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
    // The path may lead to another file by now.
    if handle.hasMoved(name) {
      throw Database.movedError(path: path)
    }
    return connections
  }
}

extension Database.CheckpointMode {
  /// Nil for the mode that waits for nobody.
  fileprivate var waitingKind: ConnectionHandle.Checkpoint? {
    switch self {
    case .passive: nil
    case .full: .full
    case .restart: .restart
    case .truncate: .truncate
    }
  }
}
