import CSQLite
import Synchronization

/// Checks with a connection of its own: a pool has several connections anyway, so an additional one has no effect on
/// other users of the file.
///
/// In a database with a write-ahead log, it reads the WAL-index header, which is in memory, and `OwnCommits`
/// distinguishes own commits. In other databases, SQLite counts the commits (`PRAGMA data_version`).
final class PoolCommitGauge: CommitGauge, @unchecked Sendable {
  private let path: String
  private let vfs: String?
  private let standing: DatabaseStanding
  private let ownCommits: OwnCommits

  private var handle: ConnectionHandle?
  private var usesLog = false
  private var version: Int64?
  private var fileHead: DatabaseFileHead?

  // Whether the connection with the known version was closed.
  private var hasLostVersion = false

  // Whether the version is known: needed before the first read.
  private let hasVersion = Atomic<Bool>(false)

  /// - parameter standing: The state that the connections of the pool share.
  /// - parameter ownCommits: The commits of the writer connection.
  init(path: String, vfs: String?, _ standing: DatabaseStanding, _ ownCommits: OwnCommits) {
    self.path = path
    self.vfs = vfs
    self.standing = standing
    self.ownCommits = ownCommits
    ownCommits.begin()
  }

  deinit { rest() }

  func look(_ patience: Bool) -> CommitFinding {
    do {
      guard let handle = try openedHandle() else { return .moved }
      if handle.hasMoved() { return .moved }
      return try usesLog ? lookIntoLog(handle, patience) : lookIntoFile(handle)
    } catch {
      // Another connection holds the lock, or no descriptor is left. Any other problem will show in a fetch.
      return .unclear
    }
  }

  private func lookIntoLog(_ handle: ConnectionHandle, _ patience: Bool) throws -> CommitFinding {
    switch ownCommits.look(patience, { handle.walIndexHeaderOfLog }) {
    case .nothing: .nothing
    case .others: .others
    // The header cannot be read for some time: nothing is known.
    case .unclear: patience ? .unclear : try lookIntoFile(handle)
    }
  }

  private func lookIntoFile(_ handle: ConnectionHandle) throws -> CommitFinding {
    // Even a short lock would disturb a writer that does not wait.
    if let fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .nothing }
    do {
      try handle.execute("BEGIN")
      let version = try handle.integer("PRAGMA data_version")
      // The content of the file is committed while the lock is held.
      fileHead = handle.fileHead
      try handle.execute("COMMIT")
      usesLog = fileHead?.usesLog == true
      defer {
        self.version = version
        hasLostVersion = false
        hasVersion.store(true, ordering: .sequentiallyConsistent)
      }
      return version == self.version ?? version && !hasLostVersion ? .nothing : .others
    } catch {
      if !handle.isInAutocommitMode { try handle.execute("ROLLBACK") }
      throw error
    }
  }

  /// Returns the connection; nil if it would open another file than the pool's.
  private func openedHandle() throws -> ConnectionHandle? {
    if let handle { return handle }
    if DatabaseFile.isMissing(atPath: path) { return nil }
    let new = try ConnectionHandle.open(path, flags: SQLITE_OPEN_READONLY, vfs: vfs)
    do {
      try new.set(.noCheckpointOnClose, true)
      // A connection that has not read yet has not opened the log.
      _ = try new.integer("PRAGMA schema_version")
      usesLog = new.fileHead?.usesLog == true
      if usesLog, new.walIndexHeaderOfLog == nil { throw DatabaseError(resultCode: .SQLITE_BUSY) }
      if let known = standing.knownIdentity, let own = DatabaseFile(atPath: path)?.identity, own != known {
        new.closeEventually()
        return nil
      }
    } catch {
      new.closeEventually()
      throw error
    }
    handle = new
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

  func rest() {
    // A child made by fork() must not touch the connections of its parent, not even to close them.
    if standing.isInherited { return }
    handle?.closeEventually()
    handle = nil
    hasLostVersion = hasLostVersion || version != nil
    (version, fileHead) = (nil, nil)
    hasVersion.store(false, ordering: .sequentiallyConsistent)
  }

  func end() {
    ownCommits.end()
    rest()
  }
}
