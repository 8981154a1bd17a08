/// Hands values to the closures of the program, where its scheduler says.
///
/// A value that comes while another one is on its way takes its place (law 2 of `MailboxMachine`).
final class ScheduledSink<Value: Sendable>: DeliveryMailbox, ValueSink, @unchecked Sendable {
  /// The closures of the program.
  class Calls: DeliveryCalls, @unchecked Sendable {
    let onChange: @Sendable (Value) -> Void

    init(onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void) {
      self.onChange = onChange
      super.init(onError: onError)
    }
  }

  /// The closures, and where they run. There are many: the scheduler stands here by itself, in no closure.
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

  /// Takes a value that is older than those that came before it, if any did.
  func putFirst(_ value: Value) { postFirst(delivery(of: value)) }

  private func delivery(of value: Value) -> Delivery {
    // The calls are those of the initializer.
    { calls in unsafeDowncast(calls, to: Calls.self).onChange(value) }
  }
}
