import Synchronization

/// A connection that is used by one access at a time, in the order in which they came.
///
/// Synchronous accesses run on the thread of the caller. Asynchronous ones wait without a thread, and run on
/// the executor.
final class SerializedConnection: Sendable {
  // Touched by the holder of the gate only.
  private nonisolated(unsafe) let db: Database
  let gate: AccessGate
  private let executor: any AccessExecutor
  private let timeLimit: AccessTimeLimit
  let allowsUnsafeTransactions: Bool
  let leftTransactionJobs = LeftTransactionJobs()
  private let inlinePolicy: InlineExecutionPolicy

  /// Where the commits of the connection are told.
  let changeBroker: ChangeBroker

  /// Tells the commits of the connection from those of others.
  let ownCommits: OwnCommitTracker

  /// Whether the connection has databases attached.
  let attachedDatabases: AttachedDatabases

  /// The file of the database; nil when there is none, or none that others could find.
  let filePath: String?

  /// What the connection shares with the others of its pool.
  let health: DatabaseHealth

  // The open connection, for those who interrupt it: they do not wait for the gate.
  private let interruptible: Mutex<UInt>
  private let closed = Atomic<Bool>(false)

  /// Whether the access that has the gate was begun inside a read of the same pool. Touched by its thread only.
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
    executor = configuration.environment.makeExecutor(label, 1)
    gate = AccessGate(configuration.environment)
    timeLimit = AccessTimeLimit(configuration)
    allowsUnsafeTransactions = configuration.allowsUnsafeTransactions
    inlinePolicy = InlineExecutionPolicy(configuration)
    interruptible = Mutex(db.handle.map { UInt(bitPattern: $0.pointer) } ?? 0)
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
    // Nobody can be using the connection. A statement that the program still holds keeps it open.
    do {
      try db.withAccessHere { try $0.close() }
    } catch {
      db.closeAfterLastStatement()
    }
  }

  // MARK: Synchronous accesses

  /// Runs an access, however long it has to wait.
  ///
  /// - parameter nested: Given when the thread reads with a connection of the same pool.
  func sync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    preconditionNotReentrant()
    // In a child made by fork() nobody else is there, and those who were in the gate will never leave it.
    if db.isInherited { return try run(nil, body) }
    let deadline = timeLimit.deadline()
    enter(nested)
    isInsideRead = nested != nil
    defer { gate.leave() }
    return try run(deadline, body)
  }

  private func enter(_ nested: NestedWrites?) {
    guard let nested else { return gate.enter() }
    do {
      try nested.enter(gate, until: nil)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Runs an access, unless it has to wait for too long.
  ///
  /// - parameter nested: Given when the thread reads with a connection of the same pool.
  func boundedSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    preconditionNotReentrant()
    if db.isInherited { return try run(nil, body) }
    let deadline = timeLimit.deadline()
    if let nested {
      try nested.enter(gate, until: deadline)
    } else {
      try gate.enter(until: deadline)
    }
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

  /// Runs an access, inside the one that the thread is in if there is one.
  func reentrantSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    if db.isAccessible { return try body(db) }
    return try sync(nested: nested, body)
  }

  /// Runs an access, inside the one that the thread is in if there is one, unless it has to wait for too long.
  func boundedReentrantSync<Result>(
    nested: NestedWrites? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    if db.isAccessible { return try body(db) }
    return try boundedSync(nested: nested, body)
  }

  private func run<Result>(
    _ deadline: Database.Deadline?, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    try db.withAccess { db in
      defer { if allowsUnsafeTransactions { runLeftTransactionJobs(db) } }
      return try db.checkedAccess(allowsUnsafeTransactions: allowsUnsafeTransactions, until: deadline, body)
    }
  }

  /// Whether the calling thread is inside an access.
  var isAccessible: Bool { db.isAccessible }

  /// Whether the calling thread is inside an access that was begun inside a read of the same pool.
  var isAccessibleInsideRead: Bool { db.isAccessible && isInsideRead }

  /// Whether the calling thread is inside an access, and that inside a transaction.
  var isInsideTransactionOfThisThread: Bool { db.isAccessible && db.isInsideTransaction }

  /// Runs an access of the library's own, unless the connection is in use. It waits for nobody.
  func withIdleConnection<Result>(_ body: (Database) -> Result) -> Result? {
    if db.isInherited { return nil }
    guard gate.enterNow() else { return nil }
    defer { gate.leave() }
    return db.withAccessHere { db in
      let busy = db.callbacks.busy
      db.callbacks.busy = nil
      defer { db.callbacks.busy = busy }
      return body(db)
    }
  }

  // MARK: Asynchronous accesses

  /// Runs an access as soon as the connection is free.
  func schedule(in turn: (any AccessAdmission)? = nil, _ body: @escaping @Sendable (Database) -> Void) {
    let turn = turn ?? gate
    _ = turn.begin { [self] in
      executor.execute { [self] in
        run(timeLimit.deadline(), body)
        turn.end()
      }
    }
  }

  /// Runs an access as soon as the connection is free, or tells it that the connection is closed.
  func scheduleResult(
    in turn: (any AccessAdmission)? = nil, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    schedule(in: turn) { db in
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
  func async<Result: Sendable>(
    in turn: (any AccessAdmission)? = nil, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if db.isInherited { throw Database.inheritedError }
    let deadline = timeLimit.deadline()
    let turn = turn ?? gate
    return try await AccessExecution<Void>.perform(
      on: executor, until: deadline,
      enter: { onAdmission in turn.begin { onAdmission(()) } },
      leave: { _ in turn.end() },
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
    if !db.isInherited, let permit = inlinePolicy.take() {
      if gate.enterNow() {
        defer {
          leaveInline()
          inlinePolicy.leave(permit)
        }
        do {
          return try runInline(body)
        } catch is LockUnavailable {
          // The place and the gate are left first.
        }
      } else {
        inlinePolicy.cancel(permit)
      }
    }
    return try await async { try $0.committing(body) }
  }

  /// Somebody else has the lock of the file, and nothing was done.
  private struct LockUnavailable: Error {}

  /// Runs a transaction on the thread of the current task.
  private func runInline<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Task.checkCancellation()
    return try run(timeLimit.deadline()) { db in
      _ = try db.openHandle()
      // It may take a while, and the task need not wait for it.
      db.defersWork = true
      defer { db.defersWork = false }
      return try db.withCancellationOfTask {
        guard try db.beginTransactionNow() else { throw LockUnavailable() }
        return try db.committingRemainder(body)
      }
    }
  }

  private func leaveInline() {
    guard db.workBetweenTransactions != nil else { return gate.leave() }
    executor.execute { [self] in
      run(nil) { $0.workAfterStatement(nil) }
      gate.leave()
    }
  }

  // MARK: End

  /// Closes the connection, once its turn has come, unless the program holds a statement.
  func close() throws {
    try sync { db in
      let pointer = interruptible.withLock { pointer in
        defer { pointer = 0 }
        return pointer
      }
      do {
        try db.close()
      } catch {
        interruptible.withLock { $0 = pointer }
        db.logUnfinalizedStatements(error)
        throw error
      }
      closed.store(true, ordering: .releasing)
    }
    executor.retire()
  }

  /// Closes the connection, once its turn has come, also when the program holds statements.
  ///
  /// - parameter closeOthers: Closes other connections before this one. It returns why one of them has to wait for its
  ///   statements. When it throws, this connection stays open.
  /// - throws: The first error, although the connections are closed.
  func closeWithStatements(after closeOthers: () throws -> Result<Void, any Error>) throws {
    var failure: (any Error)?
    try sync { db in
      // In a child made by fork(), others may seem to use what is to be closed first: they are not there.
      if !db.isInherited, case .failure(let error) = try closeOthers() { failure = error }
      interruptible.withLock { $0 = 0 }
      do {
        try db.close()
      } catch {
        db.logUnfinalizedStatements(error)
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

  /// Has the running statement fail. Does not wait.
  func interrupt() {
    interruptible.withLock { pointer in
      if let pointer = SQLiteConnection(bitPattern: pointer) { ConnectionHandle(pointer: pointer).interrupt() }
    }
  }
}

extension Database {
  /// Begins a transaction, unless somebody else has the lock that it needs. It waits for nobody.
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

  /// Runs an access, and makes sure that it leaves no transaction behind, and no statement that runs (promise P6).
  @inline(__always)
  func checkedAccess<Result>(
    allowsUnsafeTransactions: Bool, until deadline: Deadline?, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    // What an access before could not do.
    performPendingRollback()
    endPendingReadOnly()
    // The result goes straight to who asked for it.
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

  /// After an access that has thrown.
  private func undoLeftovers(_ allowsUnsafeTransactions: Bool) {
    if allowsTransactionsAcrossAccesses { return }
    // First: as long as one of them runs, an interruption hits the rollback, too.
    resetRunningStatements()
    if !allowsUnsafeTransactions { rollbackLeftovers() }
  }

  /// After an access that has not.
  private func checkLeftovers(_ allowsUnsafeTransactions: Bool) {
    if allowsTransactionsAcrossAccesses { return }
    // There is a statement to be looked for when one of ours runs, or one that the program runs on its own: it reads.
    if runningCount > 0 || !allowsUnsafeTransactions && handle?.isReading == true { resetRunningStatements() }
    precondition(
      allowsUnsafeTransactions || !isInsideTransaction || pendingRollback != nil,
      "A transaction has been left opened at the end of a database access")
  }

  private func resetRunningStatements() { handle?.resetRunningStatements() }

  /// Undoes a transaction that an access which threw has left open.
  private func rollbackLeftovers() {
    guard isInsideTransaction else { return }
    do {
      try shielded { try rollback() }
    } catch {
      Self.log(error, "A transaction that was left open could not be undone")
      pendingRollback = error
    }
  }
}
