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
    let action = machine.withLock { machine in
      machine.enter {
        place.signal()
        return true
      }
    }
    if case .wait = action { place.wait() }
  }

  /// Gives the gate to the next in line.
  func leave() {
    // A loop, and no call of those who do not want it any more to `leave`: the line may be long.
    while let letIn = machine.withLock({ $0.leave() }) {
      if letIn() { return }
    }
  }

  // MARK: Jobs

  /// Calls a closure as soon as the gate is ours: now, or when somebody leaves. The closure must not block.
  ///
  /// - parameter letIn: Answers whether the gate is still wanted.
  /// - returns: The ticket with which one can give up.
  @discardableResult
  func enter(_ letIn: @escaping @Sendable () -> Bool) -> AccessGateMachine.Ticket? {
    switch machine.withLock({ $0.enter(letIn) }) {
    case .enter:
      if !letIn() { leave() }
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Gives up waiting.
  ///
  /// - returns: Whether it was not too late: the closure will not be called.
  @discardableResult
  func giveUp(_ ticket: AccessGateMachine.Ticket) -> Bool {
    machine.withLock { $0.giveUp(ticket) } != nil
  }

  /// How many places the line takes, those of who gave up included.
  var placeCount: Int { machine.withLock { $0.placeCount } }
}

/// What the gate decides: events in, actions out.
struct AccessGateMachine {
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  /// Lets a waiter in, and answers whether it still wants to.
  typealias LetIn = @Sendable () -> Bool

  enum Action {
    case enter
    case wait(Ticket)
  }

  private struct Place {
    var number: UInt64
    var letIn: LetIn?
  }

  private var isHeld = false
  private var nextNumber: UInt64 = 0

  // In order. Those who gave up leave a hole, which is skipped.
  private var places: [Place] = []
  private var first = 0
  private var holeCount = 0

  var placeCount: Int { places.count - first }

  mutating func enter(_ letIn: @escaping LetIn) -> Action {
    guard isHeld else {
      isHeld = true
      return .enter
    }
    let number = nextNumber
    nextNumber += 1
    places.append(Place(number: number, letIn: letIn))
    return .wait(Ticket(number: number))
  }

  /// Who is to be let in.
  mutating func leave() -> LetIn? {
    precondition(isHeld, "An access ended that had not begun")
    while first < places.count {
      let letIn = places[first].letIn
      places[first].letIn = nil
      first += 1
      if letIn == nil { holeCount -= 1 }
      compact()
      if let letIn { return letIn }
    }
    isHeld = false
    return nil
  }

  /// Who will not be let in, nil when it was too late. It is given back, to be released outside of any lock.
  mutating func giveUp(_ ticket: Ticket) -> LetIn? {
    // Numbers grow along the line: the place is found by halving.
    var low = first
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].number == ticket.number, let letIn = places[low].letIn else { return nil }
    places[low].letIn = nil
    holeCount += 1
    compact()
    return letIn
  }

  // Amortised: what is moved is no more than what is given up or let in.
  private mutating func compact() {
    if first == places.count {
      places.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first * 2 > places.count {
      places.removeFirst(first)
      first = 0
    } else if holeCount > 64, holeCount * 2 > placeCount {
      places = places[first...].filter { $0.letIn != nil }
      first = 0
      holeCount = 0
    }
  }
}
