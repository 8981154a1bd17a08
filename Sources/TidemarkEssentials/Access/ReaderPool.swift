import Synchronization

/// The readers of a pool.
///
/// Connections are opened on first use, and kept. `ReaderPoolMachine` makes the decisions. This class has the
/// connections, and the threads and tasks that wait for them.
final class ReaderPool: Sendable {
  private let machine: Mutex<ReaderPoolMachine>

  // The machine ensures that one access at a time uses a slot.
  private let slots: [ReaderSlot]
  private let threads: ReaderThreads
  let executor: any AccessExecutor

  /// Whether connections are always inside a transaction.
  let holdsTransactions: Bool

  private let open: @Sendable (_ number: Int) throws -> Database
  private let timeLimit: AccessTimeLimit
  private let makeWaitSignal: @Sendable () -> any WaitSignal
  let inlinePolicy: InlineExecutionPolicy

  // The reads that wait for the writer; nil without a writer.
  let nested: NestedWrites?

  /// The maximum number of connections for live queries.
  let liveCountMax: Int

  /// Readers of an earlier generation are closed when they are returned.
  private let generation = Atomic<Int>(0)
  private let openedCount = Atomic<Int>(0)

  /// Whether the pool was closed, and opens no more connections.
  let isClosed = OnceFlag()

  /// The health of the database, shared by its connections.
  let health: DatabaseHealth

  /// - Parameter countMax: The maximum number of concurrent reads.
  /// - Parameter hasLiveQueries: Whether live queries use the pool. They have an additional connection.
  /// - Parameter health: The health of the database.
  /// - Parameter nested: The reads that wait for the writer.
  /// - Parameter open: Opens the reader of a number, starting at 1.
  init(
    countMax: Int, hasLiveQueries: Bool = false, _ configuration: Configuration, label: String,
    holdsTransactions: Bool = false,
    health: DatabaseHealth, nested: NestedWrites? = nil,
    open: @escaping @Sendable (_ number: Int) throws -> Database
  ) {
    precondition(countMax > 0, "Configuration.maximumReaderCount must be at least 1: \(countMax)")
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
    self.open = open
  }

  deinit {
    for slot in slots { slot.abandon() }
  }

  /// A leased or reserved connection.
  struct Lease: Sendable {
    fileprivate let slot: Int
    fileprivate var reservation: ReaderPoolMachine.Reservation?
  }

  /// The number of connections in use, and the number of waiting accesses.
  var load: (busy: Int, waiting: Int) { machine.withLock { $0.load } }

  // MARK: - Leasing

  /// The deadline of an access that begins now; nil if there is none.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// Waits for a connection, blocking the thread.
  ///
  /// - Throws: An error at the deadline.
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
      guard let grant = result.withLock({ $0 }) else { preconditionFailure("Admitted without a reader") }
      return lease(grant)
    }
  }

  /// Calls a closure as soon as a connection is available. The closure must not block.
  ///
  /// - Parameter reserves: Whether a connection that becomes available later is reserved, and must be claimed.
  /// - Returns: The ticket for giving up; nil if the closure was called immediately.
  func acquire(reserves: Bool = false, _ body: @escaping @Sendable (Lease) -> Void) -> ReaderPoolMachine.Ticket? {
    let onAdmission: ReaderPoolMachine.AdmissionHandler = { [self] in body(lease($0)) }
    switch machine.withLock({ $0.request(sleeps: reserves, onAdmission) }) {
    case .enter(let grant):
      onAdmission(grant)
      return nil
    case .wait(let ticket):
      return ticket
    }
  }

  /// Calls a closure as soon as a connection for live queries is available. The closure must not block.
  func acquireForLiveQueries(_ body: @escaping @Sendable (Lease) -> Void) {
    perform(
      machine.withLock { machine in
        machine.requestLive { [self] in body(lease($0)) }
        return machine.serveNow()
      })
  }

  /// Claims a lease that may be a reservation; false if it was revoked.
  func claim(_ lease: Lease) -> Bool {
    guard let reservation = lease.reservation else { return true }
    return machine.withLock { $0.claim(reservation) }
  }

  /// Waits, blocking the thread.
  ///
  /// After a while, reservations of tasks are revoked: the tasks may need this very thread to be resumed, if it is the
  /// main thread or a thread of Swift's pool.
  ///
  /// - Throws: An error at the deadline.
  private func wait(
    at signal: any WaitSignal, _ ticket: ReaderPoolMachine.Ticket, until deadline: Database.Deadline?
  ) throws {
    let isWriting = nested?.writerWaits() ?? false
    defer { if isWriting { nested?.writerResumes() } }
    let pause = Duration.milliseconds(10)
    while !signal.wait(for: deadline.map { min($0.remaining, pause) } ?? pause) {
      perform(machine.withLock { $0.revokeReservations() })
      if let deadline, deadline.isExpired, giveUp(ticket) { throw deadline.error }
    }
  }

  /// Returns an available connection if no access waits.
  func acquireNow() -> Lease? {
    machine.withLock { $0.requestNow() }.map(lease)
  }

  /// Returns an available connection if no access waits. A child created by `fork` does not wait for the parent's
  /// accesses.
  func acquireUnlessInherited() throws -> Lease? {
    try health.checkIsNotInherited()
    return acquireNow()
  }

  /// Returns an available open connection if no access waits.
  func acquireOpenNow() -> Lease? {
    guard let slot = machine.withLock({ $0.requestOpen() }) else { return nil }
    return Lease(slot: slot)
  }

  /// Gives up a wait.
  ///
  /// - Returns: Whether the access was still waiting.
  @discardableResult
  func giveUp(_ ticket: ReaderPoolMachine.Ticket) -> Bool {
    let (waiter, calls) = machine.withLock { $0.giveUp(ticket) }
    perform(calls)
    return waiter != nil
  }

  private func lease(_ grant: ReaderPoolMachine.Grant) -> Lease {
    switch grant {
    case .reader(let slot), .vacancy(let slot): Lease(slot: slot)
    case .reservation(let reservation): Lease(slot: reservation.slot, reservation: reservation)
    case .everything: preconditionFailure("Granted all readers for a request of one reader")
    }
  }

  /// Returns a connection to the pool.
  func release(_ lease: Lease) {
    let slot = slots[lease.slot]
    var isOpen = false
    if let db = slot.db {
      // If its transaction could not be ended, the next access must not use the connection.
      isOpen = isCurrentGeneration(slot) && (holdsTransactions || db.isInAutocommitMode)
      if !isOpen { slot.abandon() }
    }
    let calls = machine.withLock { $0.release(slot: lease.slot, isOpen: isOpen) }
    if !calls.isEmpty { perform(calls) }
  }

  private func perform(_ calls: [ReaderPoolMachine.Call]) {
    for call in calls { call() }
  }

  // MARK: - Using connections

  /// Whether the connection of a slot was not invalidated, or there is none.
  private func isCurrentGeneration(_ slot: ReaderSlot) -> Bool {
    slot.generation == generation.load(ordering: .acquiring)
  }

  /// Runs an access with a leased connection, which is opened if necessary.
  ///
  /// - Parameter renews: Whether an invalidated connection is replaced. Not if it already holds a snapshot.
  @inline(__always)
  func use<Result>(_ lease: Lease, renews: Bool, _ body: (Database) throws -> Result) throws -> Result {
    try threads.withAccess(lease.slot, connection(of: lease, renews: renews), body)
  }

  private func connection(of lease: Lease, renews: Bool) throws -> Database {
    let slot = slots[lease.slot]
    if renews, !isCurrentGeneration(slot) { slot.abandon() }
    if let db = slot.db { return db }
    if isClosed.isSet { throw Database.closedError }
    let generation = generation.load(ordering: .acquiring)
    let db = try open(openedCount.add(1, ordering: .relaxed).newValue)
    slot.put(db, generation: generation)
    return db
  }

  /// The connection that the calling thread uses.
  var currentConnection: Database? { threads.slotOfThisThread.flatMap { slots[$0].db } }

  /// Whether the calling thread uses a connection.
  var isAccessible: Bool { threads.slotOfThisThread != nil }

  /// The nested writes of the calling thread if it reads.
  var nestedWrites: NestedWrites? { isAccessible ? nested : nil }

  /// Runs a closure that excludes all reads. It may close the connections.
  func exclusively<Result>(until deadline: Database.Deadline? = nil, _ body: () throws -> Result) throws -> Result {
    try waitForAll(until: deadline)
    defer { endExclusive() }
    return try body()
  }

  /// Waits until all reads have ended, blocking the thread. New reads do not begin until `endExclusive` is called.
  ///
  /// - Throws: An error at the deadline.
  func waitForAll(until deadline: Database.Deadline? = nil) throws {
    precondition(
      !isAccessible,
      "A barrier cannot be called from inside a read of the same pool: finish the read first")
    try health.checkIsNotInherited()
    let signal = makeWaitSignal()
    let (action, calls) = machine.withLock { $0.requestAll { _ in signal.notify() } }
    perform(calls)
    if case .wait(let ticket) = action { try wait(at: signal, ticket, until: deadline) }
  }

  /// Closes the pool after the running reads, even if the program retains statements.
  ///
  /// - Throws: The first error.
  func close() throws {
    // In a child created by fork(), the connections belong to the parent, and its reading threads do not exist.
    if health.isInherited { return isClosed.set() }
    defer { executor.retire() }
    try exclusively {
      isClosed.set()
      try closeAll()
    }
  }

  /// Closes the connections. Call it while reads are excluded.
  ///
  /// - Throws: The first error, if the program retains statements: SQLite frees their connections when they are
  ///   finalized.
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

  /// Calls a closure as soon as all reads have ended. New reads do not begin until `endExclusive` is called. The
  /// closure must not block.
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

  /// Allows reads again.
  func endExclusive() {
    let areOpen = slots.map { $0.db != nil }
    perform(machine.withLock { $0.releaseAll(areOpen: areOpen) })
  }

  /// Closes the idle connections now, and the others when they are returned.
  func invalidate() {
    generation.add(1, ordering: .acquiringAndReleasing)
    acquireIdle().forEach(release)
  }

  /// Runs a closure with each idle connection.
  func withIdleConnections(_ body: (Database) -> Void) {
    for lease in acquireIdle() {
      let slot = slots[lease.slot]
      if let db = slot.db { threads.withAccess(lease.slot, db, body) }
      release(lease)
    }
  }

  /// Leases all idle connections at once. Leasing and returning them one by one could get the same connection forever.
  private func acquireIdle() -> [Lease] {
    var leases: [Lease] = []
    while let slot = machine.withLock({ $0.requestIdle() }) { leases.append(Lease(slot: slot)) }
    return leases
  }

  /// Interrupts running statements.
  func interrupt() {
    for slot in slots { slot.interrupt() }
  }
}
