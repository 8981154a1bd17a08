import Tidemark
@testable import TidemarkEssentials

/// A clock whose time advances only when a caller waits.
final class FakeClock: Sendable {
  private let elapsed = Mutex(Duration.zero)

  var time: Duration { elapsed.withLock { $0 } }

  func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

  var clock: MonotonicClock {
    MonotonicClock(now: { self.time }, sleep: { self.advance(by: $0) }, after: MonotonicClock.live.after)
  }
}
