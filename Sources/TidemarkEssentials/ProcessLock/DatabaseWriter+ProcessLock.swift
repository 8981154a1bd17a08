extension DatabaseWriter {
  /// Runs a closure while no other task, of this process and of all others that use the database file, runs one with
  /// the same lock.
  ///
  /// Use it to elect a process that does something alone: it waits until the holder of the lock is done, or has ended.
  ///
  /// ```swift
  /// try await dbPool.withExclusiveProcessLock(named: "mailer") {
  ///   try await sendMails()
  /// }
  /// ```
  ///
  /// The lock is advisory: it excludes nothing but other calls with the same name, and no access to the database. The
  /// system releases it when the process ends, also if it crashes or is killed. Cancelling the task ends the wait with
  /// a `CancellationError`. It does not end the closure: the lock is held until the closure returns or throws.
  ///
  /// The lock is a lock of an empty file beside the database, `NAME-lock-main` for the lock `main`. The file stays, and
  /// must not be removed: two processes could then hold the lock. It is found by the path of the database, after
  /// resolving symbolic links. On a network file system, nothing is promised.
  ///
  /// Tasks that the closure creates, except detached ones, must not request the lock while it is held: they could wait
  /// for themselves.
  ///
  /// - Parameters:
  ///   - name: The name of the lock: 1 to 64 ASCII letters, digits, "-", "_" and ".".
  ///   - isolation: The actor on which the closure runs: the caller's.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a `CancellationError`. A ``DatabaseError``: of code `SQLITE_CANTOPEN` if the
  ///   lock file cannot be created or written; of code `SQLITE_READONLY_DBMOVED` if the file of the database was moved
  ///   or removed; of code `SQLITE_MISUSE` if the database is closed, before the call or during the wait, if
  ///   it is in memory or temporary, if the name is not valid, or if the task holds the lock already.
  public func withExclusiveProcessLock<Result>(
    named name: String = "main", isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    guard let lock = try await ProcessLockRequest(name, of: _core).lock(waits: true) else {
      preconditionFailure("A request that waits ended without the lock")
    }
    return try await lock.holding(isolation: isolation, body)
  }

  /// Runs a closure if no other task, of this process and of all others that use the database file, runs one with the
  /// same lock.
  ///
  /// ```swift
  /// let count = try await dbPool.withExclusiveProcessLockIfAvailable(named: "cleanup") {
  ///   try await removeOldEntries()
  /// }
  /// if count == nil { print("another process removes old entries") }
  /// ```
  ///
  /// See ``withExclusiveProcessLock(named:isolation:_:)``, which waits.
  ///
  /// - Parameters:
  ///   - name: The name of the lock: 1 to 64 ASCII letters, digits, "-", "_" and ".".
  ///   - isolation: The actor on which the closure runs: the caller's.
  ///   - body: The closure.
  /// - Returns: The result of the closure; nil if the lock is held, or if another task of this process waits for it.
  /// - Throws: The error of the closure, or a ``DatabaseError`` as
  ///   ``withExclusiveProcessLock(named:isolation:_:)`` does.
  public func withExclusiveProcessLockIfAvailable<Result>(
    named name: String = "main", isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result? {
    guard let lock = try await ProcessLockRequest(name, of: _core).lock(waits: false) else { return nil }
    return try await lock.holding(isolation: isolation, body)
  }
}

extension HeldProcessLock {
  /// Runs a closure, and then releases the lock.
  fileprivate func holding<Result>(
    isolation: isolated (any Actor)?, _ body: () async throws -> Result
  ) async throws -> Result {
    defer { release() }
    let held = Self.ofTask.filter(\.isHeld) + [self]
    return try await Self.$ofTask.withValue(held, operation: body, isolation: isolation)
  }
}
