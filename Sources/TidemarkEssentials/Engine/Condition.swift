#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock, with threads that wait until what it guards is as they want it.
final class Condition: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let codes = (pthread_mutex_init(mutex, nil), Self.initialize(condition))
    precondition(codes == (0, 0), "The system has no memory for a condition")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }

  func unlock() { pthread_mutex_unlock(mutex) }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Wakes up one of those who wait. The lock is held.
  func signal() { pthread_cond_signal(condition) }

  /// Wakes up all who wait. The lock is held.
  func broadcast() { pthread_cond_broadcast(condition) }

  /// Waits, without the lock, until somebody wakes the thread up, or for no reason.
  func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits, without the lock, until somebody wakes the thread up, or some time has passed, or for no reason.
  func wait(for duration: Duration) {
    #if canImport(Darwin)
      var time = timespec(duration)
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #else
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var end = timespec(.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) + duration)
      pthread_cond_timedwait(condition, mutex, &end)
    #endif
  }

  /// Those who wait for some time go by the clock that nobody sets.
  private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> CInt {
    #if canImport(Darwin)
      return pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      defer { pthread_condattr_destroy(&attributes) }
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      return pthread_cond_init(condition, &attributes)
    #endif
  }
}

extension timespec {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}
