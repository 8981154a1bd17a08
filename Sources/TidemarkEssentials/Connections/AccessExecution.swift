/// The life of an asynchronous access that runs on a thread of its connection.
///
/// The task itself runs the access, so that its task-local values and its cancellation are those of the caller. It
/// moves to this executor, which keeps it until the access may begin, and then runs it on a thread of the connection.
///
///     created --the task comes--> waiting --the turn comes--> running --end--> ended
///        |                           |                           |
///        +------ give up ------------+                           +-- cancel: the access finds out, and ends by itself
///                    v
///                 given up: the task runs elsewhere, and throws
///
/// Invariants:
/// 1. The task is run once by this executor: after its turn has come, or after it has given up.
/// 2. An access that has given up never begins. What it is lent all the same is given back.
/// 3. The task keeps the executor until it has run. It may have ended before `enqueue` returns, so the executor keeps
///    itself meanwhile, in memory: the optimizer may remove a retain of `self`, which callers are to keep.
final class AccessExecution<Lease: Sendable>: SerialExecutor {
  /// Asks for what the access needs.
  ///
  /// The argument is called with it once. The result gives up waiting; it is nil when there was no wait.
  typealias Enter = @Sendable (@escaping @Sendable (Lease) -> Void) -> (@Sendable () -> Void)?

  private enum State {
    case created
    case waiting(UnownedJob, giveUp: (@Sendable () -> Void)?)
    case running(Lease)
    case givenUp(any Error)
    case ended
  }

  private let state = Mutex(State.created)

  // Invariant 3.
  private let keeper = Mutex<AccessExecution?>(nil)
  private let executor: any AccessExecutor
  private let enter: Enter
  private let leave: @Sendable (Lease) -> Void
  let cancellation = AccessCancellation()

  init(on executor: any AccessExecutor, enter: @escaping Enter, leave: @escaping @Sendable (Lease) -> Void) {
    self.executor = executor
    self.enter = enter
    self.leave = leave
  }

  // MARK: The executor

  /// The task has come.
  func enqueue(_ job: consuming ExecutorJob) {
    keeper.withLock { $0 = self }
    receive(UnownedJob(job))
    let kept = keeper.withLock { keeper in
      let kept = keeper
      keeper = nil
      return kept
    }
    // Released after the lock, which it owns.
    withExtendedLifetime(kept) {}
  }

  private func receive(_ job: UnownedJob) {
    let waits = state.withLock { state in
      switch state {
      case .created:
        state = .waiting(job, giveUp: nil)
        return true
      case .givenUp:
        return false
      case .waiting, .running, .ended:
        preconditionFailure("A task comes to its access once")
      }
    }
    guard waits else { return runElsewhere(job) }
    if let giveUp = enter({ [self] in begin($0) }) { mayGiveUp(giveUp) }
  }

  private func begin(_ lease: Lease) {
    let job: UnownedJob? = state.withLock { state in
      switch state {
      case .waiting(let job, _):
        state = .running(lease)
        return job
      case .givenUp:
        return nil
      case .created, .running, .ended:
        preconditionFailure("An access begins once, after it has waited")
      }
    }
    guard let job else { return leave(lease) }
    // The executor is kept until its thread has let go of the task, which may have ended by then.
    executor.execute { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  // The thread of the connection is in use by others.
  private func runElsewhere(_ job: UnownedJob) {
    executor.executeBeside { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  // MARK: The access

  /// Runs the access. To be called by the task, on this executor.
  fileprivate func run<Result>(_ body: (Lease, AccessCancellation) throws -> Result) throws -> Result {
    let lease = try lease()
    defer {
      state.withLock { $0 = .ended }
      leave(lease)
    }
    return try body(lease, cancellation)
  }

  private func lease() throws -> Lease {
    try state.withLock { state in
      switch state {
      case .running(let lease): return lease
      case .givenUp(let error): throw error
      case .created, .waiting, .ended: preconditionFailure("A task runs its access once, when its turn has come")
      }
    }
  }

  // MARK: Giving up

  func cancel() {
    cancellation.cancel()
    giveUp(CancellationError())
  }

  /// Gives up waiting, if the access has not begun.
  func giveUp(_ error: any Error) {
    let waited: (job: UnownedJob, giveUp: (@Sendable () -> Void)?)? = state.withLock { state in
      switch state {
      case .created:
        state = .givenUp(error)
        return nil
      case .waiting(let job, let giveUp):
        state = .givenUp(error)
        return (job, giveUp)
      case .running, .givenUp, .ended:
        return nil
      }
    }
    guard let waited else { return }
    waited.giveUp?()
    runElsewhere(waited.job)
  }

  /// Throws when the access has given up already.
  fileprivate func checkHasNotGivenUp() throws {
    let error: (any Error)? = state.withLock { if case .givenUp(let error) = $0 { error } else { nil } }
    if let error { throw error }
  }

  private func mayGiveUp(_ giveUp: @escaping @Sendable () -> Void) {
    let hasGivenUp = state.withLock { state in
      switch state {
      case .waiting(let job, _):
        state = .waiting(job, giveUp: giveUp)
        return false
      case .givenUp:
        return true
      case .running, .ended:
        // Its turn has come meanwhile.
        return false
      case .created:
        preconditionFailure("An access leaves the line that is not in it")
      }
    }
    if hasGivenUp { giveUp() }
  }
}

/// Where the task of an access runs.
private actor AccessActor<Lease: Sendable> {
  private nonisolated let execution: AccessExecution<Lease>

  init(_ execution: AccessExecution<Lease>) {
    self.execution = execution
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { execution.asUnownedSerialExecutor() }

  func run<Result: Sendable>(_ body: @Sendable (Lease, AccessCancellation) throws -> Result) throws -> Result {
    try execution.run(body)
  }
}

extension AccessExecution {
  /// Runs an access of the current task: it waits without a thread, then runs on the executor.
  ///
  /// A task that is cancelled while it waits leaves at once. A task that is cancelled while its access runs has it
  /// interrupted, and its transaction undone.
  ///
  /// - parameter deadline: When the access must be over: one that waits then leaves the line.
  /// - parameter enter: Asks for what the access needs.
  /// - parameter leave: Ends the access: others may begin theirs.
  static func perform<Result: Sendable>(
    on executor: any AccessExecutor, until deadline: Database.Deadline?, enter: @escaping Enter,
    leave: @escaping @Sendable (Lease) -> Void,
    _ body: @Sendable (Lease, AccessCancellation) throws -> Result
  ) async throws -> Result {
    let execution = AccessExecution(on: executor, enter: enter, leave: leave)
    let stopTimer = deadline.map { deadline in
      deadline.onExpiry { [weak execution] in execution?.giveUp(deadline.error) }
    }
    defer { stopTimer?() }
    return try await withTaskCancellationHandler {
      try execution.checkHasNotGivenUp()
      return try await AccessActor(execution).run(body)
    } onCancel: {
      execution.cancel()
    }
  }
}
