import FoundationEssentials

/// A database with a single connection, which serializes all accesses.
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
/// Reads and writes wait for each other, and are served in order. An access nested inside another access on the same
/// thread is a programmer error that stops the program with a message.
public final class DatabaseQueue: DatabaseWriter {
  private let connection: SerializedConnection

  /// Implementation detail of observations; do not use it.
  public let _core: _DatabaseCore

  // MARK: Opening

  /// Opens a database file, and creates it if it does not exist, unless the configuration is read-only.
  ///
  /// - Parameter path: The path to the file; `:memory:` for a private in-memory database; or the empty string for a
  ///   private temporary file. It is never interpreted as a URI.
  /// - Parameter configuration: The configuration of the queue.
  /// - Throws: A `DatabaseError` if the file cannot be opened.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(DatabaseLocation(path: path), configuration)
  }

  /// Opens an in-memory database.
  ///
  /// ```swift
  /// let dbQueue = try DatabaseQueue()                   // private
  /// let shared = try DatabaseQueue(named: "previews")    // shared by name
  /// ```
  ///
  /// - Parameter name: A name, or nil for a private database. All queues of the process with the same name share a
  ///   database, which exists until the last of them is closed.
  /// - Parameter configuration: The configuration of the queue.
  /// - Throws: A `DatabaseError` if the database cannot be opened.
  public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
    try self.init(name.map { .named($0) } ?? .memory, configuration)
  }

  /// Opens a database by its SQLite URI.
  ///
  /// ```swift
  /// let dbQueue = try DatabaseQueue(uri: "file:/media/library.sqlite?immutable=1")
  /// ```
  ///
  /// - Parameter uri: The URI.
  /// - Parameter configuration: The configuration of the queue.
  /// - Throws: A `DatabaseError` if the database cannot be opened.
  public convenience init(uri: String, configuration: Configuration = Configuration()) throws {
    try self.init(.uri(uri), configuration)
  }

  private init(_ location: DatabaseLocation, _ configuration: Configuration) throws {
    var configuration = configuration
    configuration.maximumReaderCount = 1
    connection = try SerializedConnection(
      location, configuration, label: configuration.label ?? "Tidemark.DatabaseQueue")
    _core = _DatabaseCore(path: location.path, configuration, writer: connection, readers: .single(connection))
    if configuration.readonly { return }
    try connection.sync { [configuration] db in
      if configuration.journalMode == .wal {
        try db.useWriteAheadLog(path: location.path, durability: configuration.durability)
      }
      try configuration.writerExtension?.begin(on: db)
    }
  }

  /// Opens a private database, and copies a database into it. If the configuration is read-only, it then becomes
  /// read-only.
  init(copyOf source: DatabaseQueue, at location: DatabaseLocation, _ configuration: Configuration) throws {
    var configuration = configuration
    configuration.maximumReaderCount = 1
    // A database without a file does not support WAL mode.
    configuration.journalMode = .default
    var writable = configuration
    writable.readonly = false
    connection = try SerializedConnection(location, writable, label: configuration.label ?? "Tidemark.DatabaseQueue")
    _core = _DatabaseCore(path: location.path, configuration, writer: connection, readers: .single(connection))
    // Run the copy on the configured target queue, which may have its own thread.
    try connection.sync { db in
      try source.unsafeRead { sourceDb in
        try sourceDb.backup(to: db)
        guard configuration.readonly else { return }
        db.configuration = configuration
        // The connection stays read-only until it is closed.
        try db.untraced { try db.beginReadOnly() }
      }
    }
  }

  /// Frees as much memory as possible, after the current access.
  public func releaseMemory() { connection.sync { $0.releaseMemory() } }

  // MARK: Accesses that throw only errors of their closures

  /// Executes read-only operations without a transaction.
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try connection.sync(value)
  }

  /// Executes read-only operations without a transaction. If the calling thread is already inside an access, it uses
  /// that access.
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try connection.reentrantSync(value)
  }

  /// Executes operations in autocommit mode. A queue has a single connection, so it excludes all other accesses.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.sync(updates)
  }

  /// Executes operations in autocommit mode: each statement is a separate transaction.
  ///
  /// ```swift
  /// try dbQueue.inDatabase { db in
  ///   try db.execute(sql: "VACUUM")
  /// }
  /// ```
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try connection.sync(updates)
  }

  /// Executes operations in a transaction, which ends as the result of the closure requests. An error rolls it back.
  ///
  /// ```swift
  /// try dbQueue.inTransaction { db in
  ///   try Player(name: "Arthur").insert(db)
  ///   return .commit
  /// }
  /// ```
  public func inTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try connection.boundedSync { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }
}

extension Database {
  /// Frees as much memory as possible: cached statements, memory that is kept for the changes of large transactions,
  /// and SQLite's own caches.
  public func releaseMemory() {
    preconditionAccess()
    forgetStatements()
    capture.changeObserver?.releaseMemory()
    handle?.releaseMemory()
  }
}
