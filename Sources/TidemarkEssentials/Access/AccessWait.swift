/// The states of an asynchronous access: it waits for its turn, and begins unless it gives up before.
///
///     created --wait--> waiting --begin--> begun --end--> ended
///        |                 |
///        +---- give up ----+
///                 v
///              given up
///
/// Invariants:
/// 1. `begin` and `giveUp` return the waiter once, to one of their callers. The caller resumes it.
/// 2. An access that has given up never begins: its caller returns the lease.
/// 3. A transition returns each object that it removes. Owners keep the value under a lock, and must release what is
///    returned after they have released the lock.
struct AccessWait<Waiter: Sendable, Lease: Sendable>: Sendable {
  /// Withdraws the request for a lease.
  typealias Withdrawal = @Sendable () -> Void

  private enum State {
    case created
    case waiting(Waiter, Withdrawal?)
    case begun(Lease)
    case ended
    case givenUp(any Error)
  }

  private var state = State.created

  /// The error of an access that has given up.
  var error: (any Error)? { if case .givenUp(let error) = state { error } else { nil } }

  /// Whether the access has ended.
  var hasEnded: Bool { if case .ended = state { true } else { false } }

  /// Registers the waiter.
  ///
  /// - Returns: The error if the access has given up. The waiter is not registered then.
  mutating func wait(_ waiter: Waiter) -> (any Error)? {
    switch state {
    case .created:
      state = .waiting(waiter, nil)
      return nil
    case .givenUp(let error):
      return error
    case .waiting, .begun, .ended:
      preconditionFailure("an access waits once")
    }
  }

  /// Sets how to withdraw the request for a lease.
  ///
  /// - Returns: False if the access has given up. The caller withdraws the request then.
  mutating func setWithdrawal(_ withdrawal: @escaping Withdrawal) -> Bool {
    switch state {
    case .waiting(let waiter, _):
      state = .waiting(waiter, withdrawal)
      return true
    case .begun, .ended:
      // The lease arrived first.
      return true
    case .givenUp:
      return false
    case .created:
      preconditionFailure("an access waits before its request can be withdrawn")
    }
  }

  /// Begins the access.
  ///
  /// - Returns: The waiter to resume; nil if the access has given up.
  mutating func begin(_ lease: Lease) -> (waiter: Waiter, withdrawal: Withdrawal?)? {
    switch state {
    case .waiting(let waiter, let withdrawal):
      state = .begun(lease)
      return (waiter, withdrawal)
    case .givenUp:
      return nil
    case .created, .begun, .ended:
      preconditionFailure("an access begins once, after it has waited")
    }
  }

  /// Returns the lease of an access that has begun, or throws the error of an access that has given up.
  func lease() throws -> Lease {
    switch state {
    case .begun(let lease): return lease
    case .givenUp(let error): throw error
    case .created, .waiting, .ended: preconditionFailure("an access has no lease before it begins or after it ends")
    }
  }

  /// Ends the access, and returns its lease.
  mutating func end() -> Lease {
    guard case .begun(let lease) = state else { preconditionFailure("an access that ends must have begun") }
    state = .ended
    return lease
  }

  /// Gives up the wait.
  ///
  /// - Returns: The waiter, which the caller resumes after the withdrawal. It is nil before a waiter is registered, and
  ///   when the access has begun or given up: nothing is left to do then.
  mutating func giveUp(_ error: any Error) -> (waiter: Waiter, withdrawal: Withdrawal?)? {
    switch state {
    case .created:
      state = .givenUp(error)
      return nil
    case .waiting(let waiter, let withdrawal):
      state = .givenUp(error)
      return (waiter, withdrawal)
    case .begun, .givenUp, .ended:
      return nil
    }
  }
}
