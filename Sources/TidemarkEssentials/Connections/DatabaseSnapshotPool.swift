/// The state of a database at one moment, which several accesses can read at the same time.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// async let titles = snapshot.read { try String.fetchAll($0, sql: "SELECT title FROM book") }
/// async let count = snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
/// ```
///
/// All its connections are opened when it is made, while nobody writes: that way they see the same state on any
/// SQLite, also where snapshots are not built in. As long as it lives, the write-ahead log cannot be emptied.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
  /// How the snapshot was opened.
  public let configuration: Configuration

  /// The path to the file.
  public let path: String

  private let readers: ReaderPool

  /// Not for you to use: how observations reach the database.
  public let _core: _DatabaseCore

  private let isClosed: OnceFlag

  /// A snapshot of what is in a file now. It must use the write-ahead log.
  ///
  /// It takes the lock of the writer for a moment.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "Tidemark.DatabaseSnapshotPool"
    // The connection that writes would create a file that is missing.
    _ = try SerializedConnection(location, configuration.forReaders, label: label)
    let writer = try SerializedConnection(location, configuration, label: label)
    self.init(try writer.sync { try $0.openSnapshot(of: location, configuration, label: label) })
  }

  /// A snapshot of the state that a connection sees: that of its transaction, which has changed nothing, or the last
  /// committed one when no transaction is open.
  ///
  /// ```swift
  /// let (titles, snapshot) = try dbPool.read { db in
  ///   (try String.fetchAll(db, sql: "SELECT title FROM book"), try DatabaseSnapshotPool(db))
  /// }
  /// ```
  ///
  /// It takes the lock of the writer for a moment. The state must be the last one: as soon as somebody has committed,
  /// no other connection can be given the one before.
  ///
  /// - parameter configuration: How it is opened; as the connection was, when nothing is said.
  /// - throws: An error of code `SQLITE_BUSY_SNAPSHOT` when the state is not the last one, or when it cannot be told
  ///   because somebody reads an older one.
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

  /// Ends the snapshot. Reads throw from then on, also when this method throws. Closing twice does nothing.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` when the program still holds a statement: SQLite frees the connection
  ///   when that statement is released. `Database.logError` receives the text of each such statement.
  public func close() throws {
    // In a child made by fork(), the connections are the parent's, and those who read are not there.
    if readers.health.isInherited { return isClosed.set() }
    defer { readers.executor.retire() }
    try readers.exclusively {
      isClosed.set()
      try readers.closeAll()
    }
  }

  /// Has the statements that run fail with an error of code `SQLITE_INTERRUPT`, without waiting for them.
  public func interrupt() { readers.interrupt() }

  /// Reads the state of the snapshot.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync { try $0.readingSnapshot(value) }
  }

  /// Reads the state of the snapshot.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await readers.async { try $0.readingSnapshot(value) }
  }

  /// Reads the state of the snapshot later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule(value) { db, call in try db.readingSnapshot(call) }
  }

  /// Reads the state of the snapshot, inside the read that the thread is in if there is one.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.reentrantSync { try $0.readingSnapshot(value) }
  }
}

/// The connections of a snapshot that several accesses can read.
struct SnapshotConnections {
  var configuration: Configuration
  var path: String
  var readers: ReaderPool
  var isClosed: OnceFlag
}

extension Database {
  /// Opens the connections of a snapshot, while no connection of any process writes.
  fileprivate func openSnapshot(
    of location: DatabaseLocation, _ configuration: Configuration, label: String
  ) throws -> SnapshotConnections {
    precondition(!isInsideTransaction, "makeSnapshotPool() must not be called from inside a transaction.")
    guard try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal" else {
      throw DatabaseError(message: "Can't create snapshot because database is not in WAL mode.")
    }
    return try committing(
      { _ in try SnapshotConnections.open(location, configuration, label: label) },
      kind: settings.isReadonly ? .deferred : .immediate)
  }
}

extension Database {
  /// Opens the connections of a snapshot of what this one sees.
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
    // The state is chosen by the first read.
    _ = try Int.fetchOne(self, sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    let location = DatabaseLocation.file(path)
    let connections = try CheckpointConnections(location, vfs: configuration.environment.vfs)
    if handle.hasMoved() { throw Database.movedError(path: path) }
    do {
      return try connections.move(
        { callbacks.busy?($0) ?? false },
        then: { counts in
          // Frames that somebody reads who does not know of the last ones are not moved.
          guard counts.walFrameCount == counts.checkpointedFrameCount else {
            throw DatabaseError(
              resultCode: .SQLITE_BUSY_SNAPSHOT,
              message:
                "Can't create snapshot because the database was changed, or because somebody reads an older state.")
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
  /// A snapshot of what is committed now, for several reads at the same time.
  ///
  /// It waits for the writer. It has as many connections as `Configuration.maximumReaderCount` says.
  public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
    try writer.reentrantSync { db in
      DatabaseSnapshotPool(try db.openSnapshot(of: location, configuration, label: label))
    }
  }
}
