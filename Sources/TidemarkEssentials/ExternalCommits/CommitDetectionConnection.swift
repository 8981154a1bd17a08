import CSQLite
import Synchronization

/// The connection with which the pools of a process check a file that several of them may use.
///
///     closed ──a user asks for the state──► open ──the last user leaves──► closed
///
/// The users are the `PoolCommitDetector`s of the pools, from their first check until they release their resources. A
/// pool has several connections anyway, so an additional one has no effect on other users of the file.
///
/// The connection finds out the state of the file, which is the same for all users. Each user then decides whether the
/// commits since its last check are its own: one pool's own commit is an external commit for the others. With a
/// write-ahead log, the state is the header of the WAL-index, which is in memory, and the user's `OwnCommitTracker`
/// decides. Without one, it is SQLite's number of commits (`PRAGMA data_version`). It counts the commits of all pools,
/// and each pool treats all of them as external commits, as it would with a connection of its own.
///
/// Invariants:
/// 1. Pools share a connection if they have opened the same file (device and inode), at the same path, with the same
///    VFS. Pools on a file that has been replaced share another one, which reports that the file was moved.
/// 2. After the last user has left, there is no connection: the next connection that closes may be the last one, which
///    empties the log.
/// 3. The state is read once in each round of checks, for the first user. It is at least as new as the call of
///    `beginRound`. A user for which it is not the known state reads it again, under the lock of its tracker, since an
///    own commit may have followed meanwhile.
/// 4. A child made by `fork` neither uses the connection nor takes its lock: the users belong to the parent, and the
///    child's `ExternalCommitPoller` has connections of its own.
///
/// Failures: while the file cannot be opened or is locked, all users check again.
///
/// The lock is taken under the lock of a user's monitor. Only the trackers' locks are taken under it.
final class CommitDetectionConnection: Sendable {
  /// The file of pools.
  struct File: Hashable, Sendable {
    var path: String
    var vfs: String?

    /// Nil if it is unknown: then the connection is not shared.
    var identity: DatabaseFile.Identity?
  }

  /// The state of a file.
  enum FileState {
    /// It has a write-ahead log. The header is nil if it is not available now.
    case log(WALIndexHeader?)

    /// It has no write-ahead log.
    case noLog(Version)

    /// It was moved, deleted or replaced.
    case moved

    /// Another connection holds the lock, or no descriptor is left. Any other problem will show in a fetch.
    case unavailable
  }

  /// SQLite's number of commits, which depends on the connection.
  struct Version: Equatable {
    fileprivate var connectionNumber: Int
    fileprivate var number: Int64
  }

  private let state: Mutex<OpenFile>

  init(_ file: File) {
    state = Mutex(OpenFile(file), rank: .externalCommitDetector)
  }

  /// Whether the connection is open.
  var isOpen: Bool { state.withLock { $0.handle != nil } }

  /// Begins a round of checks, in which the state is read once.
  func beginRound() { state.withLock { $0.current = nil } }

  /// Performs a check for a user.
  func check(
    for user: ObjectIdentifier, _ body: (inout sending OpenFile) -> CommitCheckResult
  ) -> CommitCheckResult {
    state.withLock { file in
      file.users.insert(user)
      return body(&file)
    }
  }

  /// Removes a user, which may have been removed before.
  func remove(_ user: ObjectIdentifier) {
    state.withLock { file in
      file.users.remove(user)
      if file.users.isEmpty { file.close() }
    }
  }
}

extension CommitDetectionConnection {
  /// The file and its connection, under the lock.
  struct OpenFile {
    private let file: File
    fileprivate var users: Set<ObjectIdentifier> = []
    fileprivate private(set) var handle: ConnectionHandle?

    /// The state in this round.
    fileprivate var current: FileState?

    private var connectionNumber = 0
    private var usesLog = false

    /// The last header, and how many times it has changed since the file was last found at its path.
    private var lastHeader: WALIndexHeader?
    private var changeCount = 0
    private static let changeCountMax = 100

    /// The number of commits, and the head of the file at that moment.
    private var known: (version: Version, head: DatabaseFileHead?)?

    fileprivate init(_ file: File) { self.file = file }

    /// The state in this round.
    mutating func fileState() -> FileState {
      if let current { return current }
      let state: FileState
      do { state = try read() } catch { state = .unavailable }
      current = state
      return state
    }

    private mutating func read() throws -> FileState {
      guard let handle = try openedHandle() else { return .moved }
      let header = usesLog ? handle.walIndexHeaderOfLog : nil
      // Looking at the path takes longer than all the rest. Another check follows a new header.
      if let header, header != lastHeader, changeCount < Self.changeCountMax {
        (lastHeader, changeCount) = (header, changeCount + 1)
        return .log(header)
      }
      changeCount = 0
      if handle.hasMoved() { return .moved }
      return usesLog ? .log(header) : .noLog(try version(handle))
    }

    /// The header of the WAL-index, read now; nil if it is not available. The file must have a log.
    var header: WALIndexHeader? { handle?.walIndexHeaderOfLog }

    /// SQLite's number of commits; nil if it is not available now.
    mutating func version() -> Version? { handle.flatMap { try? version($0) } }

    private mutating func version(_ handle: ConnectionHandle) throws -> Version {
      // Even a short lock would disturb a writer that does not wait.
      if let known, let head = known.head, !head.usesLog, head == handle.fileHead { return known.version }
      do {
        try handle.execute("BEGIN")
        let version = Version(connectionNumber: connectionNumber, number: try handle.integer("PRAGMA data_version"))
        // The content of the file is committed while the lock is held.
        let head = handle.fileHead
        try handle.execute("COMMIT")
        (usesLog, known) = (head?.usesLog == true, (version, head))
        return version
      } catch {
        if !handle.isInAutocommitMode { try handle.execute("ROLLBACK") }
        throw error
      }
    }

    /// Returns the connection; nil if it would open another file than the pools'.
    private mutating func openedHandle() throws -> ConnectionHandle? {
      if let handle { return handle }
      if DatabaseFile.isMissing(atPath: file.path) { return nil }
      let new = try ConnectionHandle.open(file.path, flags: SQLITE_OPEN_READONLY, vfs: file.vfs)
      do {
        try new.set(.noCheckpointOnClose, true)
        // A connection that has not read yet has not opened the log.
        _ = try new.integer("PRAGMA schema_version")
        usesLog = new.fileHead?.usesLog == true
        if usesLog, new.walIndexHeaderOfLog == nil { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        if let known = file.identity, let own = DatabaseFile(atPath: file.path)?.identity, own != known {
          new.closeEventually()
          return nil
        }
      } catch {
        new.closeEventually()
        throw error
      }
      connectionNumber += 1
      handle = new
      return new
    }

    fileprivate mutating func close() {
      handle?.closeEventually()
      (handle, current, lastHeader, known) = (nil, nil, nil, nil)
    }
  }
}
