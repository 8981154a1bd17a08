// MARK: - Writing

extension DatabasePool {
  /// Executes operations on the writer connection, in autocommit mode.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.sync(nested: readers.nestedWrites, updates)
  }

  /// An internal requirement; do not call it: `writeWithoutTransaction` with the time limit of accesses, if any.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.boundedSync(nested: readers.nestedWrites, updates)
  }

  /// Executes operations on the writer connection, in autocommit mode.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(updates)
  }

  /// An internal requirement; do not call it: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await writer.asyncTransaction(updates)
  }

  /// Executes operations on the writer connection without concurrent reads. New reads wait.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.boundedSync(nested: readers.nestedWrites) { db in
      try readers.exclusively(until: db.access.deadline) { try updates(db) }
    }
  }

  /// Executes operations on the writer connection without concurrent reads. New reads wait.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(in: BarrierAdmission(writer.gate, readers, nested), updates)
  }

  /// Schedules operations on the writer connection without concurrent reads.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.scheduleResult(in: BarrierAdmission(writer.gate, readers, nested), updates)
  }

  /// Schedules operations on the writer connection, in autocommit mode.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.schedule(updates)
  }

  /// Executes operations on the writer connection, in the thread's current write if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.reentrantSync(nested: readers.nestedWrites, updates)
  }

  /// Executes operations on the writer connection in a transaction, and ends it as the closure decides.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.boundedSync(nested: readers.nestedWrites) { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }
}
