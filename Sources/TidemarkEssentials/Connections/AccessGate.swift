import FoundationEssentials

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
  private let makePlace: @Sendable () -> any WaitingPlace

  init(_ environment: Environment = .live) {
    makePlace = environment.makePlace
  }

  // MARK: Threads

  /// Waits for the gate, with the thread.
  func enter() {
    if enterNow() { return }
    let (action, place) = ask()
    if case .wait = action { place.wait() }
  }

  /// Waits for the gate, with the thread, until some moment, if there is one.
  func enter(until deadline: Database.Deadline?) throws {
    if enterNow() { return }
    let (action, place) = ask()
    if case .wait(let ticket) = action { try wait(at: place, ticket, until: deadline) }
  }

  /// Waits at the place of a ticket until somebody tells, or until some moment, if there is one.
  func wait(
    at place: any WaitingPlace, _ ticket: AccessGateMachine.Ticket, until deadline: Database.Deadline?
  ) throws {
    if let deadline {
      if place.wait(for: deadline.rest) { return }
      if giveUp(ticket) { throw deadline.error }
      // Let in at the last moment.
    }
    place.wait()
  }

  /// Asks to be let in.
  ///
  /// - returns: Whether there is a wait, and the place where somebody tells that it is over.
  func ask() -> (action: AccessGateMachine.Action, place: any WaitingPlace) {
    let place = makePlace()
    return (machine.withLock { $0.enter { place.tell() } }, place)
  }

  /// Takes the gate if nobody has it.
  ///
  /// - returns: Whether it is ours.
  func enterNow() -> Bool { machine.withLock { $0.enterNow() } }

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
  @discardableResult
  func giveUp(_ ticket: AccessGateMachine.Ticket) -> Bool {
    // What the closure holds is released here, outside of the lock.
    machine.withLock { $0.giveUp(ticket) } != nil
  }

  /// How many places the line takes, those of who gave up included.
  var placeCount: Int { machine.withLock { $0.placeCount } }
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

  /// - returns: Whether the gate was free.
  mutating func enterNow() -> Bool {
    defer { isHeld = true }
    return !isHeld
  }

  /// Who is to be let in.
  mutating func leave() -> LetIn? {
    precondition(isHeld, "An access ended that had not begun")
    if let next = line.popFirst() { return next }
    isHeld = false
    return nil
  }

  /// Who will not be let in, nil when it was too late.
  mutating func giveUp(_ ticket: Ticket) -> LetIn? { line.remove(ticket) }

  var placeCount: Int { line.placeCount }
}
