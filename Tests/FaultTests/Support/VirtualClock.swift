import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A clock whose time advances only, and immediately, when a caller sleeps.
final class VirtualClock: Sendable {
  private let time = StressSupport.Mutex(Duration.zero)

  var clock: MonotonicClock {
    MonotonicClock(
      now: { [self] in time.withLock { $0 } },
      sleep: { [self] duration in time.withLock { $0 += duration } },
      after: MonotonicClock.live.after)
  }
}
