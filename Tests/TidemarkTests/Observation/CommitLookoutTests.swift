import Testing
import Tidemark
@testable import TidemarkEssentials

/// When the database is checked for external commits.
@Suite struct CommitLookoutTests {
  private static let start = Duration.seconds(100)

  private func lookout() -> CommitLookout {
    var lookout = CommitLookout(rest: .milliseconds(500), now: Self.start)
    lookout.didLook(.nothing, hasOwn: false, Self.start)
    return lookout
  }

  /// Checks until it pauses, and returns the times of the checks.
  private func looks(_ lookout: inout CommitLookout, _ found: (Int) -> (CommitFinding, hasOwn: Bool)) -> [Duration] {
    var looks: [Duration] = []
    var now = lookout.next
    while looks.count < 1_000 {
      looks.append(now - Self.start)
      let (finding, hasOwn) = found(looks.count)
      lookout.didLook(finding, hasOwn: hasOwn, now)
      if lookout.next - now >= .milliseconds(500) { break }
      now = lookout.next
    }
    return looks
  }

  @Test func oneLooksNowAndThenWhenNothingIsTold() {
    let lookout = lookout()
    #expect(lookout.next == Self.start + .milliseconds(500))
    #expect(!lookout.isMuted)
  }

  @Test func aFileThatIsWrittenIsLookedAtUntilItsCommitCanBeSeen() {
    var lookout = lookout()
    lookout.filesDidChange(Self.start)
    let looks = looks(&lookout) { number in (number == 9 ? .others : .nothing, hasOwn: false) }
    #expect(looks.count == 9)
    #expect(looks[1] == .microseconds(20))
    #expect(zip(looks, looks.dropFirst()).allSatisfy { $1 - $0 <= .microseconds(200) })
  }

  @Test func oneGivesUpAfterSomeTime() throws {
    var lookout = lookout()
    lookout.filesDidChange(Self.start)
    let looks = looks(&lookout) { _ in (.nothing, hasOwn: false) }
    let last = try #require(looks.last)
    #expect(last >= .milliseconds(50) && last < .milliseconds(52))
    #expect(looks.count < 120)
  }

  @Test func whatIsThereAtTheFirstLookMayBeOfAnEarlierCommit() {
    var lookout = lookout()
    lookout.filesDidChange(Self.start)
    let looks = looks(&lookout) { number in (number == 1 ? .others : .nothing, hasOwn: false) }
    #expect(looks.count > 50)
  }

  @Test func whoWritesPaysForNothingThatIsTold() {
    var lookout = lookout()
    lookout.filesDidChange(Self.start)
    lookout.didLook(.nothing, hasOwn: true, Self.start)
    #expect(lookout.isMuted)
    #expect(lookout.next == Self.start + .milliseconds(1))
    lookout.didLook(.nothing, hasOwn: false, Self.start + .milliseconds(49))
    #expect(lookout.isMuted)
    // Before pausing it listens again, and then checks once as if it had been notified.
    let now = Self.start + .milliseconds(51)
    lookout.didLook(.nothing, hasOwn: false, now)
    #expect(!lookout.isMuted)
    #expect(lookout.next == now + .microseconds(20))
  }

  @Test func whereNothingIsToldThereIsNothingToMute() {
    var lookout = CommitLookout(rest: .seconds(2), listens: false, now: Self.start)
    lookout.didLook(.nothing, hasOwn: true, Self.start)
    #expect(!lookout.isMuted)
    #expect(lookout.next == Self.start + .seconds(2))
  }

  @Test func commitsOfOthersAreListenedTo() {
    var lookout = lookout()
    lookout.didLook(.nothing, hasOwn: true, Self.start)
    lookout.didLook(.others, hasOwn: true, Self.start + .milliseconds(1))
    #expect(!lookout.isMuted)
  }

  @Test func oneDoesNotWaitForEverForACommitThatHasNotEnded() {
    var lookout = lookout()
    lookout.didLook(.unclear, hasOwn: false, Self.start)
    #expect(lookout.isPatient)
    #expect(lookout.next < Self.start + .milliseconds(2))
    lookout.didLook(.unclear, hasOwn: false, Self.start + .milliseconds(200))
    #expect(!lookout.isPatient)
    lookout.didLook(.nothing, hasOwn: false, Self.start + .milliseconds(201))
    #expect(lookout.isPatient)
  }
}
