/// What a pool of readers decides: who reads with which connection, who waits, who has all to himself.
///
/// Events in, actions out: no lock, no connection inside. `ReaderPool` holds the machine behind a mutex, and
/// does what it says once the mutex is released.
///
/// A slot is a place for a connection:
///
///     vacant --request--> lent --give back, open--> idle --request--> lent
///       ^                  |                          |
///       +--give back, not open (opening failed, or the reader was invalidated)
///
/// Invariants:
/// 1. A slot is lent to one access at most; all slots together to one exclusive access at most.
/// 2. Requests are served in order. An exclusive request waits for all readers, and whoever comes after it
///    waits for it: neither starves.
/// 3. Who waits is let in once, or gives up once; never both.
/// 4. Who sleeps does not hold a connection that others wait for: a task that has to wake up first is given a promise,
///    which it claims when it runs. What is not claimed can be taken back.
/// 5. Live queries have one connection more than there are for reads, and take another one only when one is left for
///    reads and nobody waits: no read ever waits for them.
/// 6. As long as an exclusive request waits, nothing is promised: who sleeps may need a thread to wake up that waits
///    for the exclusive access. He is woken up empty-handed, and asks again.
struct ReaderPoolMachine {
  /// What a request is given.
  enum Grant: Equatable, Sendable {
    /// A connection that is open.
    case reader(slot: Int)

    /// The right to open a connection.
    case vacancy(slot: Int)

    /// One of both, if it is claimed before it is taken back.
    case promise(Promise)

    /// All connections, none of which is in use.
    case everything
  }

  /// A connection for somebody who has to wake up first.
  struct Promise: Equatable, Sendable {
    var slot: Int
    fileprivate var number: UInt64

    /// What nobody can claim.
    static let broken = Promise(slot: 0, number: 0)
  }

  typealias AdmissionHandler = @Sendable (Grant) -> Void
  typealias Ticket = WaitQueue<Waiter>.Ticket

  enum Action {
    case enter(Grant)
    case wait(Ticket)
  }

  struct Waiter {
    var isExclusive: Bool
    var sleeps: Bool
    var onAdmission: AdmissionHandler
  }

  /// What to call once the machine is released.
  struct Call {
    var onAdmission: AdmissionHandler
    var grant: Grant

    func callAsFunction() { onAdmission(grant) }
  }

  private enum Slot {
    case vacant
    case idle
    case leased
    case leasedToLiveQueries
  }

  private var slots: [Slot]
  private let readCountMax: Int
  private var leasedCount = 0
  private var liveCount = 0
  private var isExclusive = false
  private var waitingExclusiveCount = 0
  private var promises: [(promise: Promise, slot: Slot)] = []
  private var nextPromise: UInt64 = 0
  private var waitQueue = WaitQueue<Waiter>()
  private var liveWaitQueue = WaitQueue<AdmissionHandler>()

  /// - parameter readCountMax: How many accesses may read at the same time.
  /// - parameter hasLiveQueries: Whether there is one connection more, for live queries.
  init(readCountMax: Int, hasLiveQueries: Bool = false) {
    self.readCountMax = readCountMax
    slots = Array(repeating: .vacant, count: readCountMax + (hasLiveQueries ? 1 : 0))
  }

  /// How many connections are in use, and how many requests wait.
  var load: (busy: Int, waiting: Int) { (leasedCount, waitQueue.count) }

  // MARK: Events

  /// Somebody wants a connection.
  ///
  /// - parameter sleeps: Whether he has to wake up, if he has to wait. He is then let in with a promise.
  mutating func request(sleeps: Bool = false, _ onAdmission: @escaping AdmissionHandler) -> Action {
    if waitQueue.isEmpty, let grant = grant(exclusive: false) { return .enter(grant) }
    return .wait(waitQueue.append(Waiter(isExclusive: false, sleeps: sleeps, onAdmission: onAdmission)))
  }

  /// Live queries want a connection.
  mutating func requestLive(_ onAdmission: @escaping AdmissionHandler) {
    _ = liveWaitQueue.append(onAdmission)
  }

  /// Who can go now: to be asked after `requestLive`.
  mutating func serveNow() -> [Call] { serve() }

  /// Somebody wants all connections.
  ///
  /// - returns: Whether he has to wait, and who can go because what was promised is taken back.
  mutating func requestAll(_ onAdmission: @escaping AdmissionHandler) -> (action: Action, calls: [Call]) {
    breakPromises()
    if waitQueue.isEmpty, let grant = grant(exclusive: true) { return (.enter(grant), []) }
    let ticket = waitQueue.append(Waiter(isExclusive: true, sleeps: false, onAdmission: onAdmission))
    waitingExclusiveCount += 1
    return (.wait(ticket), serve())
  }

  /// Somebody wants a connection, but not to wait.
  mutating func requestNow() -> Grant? {
    waitQueue.isEmpty ? grant(exclusive: false) : nil
  }

  /// Somebody wants an idle connection, if there is one that nobody waits for.
  mutating func requestIdle() -> Int? {
    guard waitQueue.isEmpty, !isExclusive else { return nil }
    guard let slot = slots.firstIndex(of: .idle) else { return nil }
    lease(slot)
    return slot
  }

  /// Somebody wants to read with an idle connection, if there is one that nobody waits for.
  mutating func requestOpen() -> Int? {
    leasedCount - liveCount < readCountMax ? requestIdle() : nil
  }

  /// Somebody has woken up.
  ///
  /// - returns: Whether what he was promised is his: it was not taken back.
  mutating func claim(_ promise: Promise) -> Bool {
    guard let index = promises.firstIndex(where: { $0.promise == promise }) else { return false }
    promises.remove(at: index)
    return true
  }

  /// Somebody has waited for long, and what was promised to others may be all there is.
  mutating func takeBackPromises() -> [Call] {
    breakPromises()
    return serve()
  }

  /// Somebody has read.
  ///
  /// - parameter isOpen: Whether there is an open connection in the slot now.
  mutating func release(slot: Int, isOpen: Bool) -> [Call] {
    switch slots[slot] {
    case .leased: break
    case .leasedToLiveQueries: liveCount -= 1
    case .vacant, .idle: preconditionFailure("A reader is given back that was not lent")
    }
    slots[slot] = isOpen ? .idle : .vacant
    leasedCount -= 1
    return serve()
  }

  /// The one who had everything is done.
  ///
  /// - parameter areOpen: For each slot, whether there is an open connection in it now.
  mutating func releaseAll(areOpen: [Bool]) -> [Call] {
    precondition(isExclusive, "All readers are given back that were not lent")
    isExclusive = false
    slots = areOpen.map { $0 ? .idle : .vacant }
    return serve()
  }

  /// Somebody does not want to wait any more.
  ///
  /// - returns: Who was still waiting, and who can go in his place.
  mutating func giveUp(_ ticket: Ticket) -> (waiter: Waiter?, calls: [Call]) {
    guard let waiter = waitQueue.remove(ticket) else { return (nil, []) }
    if waiter.isExclusive { waitingExclusiveCount -= 1 }
    return (waiter, serve())
  }

  // MARK: Decisions

  private mutating func breakPromises() {
    for (promise, slot) in promises {
      slots[promise.slot] = slot
      leasedCount -= 1
    }
    promises = []
  }

  private mutating func serve() -> [Call] {
    var calls: [Call] = []
    while let waiter = waitQueue.first {
      let given: Grant
      if waiter.sleeps, waitingExclusiveCount > 0 {
        given = .promise(.broken)
      } else if let grant = grant(exclusive: waiter.isExclusive) {
        given = waiter.sleeps ? promise(grant) : grant
      } else {
        break
      }
      _ = waitQueue.popFirst()
      if waiter.isExclusive { waitingExclusiveCount -= 1 }
      calls.append(Call(onAdmission: waiter.onAdmission, grant: given))
    }
    while !liveWaitQueue.isEmpty, let grant = grantLive(), let onAdmission = liveWaitQueue.popFirst() {
      calls.append(Call(onAdmission: onAdmission, grant: grant))
    }
    return calls
  }

  private mutating func grantLive() -> Grant? {
    if isExclusive || waitingExclusiveCount > 0 { return nil }
    let freeCount = slots.count - leasedCount
    guard liveCount == 0 || waitQueue.isEmpty && freeCount > 1 else { return nil }
    guard let grant = free() else { return nil }
    if case .reader(let slot) = grant { slots[slot] = .leasedToLiveQueries }
    if case .vacancy(let slot) = grant { slots[slot] = .leasedToLiveQueries }
    liveCount += 1
    return grant
  }

  private mutating func promise(_ grant: Grant) -> Grant {
    switch grant {
    case .reader(let slot): .promise(promise(slot, .idle))
    case .vacancy(let slot): .promise(promise(slot, .vacant))
    case .everything, .promise: preconditionFailure("Only a connection is promised")
    }
  }

  private mutating func promise(_ slot: Int, _ state: Slot) -> Promise {
    nextPromise += 1
    let promise = Promise(slot: slot, number: nextPromise)
    promises.append((promise, state))
    return promise
  }

  private mutating func grant(exclusive: Bool) -> Grant? {
    if isExclusive { return nil }
    if exclusive {
      guard leasedCount == 0 else { return nil }
      isExclusive = true
      return .everything
    }
    return leasedCount - liveCount < readCountMax ? free() : nil
  }

  private mutating func free() -> Grant? {
    if let slot = slots.firstIndex(of: .idle) {
      lease(slot)
      return .reader(slot: slot)
    }
    if let slot = slots.firstIndex(of: .vacant) {
      lease(slot)
      return .vacancy(slot: slot)
    }
    return nil
  }

  private mutating func lease(_ slot: Int) {
    slots[slot] = .leased
    leasedCount += 1
  }
}
