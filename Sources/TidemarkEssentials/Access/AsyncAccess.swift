/// A task that waits for a lease, without a thread.
///
/// Invariant: the continuation is resumed once, with the lease or with the error of an access that gives up.
final class AsyncAccess<Lease: Sendable>: Sendable {
  // Checked continuations: the thread sanitizer reports a false race in the inlined code of unchecked ones.
  private typealias Wait = AccessWait<CheckedContinuation<Lease, any Error>, Lease>

  private let wait = Mutex(Wait())

  private init() {}

  /// Waits for a lease. The caller returns it.
  ///
  /// If the task is cancelled while it waits, it gives up immediately.
  ///
  /// - Parameter deadline: When the task gives up.
  /// - Parameter enter: Requests the lease, and returns the ticket of the request, or nil if the lease was granted
  ///   immediately.
  /// - Parameter giveUp: Withdraws the request of a ticket.
  /// - Parameter leave: Returns a lease that arrives after the task has given up.
  static func acquire<Ticket: Sendable>(
    until deadline: Database.Deadline?,
    enter: (@escaping @Sendable (Lease) -> Void) -> Ticket?,
    giveUp: @escaping @Sendable (Ticket) -> Void,
    leave: @escaping @Sendable (Lease) -> Void
  ) async throws -> Lease {
    let access = AsyncAccess()
    let stopTimer = deadline.map { deadline in
      deadline.onExpiry { [weak access] in access?.giveUp(deadline.error) }
    }
    defer { stopTimer?() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let error = access.wait.withLock({ $0.wait(continuation) }) { return continuation.resume(throwing: error) }
        let ticket = enter { lease in if !access.begin(lease) { leave(lease) } }
        guard let ticket else { return }
        let isWithdrawable = access.wait.withLock { $0.setWithdrawal { giveUp(ticket) } }
        if !isWithdrawable { giveUp(ticket) }
      }
    } onCancel: {
      access.giveUp(CancellationError())
    }
  }

  /// - Returns: False if the access has given up.
  private func begin(_ lease: Lease) -> Bool {
    guard let begun = wait.withLock({ $0.begin(lease) }) else { return false }
    begun.waiter.resume(returning: wait.withLock { $0.end() })
    return true
  }

  private func giveUp(_ error: any Error) {
    guard let waited = wait.withLock({ $0.giveUp(error) }) else { return }
    waited.withdrawal?()
    waited.waiter.resume(throwing: error)
  }
}
