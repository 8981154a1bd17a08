// Read accesses, on any free connection.

extension ReaderPool {
  /// Runs a synchronous access on the calling thread.
  @inline(__always)
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    preconditionNotReentrant()
    let deadline = deadline()
    let lease = try acquire(until: deadline)
    defer { release(lease) }
    return try run(lease, deadline, body)
  }

  private func preconditionNotReentrant() {
    precondition(
      !isAccessible,
      """
      Database methods are not reentrant. The calling thread is inside a read of this database already: use the `db` \
      argument of that read, or start the new read when it has ended.
      """)
  }

  /// Runs a synchronous access, in the thread's current read if there is one.
  func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
    if let db = currentConnection { return try body(db) }
    return try sync(body)
  }

  /// Runs an asynchronous access: inline if `InlineExecutionPolicy` allows it, otherwise on a thread of the pool.
  func async<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try health.checkIsNotInherited()
    let deadline = deadline()
    if let permit = inlinePolicy.take() {
      if let lease = acquireOpenNow() {
        defer {
          release(lease)
          inlinePolicy.leave(permit)
        }
        return try runInline(lease, deadline, body)
      }
      inlinePolicy.cancel(permit)
    }
    return try await runOnConnectionThread(deadline, body)
  }

  private func runOnConnectionThread<T: Sendable>(
    _ deadline: Database.Deadline?, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await AccessExecution<Lease>.perform(
      on: executor, until: deadline,
      enter: { [self] execution in
        guard let ticket = acquire({ execution.begin($0) }) else { return nil }
        return { [self] in giveUp(ticket) }
      },
      leave: { [self] lease in release(lease) },
      { [self] lease, cancellation in
        try inlinePolicy.measuring {
          try run(lease, deadline) { db in try db.withCancellation(cancellation) { try body(db) } }
        }
      })
  }

  /// Runs an access on the thread of the current task.
  @inline(__always)
  func runInline<T>(
    _ lease: Lease, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try Task.checkCancellation()
    return try run(lease, deadline) { db in try db.withCancellationOfTask { try body(db) } }
  }

  /// Borrows a connection for an inline access; the caller is suspended until one is free.
  ///
  /// Call it after `acquireUnlessInherited` has returned none: an asynchronous call takes 200 instructions, whether
  /// it waits or not.
  func acquireInline(
    until deadline: Database.Deadline?, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Lease {
    while true {
      // Reserved until the task runs in its isolation, and leased from then on.
      let reserved = try await AsyncAccess.acquire(
        until: deadline,
        enter: { [self] onAdmission in acquire(reserves: true, onAdmission) },
        giveUp: { [self] ticket in giveUp(ticket) },
        leave: { [self] lease in if claim(lease) { release(lease) } })
      if claim(reserved) { return reserved }
    }
  }

  /// Schedules an access. If it cannot begin, `value` receives the error.
  func schedule(_ value: @escaping Database.ResultHandler, in scope: @escaping Database.ResultScope) {
    _ = acquire { [self] lease in
      executor.execute { [self] in
        Database.callingHandler(value) { call in try run(lease, deadline()) { try scope($0, call) } }
        release(lease)
      }
    }
  }

  /// Schedules an access of live queries. If it cannot begin, `value` receives the error.
  func scheduleLive(_ value: @escaping Database.ResultHandler) {
    acquireForLiveQueries { [self] lease in
      executor.execute { [self] in
        Database.callingHandler(value) { call in try run(lease, nil, call) }
        release(lease)
      }
    }
  }

  /// Schedules an access whose connection already has its snapshot, and returns the connection afterwards.
  func resume(_ lease: Lease, _ value: @escaping Database.ResultHandler, in scope: @escaping Database.ResultScope) {
    executor.execute { [self] in
      Database.callingHandler(value) { call in try check(lease, deadline(), renews: false) { try scope($0, call) } }
      release(lease)
    }
  }

  @inline(__always)
  private func run<T>(
    _ lease: Lease, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try check(lease, deadline, renews: true, body)
  }

  @inline(__always)
  private func check<T>(
    _ lease: Lease, _ deadline: Database.Deadline?, renews: Bool, _ body: (Database) throws -> T
  ) throws -> T {
    try use(lease, renews: renews) { db in
      try db.checkedAccess(allowsUnsafeTransactions: holdsTransactions, until: deadline, body)
    }
  }
}
