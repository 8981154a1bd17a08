import Testing

@testable import TidemarkEssentials

/// The order of the requests of a process, and the pauses between attempts.
@Suite struct ProcessLockQueueTests {
  @Test func `the first request has its turn at once`() {
    var queue = ProcessLockQueue()
    let turns = [queue.add(1, for: "a"), queue.add(2, for: "a"), queue.add(3, for: "b")]
    #expect(turns == [true, false, true])
  }

  @Test func `turns follow the order of the requests`() {
    var queue = ProcessLockQueue()
    for id in 1...3 { _ = queue.add(id, for: "a") }
    let turns = (1...3).map { queue.remove($0, for: "a") }
    #expect(turns == [2, 3, nil])
  }

  @Test func `a request that gives up while it waits begins no turn`() {
    var queue = ProcessLockQueue()
    for id in 1...3 { _ = queue.add(id, for: "a") }
    let turns = [2, 1].map { queue.remove($0, for: "a") }
    #expect(turns == [nil, 3])
  }

  @Test func `a request that gives up in its turn begins the next one`() {
    var queue = ProcessLockQueue()
    for id in 1...3 { _ = queue.add(id, for: "a") }
    let turns = [1, 2].map { queue.remove($0, for: "a") }
    #expect(turns == [2, 3])
  }

  @Test func `a request is removed once`() {
    var queue = ProcessLockQueue()
    for id in 1...2 { _ = queue.add(id, for: "a") }
    let turns = [1, 1].map { queue.remove($0, for: "a") }
    #expect(turns == [2, nil])
    #expect(queue.isTurn(of: 2, for: "a"))
  }

  @Test func `pauses become longer, up to a limit`() {
    var pauses = ProcessLockPauses(hasEvents: false)
    let durations = (0..<9).map { _ in pauses.next() }
    #expect(durations == [1, 2, 4, 8, 16, 32, 50, 50, 50].map { .milliseconds($0) })
  }

  @Test func `with events, pauses are longer, and short after an event`() {
    var pauses = ProcessLockPauses(hasEvents: true)
    for _ in 0..<20 { _ = pauses.next() }
    let long = pauses.next()
    pauses.eventWasReported()
    let short = pauses.next()
    #expect(long == .seconds(1) && short == .milliseconds(1))
  }
}
