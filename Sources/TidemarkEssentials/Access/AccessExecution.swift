/// An asynchronous access that runs on a thread of its connection.
///
/// The task itself runs the access, so that its task-local values and its cancellation are visible in the closure. The
/// task moves to this executor, which keeps it until the access may begin, and then runs it on a thread of the
/// connection. `AccessWait` has the states. A task whose access gives up runs on another thread, and throws. Cancelling
/// an access that has begun interrupts its statements.
///
/// Invariants:
/// 1. The executor runs the task once: after the access has begun, or after it has given up.
/// 2. An access that has given up returns the lease if it still receives one.
/// 3. The task retains the executor until it has run. It may have ended before `enqueue` returns, so the executor
///    retains itself in memory meanwhile: the optimizer may remove a retain of `self`.
final class AccessExecution<Lease: Sendable>: SerialExecutor {
  /// Requests the lease of an access.
  ///
  /// It calls `begin` or `beginHere` once, with the lease. The result withdraws the request; it is nil if the lease was
  /// granted immediately.
  typealias Enter = @Sendable (AccessExecution) -> (@Sendable () -> Void)?

  private let wait = Mutex(AccessWait<UnownedJob, Lease>())

  // Invariant 3.
  private let keeper = Mutex<AccessExecution?>(nil)
  private let executor: any AccessExecutor
  private let enter: Enter
  private let leave: @Sendable (Lease) -> Void
  let cancellation = AccessCancellation()

  /// Whether the task is resumed once more after its access.
  private let resumesAfterAccess: Bool

  init(
    on executor: any AccessExecutor, resumesAfterAccess: Bool, enter: @escaping Enter,
    leave: @escaping @Sendable (Lease) -> Void
  ) {
    self.resumesAfterAccess = resumesAfterAccess
    self.executor = executor
    self.enter = enter
    self.leave = leave
  }

  // MARK: The executor

  /// Receives the task.
  func enqueue(_ job: consuming ExecutorJob) {
    // After its access, the task waits for the commit of its group, whose thread resumes it and retains the executor.
    if resumesAfterAccess, wait.withLock({ $0.hasEnded }) { return job.runSynchronously(on: asUnownedSerialExecutor()) }
    keeper.withLock { $0 = self }
    receive(UnownedJob(job))
    withExtendedLifetime(keeper.exchange(nil)) {}
  }

  private func receive(_ job: UnownedJob) {
    if wait.withLock({ $0.wait(job) }) != nil { return runElsewhere(job) }
    guard let giveUp = enter(self) else { return }
    if !wait.withLock({ $0.setWithdrawal(giveUp) }) { giveUp() }
  }

  /// Begins the access on a thread of the connection, unless it has given up.
  func begin(_ lease: Lease) {
    guard let begun = wait.withLock({ $0.begin(lease) }) else { return leave(lease) }
    // The thread retains the executor until the task returns: the access may have ended by then.
    executor.execute { [self] in begun.waiter.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Runs the access on the calling thread, unless it has given up.
  func beginHere(_ lease: Lease) {
    guard let begun = wait.withLock({ $0.begin(lease) }) else { return leave(lease) }
    begun.waiter.runSynchronously(on: asUnownedSerialExecutor())
  }

  // Other accesses use the thread of the connection.
  private func runElsewhere(_ job: UnownedJob) {
    executor.executeBeside { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  // MARK: The access

  /// Runs the access. The task calls this on this executor.
  fileprivate func run<Result>(_ body: (Lease, AccessCancellation) throws -> Result) throws -> Result {
    let lease = try wait.withLock { try $0.lease() }
    defer { leave(wait.withLock { $0.end() }) }
    return try body(lease, cancellation)
  }

  // MARK: Giving up

  func cancel() {
    cancellation.cancel()
    giveUp(CancellationError())
  }

  /// Gives up the wait, if the access has not begun.
  func giveUp(_ error: any Error) {
    guard let waited = wait.withLock({ $0.giveUp(error) }) else { return }
    waited.withdrawal?()
    runElsewhere(waited.waiter)
  }

  /// Throws if the access has given up.
  fileprivate func checkHasNotGivenUp() throws {
    if let error = wait.withLock({ $0.error }) { throw error }
  }
}

/// The isolation of the task during an access.
private actor AccessActor<Lease: Sendable> {
  private nonisolated let execution: AccessExecution<Lease>

  init(_ execution: AccessExecution<Lease>) {
    self.execution = execution
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { execution.asUnownedSerialExecutor() }

  func run<Result: Sendable>(_ body: @Sendable (Lease, AccessCancellation) throws -> Result) throws -> Result {
    try execution.run(body)
  }

  /// Runs an access that is not complete when its closure returns.
  ///
  /// - Parameter wait: Waits until it is complete. It is resumed on the thread of the access.
  func run<Result: Sendable>(
    _ body: @Sendable (Lease, AccessCancellation) throws -> Result, completedBy wait: AccessCompletion
  ) async throws -> Result {
    let result = try execution.run(body)
    try await wait(self)
    return result
  }
}

/// Waits until an access is complete, in the isolation of its task.
typealias AccessCompletion = @Sendable (isolated any Actor) async throws -> Void

extension AccessExecution {
  /// Runs an access of the current task: it waits without a thread, then runs on the executor.
  ///
  /// If the task is cancelled while it waits, the access gives up immediately. If the task is cancelled during the
  /// access, statements are interrupted, and the transaction is rolled back.
  ///
  /// - Parameter deadline: When the access must have ended. If it waits at that time, it gives up.
  /// - Parameter enter: Requests the lease.
  /// - Parameter leave: Returns the lease. Another access may begin then.
  /// - Parameter wait: Waits until the access is complete, after its closure has returned.
  static func perform<Result: Sendable>(
    on executor: any AccessExecutor, until deadline: Database.Deadline?, enter: @escaping Enter,
    leave: @escaping @Sendable (Lease) -> Void,
    completedBy wait: AccessCompletion? = nil,
    _ body: @Sendable (Lease, AccessCancellation) throws -> Result
  ) async throws -> Result {
    let execution = AccessExecution(
      on: executor, resumesAfterAccess: wait != nil, enter: enter, leave: leave)
    let stopTimer = deadline.map { deadline in
      deadline.onExpiry { [weak execution] in execution?.giveUp(deadline.error) }
    }
    defer { stopTimer?() }
    return try await withTaskCancellationHandler {
      try execution.checkHasNotGivenUp()
      if let wait { return try await AccessActor(execution).run(body, completedBy: wait) }
      return try await AccessActor(execution).run(body)
    } onCancel: {
      execution.cancel()
    }
  }
}
