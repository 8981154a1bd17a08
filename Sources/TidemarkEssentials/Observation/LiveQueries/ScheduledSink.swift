/// Passes values to the closures of the program, on its scheduler.
///
/// A new value replaces a value that has not been delivered yet (invariant 2 of `MailboxMachine`).
final class ScheduledSink<Value: Sendable>: DeliveryMailbox, ValueSink, @unchecked Sendable {
  /// The closures of the program.
  class Calls: DeliveryCalls, @unchecked Sendable {
    let onChange: @Sendable (Value) -> Void

    init(onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void) {
      self.onChange = onChange
      super.init(onError: onError)
    }
  }

  /// The closures, with their scheduler. There may be many: the scheduler is stored directly, and not in a closure.
  private final class ScheduledCalls<Scheduler: ValueObservationScheduler>: Calls, @unchecked Sendable {
    let scheduler: Scheduler

    init(
      _ scheduler: Scheduler, onError: @escaping @Sendable (any Error) -> Void,
      onChange: @escaping @Sendable (Value) -> Void
    ) {
      self.scheduler = scheduler
      super.init(onError: onError, onChange: onChange)
    }

    override func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.schedule(action) }
  }

  init(
    keepsAll: Bool = false, _ scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void
  ) {
    super.init(keepsAll: keepsAll, ScheduledCalls(scheduler, onError: onError, onChange: onChange))
  }

  func put(_ value: Value) { post(delivery(of: value)) }

  /// Delivers a value that is older than all earlier ones, if there were any.
  func putFirst(_ value: Value) { postFirst(delivery(of: value)) }

  private func delivery(of value: Value) -> Delivery {
    // The initializer has set the calls.
    { calls in unsafeDowncast(calls, to: Calls.self).onChange(value) }
  }
}
