import Testing

import Tidemark
@testable import TidemarkEssentials

/// The queue of waiting accesses, compared with an array.
@Suite struct WaitingLineTests {
  @Test func anyoneLeavesInOrderOrGivesUpOnce() throws {
    var chance = Chance()
    for _ in 0..<40 {
      var line = WaitingLine<Int>()
      var model: [Int] = []
      var tickets: [(number: Int, ticket: WaitingLine<Int>.Ticket)] = []
      // Some queues grow, some shrink.
      let arrivals = Int.random(in: 2...7, using: &chance)
      for number in 0..<1500 {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0..<arrivals:
          tickets.append((number, line.append(number)))
          model.append(number)
        case 9:
          try #require(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
        default:
          guard let (number, ticket) = tickets.randomElement(using: &chance) else { continue }
          let place = model.firstIndex(of: number)
          try #require(line.remove(ticket) == place.map { model.remove(at: $0) })
        }
        try #require(line.count == model.count)
        try #require(line.first == model.first)
        try #require(line.isEmpty == model.isEmpty)
      }
    }
  }

  @Test func thoseWhoGaveUpTakeNoPlace() {
    var line = WaitingLine<Int>()
    // The first one stays, so that none is skipped.
    _ = line.append(-1)
    for number in 0..<10_000 {
      let ticket = line.append(number)
      #expect(line.remove(ticket) == number)
    }
    #expect(line.placeCount < 200)
    #expect(line.count == 1)
    #expect(line.popFirst() == -1)
  }
}

/// The gate of one connection, compared with an array.
@Suite struct WaitingLineGateTests {
  @Test func oneAccessIsInAtATimeAndInOrder() throws {
    var chance = Chance()
    for _ in 0..<40 {
      var gate = AccessGateMachine()
      let letIn = Journal<Int>()
      var isHeld = false
      var waiting: [(number: Int, ticket: AccessGateMachine.Ticket)] = []
      var gone: [AccessGateMachine.Ticket] = []
      var expected: [Int] = []
      for number in 0..<500 {
        switch Int.random(in: 0..<8, using: &chance) {
        case 0..<3:
          switch gate.enter({ letIn.append(number) }) {
          case .enter:
            try #require(!isHeld, "law 1")
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
          let place = Int.random(in: waiting.indices, using: &chance)
          let ticket = waiting.remove(at: place).ticket
          _ = gate.giveUp(ticket)
          gone.append(ticket)
        default:
          // Too late: no effect.
          if let ticket = gone.randomElement(using: &chance) { _ = gate.giveUp(ticket) }
        }
        try #require(letIn.entries == expected, "law 2, and in order")
        try #require(gate.waitingCount == waiting.count)
      }
    }
  }
}
