#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Distinguishes a process from its children made by `fork`.
///
/// A child has a copy of its parent's connections, and must not use them (hazard F10): it does not own their
/// locks, and would write to the log concurrently with its parent. A program that is started by `posix_spawn` inherits
/// none of them.
///
/// The stamp is on a memory page that the system clears in a child: a check costs one load, and no
/// call. Where the system does not offer this, the stamp is the process ID, which each check requests.
struct ProcessStamp: Sendable {
  private let value: Int

  // Stored in the stamp: accessing a static property costs a call.
  private nonisolated(unsafe) let page: UnsafeMutablePointer<Int>?

  /// The stamp of this process, for a connection that it opens.
  init() {
    page = Self.page
    // Zero in a child, which has only one thread at that moment.
    if let page, page.pointee == 0 { page.pointee = Int(getpid()) }
    value = page?.pointee ?? Int(getpid())
  }

  /// Whether this process has made the stamp, and not its parent.
  @inline(__always)
  var isOfThisProcess: Bool { (page?.pointee ?? Int(getpid())) == value }

  // Written once before it is used, and later only in children.
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
