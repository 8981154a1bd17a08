// Accesses that read, with whatever connection is free.

extension ReaderPool {
  /// Runs a synchronous access, on the calling thread.
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    precondition(
      !isAccessible,
      """
      Database methods are not reentrant. The calling thread is inside a read of this database already: use the `db` \
      argument of that read, or start the new read when it has ended.
      """)
    let deadline = deadline()
    let loan = try borrow(until: deadline)
    defer { giveBack(loan) }
    return try run(loan, deadline, body)
  }

  /// Runs a synchronous access, inside the read that the thread is in if there is one.
  func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
    if let db = currentConnection { return try body(db) }
    return try sync(body)
  }

  /// Runs an asynchronous access: in place where `AccessPlaces` allows it, else on a thread of the pool.
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
  private func inPlace<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try Task.checkCancellation()
    return try run(loan, deadline) { db in try db.withCancellation(.ofTask) { try body(db) } }
  }

  /// Runs an asynchronous access on the thread of the caller, which is suspended while it waits for a connection.
  func inPlace<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Database) throws -> T
  ) async throws -> T {
    try standing.checkIsNotInherited()
    let deadline = deadline()
    // Promised until the task runs in its isolation, and lent from then on.
    var promised = borrowNow()
    while promised.map(claim) != true {
      promised = try await AsyncAccess.acquire(
        until: deadline,
        enter: { [self] letIn in borrowAsleep(letIn) },
        giveUp: { [self] ticket in giveUp(ticket) },
        leave: { [self] loan in if claim(loan) { giveBack(loan) } })
    }
    guard let loan = promised else { preconditionFailure("Let in without a reader") }
    defer { giveBack(loan) }
    return try inPlace(loan, deadline, body)
  }

  /// What an access that calls back does with its connection: something before, the call, something after.
  typealias Scope = @Sendable (_ db: Database, _ call: (Database) -> Void) throws -> Void

  /// Runs an access later. When it cannot begin, the error goes to `value`.
  func schedule(_ value: @escaping Database.ResultHandler, in scope: @escaping Scope) {
    _ = borrow { [self] loan in
      executor.execute { [self] in
        Database.telling(value) { call in try run(loan, deadline()) { try scope($0, call) } }
        giveBack(loan)
      }
    }
  }

  /// Runs an access of live queries later. When it cannot begin, the error goes to `value`.
  func scheduleLive(_ value: @escaping Database.ResultHandler) {
    borrowLive { [self] loan in
      executor.execute { [self] in
        Database.telling(value) { call in try run(loan, nil, call) }
        giveBack(loan)
      }
    }
  }

  /// Runs later an access whose connection has its state already, and gives the connection back.
  func resume(_ loan: Loan, _ value: @escaping Database.ResultHandler, in scope: @escaping Scope) {
    executor.execute { [self] in
      Database.telling(value) { call in try check(loan, deadline(), renews: false) { try scope($0, call) } }
      giveBack(loan)
    }
  }

  private func run<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, _ body: (Database) throws -> T
  ) throws -> T {
    try check(loan, deadline, renews: true, body)
  }

  private func check<T>(
    _ loan: Loan, _ deadline: Database.Deadline?, renews: Bool, _ body: (Database) throws -> T
  ) throws -> T {
    try use(loan, renews: renews) { db in
      try db.checkedAccess(allowsUnsafeTransactions: holdsTransactions, until: deadline, body)
    }
  }
}
