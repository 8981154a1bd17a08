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
  private let makeWaitSignal: @Sendable () -> any WaitSignal
  let inlinePolicy: InlineExecutionPolicy

  // Those who wait for the writer while they read, where there is a writer.
  private let nested: NestedWrites?

  /// How many connections live queries may have at the same time.
  let liveCountMax: Int

  /// Readers opened before the current generation are closed when they come back.
  private let generation = Atomic<Int>(0)
  private let openedCount = Atomic<Int>(0)
  private let isClosed: @Sendable () -> Bool

  /// What the connections share of bad news.
  let health: DatabaseHealth

  /// - parameter countMax: How many accesses may read at the same time.
  /// - parameter hasLiveQueries: Whether live queries read, too. They have a connection of their own.
  /// - parameter health: What the connections share of bad news.
  /// - parameter nested: Those who wait for the writer while they read.
  /// - parameter isClosed: Whether the pool was closed, so that nothing is opened any more.
  /// - parameter open: Opens the reader of a number, which counts from 1.
  init(
    countMax: Int, hasLiveQueries: Bool = false, _ configuration: Configuration, label: String,
    holdsTransactions: Bool = false,
    health: DatabaseHealth, nested: NestedWrites? = nil,
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
    inlinePolicy = InlineExecutionPolicy(configuration)
    makeWaitSignal = configuration.environment.makeWaitSignal
    self.nested = nested
    self.holdsTransactions = holdsTransactions
    self.health = health
    self.isClosed = isClosed
    self.open = open
  }

  deinit {
    for slot in slots { slot.abandon() }
  }

  /// A connection that is lent, or promised.
  struct Lease: Sendable {
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
  func acquire(until deadline: Database.Deadline?) throws -> Lease {
    if let free = try acquireUnlessInherited() { return free }
    let signal = makeWaitSignal()
    let result = Mutex<ReaderPoolMachine.Grant?>(nil)
    let action = machine.withLock { machine in
      machine.request { grant in
        result.withLock { $0 = grant }
        signal.notify()
      }
    }
    switch action {
    case .enter(let grant):
      return lease(grant)
    case .wait(let ticket):
      try wait(at: signal, ticket, until: deadline)
      guard let grant = result.withLock({ $0 }) else { preconditionFailure("Let in without a reader") }
      return lease(grant)
    }
  }

  /// Calls a closure as soon as there is a connection. The closure must not block.
  ///
  /// - returns: The ticket with which one can give up.
  func acquire(_ body: @escaping @Sendable (Lease) -> Void) -> ReaderPoolMachine.Ticket? {
    let onAdmission: ReaderPoolMachine.AdmissionHandler = { [self] in body(lease($0)) }
    switch machine.withLock({ $0.request(onAdmission) }) {
    case .enter(let grant):
      onAdmission(grant)
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Calls a closure as soon as there is a connection for live queries. The closure must not block.
  func acquireForLiveQueries(_ body: @escaping @Sendable (Lease) -> Void) {
    perform(
      machine.withLock { machine in
        machine.requestLive { [self] in body(lease($0)) }
        return machine.serveNow()
      })
  }

  /// Has a closure called with a connection that is promised, or lent if there is one now. The closure must not block.
  ///
  /// - returns: The ticket with which one can give up.
  func acquireAsynchronously(_ body: @escaping @Sendable (Lease) -> Void) -> ReaderPoolMachine.Ticket? {
    let onAdmission: ReaderPoolMachine.AdmissionHandler = { [self] in body(lease($0)) }
    switch machine.withLock({ $0.request(sleeps: true, onAdmission) }) {
    case .enter(let grant):
      onAdmission(grant)
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Whether a connection that may be promised only is ours.
  func claim(_ lease: Lease) -> Bool {
    guard let promise = lease.promise else { return true }
    return machine.withLock { $0.claim(promise) }
  }

  /// Waits with the thread.
  ///
  /// After a while it takes back what was promised to tasks: they may need this very thread to wake up, as when it is
  /// the main thread, or one of the few that Swift has for all tasks.
  ///
  /// - throws: An error when the wait was not over until the deadline.
  private func wait(
    at signal: any WaitSignal, _ ticket: ReaderPoolMachine.Ticket, until deadline: Database.Deadline?
  ) throws {
    let isWriting = nested?.writerWaits() ?? false
    defer { if isWriting { nested?.writerResumes() } }
    let pause = Duration.milliseconds(10)
    while !signal.wait(for: deadline.map { min($0.remaining, pause) } ?? pause) {
      perform(machine.withLock { $0.takeBackPromises() })
      if let deadline, deadline.isExpired, giveUp(ticket) { throw deadline.error }
    }
  }

  /// A connection that is free, if nobody waits for one.
  func acquireNow() -> Lease? {
    machine.withLock { $0.requestNow() }.map(lease)
  }

  /// A connection that is free, if nobody waits for one. In a child made by `fork`, there is none to wait for.
  func acquireUnlessInherited() throws -> Lease? {
    try health.checkIsNotInherited()
    return acquireNow()
  }

  /// A connection that is free and open, if nobody waits for one.
  func acquireOpenNow() -> Lease? {
    guard let slot = machine.withLock({ $0.requestOpen() }) else { return nil }
    return Lease(slot: slot)
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

  private func lease(_ grant: ReaderPoolMachine.Grant) -> Lease {
    switch grant {
    case .reader(let slot), .vacancy(let slot): Lease(slot: slot)
    case .promise(let promise): Lease(slot: promise.slot, promise: promise)
    case .everything: preconditionFailure("A reader was asked for, and all were given")
    }
  }

  /// Gives a connection back.
  func release(_ lease: Lease) {
    let slot = slots[lease.slot]
    var isOpen = false
    if let db = slot.db {
      // Its transaction could not be ended: the next access must not find it.
      isOpen = isCurrentGeneration(slot) && (holdsTransactions || db.isInAutocommitMode)
      if !isOpen { slot.abandon() }
    }
    let calls = machine.withLock { $0.release(slot: lease.slot, isOpen: isOpen) }
    if !calls.isEmpty { perform(calls) }
  }

  private func perform(_ calls: [ReaderPoolMachine.Call]) {
    for call in calls { call() }
  }

  // MARK: - Using

  /// Whether the connection of a slot, if there is one, was not invalidated.
  private func isCurrentGeneration(_ slot: ReaderSlot) -> Bool {
    slot.generation == generation.load(ordering: .acquiring)
  }

  /// Runs an access with a connection that is lent, opened if need be.
  ///
  /// - parameter renews: Whether another one is opened in the place of one that was invalidated. Not when the one that
  ///   is there holds a state already.
  @inline(__always)
  func use<Result>(_ lease: Lease, renews: Bool, _ body: (Database) throws -> Result) throws -> Result {
    try threads.withAccess(lease.slot, connection(of: lease, renews: renews), body)
  }

  private func connection(of lease: Lease, renews: Bool) throws -> Database {
    let slot = slots[lease.slot]
    if renews, !isCurrentGeneration(slot) { slot.abandon() }
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
    try health.checkIsNotInherited()
    let signal = makeWaitSignal()
    let (action, calls) = machine.withLock { $0.requestAll { _ in signal.notify() } }
    perform(calls)
    if case .wait(let ticket) = action { try wait(at: signal, ticket, until: deadline) }
  }

  /// Closes the connections. To be called while nobody reads.
  ///
  /// - throws: The first error, when the program still holds statements: SQLite frees their connections when they are
  ///   released.
  func closeAll() throws {
    var failure: (any Error)?
    for slot in slots {
      do {
        try slot.close()
      } catch {
        slot.db?.logUnfinalizedStatements(error)
        slot.abandon()
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Calls a closure as soon as nobody reads, and until `endExclusive` is called. The closure must not block.
  func beginExclusive(_ body: @escaping @Sendable () -> Void) -> ReaderPoolMachine.Ticket? {
    let (action, calls) = machine.withLock { $0.requestAll { _ in body() } }
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
    perform(machine.withLock { $0.releaseAll(areOpen: areOpen) })
  }

  /// Has the connections closed: those that are idle now, the others when they come back.
  func invalidate() {
    generation.add(1, ordering: .acquiringAndReleasing)
    acquireIdle().forEach(release)
  }

  /// Runs a closure with each connection that is idle.
  func withIdleConnections(_ body: (Database) -> Void) {
    for lease in acquireIdle() {
      let slot = slots[lease.slot]
      if let db = slot.db { threads.withAccess(lease.slot, db, body) }
      release(lease)
    }
  }

  /// The connections that are idle, each once: one that is given back may be idle again at once, so that who asks for
  /// the next one and gives it back in turn may never come to an end.
  private func acquireIdle() -> [Lease] {
    var leases: [Lease] = []
    while let slot = machine.withLock({ $0.requestIdle() }) { leases.append(Lease(slot: slot)) }
    return leases
  }

  /// Has the statements that run fail.
  func interrupt() {
    for slot in slots { slot.interrupt() }
  }
}
