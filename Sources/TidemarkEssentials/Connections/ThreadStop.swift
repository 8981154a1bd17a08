/// How others wait for the end of a thread that reports events.
///
/// A report may end what the thread is there for, or wait for another thread that does. So a thread that reports is not
/// waited for: neither by a wait that begins during the report, nor by one that has begun before.
final class ThreadStop: @unchecked Sendable {
  private let condition = Condition()

  // Guarded by the condition.
  private var hasEnded = false
  private var isTelling = false

  /// Waits until the thread has ended, or reports something.
  func wait() {
    condition.lock()
    defer { condition.unlock() }
    while !hasEnded, !isTelling { condition.wait() }
  }

  /// A report begins or ends.
  func setIsTelling(_ isTelling: Bool) {
    condition.withLock {
      self.isTelling = isTelling
      if isTelling { condition.broadcast() }
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
