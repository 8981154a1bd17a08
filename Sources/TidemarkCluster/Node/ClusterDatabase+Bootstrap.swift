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
  /// The file is not changed. Transactions that are committed in it after the call has begun may be missing: stop the
  /// programs that write into it. It may be the backup of a node of another cluster, whose log is lost.
  ///
  /// Call it once, before a node has written. It can be repeated after any error: if it had succeeded nevertheless, or
  /// another process was first, it throws ``ClusterError/logNotEmpty(_:)``, and nodes can be opened.
  ///
  /// - Parameters:
  ///   - log: A log without entries.
  ///   - path: The path of the database. There must be space for a copy beside it.
  ///   - snapshots: The store of the cluster's snapshots.
  ///   - configuration: The configuration for opening the database.
  ///   - timeLimit: How long to wait for the log. Copying the database counts, and is not interrupted.
  /// - Returns: The position of the contents.
  /// - Throws: ``ClusterError/logNotEmpty(_:)``; ``ClusterError/unavailable(_:)`` if the log could not be reached in
  ///   time; ``ClusterError/outcomeUnknown(_:)`` if the result of the append is unknown when the time is over, or when
  ///   the task is cancelled; ``ClusterError/unsuitableFile(_:)`` if the database stores text as UTF-16;
  ///   a ``LogError``; a ``SnapshotError``; a `DatabaseError`; or `CancellationError`.
  @discardableResult
  public static func bootstrap(
    _ log: any ReplicatedLog, from path: String, snapshots: any SnapshotStore,
    configuration: Configuration = Configuration(), timeLimit: Duration = .seconds(30)
  ) async throws -> LogPosition {
    let deadline = ContinuousClock.Instant.end(of: timeLimit)
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
    } catch let error where isInDoubt.withLock(\.self) && leavesDoubt(error) {
      throw ClusterError.outcomeUnknown(ClusterTransactionID(id: id, entryNumber: entry.number))
    }
  }

  /// Whether an append that was in doubt still is after an error.
  private static func leavesDoubt(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError, ClusterError.unavailable: true
    default: false
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
      // SQLite does not change the encoding of an open file, such as the files of nodes.
      let encoding = try source.read { try String.fetchOne($0, sql: "PRAGMA encoding") } ?? ""
      guard encoding == "UTF-8" else {
        throw ClusterError.unsuitableFile(
          "the database stores text as \(encoding), and nodes as UTF-8: copy its contents into a new database first")
      }
      try copy.write(backupOf: source) { try NodeStorage.becomeSnapshot($0, at: position) }
      try source.close()
    }
    try await snapshots.save(copy.file, at: position)
  }
}
