#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells a process from the children that it makes with `fork`.
///
/// A child has a copy of the connections of its parent, and must not use them (hazard F10): their locks are not its
/// own, and it would write into the log behind its parent's back. A program that is started by `posix_spawn` has
/// nothing of them.
///
/// The stamp stands on a page of memory that the system gives to a child as zeros: the question costs a load, and no
/// call. Where the system cannot do that, it is the number of the process, which is asked for each time.
struct ProcessStamp: Sendable {
  private let value: Int

  // Kept with the stamp: a static property is asked for with a call.
  private nonisolated(unsafe) let page: UnsafeMutablePointer<Int>?

  /// The stamp of this process, for a connection that it opens.
  init() {
    page = Self.page
    // Zero in a child, which has one thread: nobody else looks.
    if let page, page.pointee == 0 { page.pointee = Int(getpid()) }
    value = page?.pointee ?? Int(getpid())
  }

  /// Whether this is the process that made the stamp, and not a child of it.
  @inline(__always)
  var isOfThisProcess: Bool { (page?.pointee ?? Int(getpid())) == value }

  // Written once before it is seen, and then in children only.
  private nonisolated(unsafe) static let page: UnsafeMutablePointer<Int>? = {
    #if os(Linux)
      let size = Int(sysconf(Int32(_SC_PAGESIZE)))
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let memory, memory != MAP_FAILED else { return nil }
      guard madvise(memory, size, CInt(MADV_WIPEONFORK)) == 0 else {
        munmap(memory, size)
        return nil
      }
      let page = memory.bindMemory(to: Int.self, capacity: 1)
      page.pointee = Int(getpid())
      return page
    #else
      return nil
    #endif
  }()
}
