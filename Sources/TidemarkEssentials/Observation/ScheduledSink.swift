/// Hands values to the closures of the program, where its scheduler says.
///
/// A value that comes while another one is on its way takes its place (law 2 of `MailboxMachine`).
final class ScheduledSink<Value: Sendable>: DeliveryMailbox, ValueSink, @unchecked Sendable {
  /// The closures of the program.
  final class Calls: DeliveryCalls, @unchecked Sendable {
    let onChange: @Sendable (Value) -> Void

    init(onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void) {
      self.onChange = onChange
      super.init(onError: onError)
    }
  }

  init(
    keepsAll: Bool = false, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, _ calls: Calls
  ) {
    super.init(keepsAll: keepsAll, schedule: schedule, calls)
  }

  func put(_ value: Value) { post(delivery(of: value)) }

  /// Takes a value that is older than those that came before it, if any did.
  func putFirst(_ value: Value) { postFirst(delivery(of: value)) }

  private func delivery(of value: Value) -> Delivery {
    // The calls are those of the initializer.
    { calls in unsafeDowncast(calls, to: Calls.self).onChange(value) }
  }
}
