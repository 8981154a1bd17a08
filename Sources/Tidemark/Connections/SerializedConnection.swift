import Synchronization

/// A connection that is used by one access at a time, in the order in which they came.
///
/// Synchronous accesses run on the thread of the caller. Asynchronous ones wait without a thread, and run on
/// the executor.
final class SerializedConnection: Sendable {
  // Touched by the holder of the gate only.
  private nonisolated(unsafe) let db: Database
  private let gate = AccessGate()
  private let executor: any AccessExecutor
  private let allowsUnsafeTransactions: Bool

  // The open connection, for those who interrupt it: they do not wait for the gate.
  private let interruptible: Mutex<UInt>
  private let closed = Atomic<Bool>(false)

  init(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String,
    standing: DatabaseStanding = DatabaseStanding()
  ) throws {
    db = try Database.open(location, configuration, label: label, standing: standing)
    executor = configuration.environment.makeExecutor(label, 1)
    allowsUnsafeTransactions = configuration.allowsUnsafeTransactions
    interruptible = Mutex(db.handle.map { UInt(bitPattern: $0.pointer) } ?? 0)
  }

  deinit {
    // Nobody can be using the connection. A statement that the program still holds keeps it open.
    do {
      try db.withAccess { try $0.close() }
    } catch {
      db.leaveToStatements()
    }
  }

  // MARK: Synchronous accesses

  /// Runs an access.
  func sync<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    precondition(
      !db.isAccessible,
      """
      Database methods are not reentrant. The calling thread is inside an access to this database already: use the \
      `db` argument of that access, or start the new access when it has ended.
      """)
    // In a child made by fork() nobody else is there, and those who were in the gate will never leave it.
    if db.isInherited { return try run(body) }
    gate.enter()
    defer { gate.leave() }
    return try run(body)
  }

  /// Runs an access, inside the one that the thread is in if there is one.
  func reentrantSync<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    if db.isAccessible { return try body(db) }
    if db.isInherited { return try run(body) }
    gate.enter()
    defer { gate.leave() }
    return try run(body)
  }

  private func run<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    try db.withAccess { try $0.checkedAccess(allowsUnsafeTransactions: allowsUnsafeTransactions, body) }
  }

  /// Whether the calling thread is inside an access, and that inside a transaction.
  var isInsideTransactionOfThisThread: Bool { db.isAccessible && db.isInsideTransaction }

  // MARK: Asynchronous accesses

  /// Runs an access as soon as the connection is free.
  func schedule(_ body: @escaping @Sendable (Database) -> Void) {
    gate.enter { [self] in
      executor.execute { [self] in
        run(body)
        gate.leave()
      }
    }
  }

  /// Runs an access as soon as the connection is free, or tells it that the connection is closed.
  func scheduleResult(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    schedule { db in
      body(
        Result {
          _ = try db.openHandle()
          return db
        })
    }
  }

  /// Runs an access as soon as the connection is free. The task is suspended meanwhile.
  ///
  /// A task that is cancelled while it waits leaves at once. A task that is cancelled while its access runs
  /// has it interrupted, and its transaction undone.
  func async<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
    if db.isInherited { throw Database.inheritedError }
    return try await AsyncAccess.perform(
      on: executor,
      enter: { [gate] letIn in gate.enter { letIn(()) } },
      giveUp: { [gate] ticket in gate.giveUp(ticket) },
      leave: { [gate] _ in gate.leave() },
      { [self] _, cancellation in
        try run { db in
          _ = try db.openHandle()
          return try db.withCancellation(cancellation) { try body(db) }
        }
      })
  }

  // MARK: End

  /// Closes the connection, once its turn has come.
  ///
  /// - parameter first: What has to be closed before.
  func close(first: () throws -> Void = {}) throws {
    try sync { db in
      // In a child made by fork(), others may seem to use what is to be closed first: they are not there.
      if !db.isInherited { try first() }
      let pointer = interruptible.withLock { pointer in
        defer { pointer = 0 }
        return pointer
      }
      do {
        try db.close()
      } catch {
        interruptible.withLock { $0 = pointer }
        throw error
      }
      closed.store(true, ordering: .releasing)
    }
  }

  /// Whether the connection was closed.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Has the running statement fail. Does not wait.
  func interrupt() {
    interruptible.withLock { pointer in
      if let pointer = SQLiteConnection(bitPattern: pointer) { ConnectionHandle(pointer: pointer).interrupt() }
    }
  }
}

extension Database {
  /// Runs an access, and makes sure that it leaves no transaction behind, and no statement that runs (promise P6).
  func checkedAccess<Result>(
    allowsUnsafeTransactions: Bool, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    // What an access before could not do.
    payRollback()
    payReadOnly()
    let result: Result
    do {
      result =
        if let limit = settings.accessTimeLimit {
          try withTimeLimit(limit) { try body(self) }
        } else {
          try body(self)
        }
    } catch {
      // First: as long as one of them runs, an interruption hits the rollback, too.
      handle?.resetRunningStatements()
      if !allowsUnsafeTransactions { rollbackLeftovers() }
      throw error
    }
    handle?.resetRunningStatements()
    precondition(
      allowsUnsafeTransactions || !isInsideTransaction || owedRollback != nil,
      "A transaction has been left opened at the end of a database access")
    return result
  }

  /// Undoes a transaction that an access which threw has left open.
  private func rollbackLeftovers() {
    guard isInsideTransaction else { return }
    do {
      try shielded { try rollback() }
    } catch {
      Self.log(error, "A transaction that was left open could not be undone")
      owedRollback = error
    }
  }
}
