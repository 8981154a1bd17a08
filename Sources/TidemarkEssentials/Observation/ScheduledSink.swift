/// Receives the values of an observation.
protocol ValueSink<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Receives a value.
  func put(_ value: Value)

  /// Receives the error that ends the observation.
  func fail(_ error: any Error)

  /// Reports that the observation was cancelled: no value is delivered after this has returned.
  func cancel()
}

/// Passes values to the closures of the program, on its scheduler.
///
/// A new value replaces a value that has not been delivered yet (invariant 2 of `MailboxMachine`).
final class ScheduledSink<Value: Sendable>: ValueSink {
  private let mailbox: DeliveryMailbox

  /// The closures of the program, with their scheduler. There may be many: the scheduler is stored directly, and not in
  /// a closure.
  private final class Calls<Scheduler: ValueObservationScheduler>: DeliveryCalls {
    let scheduler: Scheduler
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Value) -> Void

    init(
      _ scheduler: Scheduler, onError: @escaping @Sendable (any Error) -> Void,
      onChange: @escaping @Sendable (Value) -> Void
    ) {
      self.scheduler = scheduler
      self.onError = onError
      self.onChange = onChange
    }

    func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.schedule(action) }
    func fail(_ error: any Error) { onError(error) }
    func deliver(_ value: any FetchedValue) { onChange(Fetched.value(in: value)) }
  }

  init(
    keepsAll: Bool = false, _ scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void
  ) {
    mailbox = DeliveryMailbox(keepsAll: keepsAll, Calls(scheduler, onError: onError, onChange: onChange))
  }

  func put(_ value: Value) { mailbox.post(Fetched(value)) }

  /// Delivers a value that is older than all earlier ones, if there were any.
  func putFirst(_ value: Value) { mailbox.postFirst(Fetched(value)) }

  func fail(_ error: any Error) { mailbox.fail(error) }

  func cancel() { mailbox.cancel() }

  /// See `DeliveryMailbox`.
  func deliveringNow<Result>(if isImmediate: Bool, _ body: () -> Result) -> Result {
    mailbox.deliveringNow(if: isImmediate, body)
  }
}
