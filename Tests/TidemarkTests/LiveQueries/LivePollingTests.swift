import Testing

import Tidemark
@testable import TidemarkEssentials

/// When an idle connection for live queries spins for more work instead of sleeping.
@Suite struct LivePollingTests {
  private static let policy = LivePolicy(processorCount: 2)

  /// An idle time with a given start, which a commit ends.
  private func rest(
    _ polling: inout LivePolling, from start: Duration, to end: Duration, _ policy: LivePolicy = policy
  ) -> Bool {
    let spins = polling.begin(at: start, policy) != nil
    if !spins { polling.idleEnded(at: end, policy) }
    return spins
  }

  @Test func `spinning starts after a short idle time`() {
    var polling = LivePolling()
    let first = rest(&polling, from: .zero, to: .milliseconds(1))
    let second = rest(&polling, from: .milliseconds(2), to: .milliseconds(2) + .microseconds(10))
    let third = rest(&polling, from: .milliseconds(3), to: .milliseconds(4))
    #expect([first, second, third] == [false, false, true])
  }

  @Test func `no thread spins on a single processor`() {
    var polling = LivePolling()
    let policy = LivePolicy(processorCount: 1)
    let spins = (0..<10).map { _ in rest(&polling, from: .zero, to: .microseconds(1), policy) }
    #expect(!spins.contains(true))
  }

  @Test func `spinning lasts for the spin duration`() {
    var polling = LivePolling()
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    let end = polling.begin(at: .seconds(1), Self.policy)
    #expect(end == .seconds(1) + Self.policy.spinDuration)
    #expect(polling.isSpinning)
    polling.end(hasWork: true, Self.policy)
    #expect(!polling.isSpinning)
  }

  @Test func `unsuccessful spinning stops`() {
    var polling = LivePolling()
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    var count = 0
    while count < 100, polling.begin(at: .zero, Self.policy) != nil {
      count += 1
      polling.end(hasWork: false, Self.policy)
    }
    #expect(count == 4)
  }

  @Test func `successful spinning continues`() {
    var polling = LivePolling()
    _ = rest(&polling, from: .zero, to: .microseconds(1))
    var count = 0
    for number in 0..<100 {
      if polling.begin(at: .zero, Self.policy) == nil { break }
      count += 1
      polling.end(hasWork: number % 4 == 0, Self.policy)
    }
    #expect(count == 100)
  }
}
