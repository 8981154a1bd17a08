/// The program's closures for errors and for values of some type, and their scheduler.
protocol DeliveryCalls: AnyObject, Sendable {
  /// Schedules an action.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Calls the program with a value.
  func deliver(_ value: any FetchedValue)

  /// Calls the program with an error.
  func fail(_ error: any Error)
}

/// Delivers values one at a time, as a scheduler requires.
///
/// It is independent of the type of the values: see `FetchedValue`.
final class DeliveryMailbox: Sendable {
  private typealias Machine = MailboxMachine<any FetchedValue>

  private struct State {
    var machine: Machine

    // Nil after the mailbox was closed, to release the closures.
    var calls: (any DeliveryCalls)?
  }

  private let state: Mutex<State>

  init(keepsAll: Bool, _ calls: any DeliveryCalls) {
    state = Mutex(State(machine: Machine(keepsAll: keepsAll), calls: calls), rank: .deliveryMailbox)
  }

  func post(_ value: any FetchedValue) {
    schedule { $0.put(value) }
  }

  /// Adds a value that is older than any value added before.
  func postFirst(_ value: any FetchedValue) {
    schedule { $0.putFirst(value) }
  }

  func fail(_ error: any Error) {
    schedule { $0.fail(error) }
  }

  /// Runs a closure, and then delivers values that were added meanwhile, on this thread.
  ///
  /// - Parameter isImmediate: Whether to do so. If not, the closure just runs.
  func deliveringNow<Result>(if isImmediate: Bool, _ body: () -> Result) -> Result {
    if !isImmediate { return body() }
    state.withLock { $0.machine.hold() }
    defer { deliver() }
    return body()
  }

  /// Stops deliveries. No delivery starts or is running after this method has returned.
  func cancel() {
    let thread = currentThreadID()
    // Release closures and values outside of the lock: their `deinit` may run any code.
    let (signal, _) = state.withLock { state in
      let old = state
      state.calls = nil
      return (Self.close(&state.machine, on: thread), old)
    }
    signal?.wait()
  }

  /// - Returns: The signal for the end of the running delivery; nil if the caller does not have to wait.
  private static func close(
    _ machine: inout Machine, on thread: ThreadID
  ) -> (any WaitSignal)? {
    guard let deliverer = machine.close(), DeliveryWaits.shared.begin(thread, for: deliverer) else { return nil }
    let signal = Environment.live.makeWaitSignal()
    machine.wait(Machine.Waiter(thread: thread, signal: signal))
    return signal
  }

  /// Adds an item, and schedules its delivery if needed.
  private func schedule(_ hasCome: (inout Machine) -> Bool) {
    // Without calls, the mailbox is closed.
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

  /// - Returns: Whether there are more items.
  private func deliver(_ item: Machine.Item, _ calls: any DeliveryCalls) -> Bool {
    var wasLast = false
    switch item {
    case .value(let value):
      calls.deliver(value)
    case .failure(let error):
      calls.fail(error)
      wasLast = true
    }
    let (schedules, notify) = state.withLock { state in
      let (schedules, notify) = state.machine.didDeliver(wasLast: wasLast)
      for waiter in notify { DeliveryWaits.shared.end(waiter.thread) }
      // The caller has another reference, so that the closures are not released under the lock.
      if wasLast { state.calls = nil }
      return (schedules, notify)
    }
    for waiter in notify { waiter.signal.notify() }
    return schedules
  }
}
