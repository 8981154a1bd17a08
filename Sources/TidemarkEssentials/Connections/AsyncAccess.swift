/// The life of a wait for what an access of a task needs.
///
///     created --wait--> waiting --begin--> running --end--> ended
///        |                 |
///        +----- cancel ----+
///                 v
///            given up
///
/// Invariants:
/// 1. The continuation is resumed once: by `end`, or by `giveUp` while it waits.
/// 2. An access that has given up never begins.
final class AsyncAccess<Result: Sendable>: Sendable {
  // Not one without checks: the thread sanitizer takes what is inlined of it for a race.
  private typealias Continuation = CheckedContinuation<Result, any Error>

  private enum State {
    case created
    case waiting(Continuation, giveUp: (@Sendable () -> Void)?)
    case running(Continuation)
    case givenUp(any Error)
    case ended
  }

  private let state = Mutex(State.created)
  /// - returns: False when the task was cancelled already; the continuation was resumed.
  func wait(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
    let error: (any Error)? = state.withLock { state in
      switch state {
      case .created:
        state = .waiting(continuation, giveUp: nil)
        return nil
      case .givenUp(let error):
        return error
      case .waiting, .running, .ended:
        preconditionFailure("An access waits once")
      }
    }
    if let error { continuation.resume(throwing: error) }
    return error == nil
  }

  /// Tells how to leave the line.
  func mayGiveUp(_ giveUp: @escaping @Sendable () -> Void) {
    let hasGivenUp = state.withLock { state in
      switch state {
      case .waiting(let continuation, _):
        state = .waiting(continuation, giveUp: giveUp)
        return false
      case .givenUp:
        return true
      case .running, .ended:
        // Let in meanwhile.
        return false
      case .created:
        preconditionFailure("An access leaves the line that is not in it")
      }
    }
    if hasGivenUp { giveUp() }
  }

  /// - returns: False when the access has given up.
  func begin() -> Bool {
    let (begins, _) = state.withLock { state -> (Bool, giveUp: (@Sendable () -> Void)?) in
      switch state {
      case .waiting(let continuation, let giveUp):
        state = .running(continuation)
        return (true, giveUp)
      case .givenUp:
        return (false, nil)
      case .created, .running, .ended:
        preconditionFailure("An access begins once, after it has waited")
      }
    }
    return begins
  }

  func end(with result: Swift.Result<Result, any Error>) {
    let continuation = state.withLock { state in
      guard case .running(let continuation) = state else { preconditionFailure("An access ends that had not begun") }
      state = .ended
      return continuation
    }
    continuation.resume(with: result)
  }

  func cancel() {
    giveUp(CancellationError())
  }

  /// Gives up waiting, if it has not begun.
  func giveUp(_ error: any Error) {
    let waited: (Continuation, giveUp: (@Sendable () -> Void)?)? = state.withLock { state in
      switch state {
      case .created:
        state = .givenUp(error)
        return nil
      case .waiting(let continuation, let giveUp):
        state = .givenUp(error)
        return (continuation, giveUp)
      case .running, .givenUp, .ended:
        return nil
      }
    }
    waited?.giveUp?()
    waited?.0.resume(throwing: error)
  }
}
