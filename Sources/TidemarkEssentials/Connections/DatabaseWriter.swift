/// A database that can be read and written: a queue, a pool.
///
/// Writes come one after the other.
public protocol DatabaseWriter: DatabaseReader {
  /// Uses the connection that writes. Each statement is a transaction of its own.
  @_disfavoredOverload
  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// Not for you to call: as `writeWithoutTransaction`, but that the wait has a limit where there is one.
  func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Uses the connection that writes. Each statement is a transaction of its own.
  func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Not for you to call: writes in a transaction.
  func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Uses the connection that writes while nobody reads.
  @_disfavoredOverload
  func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Uses the connection that writes while nobody reads.
  func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Uses later the connection that writes, while nobody reads.
  func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Uses later the connection that writes. Each statement is a transaction of its own.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Uses the connection that writes, inside the access that the thread is in if there is one.
  func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// Reads the state that was just committed, from an access that writes, which goes on meanwhile where the
  /// database can do that.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
  /// Not for you to call: as `writeWithoutTransaction`, but that the wait has a limit where there is one.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writeWithoutTransaction(updates)
  }

  /// Not for you to call: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await writeWithoutTransaction { try $0.committing(updates) }
  }
}

// MARK: - Transactions

extension DatabaseWriter {
  /// Writes in a transaction: all of it, or, when the closure throws, nothing.
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

  /// Writes in a transaction: all of it, or, when the closure throws or the task is cancelled, nothing.
  public func write<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await _asyncWrite(updates)
  }

  /// Writes later in a transaction: all of it, or, when the closure throws, nothing.
  ///
  /// - parameter completion: Told the result on the same connection, when the transaction has ended.
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
  /// Rebuilds the file, without holes. C: `VACUUM`.
  @_disfavoredOverload
  public func vacuum() throws {
    try _boundedWriteWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Rebuilds the file, without holes. C: `VACUUM`.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Writes a copy without holes into a new file. C: `VACUUM INTO`.
  @_disfavoredOverload
  public func vacuum(into filePath: String) throws {
    try _boundedWriteWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }

  /// Writes a copy without holes into a new file. C: `VACUUM INTO`.
  public func vacuum(into filePath: String) async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }
}
