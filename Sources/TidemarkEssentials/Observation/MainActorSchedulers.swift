import Dispatch

/// Delivers on the main actor, always later: never before the start of the observation has returned.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
  init() {}

  /// No: everything is delivered later.
  public func immediateInitialValue() -> Bool { false }

  /// Runs the action soon, on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
  /// Delivers on the main actor, always later: never before the start of the observation has returned.
  public static var mainActor: DelayedMainActorValueObservationScheduler {
    DelayedMainActorValueObservationScheduler()
  }
}

/// Delivers on the main actor: the first value before the start of the observation returns, the others later.
///
/// The start fetches the first value on the thread that calls, which must be the main thread.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
  /// A scheduler that delivers the first value before the start of the observation returns.
  public init() {}

  /// Yes.
  public func immediateInitialValue() -> Bool {
    MainActor.preconditionIsolated("ValueObservation must be started from the main thread.")
    return true
  }

  /// Runs the action soon, on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers on the main actor: the first value before the start of the observation returns, the others later.
  ///
  /// To be used from the main thread.
  public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers on the main actor: the first value before the start of the observation returns, the others later.
  ///
  /// To be used from the main thread.
  public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}
