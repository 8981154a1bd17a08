import Foundation
import Testing

@testable import TidemarkCluster

@Suite struct InProcessLogTests {
  /// A clock that advances when it is waited for, and calls a closure first.
  private final class TestClock: Sendable {
    private let time = TimeBox(.now)

    func clock(onSleep: @escaping @Sendable () async -> Void = {}) -> LogClock {
      LogClock(now: { [time] in time.now }) { [time] deadline in
        try Task.checkCancellation()
        await onSleep()
        time.advance(to: deadline)
      }
    }
  }

  private static func faults(_ change: (inout InProcessLogFaults) -> Void) -> InProcessLogFaults {
    var faults = InProcessLogFaults()
    change(&faults)
    return faults
  }

  private let entry = LogEntry(after: .start, payload: [1])

  @Test func `a lost request has an unknown result and no effect`() async throws {
    let log = InProcessLog()
    let client = log.client(faults: Self.faults { $0.lostRequests = 1 })
    #expect(try await client.append(entry, until: .soon) == .unknown)
    #expect(try await log.client().barrier(until: .soon) == .start)
    await #expect(throws: LogError.unavailable("the connection was lost")) { try await client.entry(at: 1) }
  }

  @Test func `a lost result has an unknown result and an effect`() async throws {
    let log = InProcessLog()
    let client = log.client(faults: Self.faults { $0.lostResults = 1 })
    #expect(try await client.append(entry, until: .soon) == .unknown)
    #expect(try await log.client().barrier(until: .soon) == entry.position)
    await #expect(throws: LogError.unavailable("the connection was lost")) { try await client.barrier(until: .soon) }
  }

  @Test func `a late append has an unknown result and a later effect`() async throws {
    let log = InProcessLog()
    let client = log.client(faults: Self.faults { $0.lateAppends = 1 })
    #expect(try await client.append(entry, until: .soon) == .unknown)
    await log.executeLateAppends()
    #expect(try await log.client().barrier(until: .soon) == entry.position)
  }

  @Test func `a late append arrives before some later request`() async throws {
    let log = InProcessLog()
    _ = try await log.client(faults: Self.faults { $0.lateAppends = 1 }).append(entry, until: .soon)
    let client = log.client()
    while try await client.barrier(until: .soon) == .start {}
    #expect(try await client.entry(at: 1) == entry)
  }

  @Test func `a late append of a refused entry has no effect`() async throws {
    let log = InProcessLog()
    let winner = LogEntry(after: .start, payload: [2])
    _ = try await log.client(faults: Self.faults { $0.lateAppends = 1 }).append(entry, until: .soon)
    // The seed of the log lets the late append arrive after this one.
    let result = try await log.client().appendUntilDecided(winner)
    await log.executeLateAppends()
    let stored = try #require(await log.client().entry(at: 1))
    #expect(result == (stored == winner ? .appended(winner.position) : .refused(winner: entry)))
    #expect(try await log.client().barrier(until: .soon).number == 1)
  }

  @Test func `a duplicated append stores one entry`() async throws {
    let log = InProcessLog()
    let client = log.client(faults: Self.faults { $0.duplicatedAppends = 1 })
    let entries = try await client.appendAll(1...5)
    #expect(try await LogWorkload.contents(of: log.client()) == entries)
  }

  @Test func `a stale read does not find the last entries`() async throws {
    let log = InProcessLog()
    let entries = try await log.client().appendAll(1...5)
    let client = log.client(
      faults: Self.faults {
        $0.staleReads = 1
        $0.staleEntries = 2
      })
    for _ in 0..<20 {
      #expect(try await client.entry(at: 5) == nil)
      #expect(try await client.entry(at: 3) == entries[2])
    }
    #expect(try await client.barrier(until: .soon) == entries[4].position)
  }

  @Test func `a restart makes the results of requests in flight unknown`() async throws {
    let box = LogBox()
    let log = InProcessLog(clock: TestClock().clock { await box.log?.restart() })
    await box.set(log)
    let client = log.client(faults: Self.faults { $0.delay = .seconds(1) })
    #expect(try await client.append(entry, until: .soon) == .unknown)
    #expect(try await log.client().barrier(until: .soon) == .start)
    await #expect(throws: LogError.unavailable("the connection was lost")) { try await client.barrier(until: .soon) }
    await box.set(nil)
    #expect(try await client.append(entry, until: .soon) == .appended(entry.position))
    await log.restart()
    #expect(try await log.client().entry(at: 1) == entry)
  }

  @Test func `an append that is delayed beyond its deadline is executed later`() async throws {
    let log = InProcessLog(clock: TestClock().clock())
    let client = log.client(faults: Self.faults { $0.delay = .seconds(1_000) }, seed: 3)
    #expect(try await client.append(entry, until: .now + .milliseconds(100)) == .unknown)
    await log.executeLateAppends()
    #expect(try await log.client().barrier(until: .now + .seconds(100_000)) == entry.position)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `equal seeds have equal results`(seed: UInt64) async throws {
    let runs = try await [Self.results(seed: seed), Self.results(seed: seed)]
    #expect(runs[0] == runs[1])
    #expect(Set(runs[0].map(\.description)).count > 3, "The run must contain different results")
    #expect(try await Self.results(seed: seed + 100) != runs[0])
  }

  /// The results of a hundred requests of two clients.
  private static func results(seed: UInt64) async throws -> [String] {
    var faults = InProcessLogFaults.all(0.2)
    faults.delay = .milliseconds(100)
    let log = InProcessLog(seed: seed, clock: TestClock().clock())
    let clients = [log.client(faults: faults, seed: seed), log.client(faults: faults, seed: seed + 1)]
    let end = ContinuousClock.now + .seconds(100_000)
    var entry = LogEntry(after: .start, payload: [])
    var results: [String] = []
    for index in 0..<100 {
      let client = clients[index % 2]
      switch try await client.append(entry, until: end) {
      case .appended(let position):
        results.append("appended \(position.number)")
        entry = LogEntry(after: position, payload: [UInt8(index)])
      case .refused(let winner):
        results.append("refused \(winner.number)")
        entry = LogEntry(after: winner.position, payload: [])
      case .unknown:
        results.append("unknown")
        // Another transaction takes the place, unless the one in doubt is in the log.
        if index % 3 == 0 { entry = LogEntry(after: entry.predecessor, payload: [UInt8(index)]) }
      }
      let found = try? await client.entry(at: entry.predecessor.number)
      results.append("read \(found?.number ?? 0)")
    }
    return results
  }
}

/// The time of a test, behind a lock.
private final class TimeBox: @unchecked Sendable {
  private let lock = NSLock()
  private var time: ContinuousClock.Instant

  init(_ time: ContinuousClock.Instant) { self.time = time }

  var now: ContinuousClock.Instant { lock.withLock { time } }

  func advance(to new: ContinuousClock.Instant) { lock.withLock { time = max(time, new) } }
}

/// The log that a clock restarts.
private actor LogBox {
  private(set) var log: InProcessLog?

  func set(_ new: InProcessLog?) { log = new }
}
