/// A database that can be read: a queue, a pool, or a snapshot.
///
/// Accesses have two forms. The synchronous form blocks the calling thread, and runs on it.
/// The asynchronous form suspends the calling task, and runs on a thread of the database, or inline if it is likely to
/// be short. If the task is cancelled, the access is interrupted.
///
/// All methods are implemented once, for all kinds of databases.
public protocol DatabaseReader: AnyObject, Sendable {
  /// An internal requirement, which gives access to the database; do not use it.
  var _core: _DatabaseCore { get }
}

extension DatabaseReader {
  /// The configuration of the database.
  public var configuration: Configuration { _core.configuration }

  /// The path of the file; `:memory:`, or the URI of a named database in memory.
  public var path: String { _core.path }

  /// Closes the database after the running accesses have ended. Later accesses throw an error. Closing a closed
  /// database has no effect.
  ///
  /// ```swift
  /// try dbPool.close()
  /// ```
  ///
  /// - Throws: An error of code `SQLITE_BUSY` if the program still retains a statement; `Database.logError` receives
  ///   the SQL of each such statement. A ``DatabaseQueue`` or ``DatabaseSnapshot`` is then still usable. A
  ///   ``DatabasePool`` or ``DatabaseSnapshotPool`` is closed in any case: SQLite frees the connection when the
  ///   statement is released.
  public func close() throws { try _core.close() }

  /// Interrupts the running statements, which throw an error of code `SQLITE_INTERRUPT`. Does not wait for them.
  public func interrupt() { _core.interrupt() }

  // MARK: Isolated reads

  /// Executes read-only operations in a snapshot of the last committed state, on the calling thread.
  ///
  /// ```swift
  /// let count = try dbPool.read { db in try Player.fetchCount(db) }
  /// ```
  ///
  /// A queue executes them in a transaction. In a snapshot, they read the snapshot.
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError` if a connection cannot be opened.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try _core.read(isolated: true, value)
  }

  /// Executes read-only operations in a snapshot of the last committed state.
  ///
  /// ```swift
  /// let count = try await dbPool.read { db in try Player.fetchCount(db) }
  /// ```
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await _core.read(isolated: true, value)
  }

  /// Schedules read-only operations in a snapshot of the last committed state, and returns immediately.
  ///
  /// ```swift
  /// dbPool.asyncRead { result in
  ///   do {
  ///     let db = try result.get()
  ///     print(try Player.fetchCount(db))
  ///   } catch {
  ///     print("The read failed: \(error)")
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter value: A closure called with the connection, or with an error if there is none.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    _core.scheduleRead(isolated: true, value)
  }

  // MARK: Reads without isolation

  /// Executes read-only operations without isolation: other connections may commit between two statements.
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError` if a connection cannot be opened.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _core.read(isolated: false, value)
  }

  /// Executes read-only operations without isolation: other connections may commit between two statements.
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await _core.read(isolated: false, value)
  }

  /// Schedules read-only operations without isolation, and returns immediately.
  ///
  /// - Parameter value: A closure called with the connection, or with an error if there is none.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    _core.scheduleRead(isolated: false, value)
  }

  /// Executes read-only operations without isolation. If the calling thread is already inside an access, it uses the
  /// connection of that access.
  ///
  /// Inside a write, the closure uses the writer connection, and sees uncommitted changes.
  ///
  /// ```swift
  /// try dbPool.write { db in
  ///   try Player(name: "Arthur").insert(db)
  ///   let count = try dbPool.unsafeReentrantRead { try Player.fetchCount($0) }    // includes Arthur
  /// }
  /// ```
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError` if a connection cannot be opened.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _core.reentrantRead(value)
  }
}

/// A reader with one snapshot of the database during its whole life.
///
/// All of its reads return the same data, so that the safe and the unsafe methods are equivalent.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
  /// Reads the snapshot, in the thread's current read if there is one.
  ///
  /// - Parameter value: A closure that reads from the snapshot.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError`.
  public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _core.reentrantRead(value)
  }
}
