/// The values on their way to a consumer that receives one at a time.
///
///     resting --put--> scheduled --take--> delivering --done--> resting
///                         ^                    |
///                         +--- put meanwhile --+
///
/// Invariants:
/// 1. There is one delivery at a time. Values are delivered in the order of their arrival, the error last.
/// 2. A slow consumer receives only the latest value, unless all values are requested.
/// 3. Nothing is delivered after the mailbox was closed.
struct MailboxMachine<Value> {
  enum Item {
    case value(Value)
    case failure(any Error)
  }

  /// A wait for the end of a delivery.
  struct Waiter {
    var thread: ThreadID
    var signal: any WaitSignal
  }

  private enum Phase {
    case idle
    case scheduled
    case delivering
    case closed
  }

  private let keepsAll: Bool
  private var phase = Phase.idle
  private var hasReceived = false

  /// The thread that delivers, even after the mailbox was closed; zero if there is none.
  private var deliverer: ThreadID = 0

  /// The next value to deliver.
  private(set) var next: Value?

  /// The values after the next one, if there are any. There are many mailboxes, and most of them never have more than
  /// one value.
  private var overflow: [Overflow] = []

  private struct Overflow {
    /// The values after the next one.
    var others = WaitQueue<Value>()
    var failure: (any Error)?
    var waiters: [Waiter] = []
  }

  private mutating func withOverflow<Result>(_ body: (inout Overflow) -> Result) -> Result {
    if overflow.isEmpty { overflow.append(Overflow()) }
    return body(&overflow[0])
  }

  private var failure: (any Error)? { overflow.first?.failure }

  /// - Parameter keepsAll: Whether a new value waits behind earlier ones, instead of replacing them.
  init(keepsAll: Bool) {
    self.keepsAll = keepsAll
  }

  /// Adds a value.
  ///
  /// - Returns: Whether to schedule a delivery.
  mutating func put(_ value: Value) -> Bool {
    if failure != nil { return false }
    if case .closed = phase { return false }
    hasReceived = true
    if keepsAll, next != nil {
      withOverflow { _ = $0.others.append(value) }
    } else {
      next = value
    }
    return wantsDelivery()
  }

  /// Adds a value that is older than values that were added before, if there are any.
  ///
  /// - Returns: Whether to schedule a delivery.
  mutating func putFirst(_ value: Value) -> Bool { hasReceived ? false : put(value) }

  /// Adds the error that ends the values.
  ///
  /// - Returns: Whether to schedule a delivery.
  mutating func fail(_ error: any Error) -> Bool {
    if failure != nil { return false }
    if case .closed = phase { return false }
    withOverflow { $0.failure = error }
    return wantsDelivery()
  }

  private mutating func wantsDelivery() -> Bool {
    switch phase {
    case .idle:
      phase = .scheduled
      return true
    case .scheduled, .delivering:
      return false
    case .closed:
      preconditionFailure("The caller must check the phase first")
    }
  }

  /// Holds deliveries: the caller delivers the following values without being scheduled.
  mutating func hold() {
    guard case .idle = phase else { preconditionFailure("A delivery is already scheduled or running") }
    phase = .scheduled
  }

  /// Removes and returns the next item to deliver on a thread; nil if there is none.
  mutating func take(on thread: ThreadID) -> Item? {
    guard case .scheduled = phase else { return nil }
    let item: Item
    if let value = next {
      item = .value(value)
      next = overflow.isEmpty ? nil : overflow[0].others.popFirst()
    } else if let failure {
      item = .failure(failure)
    } else {
      // The mailbox was held, and no value arrived.
      phase = .idle
      return nil
    }
    phase = .delivering
    deliverer = thread
    return item
  }

  /// Ends a delivery.
  ///
  /// - Parameter wasLast: Whether the item was the error.
  /// - Returns: Whether to schedule another delivery, and the waiters to notify.
  mutating func didDeliver(wasLast: Bool) -> (schedules: Bool, waiters: [Waiter]) {
    let waiters = overflow.first?.waiters ?? []
    if !waiters.isEmpty { withOverflow { $0.waiters = [] } }
    deliverer = 0
    guard case .delivering = phase else { return (false, waiters) }
    let hasMore = !wasLast && (next != nil || failure != nil)
    phase = wasLast ? .closed : hasMore ? .scheduled : .idle
    return (hasMore, waiters)
  }

  /// Closes the mailbox.
  ///
  /// - Returns: The delivering thread, if there is one.
  @discardableResult
  mutating func close() -> ThreadID? {
    phase = .closed
    next = nil
    if !overflow.isEmpty { overflow[0].others = WaitQueue() }
    return deliverer == 0 ? nil : deliverer
  }

  /// Adds a waiter, which is notified at the end of the delivery.
  mutating func wait(_ waiter: Waiter) {
    withOverflow { $0.waiters.append(waiter) }
  }
}
