import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Time, as far as it only goes on: to measure how long something takes, and to wait.
///
/// It comes from outside, so that a test can have time pass as it likes.
struct WorldClock: Sendable {
  /// The time since some moment in the past.
  var now: @Sendable () -> Duration

  /// Waits, with the thread.
  var sleep: @Sendable (Duration) -> Void

  /// Calls a closure, which must not block, when some time has passed. What it answers is to be called when that is not
  /// wanted any more.
  var after: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

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
    },
    after: { duration, body in
      // Its own handler is gone once it is cancelled, and with it all that `body` holds.
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
      timer.setEventHandler(handler: body)
      timer.schedule(deadline: .now() + duration.inSeconds)
      timer.resume()
      return { timer.cancel() }
    })
}

extension Duration {
  /// Less what is shorter than that.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
