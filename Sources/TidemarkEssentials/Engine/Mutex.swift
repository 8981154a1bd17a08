#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that one thread at a time touches.
///
/// It has the form of `Synchronization.Mutex`, and hides it in this module. That one hands a lock over, where threads
/// wait for it, inside the standard library, which the thread sanitizer cannot look into: it reports races that are
/// none, and those that are would not be found among them. This one is the mutex of the system, which it knows.
struct Mutex<Value: ~Copyable>: ~Copyable {
  // Both lie in one piece of memory, the value first.
  private let value: UnsafeMutablePointer<Value>

  @inline(__always)
  private var lock: UnsafeMutablePointer<pthread_mutex_t> {
    (UnsafeMutableRawPointer(value) + Self.lockOffset).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  private static var lockOffset: Int {
    let alignment = MemoryLayout<pthread_mutex_t>.alignment
    return (MemoryLayout<Value>.size + alignment - 1) & -alignment
  }

  init(_ initialValue: consuming sending Value) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.lockOffset + MemoryLayout<pthread_mutex_t>.size,
      alignment: max(MemoryLayout<Value>.alignment, MemoryLayout<pthread_mutex_t>.alignment))
    value = memory.bindMemory(to: Value.self, capacity: 1)
    value.initialize(to: initialValue)
    let lock = (memory + Self.lockOffset).bindMemory(to: pthread_mutex_t.self, capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    let code = Self.initialize(lock)
    precondition(code == 0, "The system has no memory for a mutex")
  }

  /// Where the system has mutexes whose waiters look again for a moment before they sleep, it is one of these: what is
  /// done under a lock is short, and to sleep and to be woken up takes longer.
  private static func initialize(_ lock: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
    #if canImport(Glibc)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      defer { pthread_mutexattr_destroy(&attributes) }
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
      return pthread_mutex_init(lock, &attributes)
    #else
      return pthread_mutex_init(lock, nil)
    #endif
  }

  deinit {
    pthread_mutex_destroy(lock)
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(value).deallocate()
  }

  /// Runs a closure while no other thread touches the value.
  ///
  /// **Releases.** The last release of an object runs its `deinit`, which may take locks, join a thread, close a
  /// connection or call the program. So nothing that may have such an effect is released while the lock is held:
  ///
  /// - A closure that takes objects out of the value, or replaces them, returns the old ones. What a closure returns
  ///   stays alive until the lock is released, whether the caller uses it or not: `_ = mutex.withLock { … }` and
  ///   `let (work, _) = mutex.withLock { … }` are correct. (Without this guarantee, the optimizer releases elements
  ///   that nobody uses as soon as they are made, before the unlock.)
  /// - A method that changes the value, and is called by such a closure, returns what it has taken out, too.
  /// - ``exchange(_:)`` replaces the whole value.
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    let result: Result
    do {
      result = try body(&value.pointee)
    } catch {
      pthread_mutex_unlock(lock)
      throw error
    }
    // A use of the result, behind the unlock: no release of any part of it is moved before.
    withExtendedLifetime(result) { _ = pthread_mutex_unlock(lock) }
    return result
  }
}

extension Mutex where Value: Sendable {
  /// Replaces the value.
  ///
  /// - Returns: The old value, to be released outside of the lock.
  @discardableResult
  borrowing func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

// The value is touched under the lock only.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
