import Foundation
public import Tidemark

extension ClusterDatabase {
  /// Begins the log of a new cluster with the contents of an existing database.
  ///
  /// A copy of the database becomes the first snapshot, and the first entry of the log refers to it. So each node that
  /// is opened with an empty file begins with this snapshot.
  ///
  /// ```swift
  /// let store = DirectorySnapshotStore(URL(fileURLWithPath: "/srv/snapshots"))
  /// try await ClusterDatabase.bootstrap(log, from: "/var/lib/shop.sqlite", snapshots: store)
  ///
  /// var configuration = ClusterConfiguration(node: "berlin")
  /// configuration.snapshots = store
  /// let database = try await ClusterDatabase.open("/var/lib/berlin.sqlite", log: log, configuration)
  /// ```
  ///
  /// The file is not changed. Transactions that are committed in it after the call has begun may be missing. It may be
  /// the backup of a node of another cluster, whose log is lost.
  ///
  /// - Parameters:
  ///   - log: A log without entries.
  ///   - path: The path of the database. There must be space for a copy beside it.
  ///   - snapshots: The store of the cluster's snapshots.
  ///   - configuration: The configuration for opening the database.
  ///   - timeLimit: How long to wait for the log.
  /// - Returns: The position of the contents.
  /// - Throws: ``ClusterError/logNotEmpty(_:)``; ``ClusterError/outcomeUnknown(_:)`` if the result of the append is
  ///   unknown when the time is over; another ``ClusterError``, a ``SnapshotError``, or a `DatabaseError`.
  @discardableResult
  public static func bootstrap(
    _ log: any ReplicatedLog, from path: String, snapshots: any SnapshotStore,
    configuration: Configuration = Configuration(), timeLimit: Duration = .seconds(30)
  ) async throws -> LogPosition {
    let deadline = ContinuousClock.now + timeLimit
    let last = try await ClusterNode.repeating(until: deadline) { try await log.barrier(until: deadline) }
    if last != .start { throw ClusterError.logNotEmpty(last) }

    let id = UUID()
    let author = ClusterPayload.Author(node: "", incarnation: 0, id: id)
    let entry = LogEntry(after: .start, payload: ClusterPayload(author: author, content: .snapshot(id: id)).encoded)
    try await saveCopy(of: path, configuration, at: entry.position, in: snapshots)
    let isInDoubt = ProtectedValue(false)
    do {
      return try await ClusterNode.repeating(until: deadline) {
        switch try await log.append(entry, until: deadline) {
        case .appended: return entry.position
        case .refused(let other): throw ClusterError.logNotEmpty(other.position)
        case .unknown:
          isInDoubt.withLock { $0 = true }
          throw LogError.unavailable("the result of the append is unknown")
        }
      }
    } catch ClusterError.unavailable where isInDoubt.withLock(\.self) {
      throw ClusterError.outcomeUnknown(ClusterTransactionID(id: id, entryNumber: entry.number))
    }
  }

  private static func saveCopy(
    of path: String, _ configuration: Configuration, at position: LogPosition, in snapshots: any SnapshotStore
  ) async throws {
    let copy = TemporaryDatabase(beside: path, "bootstrap")
    defer { copy.remove() }
    try await BlockingWork.run { _ in
      var configuration = configuration
      configuration.readonly = true
      let source = try DatabaseQueue(path: path, configuration: configuration)
      try copy.write(backupOf: source) { try NodeStorage.becomeSnapshot($0, at: position) }
      try source.close()
    }
    try await snapshots.save(copy.file, at: position)
  }
}
