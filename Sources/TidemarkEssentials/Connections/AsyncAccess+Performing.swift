extension AsyncAccess {
  /// Waits for a resource of an access, without a thread.
  ///
  /// If the task is cancelled while it waits, it gives up immediately. The caller returns the resource.
  static func acquire<Ticket: Sendable>(
    until deadline: Database.Deadline?,
    enter: (@escaping @Sendable (Result) -> Void) -> Ticket?,
    giveUp: @escaping @Sendable (Ticket) -> Void,
    leave: @escaping @Sendable (Result) -> Void
  ) async throws -> Result {
    try await suspend(until: deadline) { access in
      let ticket = enter { lease in
        // The task has given up: return the resource.
        guard access.begin() else { return leave(lease) }
        access.end(with: .success(lease))
      }
      guard let ticket else { return nil }
      return { giveUp(ticket) }
    }
  }

  /// Suspends the task until its access has ended, or given up.
  ///
  /// - parameter enter: Begins the wait, and returns a closure that gives up if there is a wait.
  private static func suspend(
    until deadline: Database.Deadline?, _ enter: (AsyncAccess) -> (@Sendable () -> Void)?
  ) async throws -> Result {
    let access = AsyncAccess()
    let stopTimer = deadline.map { deadline in
      deadline.onExpiry { [weak access] in access?.giveUp(deadline.error) }
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
