import FoundationEssentials

/// Admits one access at a time, in the order of the requests.
///
/// Threads wait blocked, tasks wait suspended: a waiting task needs no thread. The end of an access hands
/// the gate over to the next one in the queue, so no access overtakes another one.
///
///     free --enter--> held --leave, empty queue--> free
///                      | ^
///                      +-+ leave, next in the queue (which holds it now)
///                      +-+ takeJoining: the next in the queue runs inside of the access that holds it
///
/// Invariants:
/// 1. At most one access holds the gate.
/// 2. A waiting access is admitted once, or gives up once; never both.
final class AccessGate: Sendable {
  private let machine = Mutex(AccessGateMachine())
  private let makeWaitSignal: @Sendable () -> any WaitSignal

  init(_ environment: Environment = .live) {
    makeWaitSignal = environment.makeWaitSignal
  }

  // MARK: Threads

  /// Waits for the gate, and blocks the thread.
  func enter() {
    if enterNow() { return }
    let (action, signal) = requestAdmission()
    if case .wait = action { signal.wait() }
  }

  /// Waits for the gate until a deadline, if there is one, and blocks the thread.
  func enter(until deadline: Database.Deadline?) throws {
    if enterNow() { return }
    let (action, signal) = requestAdmission()
    if case .wait(let ticket) = action { try wait(at: signal, ticket, until: deadline) }
  }

  /// Waits for a ticket to be called, until a deadline, if there is one.
  func wait(
    at signal: any WaitSignal, _ ticket: AccessGateMachine.Ticket, until deadline: Database.Deadline?
  ) throws {
    if let deadline {
      if signal.wait(for: deadline.remaining) { return }
      if giveUp(ticket) { throw deadline.error }
      // Admitted at the last moment.
    }
    signal.wait()
  }

  /// Requests the gate.
  ///
  /// - Returns: Whether the caller must wait, and the object that reports the end of the wait.
  func requestAdmission() -> (action: AccessGateMachine.Action, signal: any WaitSignal) {
    let signal = makeWaitSignal()
    return (machine.withLock { $0.enter { signal.notify() } }, signal)
  }

  /// Enters the gate if it is free.
  ///
  /// - Returns: Whether the caller holds the gate.
  func enterNow() -> Bool { machine.withLock { $0.enterNow() } }

  /// Hands the gate over to the next one in the queue.
  func leave() {
    let next = machine.withLock { $0.leave() }
    next?()
  }

  // MARK: Jobs

  /// Calls a closure as soon as the gate is held: now, or when another access leaves. The closure must not block.
  ///
  /// - Returns: The ticket for giving up.
  @discardableResult
  func enter(_ body: @escaping @Sendable () -> Void) -> AccessGateMachine.Ticket? { enter(joining: nil, body) }

  /// Calls a closure as soon as the gate is held, unless the access has joined the one before it.
  ///
  /// - Parameter join: Runs the access as a part of the one that holds the gate, on the calling thread; nil if it must
  ///   hold the gate itself.
  /// - Returns: The ticket for giving up.
  @discardableResult
  func enter(joining join: (@Sendable () -> Void)?, _ body: @escaping @Sendable () -> Void)
    -> AccessGateMachine.Ticket?
  {
    switch machine.withLock({ $0.enter(body, join: join) }) {
    case .enter:
      body()
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Whether the next access can join the current access.
  var nextCanJoin: Bool { machine.withLock { $0.nextCanJoin } }

  /// Removes the next access from the queue if it can join the current access.
  ///
  /// - Returns: The closure that runs it.
  func takeJoining() -> (@Sendable () -> Void)? { machine.withLock { $0.takeJoining() } }

  /// Gives up waiting.
  ///
  /// - Returns: Whether it was in time: the closure will not be called.
  @discardableResult
  func giveUp(_ ticket: AccessGateMachine.Ticket) -> Bool {
    // The captures of the closure are released here, after the lock.
    machine.withLock { $0.giveUp(ticket) } != nil
  }

  /// The length of the queue, including tickets that gave up.
  var entryCount: Int { machine.withLock { $0.entryCount } }
}

/// The state machine of the gate: events in, actions out.
struct AccessGateMachine {
  typealias AdmissionHandler = @Sendable () -> Void
  typealias Ticket = WaitQueue<Waiter>.Ticket

  struct Waiter {
    fileprivate let admit: AdmissionHandler

    /// Runs the access as a part of the current access; nil if it must hold the gate itself.
    fileprivate let join: AdmissionHandler?
  }

  enum Action {
    case enter
    case wait(Ticket)
  }

  private var isHeld = false
  private var waitQueue = WaitQueue<Waiter>()

  /// The number of waiting accesses.
  var waitingCount: Int { waitQueue.count }

  mutating func enter(_ onAdmission: @escaping AdmissionHandler, join: AdmissionHandler? = nil) -> Action {
    guard isHeld else {
      isHeld = true
      return .enter
    }
    return .wait(waitQueue.append(Waiter(admit: onAdmission, join: join)))
  }

  /// - Returns: Whether the gate was free.
  mutating func enterNow() -> Bool {
    defer { isHeld = true }
    return !isHeld
  }

  /// Returns the access to be admitted.
  mutating func leave() -> AdmissionHandler? {
    precondition(isHeld, "An access ended that had not begun")
    if let next = waitQueue.popFirst() { return next.admit }
    isHeld = false
    return nil
  }

  /// Whether the next access can join the current access.
  var nextCanJoin: Bool { waitQueue.first?.join != nil }

  /// Returns the next access if it can join. It does not receive the gate.
  mutating func takeJoining() -> AdmissionHandler? { nextCanJoin ? waitQueue.popFirst()?.join : nil }

  /// Returns the access that will not be admitted; nil if it was too late.
  mutating func giveUp(_ ticket: Ticket) -> Waiter? { waitQueue.remove(ticket) }

  var entryCount: Int { waitQueue.entryCount }
}

// MARK: - Admissions

/// A resource for which an asynchronous access waits, and which it returns.
protocol AccessAdmission: Sendable {
  /// Calls a closure, which must not block, as soon as the resource is acquired.
  ///
  /// - Returns: A closure that gives up waiting, unless it is too late; nil if the resource was free.
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  /// Returns the resource.
  func end()
}

extension AccessGate: AccessAdmission {
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    guard let ticket = enter(body) else { return nil }
    return { [self] in _ = giveUp(ticket) }
  }

  func end() { leave() }
}
