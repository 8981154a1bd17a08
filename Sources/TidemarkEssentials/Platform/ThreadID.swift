#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread, as an integer.
@usableFromInline typealias ThreadID = UInt

/// The calling thread. C: `pthread_self`.
@inline(__always)
func currentThreadID() -> ThreadID {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
