import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock with a condition variable.
final class ConditionVariable: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let codes = (pthread_mutex_init(mutex, nil), Self.initialize(condition))
    precondition(codes == (0, 0), "Could not create a condition variable: out of memory")
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

  /// Wakes one of the waiting threads. The caller holds the lock.
  func signal() { pthread_cond_signal(condition) }

  /// Wakes all waiting threads. The caller holds the lock.
  func broadcast() { pthread_cond_broadcast(condition) }

  /// Releases the lock and waits until the thread is woken. It may also return spuriously.
  func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits as `wait()` does, for a limited time.
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

  /// Waits with a timeout use the monotonic clock.
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

/// Blocks a thread until another one signals it, once, before or after the wait begins.
protocol WaitSignal: Sendable {
  /// Ends the wait.
  func notify()

  /// Waits for the signal.
  func wait()

  /// Waits for the signal, for a limited time.
  ///
  /// - Returns: Whether it was signalled.
  func wait(for duration: Duration) -> Bool
}

extension DispatchSemaphore: WaitSignal {
  func notify() { signal() }

  func wait(for duration: Duration) -> Bool { wait(timeout: .now() + duration.inSeconds) == .success }
}
