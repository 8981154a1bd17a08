/// Decides for a pool which commits are external. The pools on a file share the connection that checks it: see
/// `CommitDetectionConnection`.
final class PoolCommitDetector: ExternalCommitDetector {
  private let connection: CommitDetectionConnection
  private let health: DatabaseHealth
  private let ownCommits: OwnCommitTracker

  /// The last known state of a file without a write-ahead log. With a log, `OwnCommitTracker` has the known state.
  private let known = Mutex<CommitDetectionConnection.Version?>(nil)

  /// - Parameter health: The state that the connections of the pool share.
  /// - Parameter ownCommits: The commits of the writer connection.
  init(_ connection: CommitDetectionConnection, _ health: DatabaseHealth, _ ownCommits: OwnCommitTracker) {
    self.connection = connection
    self.health = health
    self.ownCommits = ownCommits
  }

  deinit { releaseResources() }

  var sharedConnection: CommitDetectionConnection? { connection }

  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult {
    connection.check(for: ObjectIdentifier(self)) { file in
      switch file.fileState() {
      case .log(let header): checkLog(header, &file, waitsForOwnCommit)
      case .noLog(let version): note(version)
      case .moved: .fileMoved
      case .unavailable: .inconclusive
      }
    }
  }

  private func checkLog(
    _ header: WALIndexHeader?, _ file: inout CommitDetectionConnection.OpenFile, _ waitsForOwnCommit: Bool
  ) -> CommitCheckResult {
    switch ownCommits.check(waitsForOwnCommit, found: header, { file.header }) {
    // If the log is new, there may have been commits since the last check without one.
    case .unchanged: return known.exchange(nil) == nil ? .unchanged : .externalCommit
    case .externalCommit:
      known.exchange(nil)
      return .externalCommit
    case .inconclusive:
      // The header cannot be read for some time: nothing is known.
      return waitsForOwnCommit ? .inconclusive : file.version().map(note) ?? .inconclusive
    }
  }

  private func note(_ version: CommitDetectionConnection.Version) -> CommitCheckResult {
    // The version of a connection that was opened later differs.
    version == known.exchange(version) ?? version ? .unchanged : .externalCommit
  }

  func begin(with db: Database) -> Bool {
    guard let handle = db.handle else { return false }
    // The snapshot may be older than the current state, unless other connections cannot commit meanwhile.
    if handle.isReading("main"), !handle.isWriting { return false }
    if ownCommits.hasBegun || known.withLock({ $0 != nil }) { return true }
    guard let header = handle.walIndexHeader else { return false }
    ownCommits.begin(with: header)
    return true
  }

  func releaseResources() {
    // A child made by fork() must not touch the connections of its parent, not even to close them.
    if health.isInherited { return }
    connection.remove(ObjectIdentifier(self))
  }
}
