import CSQLite
import Synchronization

/// Looks with a connection of its own, which does nothing else: a pool has others beside it anyway, so that it keeps
/// nobody from anything.
///
/// In a database with a write-ahead log it looks at the head of the wal-index, which is memory, and `OwnCommits` tells
/// whose commits it finds. Elsewhere, SQLite counts commits (`PRAGMA data_version`).
final class PoolCommitGauge: CommitGauge, @unchecked Sendable {
  private let path: String
  private let vfs: String?
  private let standing: DatabaseStanding
  private let ownCommits: OwnCommits

  private var handle: ConnectionHandle?
  private var usesLog = false
  private var version: Int64?
  private var fileHead: DatabaseFileHead?

  // Whether the connection that knew the version is gone.
  private var hasLostVersion = false

  // Whether the version is known: those who begin to read want to know.
  private let hasVersion = Atomic<Bool>(false)

  /// - parameter standing: What the connections of the pool know of the file.
  /// - parameter ownCommits: Those of the connection that writes.
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
      // Somebody has the lock, or there is no descriptor left. If it is something else, a fetch will find out.
      return .unclear
    }
  }

  private func lookIntoLog(_ handle: ConnectionHandle, _ patience: Bool) throws -> CommitFinding {
    switch ownCommits.look(patience, { handle.walIndexHeaderOfLog }) {
    case .nothing: .nothing
    case .others: .others
    // A head that cannot be read for so long is one of which nothing is known here.
    case .unclear: patience ? .unclear : try lookIntoFile(handle)
    }
  }

  private func lookIntoFile(_ handle: ConnectionHandle) throws -> CommitFinding {
    // A lock for a moment would be one too many for a writer that does not wait.
    if let fileHead, !fileHead.usesLog, fileHead == handle.fileHead { return .nothing }
    do {
      try handle.execute("BEGIN")
      let version = try handle.integer("PRAGMA data_version")
      // What is in the file is committed as long as the lock is ours.
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

  /// The connection; nil when it would be one to another file than those of the pool.
  private func openedHandle() throws -> ConnectionHandle? {
    if let handle { return handle }
    if DatabaseFile.isMissing(atPath: path) { return nil }
    let new = try ConnectionHandle.open(path, flags: SQLITE_OPEN_READONLY, vfs: vfs)
    do {
      try new.set(.noCheckpointOnClose, true)
      // A connection that has not read yet does not know of the log.
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
    // Who has begun to read may read an older state than the one of now, unless nobody else can commit meanwhile.
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
