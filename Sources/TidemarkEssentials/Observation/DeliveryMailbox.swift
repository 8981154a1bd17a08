/// The closures of the program that are called with values of some type, and with an error; and where.
class DeliveryCalls: @unchecked Sendable {
  let onError: @Sendable (any Error) -> Void

  init(onError: @escaping @Sendable (any Error) -> Void) {
    self.onError = onError
  }

  /// Runs an action soon.
  func schedule(_ action: @escaping @Sendable () -> Void) {
    preconditionFailure("To be overridden")
  }
}

/// Hands values on, one at a time, where a scheduler says.
///
/// It does not know the type of the values: what is generic is looked up at run time for each value, at the cost of a
/// fetch.
class DeliveryMailbox: @unchecked Sendable {
  /// Calls the program with a value.
  typealias Delivery = @Sendable (DeliveryCalls) -> Void

  private struct State {
    var machine: MailboxMachine<Delivery>

    // Nil when it was closed: what they hold is let go.
    var calls: DeliveryCalls?
  }

  private let state: Mutex<State>

  init(keepsAll: Bool, _ calls: DeliveryCalls) {
    state = Mutex(State(machine: MailboxMachine(keepsAll: keepsAll), calls: calls))
  }

  final func post(_ delivery: @escaping Delivery) {
    schedule { $0.put(delivery) }
  }

  /// Takes one that is older than those that came before it, if any did.
  final func postFirst(_ delivery: @escaping Delivery) {
    schedule { $0.putFirst(delivery) }
  }

  final func fail(_ error: any Error) {
    schedule { $0.fail(error) }
  }

  /// Has what comes while a closure runs delivered on this thread, when the closure has ended.
  final func deliveringNow(_ body: () -> Void) {
    state.withLock { $0.machine.hold() }
    body()
    deliver()
  }

  /// Nothing is delivered any more once it has returned.
  final func cancel() {
    let thread = currentThreadID()
    // Closures and values are released outside of the lock: what they hold may do anything in its `deinit`.
    let (signal, _) = state.withLock { state in
      let old = state
      state.calls = nil
      return (Self.close(&state.machine, on: thread), old)
    }
    signal?.wait()
  }

  /// - returns: Where to wait for the delivery that is under way, if there is one to wait for.
  private static func close(
    _ machine: inout MailboxMachine<Delivery>, on thread: ThreadID
  ) -> (any WaitSignal)? {
    guard let deliverer = machine.close(), DeliveryWaits.shared.begin(thread, for: deliverer) else { return nil }
    let signal = Environment.live.makeWaitSignal()
    machine.wait(MailboxMachine.Waiter(thread: thread, signal: signal))
    return signal
  }

  /// Has what has come delivered, if that is to be scheduled.
  private func schedule(_ hasCome: (inout MailboxMachine<Delivery>) -> Bool) {
    // Without calls it was closed.
    let (calls, _) = state.withLock { state in
      let replaced = state.machine.next
      return (hasCome(&state.machine) ? state.calls : nil, replaced)
    }
    calls?.schedule { [self] in deliver() }
  }

  private func deliver() {
    let thread = currentThreadID()
    let (item, calls) = state.withLock { ($0.machine.take(on: thread), $0.calls) }
    guard let item, let calls else { return }
    if deliver(item, calls) { calls.schedule { [self] in deliver() } }
  }

  /// - returns: Whether there is more.
  private func deliver(_ item: MailboxMachine<Delivery>.Item, _ calls: DeliveryCalls) -> Bool {
    var wasLast = false
    switch item {
    case .value(let delivery):
      delivery(calls)
    case .failure(let error):
      calls.onError(error)
      wasLast = true
    }
    let (schedules, notify, _) = state.withLock { state in
      let old = wasLast ? state : nil
      let (schedules, notify) = state.machine.didDeliver(wasLast: wasLast)
      for waiter in notify { DeliveryWaits.shared.end(waiter.thread) }
      if wasLast { state.calls = nil }
      return (schedules, notify, old)
    }
    for waiter in notify { waiter.signal.notify() }
    return schedules
  }
}
