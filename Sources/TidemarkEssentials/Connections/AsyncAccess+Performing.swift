extension AsyncAccess {
  /// Runs an access of a task: it waits without a thread, then runs on the executor.
  ///
  /// A task that is cancelled while it waits leaves at once. A task that is cancelled while its access runs has it
  /// interrupted, and its transaction undone.
  ///
  /// - parameter deadline: When the access must be over: one that waits then leaves the line.
  /// - parameter enter: Has its argument called when the access may begin, and answers the ticket with which one
  ///   can give up, if there is a wait.
  /// - parameter giveUp: Gives up waiting.
  /// - parameter leave: Ends the access: others may begin theirs.
  static func perform<Lease: Sendable, Ticket: Sendable>(
    on executor: any AccessExecutor, until deadline: Database.Deadline?,
    enter: (@escaping @Sendable (Lease) -> Void) -> Ticket?,
    giveUp: @escaping @Sendable (Ticket) -> Void,
    leave: @escaping @Sendable (Lease) -> Void,
    _ body: @escaping @Sendable (Lease, AccessCancellation) throws -> Result
  ) async throws -> Result {
    try await suspend(until: deadline) { access in
      let ticket = enter { lease in
        guard access.begin() else { return leave(lease) }
        executor.execute {
          let result = Swift.Result { try body(lease, access.cancellation) }
          leave(lease)
          access.end(with: result)
        }
      }
      guard let ticket else { return nil }
      return { giveUp(ticket) }
    }
  }

  /// Waits for what an access needs, without a thread.
  ///
  /// A task that is cancelled while it waits leaves at once. What is given to it must be given back.
  static func acquire<Ticket: Sendable>(
    until deadline: Database.Deadline?,
    enter: (@escaping @Sendable (Result) -> Void) -> Ticket?,
    giveUp: @escaping @Sendable (Ticket) -> Void,
    leave: @escaping @Sendable (Result) -> Void
  ) async throws -> Result {
    try await suspend(until: deadline) { access in
      let ticket = enter { lease in
        // Given to a task that has left: given back.
        guard access.begin() else { return leave(lease) }
        access.end(with: .success(lease))
      }
      guard let ticket else { return nil }
      return { giveUp(ticket) }
    }
  }

  /// Suspends the task until its access has ended, or given up.
  ///
  /// - parameter enter: Begins the wait, and answers how to give up if there is one.
  private static func suspend(
    until deadline: Database.Deadline?, _ enter: (AsyncAccess) -> (@Sendable () -> Void)?
  ) async throws -> Result {
    let access = AsyncAccess()
    let stopTimer = deadline.map { deadline in
      deadline.whenOver { [weak access] in access?.giveUp(deadline.error) }
    }
    defer { stopTimer?() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard access.wait(continuation) else { return }
        if let giveUp = enter(access) { access.mayGiveUp(giveUp) }
      }
    } onCancel: {
      access.cancel()
    }
  }
}
