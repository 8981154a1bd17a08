#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if !canImport(Darwin)

  /// A value that one thread at a time may use.
  ///
  /// It stands in for the `Mutex` of the standard library, with the same interface. That one waits inside a library
  /// that the thread sanitizer does not see into: wherever two threads meet, it would report a race that is none.
  /// A mutex of POSIX it sees.
  struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // The mutex, and behind it the value. Neither may move.
    private let memory: UnsafeMutableRawPointer

    init(_ value: consuming sending Value) {
      memory = .allocate(
        byteCount: Self.offset + MemoryLayout<Value>.size,
        alignment: max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment))
      memory.initializeMemory(as: pthread_mutex_t.self, repeating: pthread_mutex_t(), count: 1)
      let code = pthread_mutex_init(Self.lock(memory), nil)
      precondition(code == 0, "The system has no mutex to give: \(code)")
      Self.value(memory).initialize(to: value)
    }

    deinit {
      Self.value(memory).deinitialize(count: 1)
      pthread_mutex_destroy(Self.lock(memory))
      memory.deallocate()
    }

    /// Runs a closure that uses the value, while no other thread does.
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(Self.lock(memory))
      defer { pthread_mutex_unlock(Self.lock(memory)) }
      return try body(&Self.value(memory).pointee)
    }

    private static var offset: Int {
      let alignment = MemoryLayout<Value>.alignment
      return (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    }

    private static func lock(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<pthread_mutex_t> {
      memory.assumingMemoryBound(to: pthread_mutex_t.self)
    }

    private static func value(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
      (memory + offset).assumingMemoryBound(to: Value.self)
    }
  }

#endif
