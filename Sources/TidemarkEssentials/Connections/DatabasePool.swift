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
  /// The configuration of the pool.
  public let configuration: Configuration

  /// The path to the database file.
  public let path: String

  let writer: SerializedConnection
  let readers: ReaderPool
  let nested: NestedWrites
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
    self.path = location.path
    self.configuration = configuration
    self.location = location
    self.label = label

    let health = DatabaseHealth()
    writer = try SerializedConnection(location, configuration, label: label + ".writer", health: health)
    if !configuration.readonly {
      try writer.sync { try $0.useWriteAheadLog(path: path, durability: configuration.durability) }
    }

    let readConfiguration = configuration.forReaders
    nested = NestedWrites(writer: writer)
    readers = ReaderPool(
      countMax: configuration.maximumReaderCount, hasLiveQueries: true, configuration,
      label: label + ".reader", health: health, nested: nested,
      isClosed: { [writer] in writer.isClosed },
      open: { number in
        try Database.open(location, readConfiguration, label: "\(label).reader.\(number)", health: health)
      })
    _core = .pool(writer, readers, configuration)
  }

  // MARK: - Closing and memory

  /// Closes all connections after the running accesses have ended. Later accesses throw an error, even if this method
  /// throws. Closing a closed pool has no effect.
  ///
  /// ```swift
  /// try dbPool.close()
  /// ```
  ///
  /// - Throws: An error of code `SQLITE_BUSY` if the program still retains a statement: SQLite frees the connection
  ///   when the statement is released. `Database.logError` receives the SQL of each such statement.
  public func close() throws {
    // Waiting reads are admitted after the pool is closed. They must not open a connection, because it would not be
    // closed.
    var hasReaders = false
    defer {
      if hasReaders { readers.endExclusive() }
      if writer.isClosed {
        readers.executor.retire()
        _core.didClose()
      } else {
        _core.didNotClose()
      }
    }
    try writer.closeWithStatements {
      try readers.waitForAll()
      hasReaders = true
      // The last connection to close removes the WAL files.
      _core.willClose()
      return Result { try readers.closeAll() }
    }
  }

  /// Interrupts the running statements, which throw an error of code `SQLITE_INTERRUPT`. Does not wait for them.
  public func interrupt() {
    writer.interrupt()
    readers.interrupt()
  }

  /// Frees as much memory as possible. It waits for the current write, and closes readers as soon as they are unused.
  public func releaseMemory() {
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
