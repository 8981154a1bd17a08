import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that is protected by a lock.
///
/// It has the interface of `Synchronization.Mutex`, and shadows it in this module. The standard library's mutex hands
/// over the lock in code that the thread sanitizer does not see: the sanitizer would report false races, among which
/// true ones would go unnoticed. This one is the system's mutex, which the sanitizer understands.
struct Mutex<Value: ~Copyable>: ~Copyable {
  // Both are in one allocation, the value first.
  private let value: UnsafeMutablePointer<Value>

  @inline(__always)
  private var lock: UnsafeMutablePointer<pthread_mutex_t> {
    (UnsafeMutableRawPointer(value) + Self.lockOffset).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  private static var lockOffset: Int {
    let alignment = MemoryLayout<pthread_mutex_t>.alignment
    return (MemoryLayout<Value>.size + alignment - 1) & -alignment
  }

  #if DEBUG
    private let rank: LockRank
  #endif

  /// - Parameter rank: Its place in the order of locks, which debug builds check.
  init(_ initialValue: consuming sending Value, rank: LockRank = .leaf) {
    #if DEBUG
      self.rank = rank
    #endif
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.lockOffset + MemoryLayout<pthread_mutex_t>.size,
      alignment: max(MemoryLayout<Value>.alignment, MemoryLayout<pthread_mutex_t>.alignment))
    value = memory.bindMemory(to: Value.self, capacity: 1)
    value.initialize(to: initialValue)
    let lock = (memory + Self.lockOffset).bindMemory(to: pthread_mutex_t.self, capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    let code = Self.initialize(lock)
    precondition(code == 0, "Could not create a mutex: out of memory")
  }

  /// Uses an adaptive mutex where the system has one, which spins for a moment before it sleeps: work under a lock is
  /// short, and sleeping and waking take longer.
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

  /// Runs a closure with exclusive access to the value.
  ///
  /// **Releases.** The last release of an object runs its `deinit`, which may take locks, join a thread, close a
  /// connection or call the program. So nothing that may have such an effect is released while the lock is held:
  ///
  /// - A closure that takes objects out of the value, or replaces them, returns the old ones. The result of a closure
  ///   stays alive until the lock is released, whether the caller uses it or not: `_ = mutex.withLock { … }` and
  ///   `let (work, _) = mutex.withLock { … }` are correct. (Without this guarantee, the optimizer releases elements
  ///   that are not used as soon as they are created, before the unlock.)
  /// - A method that changes the value, and is called by such a closure, returns what it has taken out, too.
  /// - ``exchange(_:)`` replaces the whole value.
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    acquire()
    let result: Result
    do {
      result = try body(&value.pointee)
    } catch {
      release()
      throw error
    }
    // A use of the result, behind the unlock: no release of any part of it is moved before.
    withExtendedLifetime(result) { release() }
    return result
  }

  @inline(__always)
  private borrowing func acquire() {
    #if DEBUG
      HeldLocks.willLock(rank)
    #endif
    pthread_mutex_lock(lock)
  }

  @inline(__always)
  private borrowing func release() {
    pthread_mutex_unlock(lock)
    #if DEBUG
      HeldLocks.didUnlock(rank)
    #endif
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

// The value is only accessed under the lock.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}

/// An atomic flag that is set at most once.
final class OnceFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }

  /// Sets the flag, and returns whether this call has changed it.
  func setFirst() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}

/// A value that is protected by a lock, for other targets of the package: a `Mutex` in an object. A type
/// of the standard library has the name of the mutex, so the mutex cannot be visible there.
///
/// No lock is taken while this one is held. See ``Mutex/withLock(_:)`` for what may be released under it.
package final class ProtectedValue<Value>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Runs a closure with exclusive access to the value.
  package func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
    try mutex.withLock(body)
  }
}
