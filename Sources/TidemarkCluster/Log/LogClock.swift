/// The time that a log uses for deadlines, delays and back-off.
///
/// It is injected, so that tests control the time:
///
/// ```swift
/// let clock = LogClock(now: { time.now }, sleep: { try await time.sleep(until: $0) })
/// let log = InProcessLog(clock: clock)
/// ```
public struct LogClock: Sendable {
  /// The current time.
  public var now: @Sendable () -> ContinuousClock.Instant

  /// Waits until a time. Throws `CancellationError` if the task is cancelled.
  public var sleep: @Sendable (_ deadline: ContinuousClock.Instant) async throws -> Void

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - now: Returns the current time.
  ///   - sleep: Waits until a time, and throws `CancellationError` if the task is cancelled.
  public init(
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (_ deadline: ContinuousClock.Instant) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The clock of the system.
  public static let system = LogClock(
    now: { ContinuousClock.now },
    sleep: { try await Task.sleep(until: $0, clock: .continuous) })
}

/// A generator of random numbers (SplitMix64) that a seed determines.
struct LogRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// Is true with a probability.
  mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}

/// The pause before the next attempt: random, and longer after each failure.
///
/// The first attempts at other servers follow almost at once.
package struct LogBackOff {
  private let endpointCount: Int
  private var failureCount = 0

  package init(endpointCount: Int) { self.endpointCount = endpointCount }

  package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
    failureCount += 1
    let round = min((failureCount - 1) / endpointCount, 6)
    let longest = min(10 << round, 500)
    return .milliseconds(1) * Double.random(in: 1...Double(longest), using: &random)
  }
}
