import Synchronization

/// An operation that lasts until it is cancelled, such as an observation.
public protocol DatabaseCancellable {
  /// Ends the operation. Further calls have no effect.
  func cancel()
}

/// An operation that lasts until it is cancelled, or until this object is released.
///
/// ```swift
/// let cancellable = observation.start(in: dbPool, onError: { print($0) }, onChange: { print($0) })
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable, Sendable {
  private let isCancelled = Atomic<Bool>(false)

  // The first caller that cancels takes it.
  private nonisolated(unsafe) var end: (@Sendable () -> Void)?

  /// Creates a cancellable that calls a closure once, when it is cancelled or released.
  public init(cancel: @escaping @Sendable () -> Void) {
    end = cancel
  }

  /// Creates a cancellable that cancels another one.
  public convenience init(_ cancellable: some DatabaseCancellable & Sendable) {
    self.init(cancel: { cancellable.cancel() })
  }

  deinit { cancel() }

  /// Ends the operation. Further calls have no effect.
  public func cancel() {
    if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
    let end = end
    self.end = nil
    end?()
  }
}
