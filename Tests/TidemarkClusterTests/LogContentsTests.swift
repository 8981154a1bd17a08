import Foundation
import Testing

@testable import TidemarkCluster

/// The rules that decide about an append whose condition was not true.
@Suite struct LogContentsTests {
  private static let first = LogEntry(after: .start, payload: [1])
  private static let second = LogEntry(after: first.position, payload: [2])
  private static let third = LogEntry(after: second.position, payload: [3])

  private static func decision(
    _ entry: LogEntry, stored: LogEntry?, last: LogPosition, discarded: LogPosition = .start
  ) throws(LogError) -> AppendResult {
    try LogContents.decision(about: entry, stored: stored, last: last, discarded: discarded)
  }

  @Test func `the stored entry itself was appended`() throws {
    #expect(
      try Self.decision(Self.second, stored: Self.second, last: Self.third.position)
        == .appended(Self.second.position))
  }

  @Test func `another entry with the same predecessor has won`() throws {
    let entry = LogEntry(after: Self.first.position, payload: [])
    #expect(
      try Self.decision(entry, stored: Self.second, last: Self.third.position) == .refused(winner: Self.second))
  }

  @Test func `another entry with another predecessor belongs to another history`() {
    let foreign = LogPosition(number: 1, digest: .zero)
    #expect(throws: LogError.historyDiverged(expected: foreign, found: Self.first.position)) {
      try Self.decision(LogEntry(after: foreign, payload: []), stored: Self.second, last: Self.second.position)
    }
  }

  @Test func `a log that ends before the predecessor has lost entries`() {
    #expect(throws: LogError.historyDiverged(expected: Self.second.position, found: Self.first.position)) {
      try Self.decision(Self.third, stored: nil, last: Self.first.position)
    }
  }

  @Test func `a discarded number is not decided`() {
    #expect(throws: LogError.behindLog(discardedThrough: Self.second.position)) {
      try Self.decision(Self.second, stored: nil, last: Self.third.position, discarded: Self.second.position)
    }
  }

  @Test func `a missing entry between others is a corruption`() {
    #expect(throws: LogError.corrupted("entry 2 is missing")) {
      try Self.decision(Self.second, stored: nil, last: Self.third.position)
    }
  }

  @Test func `an entry with the same identity and other contents is an error`() {
    let other = LogEntry(id: Self.second.id, after: Self.first.position, payload: [9])
    #expect(throws: LogError.identityReused(other.id)) {
      try Self.decision(other, stored: Self.second, last: Self.second.position)
    }
  }

  @Test func `a follower refuses an entry that does not follow its position`() async throws {
    let follower = LogFollower(after: .start) { _ in [Self.first, Self.third] }
    var iterator = follower.stream.makeAsyncIterator()
    #expect(try await iterator.next() == Self.first)
    await #expect(
      throws: LogError.historyDiverged(expected: Self.first.position, found: Self.second.position)
    ) { try await iterator.next() }
  }

  @Test func `errors describe what was expected and found`() {
    let error = LogError.entryTooLarge(bytes: 7, limit: 6)
    #expect(error.description == "the payload has 7 bytes, of 6 at most")
    #expect(
      LogError.historyDiverged(expected: .start, found: Self.first.position).description
        == "the history of the log has diverged: expected 0·00000000, found \(Self.first.position)")
  }
}
