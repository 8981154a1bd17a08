import Synchronization

/// Checks the databases that are attached to the writer for external commits, between its accesses. If the readers of
/// a pool have attached databases, these are the same: `Configuration.prepareDatabase` attaches them.
///
/// SQLite counts external commits for each database of a connection (`PRAGMA data_version`). The connection's own
/// commits are not counted.
final class AttachedCommitDetector: ExternalCommitDetector {
  private let connection: SerializedConnection
  private let attachedDatabases: AttachedDatabases

  /// The last known state of a database. A later database may have the same name and another file.
  private struct KnownState {
    var path: String
    var version: Int64
    var fileHead: DatabaseFileHead?
  }

  private struct State {
    /// By the name of the database.
    var known: [String: KnownState] = [:]
    var hasChecked = false
  }

  private let state = Mutex(State(), rank: .externalCommitDetector)

  init(_ connection: SerializedConnection) {
    self.connection = connection
    attachedDatabases = connection.attachedDatabases
  }

  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult {
    guard attachedDatabases.mayExist else { return .unchanged }
    return connection.withIdleConnection { db in
      do {
        guard let handle = db.handle, handle.isInAutocommitMode, !handle.isReading else { return .inconclusive }
        return try check(db, handle)
      } catch {
        // Another connection holds the lock. Any other problem will show in a fetch.
        return .inconclusive
      }
    } ?? .inconclusive
  }

  private func check(_ db: Database, _ handle: ConnectionHandle) throws -> CommitCheckResult {
    var (known, hasExternalCommit) = (state.withLock(\.known), false)
    let files = try db.attachedFiles()
    known = known.filter { files[$0.key] == $0.value.path }
    for (name, path) in files {
      let old = known[name]
      // Even a short lock would disturb a writer that does not wait.
      if let head = old?.fileHead, !head.usesLog, head == handle.fileHead(of: name) { continue }
      let new = try Self.knownState(path, of: name, db, handle)
      // A database that was attached since the last check may have been read and changed in between.
      if old?.version != new.version { hasExternalCommit = true }
      known[name] = new
    }
    state.withLock { [known] in $0 = State(known: known, hasChecked: true) }
    return hasExternalCommit ? .externalCommit : .unchanged
  }

  private static func knownState(
    _ path: String, of name: String, _ db: Database, _ handle: ConnectionHandle
  ) throws -> KnownState {
    // The head is read before the version, and is not newer than it.
    let head = handle.fileHead(of: name)
    return KnownState(path: path, version: try db.dataVersion(of: name), fileHead: head)
  }

  func begin(with db: Database) -> Bool {
    guard attachedDatabases.mayExist else { return true }
    do {
      guard connection.isAccessible, let handle = db.handle else {
        // A connection without attached files reads none of their content.
        return try state.withLock(\.hasChecked) || db.attachedFiles().isEmpty
      }
      let known = state.withLock(\.known)
      for (name, path) in try db.attachedFiles() where known[name]?.path != path {
        // In a transaction, it is the version of its snapshot. The head of the file may be newer.
        var new = try Self.knownState(path, of: name, db, handle)
        new.fileHead = nil
        state.withLock { [new] in $0.known[name] = new }
      }
      return true
    } catch {
      return false
    }
  }
}

extension Database {
  /// The files of the attached databases, by database name.
  fileprivate func attachedFiles() throws -> [String: String] {
    guard compilation.mayHaveAttachedDatabases else { return [:] }
    var files: [String: String] = [:]
    for row in try internalRows("PRAGMA database_list") {
      guard case .int64(let number) = row[0].storage, number >= 2, case .string(let name) = row[1].storage,
        case .string(let path) = row[2].storage, !path.isEmpty
      else { continue }
      files[name] = path
    }
    return files
  }

  /// A number that changes with each external commit into a database. C: `PRAGMA data_version`.
  fileprivate func dataVersion(of name: String) throws -> Int64 {
    guard
      case .int64(let version)? = try internalRows("PRAGMA \(name.quotedDatabaseIdentifier).data_version")
        .first?.first?.storage
    else { return 0 }
    return version
  }
}
