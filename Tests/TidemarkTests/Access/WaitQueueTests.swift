import Testing

import Tidemark
@testable import TidemarkEssentials

/// The queue of waiting accesses, compared with an array.
@Suite struct WaitQueueTests {
  @Test func waitersLeaveInOrderOrCancelOnce() throws {
    var generator = SeededRandom()
    for _ in 0..<40 {
      var waitQueue = WaitQueue<Int>()
      var model: [Int] = []
      var tickets: [(number: Int, ticket: WaitQueue<Int>.Ticket)] = []
      // Some queues grow, some shrink.
      let arrivals = Int.random(in: 2...7, using: &generator)
      for number in 0..<1500 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<arrivals:
          tickets.append((number, waitQueue.append(number)))
          model.append(number)
        case 9:
          try #require(waitQueue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
        default:
          guard let (number, ticket) = tickets.randomElement(using: &generator) else { continue }
          let place = model.firstIndex(of: number)
          try #require(waitQueue.remove(ticket) == place.map { model.remove(at: $0) })
        }
        try #require(waitQueue.count == model.count)
        try #require(waitQueue.first == model.first)
        try #require(waitQueue.isEmpty == model.isEmpty)
      }
    }
  }

  @Test func `accesses that have given up use little memory`() {
    var waitQueue = WaitQueue<Int>()
    // The first one stays, so that none is skipped.
    _ = waitQueue.append(-1)
    var entryCounts: [Int] = []
    for number in 0..<200 {
      let ticket = waitQueue.append(number)
      #expect(waitQueue.remove(ticket) == number)
      entryCounts.append(waitQueue.entryCount)
    }
    // Up to 66 entries for one access. Then the holes are removed.
    #expect(Array(entryCounts.prefix(67)) == [Int](2...66) + [1, 2])
    #expect(entryCounts.max() == 66)
    #expect(waitQueue.popFirst() == -1)
  }

  @Test func `accesses that have left use little memory`() {
    var waitQueue = WaitQueue<Int>()
    for number in 0..<200 { _ = waitQueue.append(number) }
    var entryCounts: [Int] = []
    for number in 0..<200 {
      #expect(waitQueue.popFirst() == number)
      entryCounts.append(waitQueue.entryCount)
    }
    // After 133 of them, there are more than 64 holes more than accesses.
    #expect(entryCounts.firstIndex { $0 < 200 } == 132)
    #expect(entryCounts[132] == 67)
    #expect(entryCounts.last == 1)
  }
}

/// The gate of one connection, compared with an array.
@Suite struct WaitQueueGateTests {
  @Test func onlyOneAccessEntersAtATimeInOrder() throws {
    var generator = SeededRandom()
    for _ in 0..<40 {
      var gate = AccessGateMachine()
      let onAdmission = Journal<Int>()
      var isHeld = false
      var waiting: [(number: Int, ticket: AccessGateMachine.Ticket)] = []
      var gone: [AccessGateMachine.Ticket] = []
      var expected: [Int] = []
      for number in 0..<500 {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<3:
          switch gate.enter({ onAdmission.append(number) }) {
          case .enter:
            try #require(!isHeld, "invariant 1")
            isHeld = true
          case .wait(let ticket):
            try #require(isHeld)
            waiting.append((number, ticket))
          }
        case 3..<6 where isHeld:
          gate.leave()?()
          if waiting.isEmpty {
            isHeld = false
          } else {
            let next = waiting.removeFirst()
            expected.append(next.number)
            gone.append(next.ticket)
          }
        case 6 where !waiting.isEmpty:
          let place = Int.random(in: waiting.indices, using: &generator)
          let ticket = waiting.remove(at: place).ticket
          _ = gate.giveUp(ticket)
          gone.append(ticket)
        default:
          // Too late: no effect.
          if let ticket = gone.randomElement(using: &generator) { _ = gate.giveUp(ticket) }
        }
        try #require(onAdmission.entries == expected, "invariant 2, and in order")
        try #require(gate.waitingCount == waiting.count)
      }
    }
  }
}
