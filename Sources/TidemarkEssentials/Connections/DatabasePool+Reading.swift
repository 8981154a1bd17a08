// MARK: - Reading

extension DatabasePool {
  /// Executes read-only operations in a snapshot of the last committed state, on the calling thread.
  ///
  /// ```swift
  /// let count = try dbPool.read { db in try Player.fetchCount(db) }
  /// ```
  ///
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a `DatabaseError` if a connection cannot be opened.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync { try $0.isolatedRead(value) }
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
    try await readers.async { try $0.isolatedRead(value) }
  }

  /// Executes read-only operations on the thread of the calling task. The task is suspended until a connection is
  /// available; accesses that wait in `read` have priority.
  ///
  /// Use it for short reads only: it blocks the thread, which is one of the few threads of Swift's concurrency pool. In
  /// exchange, it avoids a thread switch: a short read takes a third of the time. (`read` avoids the switch only after
  /// several short accesses.) The closure does not have to be `Sendable`, and runs in the isolation of the caller.
  ///
  /// ```swift
  /// let player = try await dbPool.readInline { db in try Player.fetchOne(db, key: 1) }
  /// ```
  ///
  /// - Parameter isolation: The isolation of the closure. By default, it is the isolation of the caller.
  /// - Parameter value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `DatabaseError`; or a `CancellationError` if the task is cancelled.
  public func readInline<T>(
    isolation: isolated (any Actor)? = #isolation, _ value: (Database) throws -> T
  ) async throws -> T {
    let deadline = readers.deadline()
    let free = try readers.acquireUnlessInherited()
    let lease = if let free { free } else { try await readers.acquireInline(until: deadline) }
    defer { readers.release(lease) }
    return try readers.runInline(lease, deadline) { try $0.isolatedRead(value) }
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
    readers.schedule(value) { db, call in try db.isolatedRead(call) }
  }

  /// Executes read-only operations without snapshot isolation: other connections may commit between two statements.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync(value)
  }

  /// Executes read-only operations without snapshot isolation: other connections may commit between two statements.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await readers.async(value)
  }

  /// Schedules read-only operations without snapshot isolation: other connections may commit between two statements.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule(value) { db, call in call(db) }
  }

  /// Executes read-only operations without snapshot isolation. If the calling thread is already inside an access, it
  /// uses the connection of that access.
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
    // Use the connection of the innermost access: reads and writes can be nested in each other.
    if writer.isAccessible, !readers.isAccessible || writer.isAccessibleInsideRead {
      return try writer.reentrantSync(value)
    }
    return try readers.reentrantSync(value)
  }

  /// Schedules a read of the state that this write access has committed. The write continues as soon as the read has
  /// its snapshot.
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
    writer.reentrantSync { db in
      precondition(
        !db.isInsideTransaction,
        "spawnConcurrentRead must not be called from inside a transaction. Call it in writeWithoutTransaction instead.")
      let lease: ReaderPool.Lease
      do {
        lease = try readers.acquire(until: db.access.deadline)
      } catch {
        return value(.failure(error))
      }
      do {
        // Take the snapshot before the writer continues.
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

  /// Schedules a read of the state that this write access has committed. The write continues as soon as the read has
  /// its snapshot.
  ///
  /// Call it from `writeWithoutTransaction`, outside of a transaction.
  ///
  /// - Parameter value: A closure called with the connection, or with an error if there is none.
  public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    spawnConcurrentRead(value)
  }
}

extension Database {
  /// Begins a transaction, and takes a snapshot of the current state.
  func beginSnapshot() throws {
    try beginTransaction(.deferred)
    // SQLite takes the snapshot at the first read of the transaction.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    // If the program ends the transaction, statements must fail until `endSnapshot`: they would read another state.
    transaction.enterScope()
  }

  /// Ends the transaction of the snapshot.
  fileprivate func endSnapshot() throws {
    transaction.leaveScope(endsTransaction: false)
    try shielded { try rollback() }
  }
}
