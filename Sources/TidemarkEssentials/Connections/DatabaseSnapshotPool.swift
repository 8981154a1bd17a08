/// A snapshot of a database for concurrent reads.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// async let titles = snapshot.read { try String.fetchAll($0, sql: "SELECT title FROM book") }
/// async let count = snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
/// ```
///
/// All connections of the snapshot are opened when it is created, while no connection writes. They see the same state
/// with any SQLite, also without the snapshot interface. The write-ahead log cannot be reset while the snapshot exists.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
  /// Not part of the public interface: the access of observations to the database.
  public let _core: _DatabaseCore

  /// Creates a snapshot of the current content of a file, which must use the write-ahead log.
  ///
  /// The initializer takes the write lock for a moment.
  ///
  /// - Parameter path: The path of the file.
  /// - Parameter configuration: The configuration of the connections.
  /// - Throws: A `DatabaseError` if the file cannot be opened or the write lock is not available.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "Tidemark.DatabaseSnapshotPool"
    // A writer connection would create a missing file.
    _ = try SerializedConnection(location, configuration.forReaders, label: label)
    let writer = try SerializedConnection(location, configuration, label: label)
    self.init(try writer.sync { try $0.openSnapshot(of: location, configuration, label: label) })
  }

  /// Creates a snapshot of the state that a connection sees: the state of its transaction, which must not have changed
  /// anything, or the last committed state if no transaction is open.
  ///
  /// ```swift
  /// let (titles, snapshot) = try dbPool.read { db in
  ///   (try String.fetchAll(db, sql: "SELECT title FROM book"), try DatabaseSnapshotPool(db))
  /// }
  /// ```
  ///
  /// The initializer takes the write lock for a moment. The state must be the latest one: after another commit, no
  /// other connection can read the former state.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter configuration: The configuration of the snapshot. By default, it is the configuration of the
  ///   connection.
  /// - Throws: An error of code `SQLITE_BUSY_SNAPSHOT` if the state is not the latest one, or if this is unknown
  ///   because another connection reads an older state.
  public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
    let configuration = configuration ?? db.configuration
    self.init(try db.openSnapshot(configuration, label: configuration.label ?? "Tidemark.DatabaseSnapshotPool"))
  }

  fileprivate init(_ core: _DatabaseCore) {
    _core = core
  }
}

extension Database {
  /// Opens the connections of a snapshot while no connection of any process writes.
  fileprivate func openSnapshot(
    of location: DatabaseLocation, _ configuration: Configuration, label: String
  ) throws -> _DatabaseCore {
    precondition(
      !isInsideTransaction,
      "makeSnapshotPool() must not be called from inside a transaction. Call it before or after the write.")
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal" else {
      throw DatabaseError(message: "Can't create snapshot because database is not in WAL mode.")
    }
    return try committing(
      { _ in try _DatabaseCore.openSnapshot(location, configuration, label: label) },
      kind: settings.isReadonly ? .deferred : .immediate)
  }
}

extension Database {
  /// Opens the connections of a snapshot of the state that this connection sees.
  fileprivate func openSnapshot(_ configuration: Configuration, label: String) throws -> _DatabaseCore {
    guard isInsideTransaction else {
      return try isolatedRead { try $0.openSnapshot(configuration, label: label) }
    }
    let handle = try openHandle()
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal", let path = handle.filePath(of: "main") else {
      throw DatabaseError(message: "Can't create snapshot because database is not in WAL mode.")
    }
    if handle.isWriting("main") {
      throw DatabaseError(message: "Can't create snapshot because the transaction writes.")
    }
    // The first read determines the snapshot.
    _ = try Int.fetchOne(self, sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    let location = DatabaseLocation.file(path)
    let connections = try CheckpointConnections(location, vfs: configuration.environment.vfs)
    if handle.hasMoved() { throw Database.movedError(path: path) }
    do {
      return try connections.move(
        { callbacks.busy?($0) ?? false },
        then: { counts in
          // A checkpoint does not move frames that a reader of an older snapshot needs.
          guard counts.walFrameCount == counts.checkpointedFrameCount else {
            throw DatabaseError(
              resultCode: .SQLITE_BUSY_SNAPSHOT,
              message:
                "Can't create snapshot because of a concurrent change, or because a connection reads an older state.")
          }
          return try _DatabaseCore.openSnapshot(location, configuration, label: label)
        })
    } catch {
      stopIfDiskIsNotKnown(after: error)
      throw error
    }
  }
}

extension _DatabaseCore {
  fileprivate static func openSnapshot(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String
  ) throws -> _DatabaseCore {
    let readConfiguration = configuration.forReaders
    let countMax = configuration.readerCountMax
    let isReady = OnceFlag()
    let health = DatabaseHealth()
    let readers = ReaderPool(
      countMax: countMax, configuration, label: label, holdsTransactions: true, health: health,
      open: { number in
        // A connection that is opened later would see another state.
        if isReady.isSet { throw Database.snapshotLostError }
        return try Database.open(location, readConfiguration, label: "\(label).snapshot.\(number)", health: health)
      })
    var leases: [ReaderPool.Lease] = []
    defer { leases.forEach(readers.release) }
    for _ in 0..<countMax { leases.append(try readers.acquire(until: nil)) }
    for lease in leases { try readers.use(lease, renews: false) { try $0.holdSnapshot() } }
    isReady.set()
    return _DatabaseCore(path: location.path, readConfiguration, writer: nil, readers: .pool(readers))
  }
}

extension DatabasePool {
  /// Creates a snapshot of the current committed state, for concurrent reads.
  ///
  /// The method waits for the writer. The snapshot has `Configuration.maximumReaderCount` connections.
  ///
  /// - Returns: The snapshot.
  /// - Throws: A `DatabaseError` if the connections cannot be opened.
  public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
    try writer.boundedReentrantSync(nested: readers.nestedWrites) { db in
      DatabaseSnapshotPool(try db.openSnapshot(of: location, configuration, label: label))
    }
  }
}
