import Testing

import Tidemark
@testable import TidemarkEssentials

/// When an idle connection for live queries polls for more work instead of sleeping.
@Suite struct LivePollingTests {
  /// An idle time with a given start, which a commit ends.
  private func rest(_ polling: inout LivePolling, from start: Duration, to end: Duration) -> Bool {
    let polls = polling.begin(at: start) != nil
    if !polls { polling.idleEnded(at: end) }
    return polls
  }

  @Test func pollingStartsAfterAShortIdleTime() {
    var polling = LivePolling(processorCount: 2)
    let first = rest(&polling, from: .zero, to: .milliseconds(1))
    let second = rest(&polling, from: .milliseconds(2), to: .milliseconds(2) + .microseconds(10))
    let third = rest(&polling, from: .milliseconds(3), to: .milliseconds(4))
    #expect([first, second, third] == [false, false, true])
  }

  @Test func singleProcessorsDoNotPoll() {
    var polling = LivePolling(processorCount: 1)
    let polls = (0..<10).map { _ in rest(&polling, from: .zero, to: .microseconds(1)) }
    #expect(!polls.contains(true))
  }

  @Test func onlyThePollingConnectionIsNotified() throws {
    var polling = LivePolling(processorCount: 2)
    let isNotifiedAtFirst = polling.notify()
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    let begun = polling.begin(at: .zero)
    let (workFlag, end) = try #require(begun)
    #expect(!workFlag.isSet)
    let isNotified = polling.notify()
    #expect(workFlag.isSet)
    #expect(end == LivePolling.spinDuration)
    polling.end(hasWork: true)
    let isNotifiedAfterwards = polling.notify()
    #expect([isNotifiedAtFirst, isNotified, isNotifiedAfterwards] == [false, true, false])
  }

  @Test func unsuccessfulPollingStops() {
    var polling = LivePolling(processorCount: 2)
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    var count = 0
    while count < 100, polling.begin(at: .zero) != nil {
      count += 1
      polling.end(hasWork: false)
    }
    #expect(count == 4)
  }

  @Test func successfulPollingContinues() {
    var polling = LivePolling(processorCount: 2)
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    var count = 0
    for number in 0..<100 {
      if polling.begin(at: .zero) == nil { break }
      count += 1
      polling.end(hasWork: number % 8 != 0)
    }
    #expect(count == 100)
  }
}
