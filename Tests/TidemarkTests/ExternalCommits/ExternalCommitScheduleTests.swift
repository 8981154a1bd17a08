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
    #expect(looks[0] == .zero)
    #expect(zip(looks, looks.dropFirst()).allSatisfy { $1 - $0 <= .microseconds(200) })
  }

  @Test func pollingSlowsDownWithoutACommit() throws {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let looks = looks(&schedule) { _ in (.unchanged, hasOwn: false) }
    let last = try #require(looks.last)
    #expect(last >= .milliseconds(500))
    #expect(looks.count < 120)
  }

  @Test func `a commit that takes long is found before its duration has doubled`() {
    for duration in [Duration.milliseconds(80), .milliseconds(700), .seconds(20)] {
      var schedule = ExternalCommitSchedule(pollingInterval: .seconds(3_600), now: Self.start)
      schedule.filesDidChange(Self.start)
      while schedule.next - Self.start < duration { schedule.didCheck(.unchanged, hasOwn: false, schedule.next) }
      #expect(schedule.next - Self.start <= duration * 2)
    }
  }

  @Test func commitsSeenAtTheFirstCheckMayBeEarlierOnes() throws {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let looks = looks(&schedule) { number in (number == 1 ? .externalCommit : .unchanged, hasOwn: false) }
    #expect(looks.count > 5)
    let last = try #require(looks.last)
    #expect(last >= .milliseconds(500))
    #expect(zip(looks.dropFirst(), looks.dropFirst(2)).allSatisfy { $1 <= $0 * 2 + .microseconds(1) })
  }

  /// Detects a commit at each check with a number, and returns the times from the file event to the first check.
  private func delays(_ schedule: inout ExternalCommitSchedule, found number: Int, count: Int) -> [Duration] {
    (1...count).map { index in
      var now = Self.start + .milliseconds(100 * index)
      schedule.filesDidChange(now)
      let delay = schedule.next - now
      for check in 1...number {
        now = schedule.next
        schedule.didCheck(check == number ? .externalCommit : .unchanged, hasOwn: false, now)
      }
      return delay
    }
  }

  @Test func `the first check follows the duration of commits`() {
    var schedule = schedule()
    let growing = delays(&schedule, found: 3, count: 30)
    #expect(growing[..<2] == [.zero, .microseconds(20)])
    #expect(growing == growing.sorted())
    #expect(growing.last == .microseconds(250))
    let shrinking = delays(&schedule, found: 1, count: 60)
    #expect(shrinking.last == .zero)
  }

  @Test func `a single check that fails does not delay later ones`() {
    var schedule = schedule()
    #expect(delays(&schedule, found: 2, count: 30).allSatisfy { $0 == .zero })
  }

  @Test func `a file event does not bring a delayed check forward`() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    let check = schedule.next
    #expect(schedule.isDelayed)
    schedule.filesDidChange(Self.start + .microseconds(10))
    #expect(schedule.next == check)
    schedule.didCheck(.unchanged, hasOwn: false, check)
    #expect(!schedule.isDelayed)
  }

  @Test func `commits that follow each other at once are detected a thousand times per second`() {
    var schedule = schedule()
    var now = Self.start
    var times: [Duration] = []
    for _ in 1...20 {
      schedule.filesDidChange(now)
      now = schedule.next
      schedule.didCheck(.externalCommit, hasOwn: false, now)
      times.append(now)
      now += .microseconds(10)
    }
    let distances = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(distances.first == .microseconds(100))
    #expect(distances.last == .milliseconds(1))
    // After a pause, the next commit is detected at once.
    now += .milliseconds(10)
    schedule.filesDidChange(now)
    #expect(schedule.next == now)
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

  @Test func `a commit that is written before file events are enabled again is found`() {
    var schedule = ExternalCommitSchedule(pollingInterval: .seconds(3_600), now: Self.start)
    schedule.filesDidChange(Self.start)
    schedule.didCheck(.unchanged, hasOwn: true, schedule.next)
    for _ in 1...3 { schedule.didCheck(.unchanged, hasOwn: false, schedule.next) }
    let detection = schedule.next
    schedule.didCheck(.externalCommit, hasOwn: false, detection)
    #expect(!schedule.ignoresFileEvents)
    #expect(schedule.next - detection <= .milliseconds(2))
    schedule.didCheck(.unchanged, hasOwn: false, schedule.next)
    #expect(schedule.next - detection <= .milliseconds(4))
  }

  @Test func `a detection does not delay the check that another pool needs`() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    for milliseconds in [1, 2, 100, 201] {
      #expect(schedule.waitsForOwnCommit)
      schedule.didCheck(
        .externalCommit, isComplete: false, hasOwn: false, Self.start + .milliseconds(milliseconds))
      #expect(schedule.next - Self.start <= .milliseconds(milliseconds + 51))
    }
    #expect(!schedule.waitsForOwnCommit)
  }

  @Test func `a new pool is checked at once`() {
    var schedule = schedule()
    schedule.checkNow(Self.start + .milliseconds(3))
    #expect(schedule.next == Self.start + .milliseconds(3))
    schedule.checkNow(Self.start + .milliseconds(4))
    #expect(schedule.next == Self.start + .milliseconds(3))
  }

  @Test func `the commit that a second write announces is found after an earlier one`() {
    var schedule = ExternalCommitSchedule(pollingInterval: .seconds(3_600), now: Self.start)
    schedule.filesDidChange(Self.start)
    schedule.didCheck(.unchanged, hasOwn: false, schedule.next)
    schedule.filesDidChange(Self.start + .milliseconds(1))
    // The commit of the first write.
    let detection = schedule.next
    schedule.didCheck(.externalCommit, hasOwn: false, detection)
    #expect(schedule.next - detection <= .milliseconds(2))
  }

  @Test func `a write without a commit does not delay the checks after later writes`() {
    var schedule = schedule()
    schedule.filesDidChange(Self.start)
    _ = looks(&schedule) { _ in (.unchanged, hasOwn: false) }
    schedule.didCheck(.unchanged, hasOwn: false, schedule.next)
    for number in 1...3 {
      let now = Self.start + .seconds(10 * number)
      schedule.filesDidChange(now)
      #expect(schedule.next == now)
      schedule.didCheck(.externalCommit, hasOwn: false, now)
    }
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
