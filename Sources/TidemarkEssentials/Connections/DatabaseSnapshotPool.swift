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
  /// The configuration of the snapshot.
  public let configuration: Configuration

  /// The path of the file.
  public let path: String

  private let readers: ReaderPool

  /// Not part of the public interface: the access of observations to the database.
  public let _core: _DatabaseCore

  private let isClosed: OnceFlag

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

  init(_ connections: SnapshotConnections) {
    configuration = connections.configuration
    path = connections.path
    readers = connections.readers
    _core = .snapshotPool(readers, configuration)
    isClosed = connections.isClosed
  }

  /// Closes the snapshot. Later reads throw, also if this method throws. Closing twice does nothing.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` if the program still retains a statement. SQLite frees the connection
  ///   when that statement is released. `Database.logError` receives the SQL of each such statement.
  public func close() throws {
    // In a child process created by fork(), the connections belong to the parent, and its reading threads do not exist.
    if readers.health.isInherited { return isClosed.set() }
    defer { readers.executor.retire() }
    try readers.exclusively {
      isClosed.set()
      try readers.closeAll()
    }
  }

  /// Interrupts running statements, which throw an error of code `SQLITE_INTERRUPT`. Does not wait for them.
  public func interrupt() { readers.interrupt() }

  /// Reads the snapshot.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync { try $0.readingSnapshot(value) }
  }

  /// Reads the snapshot, without blocking the calling task's thread.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await readers.async { try $0.readingSnapshot(value) }
  }

  /// Reads the snapshot asynchronously.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule(value) { db, call in try db.readingSnapshot(call) }
  }

  /// Reads the snapshot, inside the current read of the thread if there is one.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.reentrantSync { try $0.readingSnapshot(value) }
  }
}

/// The connections of a snapshot that can be read concurrently.
struct SnapshotConnections {
  var configuration: Configuration
  var path: String
  var readers: ReaderPool
  var isClosed: OnceFlag
}

extension Database {
  /// Opens the connections of a snapshot while no connection of any process writes.
  fileprivate func openSnapshot(
    of location: DatabaseLocation, _ configuration: Configuration, label: String
  ) throws -> SnapshotConnections {
    precondition(
      !isInsideTransaction,
      "makeSnapshotPool() must not be called from inside a transaction. Call it before or after the write.")
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal" else {
      throw DatabaseError(message: "Can't create snapshot because database is not in WAL mode.")
    }
    return try committing(
      { _ in try SnapshotConnections.open(location, configuration, label: label) },
      kind: settings.isReadonly ? .deferred : .immediate)
  }
}

extension Database {
  /// Opens the connections of a snapshot of the state that this connection sees.
  fileprivate func openSnapshot(_ configuration: Configuration, label: String) throws -> SnapshotConnections {
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
          return try SnapshotConnections.open(location, configuration, label: label)
        })
    } catch {
      stopIfDiskIsNotKnown(after: error)
      throw error
    }
  }
}

extension SnapshotConnections {
  fileprivate static func open(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String
  ) throws -> SnapshotConnections {
    let readConfiguration = configuration.forReaders
    let countMax = configuration.maximumReaderCount
    let isClosed = OnceFlag()
    let isReady = OnceFlag()
    let health = DatabaseHealth()
    let readers = ReaderPool(
      countMax: countMax, configuration, label: label, holdsTransactions: true, health: health,
      isClosed: { isClosed.isSet },
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
    return SnapshotConnections(
      configuration: readConfiguration, path: location.path, readers: readers, isClosed: isClosed)
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
    try writer.reentrantSync { db in
      DatabaseSnapshotPool(try db.openSnapshot(of: location, configuration, label: label))
    }
  }
}
