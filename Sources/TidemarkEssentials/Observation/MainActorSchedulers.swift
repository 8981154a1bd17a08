import Dispatch

/// Delivers on the main actor, always asynchronously: never before the start of the observation has returned.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
  init() {}

  /// Returns false: all values are delivered asynchronously.
  public func immediateInitialValue() -> Bool { false }

  /// Runs the action asynchronously on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
  /// Delivers on the main actor, always asynchronously: never before the start of the observation has returned.
  public static var mainActor: DelayedMainActorValueObservationScheduler {
    DelayedMainActorValueObservationScheduler()
  }
}

/// Delivers on the main actor: the first value before the start of the observation returns, the others asynchronously.
///
/// The start fetches the first value on the calling thread, which must be the main thread.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
  /// Creates a scheduler that delivers the first value before the start of the observation returns.
  public init() {}

  /// Returns true. It is a programming error to call it on another thread than the main thread.
  public func immediateInitialValue() -> Bool {
    MainActor.preconditionIsolated("ValueObservation must be started from the main thread.")
    return true
  }

  /// Runs the action asynchronously on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers on the main actor: the first value before the start of the observation returns, others asynchronously.
  ///
  /// Use it on the main thread only.
  public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers on the main actor: the first value before the start of the observation returns, others asynchronously.
  ///
  /// Use it on the main thread only.
  public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}
