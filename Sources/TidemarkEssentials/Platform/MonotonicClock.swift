import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A monotonic clock, for measuring durations and for waiting.
///
/// It is injected, so that tests control the time.
struct MonotonicClock: Sendable {
  /// The time since some moment in the past.
  var now: @Sendable () -> Duration

  /// Waits, and blocks the thread.
  var sleep: @Sendable (Duration) -> Void

  /// Calls a closure, which must not block, after some time. The returned closure cancels the
  /// call.
  var after: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// The system's clock.
  static let live = MonotonicClock(
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
      // A cancelled timer releases its handler, and with it everything that `body` captures.
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
      timer.setEventHandler(handler: body)
      timer.schedule(deadline: .now() + duration.inSeconds)
      timer.resume()
      return { timer.cancel() }
    })
}

extension Duration {
  /// Without durations that are shorter than this. Longer ones than 292 years are cut off.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (nanoseconds, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isSumOverflow) = nanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isOverflow || isSumOverflow ? seconds < 0 ? .min : .max : sum
  }

  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

/// The time of day, as the system knows it: it can be set, and run backwards.
struct WallClock: Sendable {
  /// The microseconds since 1970-01-01 00:00:00 UTC.
  let microsecondsSince1970: @Sendable () -> Int64

  static let live = WallClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
