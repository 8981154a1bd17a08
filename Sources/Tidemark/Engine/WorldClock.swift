import Foundation

/// Time, as far as it only goes on: to measure how long something takes, and to wait.
///
/// It comes from outside, so that a test can have time pass as it likes.
struct WorldClock: Sendable {
  /// The time since some moment in the past.
  var now: @Sendable () -> Duration

  /// Waits, with the thread.
  var sleep: @Sendable (Duration) -> Void

  /// The real one.
  static let live = WorldClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    },
    sleep: { duration in
      let (seconds, attoseconds) = duration.components
      var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      nanosleep(&time, nil)
    })
}
