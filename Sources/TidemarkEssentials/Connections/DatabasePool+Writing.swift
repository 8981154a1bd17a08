// MARK: - Writing

extension DatabasePool {
  /// Uses the connection that writes. Each statement is a transaction of its own.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.sync(nested: readers.nestedWrites, updates)
  }

  /// Not for you to call: as `writeWithoutTransaction`, but that the wait has a limit where there is one.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.boundedSync(nested: readers.nestedWrites, updates)
  }

  /// Uses the connection that writes. Each statement is a transaction of its own.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(updates)
  }

  /// Not for you to call: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await writer.asyncTransaction(updates)
  }

  /// Uses the connection that writes while nobody reads. Reads that come meanwhile wait.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.boundedSync(nested: readers.nestedWrites) { db in
      try readers.exclusively(until: db.deadline) { try updates(db) }
    }
  }

  /// Uses the connection that writes while nobody reads. Reads that come meanwhile wait.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(in: BarrierTurn(writer.gate, readers, nested), updates)
  }

  /// Uses later the connection that writes, while nobody reads.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.scheduleResult(in: BarrierTurn(writer.gate, readers, nested), updates)
  }

  /// Uses later the connection that writes. Each statement is a transaction of its own.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.schedule(updates)
  }

  /// Uses the connection that writes, inside the write that the thread is in if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.reentrantSync(nested: readers.nestedWrites, updates)
  }

  /// Uses the connection that writes in a transaction, which ends as the closure says.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.boundedSync(nested: readers.nestedWrites) { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }
}
