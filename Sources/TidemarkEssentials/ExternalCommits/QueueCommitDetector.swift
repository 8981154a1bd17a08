/// Checks with the only connection of a queue, between its accesses: during an access, nothing could be fetched
/// anyway.
///
/// SQLite counts external commits for each connection (`PRAGMA data_version`). It also
/// counts when a checkpoint of another connection has emptied the log: `OwnCommitTracker` detects this case.
final class QueueCommitDetector: ExternalCommitDetector {
  private let connection: SerializedConnection

  /// The last known state. Only accesses of the connection change it.
  private struct KnownState {
    var version: Int64?
    var fileHead: DatabaseFileHead?
  }

  private let known = Mutex(KnownState(), rank: .externalCommitDetector)

  init(_ connection: SerializedConnection) {
    self.connection = connection
  }

  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult {
    connection.withIdleConnection { db in
      do {
        guard let handle = db.handle, handle.isInAutocommitMode, !handle.isReading else { return .inconclusive }
        if handle.hasMoved() { return .fileMoved }
        // Even a short lock would disturb a writer that does not wait.
        let known = known.withLock { $0 }
        if known.version == nil { beginWithLog(db) }
        if let fileHead = known.fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .unchanged }
        return try checkInsideAccess(db, handle)
      } catch {
        // Another connection holds the lock. Any other problem will show in a fetch.
        return .inconclusive
      }
    } ?? .inconclusive
  }

  private func checkInsideAccess(_ db: Database, _ handle: ConnectionHandle) throws -> CommitCheckResult {
    if handle.fileHead?.usesLog == true {
      let finding = note(try db.dataVersion(), nil)
      return finding == .externalCommit ? checkLog(handle) : finding
    }
    return try db.isolatedRead { db in
      let version = try db.dataVersion()
      // The content of the file is committed while the lock is held.
      return note(version, handle.fileHead)
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

  private func note(_ version: Int64, _ fileHead: DatabaseFileHead?) -> CommitCheckResult {
    let old = known.exchange(KnownState(version: version, fileHead: fileHead)).version
    return version == old ?? version ? .unchanged : .externalCommit
  }

  func begin(with db: Database) -> Bool {
    if known.withLock({ $0.version != nil }) { return true }
    beginWithLog(db)
    // In a transaction, it is the version of its snapshot. If it is unknown, the first check determines it.
    guard let version = try? db.dataVersion() else { return false }
    known.withLock { $0.version = version }
    return true
  }

  /// Records the state of the log, which is not newer than the following reads.
  private func beginWithLog(_ db: Database) {
    guard let handle = db.handle, !handle.isReading, !handle.holdsFilesExclusively,
      let header = handle.walIndexHeader
    else { return }
    connection.ownCommits.begin(with: header)
  }
}

extension Database {
  /// A number that changes with each external commit. C: `PRAGMA data_version`.
  package func dataVersion() throws -> Int64 {
    try untraced {
      try Int64.fetchOne(self, sql: "PRAGMA data_version") ?? 0
    }
  }
}
