import Testing
import Tidemark
@testable import TidemarkEssentials

/// When the database is checked for external commits.
@Suite struct ExternalCommitScheduleTests {
  private static let start = Duration.seconds(100)

  private func schedule() -> ExternalCommitSchedule {
    var schedule = ExternalCommitSchedule(pollingInterval: .milliseconds(500), now: Self.start)
    schedule.didCheck(.unchanged, hasOwn: false, Self.start)
    return schedule
  }

  /// Checks until it pauses, and returns the times of the checks.
  private func looks(_ schedule: inout ExternalCommitSchedule, _ found: (Int) -> (CommitCheckResult, hasOwn: Bool))
    -> [Duration]
  {
    var looks: [Duration] = []
    var now = schedule.next
    while looks.count < 1_000 {
      looks.append(now - Self.start)
      let (finding, hasOwn) = found(looks.count)
      schedule.didCheck(finding, hasOwn: hasOwn, now)
      if schedule.next - now >= .milliseconds(500) { break }
      now = schedule.next
    }
    return looks
  }

  @Test func idleDatabasesArePolledAtTheInterval() {
    let schedule = schedule()
    #expect(schedule.next == Self.start + .milliseconds(500))
    #expect(!schedule.ignoresFileEvents)
  }

  @Test func writtenFilesArePolledUntilTheCommitIsVisible() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let looks = looks(&schedule) { number in (number == 9 ? .externalCommit : .unchanged, hasOwn: false) }
    #expect(looks.count == 9)
    #expect(looks[1] == .microseconds(20))
    #expect(zip(looks, looks.dropFirst()).allSatisfy { $1 - $0 <= .microseconds(200) })
  }

  @Test func pollingSlowsDownWithoutACommit() throws {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let looks = looks(&schedule) { _ in (.unchanged, hasOwn: false) }
    let last = try #require(looks.last)
    #expect(last >= .milliseconds(50) && last < .milliseconds(52))
    #expect(looks.count < 120)
  }

  @Test func commitsSeenAtTheFirstCheckMayBeEarlierOnes() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let looks = looks(&schedule) { number in (number == 1 ? .externalCommit : .unchanged, hasOwn: false) }
    #expect(looks.count > 50)
  }

  @Test func ownCommitsSuppressFileEvents() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    schedule.didCheck(.unchanged, hasOwn: true, Self.start)
    #expect(schedule.ignoresFileEvents)
    #expect(schedule.next == Self.start + .milliseconds(1))
    schedule.didCheck(.unchanged, hasOwn: false, Self.start + .milliseconds(49))
    #expect(schedule.ignoresFileEvents)
    // Before pausing it listens again, and then checks once as if it had been notified.
    let now = Self.start + .milliseconds(51)
    schedule.didCheck(.unchanged, hasOwn: false, now)
    #expect(!schedule.ignoresFileEvents)
    #expect(schedule.next == now + .microseconds(20))
  }

  @Test func fileEventsAreNotIgnoredWithoutFileEvents() {
    var schedule = ExternalCommitSchedule(pollingInterval: .seconds(2), usesFileEvents: false, now: Self.start)
    schedule.didCheck(.unchanged, hasOwn: true, Self.start)
    #expect(!schedule.ignoresFileEvents)
    #expect(schedule.next == Self.start + .seconds(2))
  }

  @Test func externalCommitsReenableFileEvents() {
    var schedule = schedule()
    schedule.didCheck(.unchanged, hasOwn: true, Self.start)
    schedule.didCheck(.externalCommit, hasOwn: true, Self.start + .milliseconds(1))
    #expect(!schedule.ignoresFileEvents)
  }

  @Test func waitingForAnUnfinishedOwnCommitIsLimited() {
    var schedule = schedule()
    schedule.didCheck(.inconclusive, hasOwn: false, Self.start)
    #expect(schedule.waitsForOwnCommit)
    #expect(schedule.next < Self.start + .milliseconds(2))
    schedule.didCheck(.inconclusive, hasOwn: false, Self.start + .milliseconds(200))
    #expect(!schedule.waitsForOwnCommit)
    schedule.didCheck(.unchanged, hasOwn: false, Self.start + .milliseconds(201))
    #expect(schedule.waitsForOwnCommit)
  }
}
