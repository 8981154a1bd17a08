import StressSupport
import Testing

/// The checker finds violations, and reports no correct history: these histories are written by hand.
@Suite struct HistoryCheckerTests {
  typealias Fault = HistoryChecker.Fault

  /// Three commits on two keys: 1 to key 0, 2 to both, 3 to key 1. They are acknowledged at the moments 10, 20, 30.
  private func faults(_ reads: (session: Int, lists: History.Lists, begin: Int, end: Int)...) -> [Fault] {
    var history = History(keyCount: 2)
    history.writes = [
      .init(commit: 2, appends: [(0, 2), (1, 2)], begin: 15, end: 20),
      .init(commit: 1, appends: [(0, 1)], begin: 5, end: 10),
      .init(commit: 3, appends: [(1, 3)], begin: 25, end: 30),
    ]
    history.reads = reads.map {
      .init(session: $0.session, lists: $0.lists, begin: $0.begin, end: $0.end, kind: "read")
    }
    return HistoryChecker.faults(of: history)
  }

  @Test func snapshotReadsAreAccepted() {
    #expect(
      faults(
        (0, [[], []], 1, 2), (0, [[1], []], 6, 9), (0, [[1], []], 12, 13), (0, [[1, 2], [2]], 16, 17),
        (1, [[1], []], 16, 17), (0, [[1, 2], [2, 3]], 31, 32)) == [])
  }

  @Test func impossibleValuesAreFound() {
    #expect(faults((0, [[1, 2], []], 16, 17)) == [.noState(kind: "read")])
    #expect(faults((0, [[], [2]], 16, 17)) == [.noState(kind: "read")])
    #expect(faults((0, [[2], []], 16, 17)) == [.noState(kind: "read")])
    #expect(faults((0, [[1, 2, 9], [2]], 31, 32)) == [.noState(kind: "read")])
  }

  @Test func staleReadsAreFound() {
    #expect(faults((0, [[1], []], 21, 22)) == [.stale(kind: "read", saw: 1, acknowledged: 2)])
  }

  @Test func readsFromTheFutureAreFound() {
    #expect(faults((0, [[1, 2], [2]], 12, 13)) == [.fromTheFuture(kind: "read", saw: 2, begun: 1)])
  }

  @Test func backwardsReadsAreFound() {
    #expect(
      faults((0, [[1, 2], [2]], 16, 17), (0, [[1], []], 18, 19)) == [.backwards(kind: "read", saw: 1, before: 2)])
  }

  @Test func missingCommitsAreFound() {
    var history = History(keyCount: 1)
    history.writes = [.init(commit: 2, appends: [(0, 1)], begin: 1, end: 2)]
    #expect(HistoryChecker.faults(of: history) == [.commitMissing(1)])
    history.writes.append(.init(commit: 1, appends: [(0, 2)], begin: 3, end: 4))
    #expect(HistoryChecker.faults(of: history) == [])
    history.writes.append(.init(commit: 2, appends: [(0, 3)], begin: 3, end: 4))
    #expect(HistoryChecker.faults(of: history) == [.commitTwice(2)])
  }
}
