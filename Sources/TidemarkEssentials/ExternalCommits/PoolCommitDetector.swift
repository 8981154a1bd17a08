import CSQLite
import Synchronization

/// Checks with a connection of its own: a pool has several connections anyway, so an additional one has no effect on
/// other users of the file.
///
/// In a database with a write-ahead log, it reads the WAL-index header, which is in memory, and `OwnCommitTracker`
/// distinguishes own commits. In other databases, SQLite counts the commits (`PRAGMA data_version`).
final class PoolCommitDetector: ExternalCommitDetector {
  private let path: String
  private let vfs: String?
  private let health: DatabaseHealth
  private let ownCommits: OwnCommitTracker

  /// The connection, and the last known state.
  private struct State {
    var handle: ConnectionHandle?
    var usesLog = false
    var version: Int64?
    var fileHead: DatabaseFileHead?

    /// Whether the connection with the known version was closed.
    var hasLostVersion = false
  }

  private let state = Mutex(State(), rank: .externalCommitDetector)

  // Whether the version is known: needed before the first read.
  private let hasVersion = Atomic<Bool>(false)

  /// - Parameter health: The state that the connections of the pool share.
  /// - Parameter ownCommits: The commits of the writer connection.
  init(path: String, vfs: String?, _ health: DatabaseHealth, _ ownCommits: OwnCommitTracker) {
    self.path = path
    self.vfs = vfs
    self.health = health
    self.ownCommits = ownCommits
  }

  deinit { releaseResources() }

  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult {
    state.withLock { state in
      do {
        guard let handle = try openedHandle(&state) else { return .fileMoved }
        if handle.hasMoved() { return .fileMoved }
        return try state.usesLog
          ? checkLog(handle, &state, waitsForOwnCommit) : checkDatabaseFile(handle, &state)
      } catch {
        // Another connection holds the lock, or no descriptor is left. Any other problem will show in a fetch.
        return .inconclusive
      }
    }
  }

  private func checkLog(
    _ handle: ConnectionHandle, _ state: inout State, _ waitsForOwnCommit: Bool
  ) throws -> CommitCheckResult {
    switch ownCommits.check(waitsForOwnCommit, { handle.walIndexHeaderOfLog }) {
    case .unchanged: .unchanged
    case .externalCommit: .externalCommit
    // The header cannot be read for some time: nothing is known.
    case .inconclusive: waitsForOwnCommit ? .inconclusive : try checkDatabaseFile(handle, &state)
    }
  }

  private func checkDatabaseFile(_ handle: ConnectionHandle, _ state: inout State) throws -> CommitCheckResult {
    // Even a short lock would disturb a writer that does not wait.
    if let fileHead = state.fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .unchanged }
    do {
      try handle.execute("BEGIN")
      let version = try handle.integer("PRAGMA data_version")
      // The content of the file is committed while the lock is held.
      state.fileHead = handle.fileHead
      try handle.execute("COMMIT")
      state.usesLog = state.fileHead?.usesLog == true
      defer {
        state.version = version
        state.hasLostVersion = false
        hasVersion.store(true, ordering: .sequentiallyConsistent)
      }
      return version == state.version ?? version && !state.hasLostVersion ? .unchanged : .externalCommit
    } catch {
      if !handle.isInAutocommitMode { try handle.execute("ROLLBACK") }
      throw error
    }
  }

  /// Returns the connection; nil if it would open another file than the pool's.
  private func openedHandle(_ state: inout State) throws -> ConnectionHandle? {
    if let handle = state.handle { return handle }
    if DatabaseFile.isMissing(atPath: path) { return nil }
    let new = try ConnectionHandle.open(path, flags: SQLITE_OPEN_READONLY, vfs: vfs)
    do {
      try new.set(.noCheckpointOnClose, true)
      // A connection that has not read yet has not opened the log.
      _ = try new.integer("PRAGMA schema_version")
      state.usesLog = new.fileHead?.usesLog == true
      if state.usesLog, new.walIndexHeaderOfLog == nil { throw DatabaseError(resultCode: .SQLITE_BUSY) }
      if let known = health.knownIdentity, let own = DatabaseFile(atPath: path)?.identity, own != known {
        new.closeEventually()
        return nil
      }
    } catch {
      new.closeEventually()
      throw error
    }
    state.handle = new
    return new
  }

  func begin(with db: Database) -> Bool {
    guard let handle = db.handle else { return false }
    // The snapshot may be older than the current state, unless other connections cannot commit meanwhile.
    if handle.isReading("main"), !handle.isWriting { return false }
    if ownCommits.hasBegun || hasVersion.load(ordering: .sequentiallyConsistent) { return true }
    guard let header = handle.walIndexHeader else { return false }
    ownCommits.begin(with: header)
    return true
  }

  func releaseResources() {
    // A child made by fork() must not touch the connections of its parent, not even to close them.
    if health.isInherited { return }
    state.withLock { state in
      state.handle?.closeEventually()
      state.handle = nil
      state.hasLostVersion = state.hasLostVersion || state.version != nil
      (state.version, state.fileHead) = (nil, nil)
      hasVersion.store(false, ordering: .sequentiallyConsistent)
    }
  }
}
