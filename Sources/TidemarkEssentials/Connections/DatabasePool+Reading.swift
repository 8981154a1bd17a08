// MARK: - Reading

extension DatabasePool {
  /// Reads. All that is read comes from one committed state, and nothing can be written.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync { try $0.isolatedRead(value) }
  }

  /// Reads. All that is read comes from one committed state, and nothing can be written.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await readers.async { try $0.isolatedRead(value) }
  }

  /// Reads on the thread of the calling task, without a change of threads. The task is suspended while it waits for a
  /// connection, which it is given when it is free and nobody else waits for it: those who `read` come first.
  ///
  /// It is meant for short reads: as long as it takes, the thread, which is one of the few that Swift has for all
  /// tasks, does nothing else. In exchange it takes a third of the time that a change of threads takes, always: `read`
  /// stays where it is only after some accesses that were short. The closure needs not be `Sendable`, and runs in the
  /// isolation of the caller.
  public func readInline<T>(
    isolation: isolated (any Actor)? = #isolation, _ value: (Database) throws -> T
  ) async throws -> T {
    let deadline = readers.deadline()
    let free = try readers.acquireUnlessInherited()
    let lease = if let free { free } else { try await readers.acquireInline(until: deadline) }
    defer { readers.release(lease) }
    return try readers.runInline(lease, deadline) { try $0.isolatedRead(value) }
  }

  /// Reads later. All that is read comes from one committed state, and nothing can be written.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule(value) { db, call in try db.isolatedRead(call) }
  }

  /// Reads, without the promise of one state: others may write between two statements.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync(value)
  }

  /// Reads, without the promise of one state: others may write between two statements.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await readers.async(value)
  }

  /// Reads later, without the promise of one state: others may write between two statements.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule(value) { db, call in call(db) }
  }

  /// Reads, inside the access that the thread is in if there is one, without isolation from other connections.
  ///
  /// Inside a write, the closure uses the connection that writes, and sees changes that are not committed yet.
  ///
  /// - Parameter value: Reads from the database.
  /// - Returns: What the closure returns.
  /// - Throws: The error of the closure, or one of opening a connection.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    // The innermost access: reads may be begun inside writes, and writes inside reads.
    if writer.isAccessible, !readers.isAccessible || writer.isAccessibleInsideRead {
      return try writer.reentrantSync(value)
    }
    return try readers.reentrantSync(value)
  }

  /// Reads, from an access that writes, the state that it has just committed. The writer goes on as soon as the
  /// state is held.
  ///
  /// To be called from `writeWithoutTransaction`, outside of a transaction.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    writer.reentrantSync { db in
      precondition(!db.isInsideTransaction, "must not be called from inside a transaction.")
      let lease: ReaderPool.Lease
      do {
        lease = try readers.acquire(until: db.deadline)
      } catch {
        return value(.failure(error))
      }
      do {
        // Before the writer goes on: this is the state that is read.
        try readers.use(lease, renews: true) { try $0.beginSnapshot() }
      } catch {
        readers.release(lease)
        return value(.failure(error))
      }
      readers.resume(lease, value) { db, call in
        call(db)
        try db.endSnapshot()
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
    // Once it has ended, no statement runs until `endSnapshot`: it would read another state.
    transactionDepth += 1
  }

  /// Ends the read of a state.
  fileprivate func endSnapshot() throws {
    transactionDepth -= 1
    try shielded { try rollback() }
  }
}
