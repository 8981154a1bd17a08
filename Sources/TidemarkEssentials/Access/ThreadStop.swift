/// How others wait for the end of a thread that reports events.
///
/// A report may end what the thread is there for, or wait for another thread that does. So a thread that reports is not
/// waited for: neither by a wait that begins during the report, nor by one that has begun before.
final class ThreadStop: Sendable {
  private let condition = ConditionVariable()

  // Guarded by the condition: a thread cannot wait on a `Mutex`.
  private nonisolated(unsafe) var hasEnded = false
  private nonisolated(unsafe) var isNotifying = false

  /// Waits until the thread has ended, or reports something.
  func wait() {
    condition.lock()
    defer { condition.unlock() }
    while !hasEnded, !isNotifying { condition.wait() }
  }

  /// A report begins or ends.
  func setIsNotifying(_ isNotifying: Bool) {
    condition.withLock {
      self.isNotifying = isNotifying
      if isNotifying { condition.broadcast() }
    }
  }

  /// The thread has ended.
  func end() {
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }
}
