/// The decisions of a pool of readers: which access gets which connection, and which accesses wait.
///
/// A pure state machine: it has no lock and no connection. `ReaderPool` keeps it in a mutex, and performs its calls
/// after it has released the mutex.
///
/// A slot is a position for a connection:
///
///     vacant --request--> leased --give back, open--> idle --request--> leased
///       ^                   |                           |
///       +--give back, not open (opening failed, or the reader was invalidated)
///
/// Invariants:
/// 1. A slot is leased to at most one access, and all slots together to at most one exclusive access.
/// 2. Requests are served in order. An exclusive request waits for all readers, and later requests wait for it: neither
///    starves.
/// 3. A waiting request is either admitted once or gives up once.
/// 4. A suspended task never holds a connection that others wait for. It receives a reservation, which it claims when
///    it runs. A reservation that is not claimed can be revoked.
/// 5. Live queries have one connection more than there are for reads. They take another one only if one is left for
///    reads and no read waits: a read never waits for them.
/// 6. All reservations are revoked while an exclusive request waits, because a suspended task may need a thread that
///    waits for the exclusive access. The task is resumed without a connection, and requests one again.
struct ReaderPoolMachine {
  /// The result of a request.
  enum Grant: Equatable, Sendable {
    /// An open connection.
    case reader(slot: Int)

    /// The permission to open a connection.
    case vacancy(slot: Int)

    /// An open connection or a permission, if it is claimed before it is revoked.
    case reservation(Reservation)

    /// All connections, none of them in use.
    case everything
  }

  /// A connection for a task that must be resumed first.
  struct Reservation: Equatable, Sendable {
    var slot: Int
    fileprivate var number: UInt64

    /// A reservation that cannot be claimed.
    static let revoked = Reservation(slot: 0, number: 0)
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

  /// A call to make after the mutex is released.
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
  private var reservations: [(reservation: Reservation, slot: Slot)] = []
  private var nextReservation: UInt64 = 0
  private var waitQueue = WaitQueue<Waiter>()
  private var liveWaitQueue = WaitQueue<AdmissionHandler>()

  /// - Parameter readCountMax: The maximum number of concurrent reads.
  /// - Parameter hasLiveQueries: Whether there is an additional connection for live queries.
  init(readCountMax: Int, hasLiveQueries: Bool = false) {
    self.readCountMax = readCountMax
    slots = Array(repeating: .vacant, count: readCountMax + (hasLiveQueries ? 1 : 0))
  }

  /// The number of connections in use, and the number of waiting requests.
  var load: (busy: Int, waiting: Int) { (leasedCount, waitQueue.count) }

  // MARK: Events

  /// Requests a connection.
  ///
  /// - Parameter sleeps: Whether the access must be resumed if it has to wait. It is then admitted with a reservation.
  mutating func request(sleeps: Bool = false, _ onAdmission: @escaping AdmissionHandler) -> Action {
    if waitQueue.isEmpty, let grant = grant(exclusive: false) { return .enter(grant) }
    return .wait(waitQueue.append(Waiter(isExclusive: false, sleeps: sleeps, onAdmission: onAdmission)))
  }

  /// Requests a connection for live queries.
  mutating func requestLive(_ onAdmission: @escaping AdmissionHandler) {
    _ = liveWaitQueue.append(onAdmission)
  }

  /// Returns the requests to admit now. To be called after `requestLive`.
  mutating func serveNow() -> [Call] { serve() }

  /// Requests all connections.
  ///
  /// - Returns: Whether the request has to wait, and the calls for revoked reservations.
  mutating func requestAll(_ onAdmission: @escaping AdmissionHandler) -> (action: Action, calls: [Call]) {
    cancelReservations()
    if waitQueue.isEmpty, let grant = grant(exclusive: true) { return (.enter(grant), []) }
    let ticket = waitQueue.append(Waiter(isExclusive: true, sleeps: false, onAdmission: onAdmission))
    waitingExclusiveCount += 1
    return (.wait(ticket), serve())
  }

  /// Requests a connection without waiting.
  mutating func requestNow() -> Grant? {
    waitQueue.isEmpty ? grant(exclusive: false) : nil
  }

  /// Requests an idle connection if no request waits.
  mutating func requestIdle() -> Int? {
    guard waitQueue.isEmpty, !isExclusive else { return nil }
    guard let slot = slots.firstIndex(of: .idle) else { return nil }
    lease(slot)
    return slot
  }

  /// Requests an idle connection for a read if no request waits.
  mutating func requestOpen() -> Int? {
    leasedCount - liveCount < readCountMax ? requestIdle() : nil
  }

  /// Claims a reservation.
  ///
  /// - Returns: Whether the reservation was not revoked.
  mutating func claim(_ reservation: Reservation) -> Bool {
    guard let index = reservations.firstIndex(where: { $0.reservation == reservation }) else { return false }
    reservations.remove(at: index)
    return true
  }

  /// Revokes reservations after a long wait: there may be no other connections.
  mutating func revokeReservations() -> [Call] {
    cancelReservations()
    return serve()
  }

  /// Returns a connection.
  ///
  /// - Parameter isOpen: Whether the slot has an open connection now.
  mutating func release(slot: Int, isOpen: Bool) -> [Call] {
    switch slots[slot] {
    case .leased: break
    case .leasedToLiveQueries: liveCount -= 1
    case .vacant, .idle: preconditionFailure("Returned a reader that was not leased")
    }
    slots[slot] = isOpen ? .idle : .vacant
    leasedCount -= 1
    return serve()
  }

  /// Ends an exclusive access.
  ///
  /// - Parameter areOpen: For each slot, whether it has an open connection now.
  mutating func releaseAll(areOpen: [Bool]) -> [Call] {
    precondition(isExclusive, "Ended an exclusive access that was not granted")
    isExclusive = false
    slots = areOpen.map { $0 ? .idle : .vacant }
    return serve()
  }

  /// Gives up a request.
  ///
  /// - Returns: The waiter if it was still waiting, and the requests to admit now.
  mutating func giveUp(_ ticket: Ticket) -> (waiter: Waiter?, calls: [Call]) {
    guard let waiter = waitQueue.remove(ticket) else { return (nil, []) }
    if waiter.isExclusive { waitingExclusiveCount -= 1 }
    return (waiter, serve())
  }

  // MARK: Decisions

  private mutating func cancelReservations() {
    for (reservation, slot) in reservations {
      slots[reservation.slot] = slot
      leasedCount -= 1
    }
    reservations = []
  }

  private mutating func serve() -> [Call] {
    var calls: [Call] = []
    while let waiter = waitQueue.first {
      let given: Grant
      if waiter.sleeps, waitingExclusiveCount > 0 {
        given = .reservation(.revoked)
      } else if let grant = grant(exclusive: waiter.isExclusive) {
        given = waiter.sleeps ? reservation(grant) : grant
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
    // If a read waits and live queries have a connection, no other one is free.
    guard liveCount == 0 || slots.count - leasedCount > 1 else { return nil }
    guard let grant = free() else { return nil }
    if case .reader(let slot) = grant { slots[slot] = .leasedToLiveQueries }
    if case .vacancy(let slot) = grant { slots[slot] = .leasedToLiveQueries }
    liveCount += 1
    return grant
  }

  private mutating func reservation(_ grant: Grant) -> Grant {
    switch grant {
    case .reader(let slot): .reservation(reservation(slot, .idle))
    case .vacancy(let slot): .reservation(reservation(slot, .vacant))
    case .everything, .reservation: preconditionFailure("Only a single connection can be reserved")
    }
  }

  private mutating func reservation(_ slot: Int, _ state: Slot) -> Reservation {
    nextReservation += 1
    let reservation = Reservation(slot: slot, number: nextReservation)
    reservations.append((reservation, state))
    return reservation
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
