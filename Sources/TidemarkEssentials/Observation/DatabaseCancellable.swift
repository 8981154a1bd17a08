import Synchronization

/// An operation that lasts until it is cancelled, such as an observation.
public protocol DatabaseCancellable {
  /// Ends the operation. Further calls have no effect.
  func cancel()
}

/// A running observation. It is an object, and not a closure, which would be stored in an object of its own: there may
/// be many.
protocol RunningObservation: AnyObject, DatabaseCancellable, Sendable {}

/// An operation that lasts until it is cancelled, or until this object is released.
///
/// ```swift
/// let cancellable = observation.start(in: dbPool, onError: { print($0) }, onChange: { print($0) })
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: RunningObservation {
  private let isCancelled = Atomic<Bool>(false)

  private enum Operation {
    case closure(cancel: @Sendable () -> Void)
    case observation(any RunningObservation)

    func cancel() {
      switch self {
      case .closure(let cancel): cancel()
      case .observation(let observation): observation.cancel()
      }
    }
  }

  // The first caller that cancels takes it.
  private nonisolated(unsafe) var operation: Operation?

  /// Creates a cancellable that calls a closure once, when it is cancelled or released.
  public init(cancel: @escaping @Sendable () -> Void) {
    operation = .closure(cancel: cancel)
  }

  /// Creates a cancellable that cancels another one.
  public convenience init(_ cancellable: some DatabaseCancellable & Sendable) {
    self.init(cancel: { cancellable.cancel() })
  }

  /// Creates a cancellable that cancels an observation.
  init(cancelling observation: any RunningObservation) {
    operation = .observation(observation)
  }

  deinit { cancel() }

  /// Ends the operation. Further calls have no effect.
  public func cancel() {
    if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
    operation.take()?.cancel()
  }
}
