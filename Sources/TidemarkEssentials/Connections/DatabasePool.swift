import Synchronization

/// A database file with one writer connection and several reader connections, which work concurrently.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/var/lib/library.sqlite")
/// try await dbPool.write { db in
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
/// }
/// let titles = try await dbPool.read { db in
///   try String.fetchAll(db, sql: "SELECT title FROM book")
/// }
/// ```
///
/// The file is in WAL mode. Invariants:
///
/// 1. A read sees a single committed state of the database.
/// 2. A read that starts after a write has returned sees that write.
/// 3. Writes are serialized. Writes do not wait for reads, and reads do not wait for writes.
/// 4. A thread never waits for the writer while it holds a reader for which the writer waits.
/// 5. Waiting accesses are served in order.
public final class DatabasePool: DatabaseWriter {
  let writer: SerializedConnection
  let readers: ReaderPool
  let location: DatabaseLocation
  let label: String

  /// Implementation detail of observations; do not use it.
  public let _core: _DatabaseCore
  let snapshotCount = Atomic<Int>(0)

  // MARK: - Opening

  /// Opens a database file, and creates it if it does not exist, unless the configuration is read-only.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.maximumReaderCount = 8
  /// let dbPool = try DatabasePool(path: "/var/lib/library.sqlite", configuration: configuration)
  /// ```
  ///
  /// - Parameter path: The path to the file.
  /// - Parameter configuration: The configuration of the pool.
  /// - Throws: A `DatabaseError` if the file cannot be opened, or if it does not support WAL mode (such as `:memory:`).
  public init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "Tidemark.DatabasePool"
    self.location = location
    self.label = label

    let health = DatabaseHealth()
    writer = try SerializedConnection(location, configuration, label: label + ".writer", health: health)
    if !configuration.readonly {
      try writer.sync { db in
        try db.useWriteAheadLog(path: path, durability: configuration.durability)
        try configuration.writerExtension?.begin(on: db)
      }
    }

    let readConfiguration = configuration.forReaders
    readers = ReaderPool(
      countMax: configuration.readerCountMax, hasLiveQueries: true, configuration,
      label: label + ".reader", health: health, nested: NestedWrites(writer: writer),
      open: { number in
        try Database.open(location, readConfiguration, label: "\(label).reader.\(number)", health: health)
      })
    _core = _DatabaseCore(path: location.path, configuration, writer: writer, readers: .pool(readers))
  }

  // MARK: - Accesses of pools only

  /// Executes read-only operations on the thread of the calling task. The task is suspended until a connection is
  /// available; accesses that wait in `read` have priority.
  ///
  /// Use it for short reads only: it blocks the thread, which is one of the few threads of Swift's concurrency pool. In
  /// exchange, it avoids a thread switch: a short read takes a third of the time. (`read` avoids the switch only after
  /// several short accesses.) The closure does not have to be `Sendable`, and runs in the isolation of the caller.
  ///
  /// ```swift
  /// let player = try await dbPool.readInline { db in try Player.fetchOne(db, key: 1) }
  /// ```
  ///
  /// - Parameter isolation: The isolation of the closure. By default, it is the isolation of the caller.
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func readInline<T>(
    isolation: isolated (any Actor)? = #isolation, _ value: (Database) throws -> T
  ) async throws -> T {
    let deadline = readers.deadline()
    let free = try readers.acquireUnlessInherited()
    let lease = if let free { free } else { try await readers.acquireInline(until: deadline) }
    defer { readers.release(lease) }
    return try readers.runInline(lease, deadline) { try $0.isolatedRead(value) }
  }

  /// Schedules a read of the state that this write access has committed. The write continues as soon as the read has
  /// its snapshot.
  ///
  /// Call it from `writeWithoutTransaction`, outside of a transaction.
  ///
  /// - Parameter value: A closure called with the connection, or with an error if there is none.
  public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    spawnConcurrentRead(value)
  }

  /// Executes operations on the writer connection in a transaction, and ends it as the closure decides.
  ///
  /// - Parameter kind: The kind of the transaction; nil for the kind of the configuration.
  /// - Parameter updates: A closure that uses the connection.
  /// - Throws: The error of the closure, which rolls the transaction back; or a `DatabaseError`.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try _core.boundedWrite { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }

  // MARK: - Memory

  /// Frees as much memory as possible. It waits for the current write, and closes readers as soon as they are unused.
  ///
  /// Inside a read, it does not wait.
  public func releaseMemory() {
    // The writer may be waiting for this read.
    if readers.isAccessible { return releaseMemoryEventually() }
    writer.sync { $0.releaseMemory() }
    releaseReaders()
  }

  /// Frees as much memory as possible, without waiting.
  public func releaseMemoryEventually() {
    releaseReaders()
    writer.schedule { $0.releaseMemory() }
  }

  private func releaseReaders() {
    if configuration.persistentReadOnlyConnections {
      readers.withIdleConnections { $0.releaseMemory() }
    } else {
      readers.invalidate()
    }
  }

  /// Reopens reader connections before their next use. Call this method if `prepareDatabase` has to run again, or if
  /// the file was replaced.
  public func invalidateReadOnlyConnections() {
    readers.invalidate()
  }
}
