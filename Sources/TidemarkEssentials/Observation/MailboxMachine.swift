/// The values on their way to somebody who takes one at a time.
///
///     resting --put--> scheduled --take--> delivering --done--> resting
///                         ^                    |
///                         +--- put meanwhile --+
///
/// Invariants:
/// 1. One delivery at a time. Values go out in the order in which they came, the error last, and nothing after it.
/// 2. Who is slow finds the newest value, and not those that came before it, unless all are asked for.
/// 3. Nothing is taken once it was closed.
struct MailboxMachine<Value> {
  enum Item {
    case value(Value)
    case failure(any Error)
  }

  /// Who waits for the end of a delivery.
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

  /// The thread that delivers, closed or not; zero when none does.
  private var deliverer: ThreadID = 0

  /// What goes out next.
  private(set) var next: Value?

  /// The rest, once there is some: there are many mailboxes, and most of them never have more than one value.
  private var overflow: [Overflow] = []

  private struct Overflow {
    /// What waits behind the next one, and how many of that are gone.
    var others: [Value?] = []
    var goneCount = 0
    var failure: (any Error)?
    var waiters: [Waiter] = []
  }

  private mutating func withOverflow<Result>(_ body: (inout Overflow) -> Result) -> Result {
    if overflow.isEmpty { overflow.append(Overflow()) }
    return body(&overflow[0])
  }

  private var failure: (any Error)? { overflow.first?.failure }

  /// - parameter keepsAll: Whether a value waits behind those that came before it, instead of taking their place.
  init(keepsAll: Bool = false) {
    self.keepsAll = keepsAll
  }

  /// A value has come.
  ///
  /// - returns: Whether a delivery is to be scheduled.
  mutating func put(_ value: Value) -> Bool {
    if failure != nil { return false }
    if case .closed = phase { return false }
    hasReceived = true
    if keepsAll, next != nil {
      withOverflow { $0.others.append(value) }
    } else {
      next = value
    }
    return wantsDelivery()
  }

  /// A value has come that is older than those that came before it, if any did.
  ///
  /// - returns: Whether a delivery is to be scheduled.
  mutating func putFirst(_ value: Value) -> Bool { hasReceived ? false : put(value) }

  /// There will be no more values.
  ///
  /// - returns: Whether a delivery is to be scheduled.
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
      preconditionFailure("Asked before")
    }
  }

  /// Somebody will deliver what comes from now on, without being asked to.
  mutating func hold() {
    guard case .idle = phase else { preconditionFailure("A delivery is held that is on its way") }
    phase = .scheduled
  }

  /// The next thing to deliver, on a thread. Nil when there is nothing.
  mutating func take(on thread: ThreadID) -> Item? {
    guard case .scheduled = phase else { return nil }
    let item: Item
    if let value = next {
      item = .value(value)
      next = takeOther()
    } else if let failure {
      item = .failure(failure)
    } else {
      // Somebody had it held, and nothing came.
      phase = .idle
      return nil
    }
    phase = .delivering
    deliverer = thread
    return item
  }

  private mutating func takeOther() -> Value? {
    if overflow.first?.others.isEmpty != false { return nil }
    return withOverflow { overflow in
      if overflow.goneCount == overflow.others.count { return nil }
      let value = overflow.others[overflow.goneCount].take()
      overflow.goneCount += 1
      // To move the rest costs less than what has gone.
      if 2 * overflow.goneCount >= overflow.others.count {
        overflow.others.removeFirst(overflow.goneCount)
        overflow.goneCount = 0
      }
      return value
    }
  }

  /// The thing was delivered.
  ///
  /// - parameter wasLast: Whether it was the error.
  /// - returns: Whether another delivery is to be scheduled, and whom to tell that this one is over.
  mutating func didDeliver(wasLast: Bool) -> (schedules: Bool, waiters: [Waiter]) {
    let waiters = overflow.first?.waiters ?? []
    if !waiters.isEmpty { withOverflow { $0.waiters = [] } }
    deliverer = 0
    guard case .delivering = phase else { return (false, waiters) }
    if wasLast {
      close()
      return (false, waiters)
    }
    let hasMore = next != nil || failure != nil
    phase = hasMore ? .scheduled : .idle
    return (hasMore, waiters)
  }

  /// Nobody wants values any more.
  ///
  /// - returns: The thread that is delivering, if one is.
  @discardableResult
  mutating func close() -> ThreadID? {
    phase = .closed
    next = nil
    if !overflow.isEmpty { (overflow[0].others, overflow[0].goneCount) = ([], 0) }
    return deliverer == 0 ? nil : deliverer
  }

  /// Somebody waits for the end of the delivery: he is told.
  mutating func wait(_ waiter: Waiter) {
    withOverflow { $0.waiters.append(waiter) }
  }
}
