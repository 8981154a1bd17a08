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
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}

// The value is only accessed under the lock.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
