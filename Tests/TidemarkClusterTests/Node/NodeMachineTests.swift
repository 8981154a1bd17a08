import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// Events and steps of a node, without a file, a log and a clock.
@Suite struct NodeMachineTests {
  private let now = ContinuousClock.now

  private func author(_ node: String, incarnation: UInt64 = 1) -> ClusterPayload.Author {
    ClusterPayload.Author(node: node, incarnation: incarnation, id: UUID())
  }

  private func entry(after position: LogPosition, by author: ClusterPayload.Author) -> LogEntry {
    LogEntry(after: position, payload: ClusterPayload(author: author, content: .transactions([])).encoded)
  }

  /// A node that knows the end of an empty log, with an open transaction.
  private func attempting(_ own: ClusterPayload.Author) -> (NodeMachine, LogEntry) {
    var machine = NodeMachine(author: own, position: .start, slot: .milliseconds(10))
    machine.logAnswered(.start, whenKnown: .start)
    let entry = entry(after: .start, by: own)
    machine.didExecute([entry])
    return (machine, entry)
  }

  private func isCommit(_ step: NodeMachine.Step) -> Bool { if case .commit = step { true } else { false } }

  private func defeat(_ step: NodeMachine.Step) -> NodeMachine.Defeat? {
    if case .rollBack(let defeat) = step { defeat } else { nil }
  }

  @Test func nothingIsExecutedBeforeTheLogWasReached() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    guard case .wait(nil) = machine.next(hasWrites: true, at: now) else {
      Issue.record("expected to wait")
      return
    }
    machine.logAnswered(.start, whenKnown: .start)
    guard case .execute = machine.next(hasWrites: true, at: now) else {
      Issue.record("expected to execute")
      return
    }
    #expect(machine.state == .current)
  }

  @Test func anAppendedEntryIsCommitted() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.appended(entry.position), of: entry, at: now)
    #expect(isCommit(machine.next(hasWrites: false, at: now)))
    machine.didCommit(nil, at: now)
    #expect(machine.position == entry.position)
  }

  @Test func anEntryThatRefersToASnapshotRefusesTheOwnOneAndIsInstalled() {
    var (machine, _) = attempting(author("a"))
    let first = LogEntry(
      after: .start, payload: ClusterPayload(author: author(""), content: .snapshot(id: UUID())).encoded)
    machine.entryArrived(ReceivedEntry(first), at: now)
    #expect(defeat(machine.next(hasWrites: true, at: now)) == .refused)
    machine.didRollBack()
    guard case .installSnapshot(first.position) = machine.next(hasWrites: true, at: now) else {
      Issue.record("expected to install the snapshot")
      return
    }
    machine.didInstallSnapshot(at: first.position)
    machine.logAnswered(first.position, whenKnown: .start)
    #expect(machine.state == .current)
  }

  @Test func anUnknownEntryIsAppendedAgainUntilItIsDecided() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    #expect(machine.state == .inDoubt)
    guard case .append(entry) = machine.next(hasWrites: false, at: now + .seconds(5)) else {
      Issue.record("expected to append the same entry")
      return
    }
    let other = self.entry(after: .start, by: author("b"))
    machine.appendReturned(.refused(winner: other), of: entry, at: now)
    #expect(defeat(machine.next(hasWrites: false, at: now)) == .refused)
    machine.didRollBack()
    guard case .apply(let entries) = machine.next(hasWrites: false, at: now) else {
      Issue.record("expected to apply the winner")
      return
    }
    #expect(entries.map(\.entry) == [other])
  }

  @Test func `an entry that is refused because of itself is committed`() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    machine.appendReturned(.refused(winner: entry), of: entry, at: now)
    #expect(isCommit(machine.next(hasWrites: false, at: now)))
    machine.didCommit(nil, at: now)
    #expect(machine.position == entry.position)
  }

  @Test func theStreamDecidesAboutAnEntryInDoubt() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    machine.entryArrived(ReceivedEntry(entry), at: now)
    #expect(isCommit(machine.next(hasWrites: false, at: now)))
  }

  @Test func anErrorThatComesAfterTheDecisionChangesNothing() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    machine.entryArrived(ReceivedEntry(entry), at: now)
    // Another node has discarded the entry meanwhile.
    machine.appendFailed(.behindLog(discardedThrough: entry.position), of: entry, at: now)
    #expect(isCommit(machine.next(hasWrites: false, at: now)))
  }

  @Test func anAttemptInDoubtIsNotGivenUp() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    let isGivenUp = machine.attemptIsUnwanted()
    #expect(!isGivenUp)
    machine.end(.closed)
    #expect(defeat(machine.next(hasWrites: false, at: now)) == .abandoned)
  }

  @Test func anAttemptThatWasNeverStoredCanBeGivenUp() {
    var (machine, entry) = attempting(author("a"))
    machine.appendFailed(.unavailable("no server"), of: entry, at: now)
    #expect(machine.state == .detached("no server"))
    let isGivenUp = machine.attemptIsUnwanted()
    #expect(isGivenUp)
    #expect(defeat(machine.next(hasWrites: false, at: now)) == .expired("no server"))
  }

  @Test func aStateWithoutChangesIsConfirmedByTheLog() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    machine.logAnswered(.start, whenKnown: .start)
    machine.didExecute([])
    guard case .confirm = machine.next(hasWrites: false, at: now) else {
      Issue.record("expected to confirm")
      return
    }
    let other = entry(after: .start, by: author("b"))
    machine.didConfirm(other.position, at: now)
    #expect(defeat(machine.next(hasWrites: false, at: now)) == .refused)
  }

  @Test func anEntryThatDoesNotFollowStopsTheNode() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let first = entry(after: .start, by: author("b"))
    machine.entryArrived(ReceivedEntry(first), at: now)
    let fork = entry(after: entry(after: .start, by: author("c")).position, by: author("c"))
    machine.entryArrived(ReceivedEntry(fork), at: now)
    guard case .stopped(.historyDiverged) = machine.state else {
      Issue.record("expected to stop, found \(machine.state)")
      return
    }
    guard case .stop = machine.next(hasWrites: true, at: now) else {
      Issue.record("a stopped node goes on")
      return
    }
  }

  @Test func aFailedCommitIsAppliedLater() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.appended(entry.position), of: entry, at: now)
    machine.commitFailed("disk full", [entry], at: now)
    #expect(machine.state == .detached("disk full"))
    guard case .apply(let entries) = machine.next(hasWrites: false, at: now + .seconds(5)) else {
      Issue.record("expected to apply the own entry")
      return
    }
    #expect(entries.map(\.entry) == [entry])
  }

  @Test func onlyALaterOpeningReplacesANode() {
    let own = author("a", incarnation: 5)
    for (incarnation, isReplaced) in [(UInt64(4), false), (6, true)] {
      var machine = NodeMachine(author: own, position: .start, slot: .zero)
      machine.logAnswered(.start, whenKnown: .start)
      machine.entryArrived(ReceivedEntry(entry(after: .start, by: author("a", incarnation: incarnation))), at: now)
      #expect((machine.ending == .replaced(node: "a")) == isReplaced)
    }
  }

  @Test func `an append that is rejected after an unknown one decides nothing`() {
    var (machine, entry) = attempting(author("a"))
    machine.appendFailed(.rejected("no permission"), of: entry, at: now)
    #expect(defeat(machine.next(hasWrites: true, at: now)) == .failed("no permission"))

    (machine, entry) = attempting(author("a"))
    machine.appendReturned(.unknown, of: entry, at: now)
    machine.appendFailed(.rejected("no permission"), of: entry, at: now)
    guard case .append(entry) = machine.next(hasWrites: true, at: now + .seconds(5)) else {
      Issue.record("expected to append the same entry")
      return
    }
  }

  @Test func `a node whose file was lost has a later incarnation than its former entries`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    machine.entryArrived(ReceivedEntry(entry(after: .start, by: author("a", incarnation: 7))), at: now)
    #expect(machine.nextAuthor.incarnation == 8)
    #expect(machine.ending == nil)
  }

  @Test func `the end of the log is compared with the position that was known before the request`() {
    var (machine, entry) = attempting(author("a"))
    machine.appendReturned(.appended(entry.position), of: entry, at: now)
    machine.didCommit(nil, at: now)
    machine.logAnswered(.start, whenKnown: .start)
    #expect(machine.ending == nil)
    machine.logAnswered(.start, whenKnown: entry.position)
    guard case .stopped(.historyDiverged) = machine.state else {
      Issue.record("the log has lost an entry, and the state is \(machine.state)")
      return
    }
  }

  @Test func `a large entry is applied alone, and takes no memory afterwards`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let part = ClusterPayload.Content.part(group: UUID(), index: 0, bytes: Array(repeating: 1, count: 4 << 20))
    let large = LogEntry(after: .start, payload: ClusterPayload(author: author("b"), content: part).encoded)
    let small = entry(after: large.position, by: author("b"))
    for entry in [large, small] { machine.entryArrived(ReceivedEntry(entry), at: now) }
    for expected in [large, small] {
      guard case .apply(let entries) = machine.next(hasWrites: false, at: now) else {
        Issue.record("expected to apply entry \(expected.number)")
        return
      }
      #expect(entries.map(\.entry) == [expected])
      machine.didApply(through: expected.position)
    }
    #expect(machine.receivedByteCount == 0)
  }

  @Test func `a node is behind the log until it has installed a snapshot`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let last = entry(after: .start, by: author("b")).position
    machine.logAnswered(last, whenKnown: .start)
    machine.logWasDiscarded(through: last)
    machine.snapshotFailed(at: now)
    #expect(machine.state == .behindLog)
    guard case .installSnapshot(last) = machine.next(hasWrites: false, at: now + .seconds(5)) else {
      Issue.record("expected to try to install a snapshot again")
      return
    }
    machine.didInstallSnapshot(at: last)
    #expect(machine.state == .current)
  }

  @Test func `after another position was confirmed, the next attempt waits for the stream`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    machine.logAnswered(.start, whenKnown: .start)
    machine.didExecute([])
    let other = entry(after: .start, by: author("b"))
    machine.didConfirm(other.position, at: now)
    machine.didRollBack()
    guard case .wait(let end?) = machine.next(hasWrites: true, at: now) else {
      Issue.record("expected to wait")
      return
    }
    // Without the stream, an append may still receive the entry, as the winner.
    guard case .execute = machine.next(hasWrites: true, at: end) else {
      Issue.record("expected to execute")
      return
    }
    machine.didExecute([])
    machine.didConfirm(other.position, at: end)
    machine.didRollBack()
    machine.entryArrived(ReceivedEntry(other), at: end)
    machine.didApply(through: other.position)
    guard case .execute = machine.next(hasWrites: true, at: end) else {
      Issue.record("expected to execute")
      return
    }
  }

  @Test func `a node is replaced although the end of the log was known before the entry`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    machine.logAnswered(.start, whenKnown: .start)
    let entry = entry(after: .start, by: author("a", incarnation: 2))
    machine.logAnswered(entry.position, whenKnown: .start)
    machine.entryArrived(ReceivedEntry(entry), at: now)
    #expect(machine.ending == .replaced(node: "a"))
  }

  @Test func `entries that arrive while a snapshot is installed are applied after it`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let first = entry(after: .start, by: author("b"))
    let second = entry(after: first.position, by: author("b"))
    machine.logAnswered(second.position, whenKnown: .start)
    machine.logWasDiscarded(through: first.position)
    guard case .installSnapshot(first.position) = machine.next(hasWrites: false, at: now) else {
      Issue.record("expected to install the snapshot")
      return
    }
    for entry in [first, second] { machine.entryArrived(ReceivedEntry(entry), at: now) }
    machine.didInstallSnapshot(at: first.position)
    guard case .apply(let entries) = machine.next(hasWrites: false, at: now) else {
      Issue.record("expected to apply the entry after the snapshot")
      return
    }
    #expect(entries.map(\.entry) == [second])
    #expect(machine.receivedByteCount == second.payload.count)
  }

  @Test func `an entry that does not follow an installed snapshot stops the node`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let first = entry(after: .start, by: author("b"))
    let second = entry(after: first.position, by: author("b"))
    machine.logWasDiscarded(through: first.position)
    for entry in [first, second] { machine.entryArrived(ReceivedEntry(entry), at: now) }
    machine.didInstallSnapshot(at: entry(after: .start, by: author("c")).position)
    guard case .historyDiverged? = machine.ending else {
      Issue.record("expected another history, found \(String(describing: machine.ending))")
      return
    }
  }

  @Test func `a node that receives the discarded entries requires no snapshot`() {
    var machine = NodeMachine(author: author("a"), position: .start, slot: .zero)
    let first = entry(after: .start, by: author("b"))
    let second = entry(after: first.position, by: author("b"))
    machine.logAnswered(second.position, whenKnown: .start)
    machine.logWasDiscarded(through: first.position)
    machine.snapshotFailed(at: now)
    for entry in [first, second] { machine.entryArrived(ReceivedEntry(entry), at: now) }
    machine.didApply(through: second.position)
    #expect(machine.discarded == nil)
    #expect(machine.state == .current)
  }
}
