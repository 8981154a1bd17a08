import Synchronization

/// Something that goes on until it is cancelled: an observation.
public protocol DatabaseCancellable {
  /// Ends it. Cancelling twice is fine.
  func cancel()
}

/// Something that goes on until it is cancelled, or until nobody keeps this object.
///
/// ```swift
/// let cancellable = observation.start(in: dbPool, onError: { print($0) }, onChange: { print($0) })
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable, Sendable {
  private let isCancelled = Atomic<Bool>(false)

  // Taken by who cancels first.
  private nonisolated(unsafe) var end: (@Sendable () -> Void)?

  /// Cancels by calling a closure: once, whoever asks, and at the latest when the object goes.
  public init(cancel: @escaping @Sendable () -> Void) {
    end = cancel
  }

  /// Cancels something else.
  public convenience init(_ cancellable: some DatabaseCancellable & Sendable) {
    self.init(cancel: { cancellable.cancel() })
  }

  deinit { cancel() }

  /// Ends it. Cancelling twice is fine.
  public func cancel() {
    if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
    let end = end
    self.end = nil
    end?()
  }
}
