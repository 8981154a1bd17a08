import Foundation
import Testing

@testable import TidemarkCluster

/// The guarantees of a log, for every implementation.
@Suite struct ConformanceTests {
  // MARK: - Appending

  @Test(arguments: LogKind.available)
  func `entries are appended one after the other`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...5)
    #expect(entries.map(\.number) == [1, 2, 3, 4, 5])
    #expect(try await log.next(5, after: .start) == entries)
  }

  @Test(arguments: LogKind.available)
  func `one of several entries with the same predecessor wins, and the others are refused`(kind: LogKind) async throws {
    let clients = try await kind.makeLog()
    let first = try await clients.client().appendAll([0])[0]
    let entries = (1...8).map { LogEntry(after: first.position, payload: [UInt8($0)]) }
    let results = try await withThrowingTaskGroup(of: (LogEntry, AppendResult).self) { group in
      for (index, entry) in entries.enumerated() {
        let log = clients.client(index + 1)
        group.addTask { (entry, try await log.appendUntilDecided(entry)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let winners = entries.filter { results[$0] == .appended($0.position) }
    let winner = try #require(winners.first)
    #expect(winners.count == 1)
    #expect(entries.filter { results[$0] == .refused(winner: winner) }.count == 7)
    #expect(try await LogWorkload.contents(of: clients.client()) == [first, winner])
  }

  @Test(arguments: LogKind.available)
  func `a repeated append has the same result, and stores nothing`(kind: LogKind) async throws {
    let clients = try await kind.makeLog()
    let entries = try await clients.client().appendAll(1...3)
    for entry in entries {
      #expect(try await clients.client(1).appendUntilDecided(entry) == .appended(entry.position))
    }
    #expect(try await LogWorkload.contents(of: clients.client()) == entries)
  }

  @Test(arguments: LogKind.available)
  func `an identity with other contents is refused`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entry = try await log.appendAll([1])[0]
    let other = LogEntry(id: entry.id, after: .start, payload: [2])
    await #expect(throws: LogError.identityReused(entry.id)) { try await log.appendUntilDecided(other) }
  }

  @Test(arguments: LogKind.available)
  func `a predecessor of another history is refused, whether it has a successor or not`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...3)
    for number in 1...3 as ClosedRange<UInt64> {
      let foreign = LogPosition(number: number, digest: LogDigest(of: [UInt8(number)]))
      let found = entries[Int(number) - 1].position
      await #expect(throws: LogError.historyDiverged(expected: foreign, found: found)) {
        try await log.appendUntilDecided(LogEntry(after: foreign, payload: []))
      }
    }
    #expect(try await LogWorkload.contents(of: log) == entries)
  }

  @Test(arguments: LogKind.available)
  func `an entry that leaves a gap is refused`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let first = try await log.appendAll([1])[0]
    let next = LogEntry(after: first.position, payload: [2])
    await #expect(throws: LogError.historyDiverged(expected: next.position, found: first.position)) {
      try await log.appendUntilDecided(LogEntry(after: next.position, payload: [3]))
    }
  }

  @Test(arguments: LogKind.available)
  func `payloads are limited`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let limit = log.limits.payloadBytes
    let largest = LogEntry(after: .start, payload: Array(repeating: 7, count: limit))
    #expect(try await log.appendUntilDecided(largest) == .appended(largest.position))
    #expect(try await log.next(1, after: .start) == [largest])
    await #expect(throws: LogError.entryTooLarge(bytes: limit + 1, limit: limit)) {
      try await log.append(
        LogEntry(after: largest.position, payload: Array(repeating: 7, count: limit + 1)), until: .soon)
    }
  }

  // MARK: - Reading

  @Test(arguments: LogKind.available)
  func `a stream delivers stored and new entries in order`(kind: LogKind) async throws {
    let clients = try await kind.makeLog()
    let stored = try await clients.client().appendAll(1...3)
    async let received = clients.client(1).next(20, after: stored[0].position)
    let added = try await clients.client().appendAll(4...21, after: stored[2].position)
    #expect(try await received == stored[1...] + added)
  }

  @Test(arguments: LogKind.available)
  func `a stream resumes after the last received entry`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...12)
    var received: [LogEntry] = []
    while received.count < 12 { received += try await log.next(4, after: received.last?.position ?? .start) }
    #expect(received == entries)
  }

  @Test(arguments: LogKind.available)
  func `a stream from another history fails`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    try await log.appendAll(1...3)
    for number in 1...4 as ClosedRange<UInt64> {
      let foreign = LogPosition(number: number, digest: .zero)
      let error = await #expect(throws: LogError.self) { try await log.next(1, after: foreign) }
      guard case .historyDiverged(expected: foreign, _) = error else {
        Issue.record("position \(number): \(error.map { "\($0)" } ?? "no error")")
        continue
      }
    }
  }

  @Test(arguments: LogKind.available)
  func `an entry is found by its number`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...6)
    // A stale read may miss entries, but it does not return other ones.
    for number in 0...7 as ClosedRange<UInt64> {
      let expected = entries.first { $0.number == number }
      var found = try await retrying { try await log.entry(at: number) }
      while found == nil, expected != nil { found = try await retrying { try await log.entry(at: number) } }
      #expect(found == expected)
    }
  }

  @Test(arguments: LogKind.available)
  func `a barrier includes all entries that were acknowledged before`(kind: LogKind) async throws {
    let clients = try await kind.makeLog()
    #expect(try await retrying { try await clients.client().barrier(until: .soon) } == .start)
    var position = LogPosition.start
    for payload in 1...10 as ClosedRange<UInt8> {
      position = try await clients.client(1).appendAll([payload], after: position)[0].position
      #expect(try await retrying { try await clients.client(2).barrier(until: .soon) } == position)
    }
  }

  // MARK: - Discarding

  @Test(arguments: LogKind.available)
  func `discarded entries are reported as such`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...6)
    let discarded = entries[3].position
    try await retrying { try await log.discard(through: discarded, until: .soon) }
    let error = LogError.behindLog(discardedThrough: discarded)
    await #expect(throws: error) { try await retrying { try await log.entry(at: 4) } }
    await #expect(throws: error) { try await log.next(1, after: entries[2].position) }
    await #expect(throws: error) { try await log.appendUntilDecided(entries[3]) }
    #expect(try await log.next(2, after: discarded) == Array(entries[4...]))
    #expect(try await log.appendUntilDecided(entries[4]) == .appended(entries[4].position))
    // Again, and before the discarded position.
    try await retrying { try await log.discard(through: discarded, until: .soon) }
    try await retrying { try await log.discard(through: entries[1].position, until: .soon) }
    #expect(try await log.next(2, after: discarded) == Array(entries[4...]))
  }

  @Test(arguments: LogKind.available)
  func `a log without entries continues after its last position`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let last = try await log.appendAll(1...3)[2].position
    try await retrying { try await log.discard(through: last, until: .soon) }
    #expect(try await retrying { try await log.barrier(until: .soon) } == last)
    let entry = try await log.appendAll([4], after: last)[0]
    #expect(entry.number == 4)
    #expect(try await log.next(1, after: last) == [entry])
  }

  @Test(arguments: LogKind.available)
  func `a position of another history is not discarded`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let entries = try await log.appendAll(1...3)
    for number in 2...5 as ClosedRange<UInt64> {
      let foreign = LogPosition(number: number, digest: .zero)
      let found = entries[Int(min(number, 3)) - 1].position
      await #expect(throws: LogError.historyDiverged(expected: foreign, found: found)) {
        try await retrying { try await log.discard(through: foreign, until: .soon) }
      }
    }
    #expect(try await LogWorkload.contents(of: log) == entries)
  }

  @Test(arguments: LogKind.available)
  func `a stream continues while the entries behind it are discarded`(kind: LogKind) async throws {
    let clients = try await kind.makeLog()
    let log = clients.client()
    var iterator = clients.client(1).entries(after: .start).makeAsyncIterator()
    var position = LogPosition.start
    for payload in 1...8 as ClosedRange<UInt8> {
      let entry = try await log.appendAll([payload], after: position)[0]
      #expect(try await iterator.next() == entry)
      position = entry.position
      try await retrying { [position] in try await log.discard(through: position, until: .soon) }
    }
  }

  // MARK: - Cancellation and deadlines

  @Test(arguments: LogKind.available)
  func `a cancelled stream ends`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let waiting = Task { try await log.next(1, after: .start) }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    #expect(try await waiting.value == [])
  }

  @Test(arguments: LogKind.available)
  func `an append in a cancelled task has no effect`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await log.append(LogEntry(after: .start, payload: []), until: .soon)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await retrying { try await log.barrier(until: .soon) } == .start)
  }

  @Test(arguments: LogKind.available)
  func `operations after their deadline have no effect`(kind: LogKind) async throws {
    let log = try await kind.makeLog().client()
    let first = try await log.appendAll([1])[0]
    let past = ContinuousClock.now - .seconds(1)
    let unavailable = LogError.unavailable("the deadline has passed")
    let next = LogEntry(after: first.position, payload: [])
    await #expect(throws: unavailable) { try await log.append(next, until: past) }
    await #expect(throws: unavailable) { try await log.barrier(until: past) }
    await #expect(throws: unavailable) { try await log.discard(through: first.position, until: past) }
    #expect(try await LogWorkload.contents(of: log) == [first])
  }

  // MARK: - Histories

  @Test(arguments: LogKind.available)
  func `competing clients produce one history`(kind: LogKind) async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let clients = try await kind.makeLog(seed: seed)
    let (violations, history) = try await LogWorkload().run { clients.client($0) }
    #expect(violations.isEmpty, "seed \(seed)")
    #expect(await history.acknowledgedCount == 60)
  }

  @Test func `competing clients produce one history with many seeds of faults`() async throws {
    let start = UInt64.random(in: 0..<1_000_000)
    for seed in start..<start + 20 {
      let log = InProcessLog(seed: seed)
      let (violations, history) = try await LogWorkload().run { number in
        log.client(faults: .all(0.2), seed: seed &* 1_000 &+ UInt64(number))
      }
      #expect(violations.isEmpty, "seed \(seed)")
      #expect(await history.acknowledgedCount == 60)
    }
  }

  @Test(arguments: FaultyLog.Fault.allCases)
  func `the checker of histories finds a faulty log`(fault: FaultyLog.Fault) async throws {
    let clients = try await LogKind.inProcess.makeLog()
    let log = FaultyLog(clients.client(), fault: fault)
    var workload = LogWorkload()
    workload.readers = fault == .readsOtherHistory ? 2 : 0
    let faultyCount = workload.appenders + workload.readers
    let (violations, _) = try await workload.run { $0 < faultyCount ? log : clients.client() }
    #expect(!violations.isEmpty)
  }
}
