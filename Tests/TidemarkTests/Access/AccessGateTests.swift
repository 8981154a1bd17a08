import Testing

import Tidemark
@testable import TidemarkEssentials

/// The queue of accesses that wait for a connection.
@Suite struct AccessGateTests {
  @Test func accessesEnterInOrder() {
    let gate = AccessGate()
    let order = Locked<[Int]>([])
    gate.enter()
    for number in 0..<1000 {
      gate.enter { order.update { $0.append(number) } }
    }
    for _ in 0..<1001 { gate.leave() }
    #expect(order.value == Array(0..<1000))
  }

  @Test func accessesJoinInOrderUntilOneCannot() throws {
    let gate = AccessGate()
    let order = Locked<[String]>([])
    func note(_ word: String) -> @Sendable () -> Void { { order.update { $0.append(word) } } }
    gate.enter()
    let withdrawn = gate.enter(joining: note("join 1"), note("enter 1"))
    gate.enter(joining: note("join 2"), note("enter 2"))
    gate.enter(note("enter 3"))
    gate.enter(joining: note("join 4"), note("enter 4"))
    #expect(gate.giveUp(try #require(withdrawn)))
    #expect(gate.nextCanJoin)
    gate.takeJoining()?()
    // The third one needs the gate, and is not overtaken.
    #expect(!gate.nextCanJoin)
    #expect(gate.takeJoining() == nil)
    gate.leave()
    gate.leave()
    #expect(order.value == ["join 2", "enter 3", "enter 4"])
    gate.leave()
    // A free gate is entered.
    #expect(gate.enter(joining: note("join 5"), note("enter 5")) == nil)
    #expect(order.value.last == "enter 5")
  }

  @Test func cancelledWaitersAreNotCalled() {
    var generator = SeededRandom()
    let gate = AccessGate()
    let order = Locked<[Int]>([])
    var expected: [Int] = []
    gate.enter()
    var next = 0
    for _ in 0..<300 {
      var tickets: [(Int, AccessGateMachine.Ticket)] = []
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let number = next
        next += 1
        let ticket = gate.enter { order.update { $0.append(number) } }
        if let ticket { tickets.append((number, ticket)) }
      }
      for (number, ticket) in tickets.shuffled(using: &generator) {
        if Bool.random(using: &generator) {
          #expect(gate.giveUp(ticket))
          #expect(!gate.giveUp(ticket))
        } else {
          expected.append(number)
        }
      }
      // One access ends, the next one starts.
      if Bool.random(using: &generator), order.value.count < expected.count { gate.leave() }
    }
    while order.value.count < expected.count { gate.leave() }
    #expect(order.value == expected.sorted())
    gate.leave()
  }

  @Test func cancelledWaitersUseNoMemory() {
    let gate = AccessGate()
    gate.enter()
    for _ in 0..<10_000 {
      if let ticket = gate.enter({}) { #expect(gate.giveUp(ticket)) }
    }
    #expect(gate.entryCount < 65)
    gate.leave()
  }

  @Test func theLengthOfTheQueueIsTheNumberOfWaitingAccesses() {
    let gate = AccessGate()
    gate.enter()
    #expect(gate.entryCount == 0)
    gate.enter {}
    gate.enter {}
    #expect(gate.entryCount == 2)
    for _ in 0..<3 { gate.leave() }
  }

  @Test func accessesThatWaitForTooLongLeaveTheQueue() throws {
    let gate = AccessGate()
    gate.enter()
    let error = try #require(throws: DatabaseError.self) {
      try gate.enter(until: Database.Deadline(.zero, FakeClock().clock))
    }
    #expect(error.resultCode == .SQLITE_INTERRUPT)
    let order = Locked<[Int]>([])
    gate.enter { order.update { $0.append(1) } }
    gate.leave()
    // The access that has given up does not hold the gate.
    #expect(order.value == [1])
    gate.leave()
    #expect(gate.enterNow())
  }

  @Test func threadsWaitUntilTheyHoldTheGate() {
    let signal = LateSignal()
    var environment = Environment.live
    environment.makeWaitSignal = { signal }
    let gate = AccessGate(environment)
    gate.enter()
    signal.onWait.update { $0 = { gate.leave() } }
    gate.enter()
    #expect(signal.waitCount.value == 1)
    #expect(!gate.enterNow())
    gate.leave()
    #expect(gate.enterNow())
  }

  @Test func accessesThatAreAdmittedAtTheLastMomentHoldTheGate() throws {
    let signal = LateSignal()
    var environment = Environment.live
    environment.makeWaitSignal = { signal }
    let gate = AccessGate(environment)
    gate.enter()
    // It is admitted between the end of its time and the attempt to give up.
    signal.onExpiry.update { $0 = { gate.leave() } }
    try gate.enter(until: Database.Deadline(.zero, FakeClock().clock))
    #expect(signal.waitCount.value == 1)
    #expect(!gate.enterNow())
    gate.leave()
    #expect(gate.enterNow())
  }

  @Test func aResourceIsHandedOverWhenAnAdmissionEnds() {
    let gate: any AccessAdmission = AccessGate()
    let order = Locked<[Int]>([])
    #expect(gate.begin { order.update { $0.append(1) } } == nil)
    let giveUp = gate.begin { order.update { $0.append(2) } }
    _ = gate.begin { order.update { $0.append(3) } }
    giveUp?()
    #expect(order.value == [1])
    gate.end()
    #expect(order.value == [1, 3])
    gate.end()
    #expect(gate.begin {} == nil)
  }

  @Test func threadsEnterOneAtATime() async throws {
    let gate = AccessGate()
    let inside = Locked(0)
    let turns = Locked(0)
    let ends = (0..<4).map { _ in Signal() }
    for end in ends {
      onThread {
        for _ in 0..<500 {
          gate.enter()
          let count = inside.update {
            $0 += 1; return $0
          }
          if count == 1 { turns.update { $0 += 1 } }
          inside.update { $0 -= 1 }
          gate.leave()
        }
        end.fire()
      }
    }
    for end in ends { try end.wait() }
    #expect(turns.value == 2000)
  }
}

/// A signal that always arrives after the end of a limited wait.
private final class LateSignal: WaitSignal {
  let onExpiry = Locked<@Sendable () -> Void>({})
  let onWait = Locked<@Sendable () -> Void>({})
  let waitCount = Locked(0)
  private let isNotified = Locked(false)

  func notify() { isNotified.update { $0 = true } }

  func wait() {
    onWait.value()
    #expect(isNotified.value)
    waitCount.update { $0 += 1 }
  }

  func wait(for duration: Duration) -> Bool {
    onExpiry.value()
    return false
  }
}
