import Synchronization

/// Looks whether others have committed into the databases that are attached to the connection that writes, between its
/// accesses. Readers of a pool that have databases attached have the same ones, from `Configuration.prepareDatabase`.
///
/// SQLite counts the commits of others for each database of a connection (`PRAGMA data_version`); its own are not among
/// them.
final class AttachedCommitGauge: CommitGauge {
  private let connection: SerializedConnection
  private let attachedDatabases: AttachedDatabases

  /// What is known of a database, whose name may be given to another file.
  private struct Known {
    var path: String
    var version: Int64
    var fileHead: DatabaseFileHead?
  }

  private struct State {
    /// By the name of the database.
    var known: [String: Known] = [:]
    var hasLooked = false
  }

  private let state = Mutex(State())

  init(_ connection: SerializedConnection) {
    self.connection = connection
    attachedDatabases = connection.attachedDatabases
  }

  func look(_ patience: Bool) -> CommitFinding {
    guard attachedDatabases.mayExist else { return .nothing }
    return connection.inPassing { db in
      do {
        guard let handle = db.handle, handle.isInAutocommitMode, !handle.isReading else { return .unclear }
        return try look(db, handle)
      } catch {
        // Somebody has the lock. If it is something else, a fetch will find out.
        return .unclear
      }
    } ?? .unclear
  }

  private func look(_ db: Database, _ handle: ConnectionHandle) throws -> CommitFinding {
    var (known, hasOthers) = (state.withLock(\.known), false)
    let files = try db.attachedFiles()
    known = known.filter { files[$0.key] == $0.value.path }
    for (name, path) in files {
      let old = known[name]
      // A lock for a moment would be one too many for a writer that does not wait.
      if let head = old?.fileHead, !head.usesLog, head == handle.fileHead(of: name) { continue }
      let new = try Self.known(path, of: name, db, handle)
      // What was attached since the last look may have been read, and changed, in between.
      if old?.version != new.version { hasOthers = true }
      known[name] = new
    }
    state.withLock { [known] in $0 = State(known: known, hasLooked: true) }
    return hasOthers ? .others : .nothing
  }

  private static func known(_ path: String, of name: String, _ db: Database, _ handle: ConnectionHandle) throws -> Known
  {
    // What is read before the version is no newer than it.
    let head = handle.fileHead(of: name)
    return Known(path: path, version: try db.dataVersion(of: name), fileHead: head)
  }

  func begin(with db: Database) -> Bool {
    guard attachedDatabases.mayExist else { return true }
    guard connection.isAccessible, let handle = db.handle else { return state.withLock(\.hasLooked) }
    do {
      let known = state.withLock(\.known)
      for (name, path) in try db.attachedFiles() where known[name]?.path != path {
        // In a transaction, it is the version of what is read there. The head of the file may be newer.
        var new = try Self.known(path, of: name, db, handle)
        new.fileHead = nil
        state.withLock { [new] in $0.known[name] = new }
      }
      return true
    } catch {
      return false
    }
  }

  func rest() {}

  func end() {}
}

extension Database {
  /// The files of the databases that are attached, by the names of these.
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

  /// Another number whenever somebody else has committed into one of the databases. C: `PRAGMA data_version`.
  fileprivate func dataVersion(of name: String) throws -> Int64 {
    guard
      case .int64(let version)? = try internalRows("PRAGMA \(name.quotedDatabaseIdentifier).data_version")
        .first?.first?.storage
    else { return 0 }
    return version
  }
}
