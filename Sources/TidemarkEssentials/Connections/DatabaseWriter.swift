/// A database that can be read and written: a queue or a pool.
///
/// Writes are serialized.
public protocol DatabaseWriter: DatabaseReader {
  /// Executes operations on the writer connection, in autocommit mode.
  @_disfavoredOverload
  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// An internal requirement; do not call it: `writeWithoutTransaction` with the time limit of accesses, if any.
  func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Executes operations on the writer connection, in autocommit mode.
  func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// An internal requirement; do not call it: writes in a transaction.
  func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Executes operations on the writer connection without concurrent reads.
  @_disfavoredOverload
  func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Executes operations on the writer connection without concurrent reads.
  func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Schedules operations on the writer connection without concurrent reads.
  func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Schedules operations on the writer connection, in autocommit mode.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Executes operations on the writer connection, in the thread's current access if there is one.
  func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// Schedules a read of the last committed state, from an access of the writer, which continues meanwhile if the
  /// database allows it.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
  /// An internal requirement; do not call it: `writeWithoutTransaction` with the time limit of accesses, if any.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writeWithoutTransaction(updates)
  }

  /// An internal requirement; do not call it: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await writeWithoutTransaction { try $0.committing(updates) }
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
    try _boundedWriteWithoutTransaction { try $0.committing(updates) }
  }

  /// Executes operations in a transaction, which is rolled back if the closure throws or the task is cancelled.
  public func write<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await _asyncWrite(updates)
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
    try _boundedWriteWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Rebuilds the file without unused space. C: `VACUUM`.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Writes a copy without unused space into a new file. C: `VACUUM INTO`.
  @_disfavoredOverload
  public func vacuum(into filePath: String) throws {
    try _boundedWriteWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }

  /// Writes a copy without unused space into a new file. C: `VACUUM INTO`.
  public func vacuum(into filePath: String) async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }
}
