/// Looks with the one connection of a queue, between its accesses: as long as one is running, there is nothing to fetch
/// with, either.
///
/// SQLite counts the commits of others for each connection (`PRAGMA data_version`); its own are not among them. It also
/// counts when a checkpoint of another connection has emptied the log: `OwnCommits` knows better then.
final class QueueCommitGauge: CommitGauge, @unchecked Sendable {
  private let connection: SerializedConnection

  // Touched inside accesses of the connection only.
  private var version: Int64?
  private var fileHead: DatabaseFileHead?

  init(_ connection: SerializedConnection) {
    self.connection = connection
    connection.ownCommits.begin()
  }

  func look(_ patience: Bool) -> CommitFinding {
    connection.inPassing { db in
      do {
        guard let handle = db.handle, handle.isInAutocommitMode, !handle.isReading else { return .unclear }
        if handle.hasMoved() { return .moved }
        // A lock for a moment would be one too many for a writer that does not wait.
        if version == nil { beginWithLog(db) }
        if let fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .nothing }
        return try lookInside(db, handle)
      } catch {
        // Somebody has the lock. If it is something else, a fetch will find out.
        return .unclear
      }
    } ?? .unclear
  }

  private func lookInside(_ db: Database, _ handle: ConnectionHandle) throws -> CommitFinding {
    if handle.fileHead?.usesLog == true {
      fileHead = nil
      let finding = note(try db.dataVersion())
      return finding == .others ? lookIntoLog(handle) : finding
    }
    return try db.isolatedRead { db in
      let version = try db.dataVersion()
      // What is in the file is committed as long as the lock is ours.
      fileHead = handle.fileHead
      return note(version)
    }
  }

  private func lookIntoLog(_ handle: ConnectionHandle) -> CommitFinding {
    // Who is alone has no log that others could see, and SQLite would make one where it is asked for.
    if handle.holdsFilesExclusively { return .others }
    if connection.ownCommits.hasBegun {
      return connection.ownCommits.look(false) { handle.walIndexHeaderOfLog } == .nothing ? .nothing : .others
    }
    // What is read from now on is at least as new.
    if let header = handle.walIndexHeaderOfLog { connection.ownCommits.begin(with: header) }
    return .others
  }

  private func note(_ version: Int64) -> CommitFinding {
    defer { self.version = version }
    return version == self.version ?? version ? .nothing : .others
  }

  func begin(with db: Database) -> Bool {
    if version != nil { return true }
    beginWithLog(db)
    // In a transaction, it is the version of what is read there. Unknown, it is found by the first look.
    version = try? db.dataVersion()
    return version != nil
  }

  /// Takes note of the state of the log, which is no newer than what is read.
  private func beginWithLog(_ db: Database) {
    guard let handle = db.handle, !handle.isReading, !handle.holdsFilesExclusively,
      let header = handle.walIndexHeader
    else { return }
    connection.ownCommits.begin(with: header)
  }

  func rest() {}

  func end() { connection.ownCommits.end() }
}

extension Database {
  /// Another number whenever somebody else has committed. C: `PRAGMA data_version`.
  func dataVersion() throws -> Int64 {
    try untraced {
      try Int64.fetchOne(self, sql: "PRAGMA data_version") ?? 0
    }
  }
}
