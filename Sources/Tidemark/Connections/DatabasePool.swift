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
/// The file uses SQLite's write-ahead log. Laws:
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
  private let readExecutor: any AccessExecutor
  let location: DatabaseLocation
  let label: String
  let snapshotCount = Atomic<Int>(0)

  // MARK: - Opening

  /// Opens a file, and creates it when there is none, unless the configuration is read-only.
  ///
  /// - throws: An error when the file cannot use the write-ahead log, as a database in memory.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "GRDB.DatabasePool"
    self.path = location.path
    self.configuration = configuration
    self.location = location
    self.label = label

    writer = try SerializedConnection(location, configuration, label: label + ".writer")
    if !configuration.readonly { try writer.sync { try $0.useWriteAheadLog(path: path) } }

    let readConfiguration = configuration.forReaders
    readers = ReaderPool(
      countMax: configuration.maximumReaderCount,
      isClosed: { [writer] in writer.isClosed },
      open: { number in
        try Database.open(location, readConfiguration, label: "\(label).reader.\(number)")
      })
    readExecutor = configuration.environment.makeExecutor(label + ".reader", configuration.maximumReaderCount)
  }

  // MARK: - Life

  /// Closes all connections, once the accesses that run have ended. Accesses throw from then on. Closing twice is
  /// fine.
  ///
  /// - throws: An error of code `SQLITE_BUSY` when the program still holds a statement. The pool is then still
  ///   usable.
  public func close() throws {
    try writer.close {
      try readers.exclusively { slots in
        for slot in slots { try slot.close() }
      }
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

// MARK: - Reading

extension DatabasePool {
  /// Reads. All that is read comes from one committed state, and nothing can be written.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try withReader { try $0.isolatedRead(value) }
  }

  /// Reads. All that is read comes from one committed state, and nothing can be written.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await withReader { try $0.isolatedRead(value) }
  }

  /// Reads later. All that is read comes from one committed state, and nothing can be written.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    schedule(value) { db in try db.isolatedRead { value(.success($0)) } }
  }

  /// Reads, without the promise of one state: others may write between two statements.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try withReader(value)
  }

  /// Reads, without the promise of one state: others may write between two statements.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await withReader(value)
  }

  /// Reads later, without the promise of one state: others may write between two statements.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    schedule(value) { db in value(.success(db)) }
  }

  /// Reads, inside the read that the thread is in if there is one, without the promise of one state.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    if let db = readers.currentConnection { return try value(db) }
    return try withReader(value)
  }

  /// Runs a synchronous access with a reader.
  private func withReader<T>(_ body: (Database) throws -> T) throws -> T {
    precondition(
      readers.currentConnection == nil,
      """
      Database methods are not reentrant. The calling thread is inside a read of this database already: use the `db` \
      argument of that read, or start the new read when it has ended.
      """)
    let loan = readers.borrow()
    defer { readers.giveBack(loan) }
    return try readers.use(loan) { try $0.checkedAccess(allowsUnsafeTransactions: false, body) }
  }

  /// Runs an asynchronous access with a reader.
  private func withReader<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await AsyncAccess.perform(
      on: readExecutor,
      enter: { [readers] letIn in readers.borrow(letIn) },
      giveUp: { [readers] ticket in readers.giveUp(ticket) },
      leave: { [readers] loan in readers.giveBack(loan) },
      { [readers] loan, cancellation in
        try readers.use(loan) { db in
          try db.checkedAccess(allowsUnsafeTransactions: false) { db in
            try db.withCancellation(cancellation) { try body(db) }
          }
        }
      })
  }

  /// Runs an access with a reader later. When it cannot begin, the error goes to `failure`.
  private func schedule(
    _ failure: @escaping @Sendable (Result<Database, any Error>) -> Void,
    _ body: @escaping @Sendable (Database) throws -> Void
  ) {
    _ = readers.borrow { [self] loan in
      readExecutor.execute { [self] in
        do {
          try readers.use(loan) { try $0.checkedAccess(allowsUnsafeTransactions: false, body) }
        } catch {
          failure(.failure(error))
        }
        readers.giveBack(loan)
      }
    }
  }

  /// Reads, from an access that writes, the state that it has just committed. The writer goes on as soon as the
  /// state is held.
  ///
  /// To be called from `writeWithoutTransaction`, outside of a transaction.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    writer.reentrantSync { db in
      precondition(!db.isInsideTransaction, "must not be called from inside a transaction.")
      let loan = readers.borrow()
      do {
        // Before the writer goes on: this is the state that is read.
        try readers.use(loan) { try $0.beginSnapshot() }
      } catch {
        readers.giveBack(loan)
        return value(.failure(error))
      }
      readExecutor.execute { [self] in
        do {
          try readers.use(loan) { try $0.endingSnapshot { value(.success($0)) } }
        } catch {
          value(.failure(error))
        }
        readers.giveBack(loan)
      }
    }
  }

  /// Reads, from an access that writes, the state that it has just committed. The writer goes on as soon as the
  /// state is held.
  ///
  /// To be called from `writeWithoutTransaction`, outside of a transaction.
  public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    spawnConcurrentRead(value)
  }
}

extension Database {
  /// Begins to read a state of the database: the one of now.
  func beginSnapshot() throws {
    try beginTransaction(.deferred)
    // The transaction takes its state at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
  }

  /// Runs a closure that reads the state that was begun, and ends it.
  fileprivate func endingSnapshot(_ body: (Database) throws -> Void) throws {
    defer {
      do {
        try shielded { try rollback() }
      } catch {
        Self.log(error, "A read could not be ended")
      }
    }
    try body(self)
  }
}
