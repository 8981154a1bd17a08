import FoundationEssentials

/// A database with one connection, which all accesses use in turn.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "/var/lib/library.sqlite")
/// try dbQueue.write { db in
///   try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
/// }
/// let count = try dbQueue.read { db in
///   try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") ?? 0
/// }
/// ```
///
/// Reads and writes wait for each other, in the order in which they came. An access is not started inside
/// another one on the same thread: that traps, with a sentence.
public final class DatabaseQueue: DatabaseWriter {
  /// How the database was opened.
  public let configuration: Configuration

  /// The path to the file, `:memory:`, or the URI of a named database in memory.
  public let path: String

  private let connection: SerializedConnection

  /// Not for you to use: how observations reach the database.
  public let _core: _DatabaseCore

  // MARK: Opening

  /// Opens a file, and creates it when there is none, unless the configuration is read-only.
  ///
  /// The path `:memory:` stands for a private database in memory, and the empty path for a private file that
  /// is deleted at the end. Any other path is that of a file: it is never taken for a URI.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(DatabaseLocation(path: path), configuration)
  }

  /// Opens a database in memory.
  ///
  /// - parameter name: With a name, all queues of the process that use the name share the database, which
  ///   lives as long as one of them.
  public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
    try self.init(name.map { .named($0) } ?? .memory, configuration)
  }

  /// Opens what a URI stands for, such as `file:/media/library.sqlite?immutable=1`.
  public convenience init(uri: String, configuration: Configuration = Configuration()) throws {
    try self.init(.uri(uri), configuration)
  }

  private init(_ location: DatabaseLocation, _ configuration: Configuration) throws {
    self.path = location.path
    var configuration = configuration
    configuration.maximumReaderCount = 1
    self.configuration = configuration
    connection = try SerializedConnection(
      location, configuration, label: configuration.label ?? "Tidemark.DatabaseQueue")
    _core = .queue(connection, configuration)
    if configuration.journalMode == .wal, !configuration.readonly {
      try connection.sync { try $0.useWriteAheadLog(path: path, durability: configuration.durability) }
    }
  }

  /// Opens a private database, and copies a file into it. It is read-only afterwards if the configuration says so.
  init(copyOf source: DatabaseQueue, at location: DatabaseLocation, _ configuration: Configuration) throws {
    path = location.path
    var configuration = configuration
    configuration.maximumReaderCount = 1
    // A database without a file cannot use the write-ahead log.
    configuration.journalMode = .default
    self.configuration = configuration
    var writable = configuration
    writable.readonly = false
    connection = try SerializedConnection(location, writable, label: configuration.label ?? "Tidemark.DatabaseQueue")
    _core = .queue(connection, configuration)
    // On the target queue of the copy, whose thread may be another one.
    try connection.sync { db in
      try source.unsafeRead { sourceDb in
        try sourceDb.backup(to: db)
        guard configuration.readonly else { return }
        db.configuration = configuration
        // It stays so: nothing ends what begins here.
        try db.untraced { try db.beginReadOnly() }
      }
    }
  }

  // MARK: Life

  /// Closes the connection. Accesses throw from then on. Closing twice does nothing.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` when the program still holds a statement. The queue is then still
  ///   usable, and `Database.logError` receives the text of each such statement.
  public func close() throws {
    try connection.close()
    _core.didClose()
  }

  /// Has the statement that runs fail with an error of code `SQLITE_INTERRUPT`, without waiting for it.
  public func interrupt() { connection.interrupt() }

  /// Frees as much memory as possible, once the current access has ended.
  public func releaseMemory() { connection.sync { $0.releaseMemory() } }

  // MARK: Reading

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try connection.boundedSync { try $0.isolatedRead(value) }
  }

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await connection.async { try $0.isolatedRead(value) }
  }

  /// Reads later. All that is read comes from one state of the database, and nothing can be written.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    connection.schedule { db in
      Database.callingHandler(value) { call in try db.isolatedRead(call) }
    }
  }

  /// Reads, without a transaction.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try connection.sync(value)
  }

  /// Reads, without a transaction.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await connection.async(value)
  }

  /// Reads later, without a transaction.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    connection.scheduleResult(value)
  }

  /// Reads, inside the access that the thread is in if there is one, without a transaction.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try connection.reentrantSync(value)
  }

  // MARK: Writing

  /// Uses the connection. Each statement is a transaction of its own.
  public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.sync(updates)
  }

  /// Uses the connection in a transaction, which ends as the closure says.
  public func inTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try connection.boundedSync { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }

  /// Not for you to call: as `writeWithoutTransaction`, but that the wait has a limit where there is one.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try connection.boundedSync(updates)
  }

  /// Uses the connection. Each statement is a transaction of its own.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.sync(updates)
  }

  /// Uses the connection. Each statement is a transaction of its own.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await connection.async(updates)
  }

  /// Uses the connection. There is one: nobody reads meanwhile.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.sync(updates)
  }

  /// Uses the connection. There is one: nobody reads meanwhile.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await connection.async(updates)
  }

  /// Uses the connection later. There is one: nobody reads meanwhile.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    connection.scheduleResult(updates)
  }

  /// Uses the connection later. Each statement is a transaction of its own.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    connection.schedule(updates)
  }

  /// Uses the connection, inside the access that the thread is in if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.reentrantSync(updates)
  }

  /// Reads on the same connection, at once: there is no other. To be called inside an access, and outside of a
  /// transaction.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    connection.reentrantSync { db in
      precondition(!db.isInsideTransaction, "must not be called from inside a transaction.")
      Database.callingHandler(value) { call in try db.isolatedRead(call) }
    }
  }
}

extension Database {
  /// Frees as much memory as possible: prepared statements, and what SQLite can do without.
  public func releaseMemory() {
    preconditionAccess()
    forgetStatements()
    handle?.releaseMemory()
  }
}
