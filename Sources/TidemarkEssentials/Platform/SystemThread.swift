import CSQLite
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the system.
package enum SystemThread {
  /// The number of processors.
  static let processorCount = sysconf(CInt(_SC_NPROCESSORS_ONLN))

  /// Gives the processor to other waiting threads.
  static func yield() { sched_yield() }

  /// Runs a closure on a new thread, which then ends.
  ///
  /// If the system cannot create a thread, a thread of the global dispatch queue runs the closure, when one is free.
  ///
  /// - Parameter name: The name that the system shows; it keeps the first 15 bytes.
  /// - Parameter stackSize: The stack size in bytes, a multiple of the page size.
  package static func run(name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void) {
    if !start(name: name, stackSize: stackSize, body) { DispatchQueue.global().async { body() } }
  }

  /// - Returns: Whether a thread was created.
  private static func start(name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    let work = Unmanaged.passRetained(Work(name: name, body: body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, &attributes,
      { context in
        #if canImport(Darwin)
          let pointer = context
        #else
          // The pointer that `start` has passed.
          let pointer = context.unsafelyUnwrapped
        #endif
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    if code != 0 { work.release() }
    return code == 0
  }

  private final class Work {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    func run() {
      tidemark_name_thread(name)
      body()
    }
  }
}
