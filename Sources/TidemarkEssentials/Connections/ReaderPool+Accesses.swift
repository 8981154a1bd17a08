// Read accesses, on any free connection.

extension ReaderPool {
  /// Runs a synchronous access on the calling thread.
  @inline(__always)
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    preconditionNotReentrant()
    let deadline = deadline()
    let loan = try borrow(until: deadline)
    defer { giveBack(loan) }
    return try run(loan, deadline, body)
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

  /// Runs an asynchronous access: inline if `AccessPlaces` allows it, otherwise on a thread of the pool.
  func async<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try standing.checkIsNotInherited()
    let deadline = deadline()
    if let place = places.take() {
      if let loan = borrowOpenNow() {
        defer {
          giveBack(loan)
          places.leave(place)
        }
        return try inPlace(loan, deadline, body)
      }
      places.giveBack(place)
    }
    return try await elsewhere(deadline, body)
  }

  private func elsewhere<T: Sendable>(
    _ deadline: Database.Deadline?, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await AsyncAccess.perform(
      on: executor, until: deadline,
      enter: { [self] letIn in borrow(letIn) },
      giveUp: { [self] ticket in giveUp(ticket) },
      leave: { [self] loan in giveBack(loan) },
      { [self] loan, cancellation in
        try places.watching {
          try run(loan, deadline) { db in try db.withCancellation(cancellation) { try body(db) } }
        }
      })
  }

  /// Runs an access on the thread of the current task.
  @inline(__always)
  func inPlace<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try Task.checkCancellation()
    return try run(loan, deadline) { db in try db.withCancellationOfTask { try body(db) } }
  }

  /// Borrows a connection for an inline access; the caller is suspended until one is free.
  ///
  /// Call it after `borrowUnlessInherited` has returned none: an asynchronous call takes 200 instructions, whether
  /// it waits or not.
  func borrowInPlace(
    until deadline: Database.Deadline?, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Loan {
    while true {
      // Promised until the task runs in its isolation, and lent from then on.
      let promised = try await AsyncAccess.acquire(
        until: deadline,
        enter: { [self] letIn in borrowAsleep(letIn) },
        giveUp: { [self] ticket in giveUp(ticket) },
        leave: { [self] loan in if claim(loan) { giveBack(loan) } })
      if claim(promised) { return promised }
    }
  }

  /// Wraps the call of a callback with operations before and after it.
  typealias Scope = @Sendable (_ db: Database, _ call: (Database) -> Void) throws -> Void

  /// Schedules an access. If it cannot begin, `value` receives the error.
  func schedule(_ value: @escaping Database.ResultHandler, in scope: @escaping Scope) {
    _ = borrow { [self] loan in
      executor.execute { [self] in
        Database.telling(value) { call in try run(loan, deadline()) { try scope($0, call) } }
        giveBack(loan)
      }
    }
  }

  /// Schedules an access of live queries. If it cannot begin, `value` receives the error.
  func scheduleLive(_ value: @escaping Database.ResultHandler) {
    borrowLive { [self] loan in
      executor.execute { [self] in
        Database.telling(value) { call in try run(loan, nil, call) }
        giveBack(loan)
      }
    }
  }

  /// Schedules an access whose connection already has its snapshot, and returns the connection afterwards.
  func resume(_ loan: Loan, _ value: @escaping Database.ResultHandler, in scope: @escaping Scope) {
    executor.execute { [self] in
      Database.telling(value) { call in try check(loan, deadline(), renews: false) { try scope($0, call) } }
      giveBack(loan)
    }
  }

  @inline(__always)
  private func run<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try check(loan, deadline, renews: true, body)
  }

  @inline(__always)
  private func check<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, renews: Bool, _ body: (Database) throws -> T
  ) throws -> T {
    try use(loan, renews: renews) { db in
      try db.checkedAccess(allowsUnsafeTransactions: holdsTransactions, until: deadline, body)
    }
  }
}
