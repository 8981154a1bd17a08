import Synchronization

/// A database in a file with one connection that writes and several that read, at the same time.
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
/// The file uses SQLite's write-ahead log. Invariants:
///
/// 1. A read sees one committed state of the database, from its beginning to its end.
/// 2. A read that starts after a write has returned sees that write.
/// 3. Writes come one after the other. They do not wait for reads, nor reads for them.
/// 4. Nobody waits for the writer while holding a reader.
/// 5. Accesses that wait are served in order.
public final class DatabasePool: DatabaseWriter {
  /// How the database was opened.
  public let configuration: Configuration

  /// The path to the file.
  public let path: String

  let writer: SerializedConnection
  let readers: ReaderPool
  let nested: NestedWrites
  let location: DatabaseLocation
  let label: String

  /// Not for you to use: how observations reach the database.
  public let _core: _DatabaseCore
  let snapshotCount = Atomic<Int>(0)

  // MARK: - Opening

  /// Opens a file, and creates it when there is none, unless the configuration is read-only.
  ///
  /// - throws: An error when the file cannot use the write-ahead log, as a database in memory.
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

  // MARK: - Life

  /// Closes all connections, once the accesses that run have ended. Accesses throw from then on, also when this method
  /// throws. Closing twice does nothing.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` when the program still holds a statement: SQLite frees the connection
  ///   when that statement is released. `Database.logError` receives the text of each such statement.
  public func close() throws {
    // Reads that wait go on once the pool is closed: none of them opens a connection that nobody would close.
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
      // The last connection that is closed leaves nothing beside the file.
      _core.willClose()
      return Result { try readers.closeAll() }
    }
  }

  /// Has the statements that run fail with an error of code `SQLITE_INTERRUPT`, without waiting for them.
  public func interrupt() {
    writer.interrupt()
    readers.interrupt()
  }

  /// Frees as much memory as possible: that of the writer once its access has ended, and that of the readers,
  /// which are closed when they are not in use any more.
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

  /// Has the connections that read opened anew for the next reads: those that `prepareDatabase` shall see again,
  /// or that have lost the file.
  public func invalidateReadOnlyConnections() {
    readers.invalidate()
  }
}
