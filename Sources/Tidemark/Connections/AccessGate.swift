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

  /// Gives up waiting. When it is too late for that, the closure is called.
  func giveUp(_ ticket: AccessGateMachine.Ticket) {
    machine.withLock { $0.giveUp(ticket) }
  }
}

/// What the gate decides: events in, actions out.
struct AccessGateMachine {
  typealias LetIn = @Sendable () -> Void
  typealias Ticket = WaitingLine<LetIn>.Ticket

  enum Action {
    case enter
    case wait(Ticket)
  }

  private var isHeld = false
  private var line = WaitingLine<LetIn>()

  /// How many accesses wait.
  var waitingCount: Int { line.count }

  mutating func enter(_ letIn: @escaping LetIn) -> Action {
    guard isHeld else {
      isHeld = true
      return .enter
    }
    return .wait(line.append(letIn))
  }

  /// Who is to be let in.
  mutating func leave() -> LetIn? {
    precondition(isHeld, "An access ended that had not begun")
    if let next = line.popFirst() { return next }
    isHeld = false
    return nil
  }

  mutating func giveUp(_ ticket: Ticket) {
    _ = line.remove(ticket)
  }
}
