extension AsyncAccess {
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
