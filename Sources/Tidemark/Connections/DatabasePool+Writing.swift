// MARK: - Writing

extension DatabasePool {
  /// Uses the connection that writes. Each statement is a transaction of its own.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.sync(updates)
  }

  /// Uses the connection that writes. Each statement is a transaction of its own.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(updates)
  }

  /// Uses the connection that writes while nobody reads. Reads that come meanwhile wait.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.sync { db in
      try readers.exclusively { try updates(db) }
    }
  }

  /// Uses the connection that writes while nobody reads. Reads that come meanwhile wait.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    let wait = BarrierWait(for: readers)
    return try await withTaskCancellationHandler {
      try await writer.async { [readers] db in
        try wait.enter()
        defer { readers.endExclusive() }
        return try updates(db)
      }
    } onCancel: {
      wait.cancel()
    }
  }

  /// Uses later the connection that writes, while nobody reads.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.schedule { [readers] db in
      readers.exclusively { updates(db.handle == nil ? .failure(Database.closedError) : .success(db)) }
    }
  }

  /// Uses later the connection that writes. Each statement is a transaction of its own.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.schedule(updates)
  }

  /// Uses the connection that writes, inside the write that the thread is in if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.reentrantSync(updates)
  }

  /// Uses the connection that writes in a transaction, which ends as the closure says.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.sync { db in
      try db.inTransaction(kind) { try updates(db) }
    }
  }
}
