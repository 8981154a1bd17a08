import Synchronization

/// A connection that runs one access at a time, in the order of their requests.
///
/// Synchronous accesses run on the caller's thread. Asynchronous ones wait without a thread, and run on the executor.
final class SerializedConnection: Sendable {
  // Used by the holder of the gate only.
  nonisolated(unsafe) let db: Database
  let gate: AccessGate
  let executor: any AccessExecutor
  let timeLimit: AccessTimeLimit
  let allowsUnsafeTransactions: Bool
  let openTransactionJobs = OpenTransactionJobs()
  let inlinePolicy: InlineExecutionPolicy

  /// Whether asynchronous transactions share transactions of SQLite: see `WriteGroup`.
  let groupsWrites: Bool
  nonisolated(unsafe) var group = WriteGroup()

  /// Whether the last transaction was shared: others are likely to be.
  let hasConcurrentWrites = Atomic<Bool>(false)

  /// Publishes the commits of the connection.
  let changeBroker: ChangeBroker

  /// Distinguishes commits of the connection from external commits.
  let ownCommits: OwnCommitTracker

  /// Whether the connection has databases attached.
  let attachedDatabases: AttachedDatabases

  /// The file of the database; nil for a private database.
  let filePath: String?

  /// The health of the database, shared by the connections of a pool.
  let health: DatabaseHealth

  // The open connection. An interruption does not wait for the gate.
  private let interruptible: Mutex<UInt>
  private let closed = Atomic<Bool>(false)

  /// Whether the current access began inside a read of the same pool. Used by its thread only.
  private nonisolated(unsafe) var isInsideRead = false

  // Set once, at the end of the initializer.
  private nonisolated(unsafe) var suspensionObserver: (any AnyObject & Sendable)?

  init(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String,
    health: DatabaseHealth = DatabaseHealth()
  ) throws {
    db = try Database.open(location, configuration, label: label, health: health)
    changeBroker = db.changeCapture.broker
    self.health = health
    filePath = db.handle?.filePath(of: "main")
    ownCommits = db.callbacks.ownCommits
    attachedDatabases = db.compilation.attachedDatabases
    db.compilation.willSetJournalMode = { [ownCommits] in ownCommits.forget() }
    if let connection = db.handle?.pointer {
      db.compilation.vacuumWillBegin = { [ownCommits] in ownCommits.vacuumWillBegin(on: connection) }
    }
    executor = configuration.environment.makeExecutor(label, 1)
    gate = AccessGate(configuration.environment)
    timeLimit = AccessTimeLimit(configuration)
    allowsUnsafeTransactions = configuration.allowsUnsafeTransactions
    inlinePolicy = InlineExecutionPolicy(configuration)
    groupsWrites = configuration.groupsWrites
    interruptible = Mutex(UInt(bitPattern: db.handle?.pointer))
    if let suspension = db.settings.suspension {
      suspensionObserver = FoundationServices.current?.observeSuspension(
        FoundationServices.Suspending(
          suspend: { [weak self] in
            suspension.isOn = true
            self?.interrupt()
          },
          resume: { suspension.isOn = false }))
    }
  }

  deinit {
    // No access can run now. A statement that the program retains keeps the connection open.
    do {
      try db.withAccessHere { try $0.close() }
    } catch {
      db.closeAfterLastStatement()
    }
  }

  // MARK: Synchronous accesses

  /// Runs an access, without limiting its wait.
  ///
  /// - Parameter nested: Set if the thread reads with a connection of the same pool.
  func sync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    preconditionNotReentrant()
    if db.isInherited { return try run(nil, body) }
    let deadline = timeLimit.deadline()
    if let nested {
      do { try nested.enter(gate, until: nil) } catch { fatalError("\(error)") }
    } else {
      gate.enter()
    }
    isInsideRead = nested != nil
    defer { gate.leave() }
    return try run(deadline, body)
  }

  /// Runs an access, unless its wait exceeds the time limit.
  func boundedSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    preconditionNotReentrant()
    // In a child created by fork(), the threads that hold the gate do not exist.
    if db.isInherited { return try run(nil, body) }
    let deadline = timeLimit.deadline()
    if let nested { try nested.enter(gate, until: deadline) } else { try gate.enter(until: deadline) }
    isInsideRead = nested != nil
    defer { gate.leave() }
    return try run(deadline, body)
  }

  private func preconditionNotReentrant() {
    precondition(
      !db.isAccessible,
      """
      Database methods are not reentrant. The calling thread is inside an access to this database already: use the \
      `db` argument of that access, or start the new access when it has ended.
      """)
  }

  /// Runs an access, inside the current access of the thread if there is one.
  func reentrantSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    if db.isAccessible { return try body(db) }
    return try sync(nested: nested, body)
  }

  /// Runs an access, inside the current access of the thread if there is one, unless its wait exceeds the time limit.
  func boundedReentrantSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    if db.isAccessible { return try body(db) }
    return try boundedSync(nested: nested, body)
  }

  func run<Result>(
    _ deadline: Database.Deadline?, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    try db.withAccess { db in
      defer { if allowsUnsafeTransactions { runOpenTransactionJobs(db) } }
      return try db.checkedAccess(allowsUnsafeTransactions: allowsUnsafeTransactions, until: deadline, body)
    }
  }

  /// Whether the calling thread is inside an access.
  var isAccessible: Bool { db.isAccessible }

  /// Whether the calling thread is inside an access that began inside a read of the same pool.
  var isAccessibleInsideRead: Bool { db.isAccessible && isInsideRead }

  /// Whether the calling thread is inside an access and a transaction.
  var isInsideTransactionOfThisThread: Bool { db.isAccessible && db.isInsideTransaction }

  /// Runs a closure that changes nothing if the connection is idle. Does not wait. The caller may hold locks.
  func withIdleConnection<Result>(_ body: (Database) -> Result) -> Result? {
    if db.isInherited { return nil }
    guard gate.enterNow() else { return nil }
    defer { gate.leave() }
    return db.withUnreportedAccess { db in
      let busy = db.callbacks.busy
      db.callbacks.busy = nil
      defer { db.callbacks.busy = busy }
      return body(db)
    }
  }

  // MARK: Asynchronous accesses

  /// Runs an access as soon as the connection is available.
  func schedule(admittedBy admission: (any AccessAdmission)? = nil, _ body: @escaping @Sendable (Database) -> Void) {
    let admission = admission ?? gate
    _ = admission.begin { [self] in
      executor.execute { [self] in
        run(timeLimit.deadline(), body)
        admission.end()
      }
    }
  }

  /// Schedules an access. If it cannot begin, `value` receives the error.
  func schedule(
    admittedBy admission: (any AccessAdmission)? = nil, _ value: @escaping Database.ResultHandler,
    in scope: @escaping Database.ResultScope
  ) {
    schedule(admittedBy: admission) { db in
      Database.callingHandler(value) { call in
        _ = try db.openHandle()
        try scope(db, call)
      }
    }
  }

  /// Runs an access as soon as the connection is available. The task is suspended meanwhile.
  ///
  /// If the task is cancelled while it waits, the access gives up immediately. If the task is cancelled during the
  /// access, statements are interrupted, and the transaction is rolled back.
  func async<Result: Sendable>(
    admittedBy admission: (any AccessAdmission)? = nil, until deadline: Database.Deadline? = nil,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if db.isInherited { throw Database.inheritedError }
    let deadline = deadline ?? timeLimit.deadline()
    let admission = admission ?? gate
    return try await AccessExecution<Void>.perform(
      on: executor, until: deadline,
      enter: { execution in admission.begin { execution.begin(()) } },
      leave: { _ in admission.end() },
      { [self] _, cancellation in
        try inlinePolicy.measuring {
          try run(deadline) { db in
            _ = try db.openHandle()
            return try db.withCancellation(cancellation) { try body(db) }
          }
        }
      })
  }

  /// Runs an asynchronous access that is a transaction: inline where `InlineExecutionPolicy` allows it.
  func asyncTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if !db.isInherited, !writesAreConcurrent, let permit = inlinePolicy.take() {
      if gate.enterNow() {
        defer {
          leaveInline()
          inlinePolicy.leave(permit)
        }
        do {
          return try runInline(body)
        } catch is LockUnavailable {
          // The permit and the gate are released first.
        }
      } else {
        inlinePolicy.cancel(permit)
      }
    }
    return try await queuedTransaction(body)
  }

  /// Another connection holds the lock of the file, and nothing was done.
  private struct LockUnavailable: Error {}

  /// Runs a transaction on the thread of the current task.
  private func runInline<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Task.checkCancellation()
    return try run(timeLimit.deadline()) { db in
      _ = try db.openHandle()
      // Deferred work may take long, and the task does not have to wait for it.
      db.transactionWork.isDeferred = true
      defer { db.transactionWork.isDeferred = false }
      return try db.withCancellationOfTask {
        guard try db.beginTransactionNow() else { throw LockUnavailable() }
        return try db.committingRemainder(body)
      }
    }
  }

  private func leaveInline() {
    guard db.transactionWork.betweenTransactions != nil else { return gate.leave() }
    executor.execute { [self] in
      run(nil) { $0.workAfterStatement(nil) }
      gate.leave()
    }
  }

  // MARK: Closing

  /// Closes the connection after the accesses that wait.
  ///
  /// - Parameter closesWithStatements: Whether to close it even if the program retains statements.
  /// - Parameter closeOthers: Closes other connections before this one. It returns the error of a connection that waits
  ///   for its statements. If it throws, this connection stays open.
  /// - Throws: The first error. The connection is closed anyway if `closesWithStatements` is true.
  func close(
    closesWithStatements: Bool = false, after closeOthers: () throws -> Result<Void, any Error> = { .success(()) }
  ) throws {
    var failure: (any Error)?
    try sync { db in
      // In a child created by fork(), accesses that seem to use the other connections do not exist.
      if !db.isInherited, case .failure(let error) = try closeOthers() { failure = error }
      let pointer = interruptible.exchange(0)
      do {
        try db.close()
      } catch {
        db.logUnfinalizedStatements(error)
        guard closesWithStatements else {
          interruptible.withLock { $0 = pointer }
          throw error
        }
        db.closeWithStatements()
        failure = failure ?? error
      }
      closed.store(true, ordering: .releasing)
    }
    executor.retire()
    if let failure { throw failure }
  }

  /// Whether the connection was closed.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Interrupts the running statement. Does not wait.
  func interrupt() {
    interruptible.withLock { pointer in
      if let pointer = SQLiteConnection(bitPattern: pointer) { ConnectionHandle(pointer: pointer).interrupt() }
    }
  }
}

extension Database {
  /// Begins a transaction, unless another connection holds the required lock. Does not wait.
  fileprivate func beginTransactionNow() throws -> Bool {
    let busy = callbacks.busy
    callbacks.busy = nil
    defer { callbacks.busy = busy }
    do {
      try beginTransaction()
      return true
    } catch DatabaseError.SQLITE_BUSY {
      return false
    }
  }

  /// Runs an access, and ensures that it leaves no open transaction and no running statement (guarantee P6).
  @inline(__always)
  func checkedAccess<Result>(
    allowsUnsafeTransactions: Bool, until deadline: Deadline?, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    // A former access could not perform it.
    performPendingRollback()
    endPendingReadOnly()
    // The result is returned without a copy.
    var hasFailed = false
    defer { if !hasFailed { checkLeftovers(allowsUnsafeTransactions) } }
    do {
      if let deadline { return try withDeadline(deadline) { try body(self) } }
      return try body(self)
    } catch {
      hasFailed = true
      undoLeftovers(allowsUnsafeTransactions)
      throw error
    }
  }

  /// Cleans up after an access that has thrown.
  private func undoLeftovers(_ allowsUnsafeTransactions: Bool) {
    if dialect.allowsTransactionsAcrossAccesses { return }
    access.transactionOwner?.finish()
    // Statements are reset first: while one of them runs, an interruption also affects the rollback.
    resetRunningStatements()
    if !allowsUnsafeTransactions { rollbackLeftovers() }
  }

  /// Checks the connection after an access that has not thrown.
  private func checkLeftovers(_ allowsUnsafeTransactions: Bool) {
    if dialect.allowsTransactionsAcrossAccesses { return }
    access.transactionOwner?.finish()
    // A statement of the library may be running, or one of the program may hold a read transaction.
    if access.runningStatementCount > 0 || !allowsUnsafeTransactions && handle?.isReading == true {
      resetRunningStatements()
    }
    precondition(
      allowsUnsafeTransactions || !isInsideTransaction || transaction.awaitsRollback,
      "A transaction has been left opened at the end of a database access: commit it or roll it back")
  }

  private func resetRunningStatements() { handle?.resetRunningStatements() }

  /// Rolls back a transaction that an access left open when it threw.
  private func rollbackLeftovers() {
    guard isInsideTransaction else { return }
    do {
      try shielded { try rollback() }
    } catch {
      Self.log(error, "Could not roll back a transaction that was left open")
      transaction.rollbackDidFail(error)
    }
  }
}
