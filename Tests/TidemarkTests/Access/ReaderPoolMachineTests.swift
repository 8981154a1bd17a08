import Testing

import Tidemark
@testable import TidemarkEssentials

/// Random events for the reader pool's state machine, against a simple model.
@Suite struct ReaderPoolMachineTests {
  private enum Slot { case vacant, idle, leased }

  private struct Waiter {
    let number: Int
    let isExclusive: Bool
    let sleeps: Bool
    let ticket: ReaderPoolMachine.Ticket
  }

  /// The expected state of the machine.
  private struct Model {
    var slots: [Slot]
    var isExclusive = false
    var waitQueue: [Waiter] = []
    var reservations: [(reservation: ReaderPoolMachine.Reservation, slot: Slot)] = []
    var revoked: [ReaderPoolMachine.Reservation] = []
    var leasedCount: Int { slots.count { $0 == .leased } }

    /// Cancels a request.
    mutating func cancelReservations() {
      for (reservation, slot) in reservations { slots[reservation.slot] = slot }
      revoked += reservations.map(\.reservation)
      reservations = []
    }

    /// Records a granted reader, after checking it against invariants 1 and 2.
    mutating func receive(
      _ grant: ReaderPoolMachine.Grant, isExclusive wantsAll: Bool, sleeps: Bool = false
    ) throws {
      if grant == .reservation(.revoked) {
        try #require(sleeps && waitQueue.contains { $0.isExclusive }, "invariant 5")
        return
      }
      try #require(!isExclusive, "invariant 1")
      switch grant {
      case .reservation(let reservation):
        try #require(!waitQueue.contains { $0.isExclusive }, "invariant 5")
        try #require(!wantsAll && sleeps && slots[reservation.slot] != .leased, "invariants 1 and 4")
        reservations.append((reservation, slots[reservation.slot]))
        slots[reservation.slot] = .leased
      case .reader(let slot):
        try #require(!wantsAll && !sleeps && slots[slot] == .idle, "invariants 1 and 4")
        slots[slot] = .leased
      case .vacancy(let slot):
        try #require(!wantsAll && !sleeps && slots[slot] == .vacant, "invariants 1 and 4")
        try #require(!slots.contains(.idle), "A connection is opened while another one is idle")
        slots[slot] = .leased
      case .everything:
        try #require(wantsAll && leasedCount == 0, "invariant 1")
        isExclusive = true
      }
    }

    /// Whether the first waiting request could be granted.
    var isStuck: Bool {
      guard let first = waitQueue.first, !isExclusive else { return false }
      return first.isExclusive ? leasedCount == 0 : leasedCount < slots.count
    }
  }

  @Test func aLiveQueryWaitsForAConnectionOfAPoolWithoutOneForLiveQueries() {
    var machine = ReaderPoolMachine(readCountMax: 1)
    let grants = Journal<ReaderPoolMachine.Grant>()
    #expect(machine.requestNow() == .vacancy(slot: 0))
    machine.requestLive { grants.append($0) }
    for call in machine.serveNow() { call() }
    #expect(grants.entries == [])
    for call in machine.release(slot: 0, isOpen: true) { call() }
    #expect(grants.entries == [.reader(slot: 0)])
  }

  @Test(arguments: [1, 2, 5])
  func requestsAreServedInOrderAndOnce(slotCount: Int) throws {
    var generator = SeededRandom()
    for _ in 0..<60 {
      var machine = ReaderPoolMachine(readCountMax: slotCount)
      var model = Model(slots: Array(repeating: .vacant, count: slotCount))
      let onAdmission = Journal<(number: Int, grant: ReaderPoolMachine.Grant)>()
      var seen = 0
      var gone: [ReaderPoolMachine.Ticket] = []

      func perform(_ calls: [ReaderPoolMachine.Call]) throws {
        for call in calls { call() }
        for entry in onAdmission.entries[seen...] {
          let next = try #require(model.waitQueue.first, "invariant 3")
          try #require(entry.number == next.number, "invariant 2")
          model.waitQueue.removeFirst()
          gone.append(next.ticket)
          try model.receive(entry.grant, isExclusive: next.isExclusive, sleeps: next.sleeps)
        }
        seen = onAdmission.entries.count
      }

      for number in 0..<300 {
        let isReserved = Set(model.reservations.map(\.reservation.slot))
        let leased = model.slots.indices.filter { model.slots[$0] == .leased && !isReserved.contains($0) }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3:
          let isExclusive = Int.random(in: 0..<6, using: &generator) == 0
          let sleeps = !isExclusive && Bool.random(using: &generator)
          let note: ReaderPoolMachine.AdmissionHandler = { onAdmission.append((number, $0)) }
          let (action, calls) =
            isExclusive ? machine.requestAll(note) : (machine.request(sleeps: sleeps, note), [])
          if isExclusive { model.cancelReservations() }
          switch action {
          case .enter(let grant):
            try #require(model.waitQueue.isEmpty, "invariant 2")
            try model.receive(grant, isExclusive: isExclusive)
          case .wait(let ticket):
            model.waitQueue.append(Waiter(number: number, isExclusive: isExclusive, sleeps: sleeps, ticket: ticket))
          }
          try perform(calls)
        case 4:
          if let grant = machine.requestNow() {
            try #require(model.waitQueue.isEmpty, "invariant 2")
            try model.receive(grant, isExclusive: false)
          } else {
            try #require(!model.waitQueue.isEmpty || model.isExclusive || model.leasedCount == slotCount)
          }
        case 5:
          if let slot = machine.requestIdle() {
            try #require(model.waitQueue.isEmpty, "invariant 2")
            try model.receive(.reader(slot: slot), isExclusive: false)
          }
        case 6...7:
          if model.isExclusive {
            model.isExclusive = false
            let areOpen = (0..<slotCount).map { _ in Bool.random(using: &generator) }
            model.slots = areOpen.map { $0 ? .idle : .vacant }
            try perform(machine.releaseAll(areOpen: areOpen))
          } else if let slot = leased.randomElement(using: &generator) {
            let isOpen = Bool.random(using: &generator)
            model.slots[slot] = isOpen ? .idle : .vacant
            try perform(machine.release(slot: slot, isOpen: isOpen))
          }
        case 8:
          guard let place = model.reservations.indices.randomElement(using: &generator) else { continue }
          let reservation = model.reservations.remove(at: place).reservation
          let claims = [machine.claim(reservation), machine.claim(reservation)]
          try #require(claims == [true, false], "invariant 4")
        case 9 where Bool.random(using: &generator):
          let reservations = model.reservations
          for (reservation, slot) in reservations { model.slots[reservation.slot] = slot }
          model.reservations = []
          try perform(machine.revokeReservations())
          let claims = reservations.map { machine.claim($0.reservation) }
          try #require(!claims.contains(true), "invariant 4")
        case 10:
          guard let place = model.waitQueue.indices.randomElement(using: &generator) else { continue }
          let ticket = model.waitQueue.remove(at: place).ticket
          gone.append(ticket)
          let (waiter, calls) = machine.giveUp(ticket)
          try #require(waiter != nil)
          try perform(calls)
        default:
          guard let ticket = gone.randomElement(using: &generator) else { continue }
          let (waiter, calls) = machine.giveUp(ticket)
          try #require(waiter == nil && calls.isEmpty, "invariant 3")
        }
        for reservation in model.revoked {
          let isClaimed = machine.claim(reservation)
          try #require(!isClaimed, "invariant 4")
        }
        model.revoked = []
        try #require(!model.isStuck, "Somebody waits for nothing")
        try #require(machine.load == (model.leasedCount, model.waitQueue.count))
      }
    }
  }

  @Test func readersWaitBehindAnExclusiveRequest() {
    var machine = ReaderPoolMachine(readCountMax: 2)
    let order = Journal<String>()
    guard case .enter(.vacancy(0)) = machine.request({ _ in }) else { return #expect(Bool(false)) }
    _ = machine.requestAll { _ in order.append("exclusive") }
    // There is a free place, but requests are granted in order.
    _ = machine.request { _ in order.append("reader") }
    #expect(machine.requestNow() == nil)
    for call in machine.release(slot: 0, isOpen: true) { call() }
    #expect(order.entries == ["exclusive"])
    for call in machine.releaseAll(areOpen: [true, false]) { call() }
    #expect(order.entries == ["exclusive", "reader"])
  }

  @Test func readersContinueWhenTheExclusiveRequestIsCancelled() {
    var machine = ReaderPoolMachine(readCountMax: 2)
    let onAdmission = Journal<ReaderPoolMachine.Grant>()
    _ = machine.request { _ in }
    guard case .wait(let ticket) = machine.requestAll({ _ in }).action else { return #expect(Bool(false)) }
    _ = machine.request { onAdmission.append($0) }
    for call in machine.giveUp(ticket).calls { call() }
    #expect(onAdmission.entries == [.vacancy(slot: 1)])
  }

  /// A regression: the task that had to wake up needed a thread that waited for the exclusive access, also when
  /// another request was between them.
  @Test func exclusiveRequestsDoNotWaitForUnclaimedReservations() {
    var machine = ReaderPoolMachine(readCountMax: 1)
    let grants = Journal<ReaderPoolMachine.Grant>()
    guard case .enter = machine.request({ _ in }) else { return #expect(Bool(false)) }
    _ = machine.request(sleeps: true) { grants.append($0) }
    for call in machine.release(slot: 0, isOpen: true) { call() }
    guard case .reservation(let reservation) = grants.entries.first else { return #expect(Bool(false)) }
    _ = machine.request { grants.append($0) }
    _ = machine.request(sleeps: true) { grants.append($0) }
    for call in machine.requestAll({ grants.append($0) }).calls { call() }
    #expect(grants.entries.dropFirst() == [.reader(slot: 0), .reservation(.revoked)])
    for call in machine.release(slot: 0, isOpen: true) { call() }
    #expect(grants.entries.last == .everything)
    let claims = [machine.claim(reservation), machine.claim(.revoked)]
    #expect(claims == [false, false])
  }
}
