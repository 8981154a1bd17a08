import Synchronization

/// The connections of a pool that read.
///
/// They are opened when they are first needed, and kept. What the pool decides is in `ReaderPoolMachine`; here
/// are the connections, and those who wait for them: threads asleep, tasks suspended.
final class ReaderPool: Sendable {
  private let machine: Mutex<ReaderPoolMachine>

  // A slot is touched by the one it is lent to, which the machine makes sure of.
  private let slots: [ReaderSlot]
  private let threads: ReaderThreads
  let executor: any AccessExecutor

  /// Whether connections are inside a transaction all the time.
  let holdsTransactions: Bool

  private let open: @Sendable (_ number: Int) throws -> Database
  private let timeLimit: AccessTimeLimit
  private let makePlace: @Sendable () -> any WaitingPlace
  let places: AccessPlaces

  // Those who wait for the writer while they read, where there is a writer.
  private let nested: NestedWrites?

  /// How many connections live queries may have at the same time.
  let liveCountMax: Int

  /// Readers opened before the current generation are closed when they come back.
  private let generation = Atomic<Int>(0)
  private let openedCount = Atomic<Int>(0)
  private let isClosed: @Sendable () -> Bool

  /// What the connections share of bad news.
  let standing: DatabaseStanding

  /// - parameter countMax: How many accesses may read at the same time.
  /// - parameter hasLiveQueries: Whether live queries read, too. They have a connection of their own.
  /// - parameter standing: What the connections share of bad news.
  /// - parameter nested: Those who wait for the writer while they read.
  /// - parameter isClosed: Whether the pool was closed, so that nothing is opened any more.
  /// - parameter open: Opens the reader of a number, which counts from 1.
  init(
    countMax: Int, hasLiveQueries: Bool = false, _ configuration: Configuration, label: String,
    holdsTransactions: Bool = false,
    standing: DatabaseStanding, nested: NestedWrites? = nil,
    isClosed: @escaping @Sendable () -> Bool,
    open: @escaping @Sendable (_ number: Int) throws -> Database
  ) {
    precondition(countMax > 0, "A pool needs one reader at least: Configuration.maximumReaderCount is \(countMax)")
    let slotCount = countMax + (hasLiveQueries ? 1 : 0)
    machine = Mutex(ReaderPoolMachine(readCountMax: countMax, hasLiveQueries: hasLiveQueries))
    slots = (0..<slotCount).map { _ in ReaderSlot() }
    threads = ReaderThreads(count: slotCount)
    executor = configuration.environment.makeExecutor(label, slotCount)
    liveCountMax = countMax
    timeLimit = AccessTimeLimit(configuration)
    places = AccessPlaces(configuration.environment)
    makePlace = configuration.environment.makePlace
    self.nested = nested
    self.holdsTransactions = holdsTransactions
    self.standing = standing
    self.isClosed = isClosed
    self.open = open
  }

  deinit {
    for slot in slots { slot.abandon() }
  }

  /// A connection that is lent, or promised.
  struct Loan: Sendable {
    fileprivate let slot: Int
    fileprivate var promise: ReaderPoolMachine.Promise?
  }

  /// How many connections are in use, and how many accesses wait.
  var load: (busy: Int, waiting: Int) { machine.withLock { $0.load } }

  // MARK: - Borrowing

  /// When an access that begins now must be over, if it must.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// Waits for a connection, with the thread.
  ///
  /// - throws: An error when there was none until the deadline.
  func borrow(until deadline: Database.Deadline?) throws -> Loan {
    if let free = try borrowUnlessInherited() { return free }
    let place = makePlace()
    let result = Mutex<ReaderPoolMachine.Grant?>(nil)
    let action = machine.withLock { machine in
      machine.request { grant in
        result.withLock { $0 = grant }
        place.tell()
      }
    }
    switch action {
    case .enter(let grant):
      return loan(grant)
    case .wait(let ticket):
      try wait(at: place, ticket, until: deadline)
      guard let grant = result.withLock({ $0 }) else { preconditionFailure("Let in without a reader") }
      return loan(grant)
    }
  }

  /// Calls a closure as soon as there is a connection. The closure must not block.
  ///
  /// - returns: The ticket with which one can give up.
  func borrow(_ body: @escaping @Sendable (Loan) -> Void) -> ReaderPoolMachine.Ticket? {
    let letIn: ReaderPoolMachine.LetIn = { [self] in body(loan($0)) }
    switch machine.withLock({ $0.request(letIn) }) {
    case .enter(let grant):
      letIn(grant)
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Calls a closure as soon as there is a connection for live queries. The closure must not block.
  func borrowLive(_ body: @escaping @Sendable (Loan) -> Void) {
    perform(
      machine.withLock { machine in
        machine.requestLive { [self] in body(loan($0)) }
        return machine.serveNow()
      })
  }

  /// Has a closure called with a connection that is promised, or lent if there is one now. The closure must not block.
  ///
  /// - returns: The ticket with which one can give up.
  func borrowAsleep(_ body: @escaping @Sendable (Loan) -> Void) -> ReaderPoolMachine.Ticket? {
    let letIn: ReaderPoolMachine.LetIn = { [self] in body(loan($0)) }
    switch machine.withLock({ $0.request(sleeps: true, letIn) }) {
    case .enter(let grant):
      letIn(grant)
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Whether a connection that may be promised only is ours.
  func claim(_ loan: Loan) -> Bool {
    guard let promise = loan.promise else { return true }
    return machine.withLock { $0.claim(promise) }
  }

  /// Waits with the thread.
  ///
  /// After a while it takes back what was promised to tasks: they may need this very thread to wake up, as when it is
  /// the main thread, or one of the few that Swift has for all tasks.
  ///
  /// - throws: An error when the wait was not over until the deadline.
  private func wait(
    at place: any WaitingPlace, _ ticket: ReaderPoolMachine.Ticket, until deadline: Database.Deadline?
  ) throws {
    let isWriting = nested?.writerWaits() ?? false
    defer { if isWriting { nested?.writerGoesOn() } }
    let pause = Duration.milliseconds(10)
    while !place.wait(for: deadline.map { min($0.rest, pause) } ?? pause) {
      perform(machine.withLock { $0.takeBackPromises() })
      if let deadline, deadline.isOver, giveUp(ticket) { throw deadline.error }
    }
  }

  /// A connection that is free, if nobody waits for one.
  func borrowNow() -> Loan? {
    machine.withLock { $0.requestNow() }.map(loan)
  }

  /// A connection that is free, if nobody waits for one. In a child made by `fork`, there is none to wait for.
  func borrowUnlessInherited() throws -> Loan? {
    try standing.checkIsNotInherited()
    return borrowNow()
  }

  /// A connection that is free and open, if nobody waits for one.
  func borrowOpenNow() -> Loan? {
    guard let slot = machine.withLock({ $0.requestOpen() }) else { return nil }
    return Loan(slot: slot)
  }

  /// Gives up waiting.
  ///
  /// - returns: Whether it was not too late.
  @discardableResult
  func giveUp(_ ticket: ReaderPoolMachine.Ticket) -> Bool {
    let (waiter, calls) = machine.withLock { $0.giveUp(ticket) }
    perform(calls)
    return waiter != nil
  }

  private func loan(_ grant: ReaderPoolMachine.Grant) -> Loan {
    switch grant {
    case .reader(let slot), .vacancy(let slot): Loan(slot: slot)
    case .promise(let promise): Loan(slot: promise.slot, promise: promise)
    case .everything: preconditionFailure("A reader was asked for, and all were given")
    }
  }

  /// Gives a connection back.
  func giveBack(_ loan: Loan) {
    let slot = slots[loan.slot]
    var isOpen = false
    if let db = slot.db {
      // Its transaction could not be ended: the next access must not find it.
      isOpen = isOfNow(slot) && (holdsTransactions || db.isInAutocommitMode)
      if !isOpen { slot.abandon() }
    }
    let calls = machine.withLock { $0.giveBack(slot: loan.slot, isOpen: isOpen) }
    if !calls.isEmpty { perform(calls) }
  }

  private func perform(_ calls: [ReaderPoolMachine.Call]) {
    for call in calls { call() }
  }

  // MARK: - Using

  /// Whether the connection of a slot, if there is one, was not invalidated.
  private func isOfNow(_ slot: ReaderSlot) -> Bool { slot.generation == generation.load(ordering: .acquiring) }

  /// Runs an access with a connection that is lent, opened if need be.
  ///
  /// - parameter renews: Whether another one is opened in the place of one that was invalidated. Not when the one that
  ///   is there holds a state already.
  @inline(__always)
  func use<Result>(_ loan: Loan, renews: Bool, _ body: (Database) throws -> Result) throws -> Result {
    try threads.withAccess(loan.slot, connection(of: loan, renews: renews), body)
  }

  private func connection(of loan: Loan, renews: Bool) throws -> Database {
    let slot = slots[loan.slot]
    if renews, !isOfNow(slot) { slot.abandon() }
    if let db = slot.db { return db }
    if isClosed() { throw Database.closedError }
    let generation = generation.load(ordering: .acquiring)
    let db = try open(openedCount.add(1, ordering: .relaxed).newValue)
    slot.put(db, generation: generation)
    return db
  }

  /// The connection that the calling thread is using.
  var currentConnection: Database? { threads.slotOfThisThread.flatMap { slots[$0].db } }

  /// Whether the calling thread is using a connection.
  var isAccessible: Bool { threads.slotOfThisThread != nil }

  /// What a write of the calling thread has to mind, if it reads.
  var nestedWrites: NestedWrites? { isAccessible ? nested : nil }

  /// Runs a closure while nobody reads. It may close the connections.
  func exclusively<Result>(until deadline: Database.Deadline? = nil, _ body: () throws -> Result) throws -> Result {
    try waitForAll(until: deadline)
    defer { endExclusive() }
    return try body()
  }

  /// Waits until nobody reads, with the thread. Nobody reads until `endExclusive` is called.
  ///
  /// - throws: An error when somebody still reads at the deadline.
  func waitForAll(until deadline: Database.Deadline? = nil) throws {
    precondition(
      !isAccessible,
      "Who waits for all reads to end must not be inside one: return from the read first")
    try standing.checkIsNotInherited()
    let place = makePlace()
    let (action, calls) = machine.withLock { $0.requestEverything { _ in place.tell() } }
    perform(calls)
    if case .wait(let ticket) = action { try wait(at: place, ticket, until: deadline) }
  }

  /// Closes the connections. To be called while nobody reads.
  func closeAll() throws {
    for slot in slots { try slot.close() }
  }

  /// Calls a closure as soon as nobody reads, and until `endExclusive` is called. The closure must not block.
  func beginExclusive(_ body: @escaping @Sendable () -> Void) -> ReaderPoolMachine.Ticket? {
    let (action, calls) = machine.withLock { $0.requestEverything { _ in body() } }
    perform(calls)
    switch action {
    case .enter:
      body()
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Lets readers in again.
  func endExclusive() {
    let areOpen = slots.map { $0.db != nil }
    perform(machine.withLock { $0.giveBackEverything(areOpen: areOpen) })
  }

  /// Has the connections closed: those that are idle now, the others when they come back.
  func invalidate() {
    generation.add(1, ordering: .acquiringAndReleasing)
    borrowIdle().forEach(giveBack)
  }

  /// Runs a closure with each connection that is idle.
  func withIdleConnections(_ body: (Database) -> Void) {
    for loan in borrowIdle() {
      let slot = slots[loan.slot]
      if let db = slot.db { threads.withAccess(loan.slot, db, body) }
      giveBack(loan)
    }
  }

  /// The connections that are idle, each once: one that is given back may be idle again at once, so that who asks for
  /// the next one and gives it back in turn may never come to an end.
  private func borrowIdle() -> [Loan] {
    var loans: [Loan] = []
    while let slot = machine.withLock({ $0.requestIdle() }) { loans.append(Loan(slot: slot)) }
    return loans
  }

  /// Has the statements that run fail.
  func interrupt() {
    for slot in slots { slot.interrupt() }
  }
}
