import Foundation
import Synchronization

/// Lets one access at a time through, in the order in which they came.
///
/// Threads wait asleep, tasks wait suspended: a waiting task holds no thread at all. Whoever leaves hands
/// the gate over to the next in line, so nobody overtakes.
///
///     free --enter--> held --leave, nobody waits--> free
///                      | ^
///                      +-+ leave, somebody waits (he holds it now)
///
/// Laws:
/// 1. The gate is held by one access at most.
/// 2. Who waits is let in once, or gives up once; never both.
final class AccessGate: Sendable {
  private let machine = Mutex(AccessGateMachine())

  // MARK: Threads

  /// Waits for the gate, with the thread.
  func enter() {
    let place = DispatchSemaphore(value: 0)
    let action = machine.withLock { $0.enter { place.signal() } }
    if case .wait = action { place.wait() }
  }

  /// Gives the gate to the next in line.
  func leave() {
    let next = machine.withLock { $0.leave() }
    next?()
  }

  // MARK: Jobs

  /// Calls a closure as soon as the gate is ours: now, or when somebody leaves. The closure must not block.
  ///
  /// - returns: The ticket with which one can give up.
  @discardableResult
  func enter(_ body: @escaping @Sendable () -> Void) -> AccessGateMachine.Ticket? {
    switch machine.withLock({ $0.enter(body) }) {
    case .enter:
      body()
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Gives up waiting.
  ///
  /// - returns: Whether it was not too late: the closure will not be called.
  func giveUp(_ ticket: AccessGateMachine.Ticket) -> Bool {
    machine.withLock { $0.giveUp(ticket) }
  }
}

/// What the gate decides: events in, actions out.
struct AccessGateMachine {
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  enum Action {
    case enter
    case wait(Ticket)
  }

  private var isHeld = false
  private var nextNumber: UInt64 = 0

  // In order. Those who gave up leave a hole, which is skipped.
  private var waiters: [(number: UInt64, letIn: (@Sendable () -> Void)?)] = []
  private var first = 0

  mutating func enter(_ letIn: @escaping @Sendable () -> Void) -> Action {
    guard isHeld else {
      isHeld = true
      return .enter
    }
    let number = nextNumber
    nextNumber += 1
    waiters.append((number, letIn))
    return .wait(Ticket(number: number))
  }

  /// Who is to be let in.
  mutating func leave() -> (@Sendable () -> Void)? {
    precondition(isHeld, "An access ended that had not begun")
    while first < waiters.count {
      let letIn = waiters[first].letIn
      waiters[first].letIn = nil
      first += 1
      compact()
      if let letIn { return letIn }
    }
    isHeld = false
    return nil
  }

  mutating func giveUp(_ ticket: Ticket) -> Bool {
    // Numbers grow along the line: the place is found by halving.
    var low = first
    var high = waiters.count
    while low < high {
      let middle = (low + high) / 2
      if waiters[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    guard low < waiters.count, waiters[low].number == ticket.number, waiters[low].letIn != nil else { return false }
    waiters[low].letIn = nil
    return true
  }

  private mutating func compact() {
    if first == waiters.count {
      waiters.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first * 2 > waiters.count {
      waiters.removeFirst(first)
      first = 0
    }
  }
}
