/// Where the values of an observation go.
protocol ValueSink<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Takes a value.
  func put(_ value: Value)

  /// Takes the error that ends the observation.
  func fail(_ error: any Error)

  /// The observation was cancelled: nothing is delivered any more once this has returned.
  func cancel()
}

/// Hands values to the closures of the program, where its scheduler says.
///
/// A value that comes while another one is on its way takes its place (law 2 of `MailboxMachine`).
final class ScheduledSink<Value: Sendable>: ValueSink {
  /// The closures of the program.
  struct Calls: Sendable {
    var onError: @Sendable (any Error) -> Void
    var onChange: @Sendable (Value) -> Void
  }

  private struct State {
    var machine: MailboxMachine<Value>

    // Nil when it was closed: what they hold is let go.
    var calls: Calls?
  }

  private let state: Mutex<State>
  private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

  init(
    keepsAll: Bool = false, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, _ calls: Calls
  ) {
    state = Mutex(State(machine: MailboxMachine(keepsAll: keepsAll), calls: calls))
    self.schedule = schedule
  }

  func put(_ value: Value) {
    if state.withLock({ $0.machine.put(value) }) { schedule { [self] in deliver() } }
  }

  /// Takes a value that is older than those that came before it, if any did.
  func putFirst(_ value: Value) {
    if state.withLock({ $0.machine.putFirst(value) }) { schedule { [self] in deliver() } }
  }

  func fail(_ error: any Error) {
    if state.withLock({ $0.machine.fail(error) }) { schedule { [self] in deliver() } }
  }

  /// Has what comes while a closure runs delivered on this thread, when the closure has ended.
  func deliveringNow(_ body: () -> Void) {
    state.withLock { $0.machine.hold() }
    body()
    deliver()
  }

  func cancel() {
    let thread = currentThreadID()
    // Its closures go outside of the lock: what they hold may do anything when it goes.
    let (place, _) = state.withLock { state in
      defer { state.calls = nil }
      return (Self.close(&state.machine, on: thread), state.calls)
    }
    place?.wait()
  }

  /// - returns: Where to wait for the delivery that is under way, if there is one to wait for.
  private static func close(
    _ machine: inout MailboxMachine<Value>, on thread: ThreadID
  ) -> (any WaitingPlace)? {
    guard let deliverer = machine.close(), DeliveryWaits.shared.begin(thread, for: deliverer) else { return nil }
    let place = Environment.live.makePlace()
    machine.wait(MailboxMachine.Waiter(thread: thread, place: place))
    return place
  }

  private func deliver() {
    let thread = currentThreadID()
    let (item, calls) = state.withLock { ($0.machine.take(on: thread), $0.calls) }
    guard let item, let calls else { return }
    if deliver(item, calls) { schedule { [self] in deliver() } }
  }

  /// - returns: Whether there is more.
  private func deliver(_ item: MailboxMachine<Value>.Item, _ calls: Calls) -> Bool {
    var wasLast = false
    switch item {
    case .value(let value):
      calls.onChange(value)
    case .failure(let error):
      calls.onError(error)
      wasLast = true
    }
    let (schedules, tell, _) = state.withLock { state in
      let (schedules, tell) = state.machine.didDeliver(wasLast: wasLast)
      for waiter in tell { DeliveryWaits.shared.end(waiter.thread) }
      defer { if wasLast { state.calls = nil } }
      return (schedules, tell, state.calls)
    }
    for waiter in tell { waiter.place.tell() }
    return schedules
  }
}
