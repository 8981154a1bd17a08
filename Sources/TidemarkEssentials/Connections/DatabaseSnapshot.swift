import Synchronization

/// A database snapshot that can be read for as long as it exists.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let before = try snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
/// ```
///
/// A snapshot has its own connection, which serializes its reads. While it exists, the write-ahead log cannot be
/// truncated: release a snapshot as soon as possible.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
  /// Implementation detail of observations; do not use it.
  public let _core: _DatabaseCore

  /// Takes a snapshot of the current state of a file. The file must be in WAL mode: in other modes, a snapshot would
  /// block writers.
  ///
  /// - Parameter path: The path to the file.
  /// - Parameter configuration: The configuration of the snapshot.
  /// - Throws: A `DatabaseError` if the file cannot be opened, or is not in WAL mode.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "Tidemark.DatabaseSnapshot"
    try self.init(location, configuration, label: label)
  }

  /// - Parameter health: The health of the database, shared with the pool of which it is a snapshot.
  init(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String,
    health: DatabaseHealth = DatabaseHealth()
  ) throws {
    var configuration = configuration.forReaders
    configuration.allowsUnsafeTransactions = true
    configuration.maximumReaderCount = 1
    let connection = try SerializedConnection(location, configuration, label: label, health: health)
    _core = _DatabaseCore(path: location.path, configuration, writer: nil, readers: .single(connection))
    try connection.sync { try $0.holdSnapshot() }
  }
}

extension Database {
  /// Reads from the snapshot.
  ///
  /// - Throws: An error of code `SQLITE_ABORT` if the connection no longer has its snapshot.
  func readingSnapshot<T>(_ value: (Database) throws -> T) throws -> T {
    _ = try openHandle()
    guard isInsideTransaction, try hasSnapshotState() else { throw Self.snapshotLostError }
    let result = try value(self)
    guard try hasSnapshotState() else { throw Self.snapshotLostError }
    return result
  }

  /// Takes the snapshot.
  func holdSnapshot() throws {
    try beginSnapshot()
    moduleState(SnapshotPart.self).dataVersion = try dataVersion()
  }

  // A program with access to the raw connection can end the transaction and begin another one. `PRAGMA data_version`
  // detects whether another connection has committed in between.
  private func hasSnapshotState() throws -> Bool {
    guard capture.isHandleExposed, isInsideTransaction else { return true }
    return try shielded { try dataVersion() } == moduleState(SnapshotPart.self).dataVersion
  }

  static var snapshotLostError: DatabaseError {
    DatabaseError(resultCode: .SQLITE_ABORT, message: "Snapshot is lost.")
  }
}

private final class SnapshotPart: DatabaseModuleState {
  /// The value of `PRAGMA data_version` in the snapshot.
  var dataVersion: Int64 = 0
}

extension DatabasePool {
  /// Takes a snapshot of the last committed state.
  ///
  /// ```swift
  /// let snapshot = try dbPool.makeSnapshot()
  /// let before = try snapshot.read { db in try Player.fetchAll(db) }
  /// ```
  ///
  /// Inside a write access, call it outside of a transaction: the snapshot includes all commits of that access.
  ///
  /// - Returns: A new snapshot.
  /// - Throws: A `DatabaseError` if the connection cannot be opened, or if the pool is closed.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    precondition(
      !writer.isInsideTransactionOfThisThread,
      "makeSnapshot() must not be called from inside a transaction. Call it before or after the write.")
    if writer.isClosed { throw Database.closedError }
    let number = snapshotCount.add(1, ordering: .relaxed).newValue
    return try DatabaseSnapshot(
      location, configuration, label: "\(label).snapshot.\(number)", health: writer.health)
  }
}
