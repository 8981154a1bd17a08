/// Whether a connection that has nothing to fetch spins until there is more work, before its thread sleeps.
///
/// Waking a thread costs the committing thread more than the rest of a commit. When commits follow each other so
/// fast that the next one arrives before the thread would sleep, setting a flag suffices. When they do
/// not, no time is wasted: after a few unsuccessful attempts it does not spin again, until an idle time was short.
struct LivePolling {
  private(set) var isSpinning = false

  /// The number of attempts that are left.
  private var attemptCount = 0

  /// The time at which the last connection had nothing to fetch any more.
  private var idleStart: Duration?

  /// Reports that there is something to fetch after an idle time.
  mutating func idleEnded(at now: Duration, _ policy: LivePolicy) {
    if let idleStart, now - idleStart < policy.spinDuration { attemptCount = policy.fruitlessSpinCountMax }
    idleStart = nil
  }

  /// Reports that a connection has nothing to fetch.
  ///
  /// - Returns: The time until which to spin; nil if the thread should sleep.
  mutating func begin(at now: Duration, _ policy: LivePolicy) -> Duration? {
    idleStart = now
    guard policy.processorCount > 1, attemptCount > 0, !isSpinning else { return nil }
    isSpinning = true
    return now + policy.spinDuration
  }

  /// Reports the end of spinning.
  mutating func end(hasWork: Bool, _ policy: LivePolicy) {
    isSpinning = false
    attemptCount = hasWork ? policy.fruitlessSpinCountMax : attemptCount - 1
    if hasWork { idleStart = nil }
  }
}
