/// Checks with the only connection of a queue, between its accesses: during an access, nothing could be fetched
/// anyway.
///
/// SQLite counts external commits for each connection (`PRAGMA data_version`). It also
/// counts when a checkpoint of another connection has emptied the log: `OwnCommitTracker` detects this case.
final class QueueCommitDetector: ExternalCommitDetector, @unchecked Sendable {
  private let connection: SerializedConnection

  // Used inside accesses of the connection only.
  private var version: Int64?
  private var fileHead: DatabaseFileHead?

  init(_ connection: SerializedConnection) {
    self.connection = connection
    connection.ownCommits.begin()
  }

  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult {
    connection.withIdleConnection { db in
      do {
        guard let handle = db.handle, handle.isInAutocommitMode, !handle.isReading else { return .inconclusive }
        if handle.hasMoved() { return .fileMoved }
        // Even a short lock would disturb a writer that does not wait.
        if version == nil { beginWithLog(db) }
        if let fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .unchanged }
        return try checkInsideAccess(db, handle)
      } catch {
        // Another connection holds the lock. Any other problem will show in a fetch.
        return .inconclusive
      }
    } ?? .inconclusive
  }

  private func checkInsideAccess(_ db: Database, _ handle: ConnectionHandle) throws -> CommitCheckResult {
    if handle.fileHead?.usesLog == true {
      fileHead = nil
      let finding = note(try db.dataVersion())
      return finding == .externalCommit ? checkLog(handle) : finding
    }
    return try db.isolatedRead { db in
      let version = try db.dataVersion()
      // The content of the file is committed while the lock is held.
      fileHead = handle.fileHead
      return note(version)
    }
  }

  private func checkLog(_ handle: ConnectionHandle) -> CommitCheckResult {
    // With exclusive locking the log is not shared, and SQLite would create a WAL-index on request.
    if handle.holdsFilesExclusively { return .externalCommit }
    if connection.ownCommits.hasBegun {
      return connection.ownCommits.check(false) { handle.walIndexHeaderOfLog } == .unchanged
        ? .unchanged : .externalCommit
    }
    // Later reads are at least as new.
    if let header = handle.walIndexHeaderOfLog { connection.ownCommits.begin(with: header) }
    return .externalCommit
  }

  private func note(_ version: Int64) -> CommitCheckResult {
    defer { self.version = version }
    return version == self.version ?? version ? .unchanged : .externalCommit
  }

  func begin(with db: Database) -> Bool {
    if version != nil { return true }
    beginWithLog(db)
    // In a transaction, it is the version of its snapshot. If it is unknown, the first check determines it.
    version = try? db.dataVersion()
    return version != nil
  }

  /// Records the state of the log, which is not newer than the following reads.
  private func beginWithLog(_ db: Database) {
    guard let handle = db.handle, !handle.isReading, !handle.holdsFilesExclusively,
      let header = handle.walIndexHeader
    else { return }
    connection.ownCommits.begin(with: header)
  }

  func releaseResources() {}

  func end() { connection.ownCommits.end() }
}

extension Database {
  /// A number that changes with each external commit. C: `PRAGMA data_version`.
  func dataVersion() throws -> Int64 {
    try untraced {
      try Int64.fetchOne(self, sql: "PRAGMA data_version") ?? 0
    }
  }
}
