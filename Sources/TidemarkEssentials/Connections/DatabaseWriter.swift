/// A database that can be read and written: a queue or a pool.
///
/// Writes are serialized. All methods are implemented once, for all kinds of databases.
public protocol DatabaseWriter: DatabaseReader {}

// MARK: - Autocommit mode

extension DatabaseWriter {
  /// Executes operations on the writer connection, in autocommit mode: each statement is a separate transaction.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try _core.write(updates)
  }

  /// Executes operations on the writer connection, in autocommit mode: each statement is a separate transaction.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _core.ownWriter.async(updates)
  }

  /// Schedules operations on the writer connection, in autocommit mode, and returns immediately.
  ///
  /// - Parameter updates: A closure that uses the connection.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    _core.ownWriter.schedule(updates)
  }

  /// Executes operations on the writer connection, in autocommit mode. If the calling thread is already inside a write,
  /// it uses that access.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try _core.ownWriter.reentrantSync(nested: _core.readers.nestedWrites, updates)
  }

  /// Executes operations on the writer connection without concurrent reads. New reads wait. A queue has a single
  /// connection, so all of its writes exclude reads.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError` if the wait exceeds the time limit.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try _core.barrierWrite(updates)
  }

  /// Executes operations on the writer connection without concurrent reads. New reads wait.
  ///
  /// - Parameter updates: A closure that uses the connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    let core = _core
    return try await core.ownWriter.async(admittedBy: core.readers.barrier(of: core.ownWriter), updates)
  }

  /// Schedules operations on the writer connection without concurrent reads, and returns immediately.
  ///
  /// - Parameter updates: A closure called with the connection, or with an error if there is none.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    let core = _core
    core.ownWriter.schedule(admittedBy: core.readers.barrier(of: core.ownWriter), updates) { db, call in call(db) }
  }

  /// Schedules a read of the state that this write access has committed. In a pool, the write continues as soon as the
  /// read has its snapshot. A queue reads immediately: it has no other connection.
  ///
  /// Call it from `writeWithoutTransaction`, outside of a transaction:
  ///
  /// ```swift
  /// try dbPool.writeWithoutTransaction { db in
  ///   try db.inTransaction {
  ///     try Player(name: "Arthur").insert(db)
  ///     return .commit
  ///   }
  ///   dbPool.spawnConcurrentRead { result in
  ///     // Includes Arthur, and excludes later writes.
  ///     let count = try? Player.fetchCount(result.get())
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter value: A closure called with the connection, or with an error if there is none.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    _core.scheduleConcurrentRead(value)
  }
}

// MARK: - Transactions

extension DatabaseWriter {
  /// Executes operations in a transaction, which is committed, or rolled back if the closure throws.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
  /// }
  /// ```
  @_disfavoredOverload
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    try _core.boundedWrite { try $0.committing(updates) }
  }

  /// Executes operations in a transaction, which is rolled back if the closure throws or the task is cancelled.
  public func write<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await _core.writeTransaction(updates)
  }

  /// Schedules operations in a transaction, which is committed, or rolled back if the closure throws.
  ///
  /// - Parameter completion: Receives the result on the same connection, after the transaction has ended.
  public func asyncWrite<T>(
    _ updates: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
  ) {
    asyncWriteWithoutTransaction { db in
      completion(db, Result { try db.committing(updates) })
    }
  }
}

// MARK: - Maintenance

extension DatabaseWriter {
  /// Rebuilds the file without unused space. C: `VACUUM`.
  @_disfavoredOverload
  public func vacuum() throws {
    try _core.boundedWrite { try $0.execute(sql: "VACUUM") }
  }

  /// Rebuilds the file without unused space. C: `VACUUM`.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Writes a copy without unused space into a new file. C: `VACUUM INTO`.
  @_disfavoredOverload
  public func vacuum(into filePath: String) throws {
    try _core.boundedWrite { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }

  /// Writes a copy without unused space into a new file. C: `VACUUM INTO`.
  public func vacuum(into filePath: String) async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }
}
