import CSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Notices that watched files, or the folders that contain them, are moved, deleted or replaced.
///
/// It does not report which ones: a connection that finds an event looks at the path of its file. Finding none takes a
/// third of the time of a look. No event is late: the system queues it before the call that moves a file returns.
///
/// All files of a process share an instance: the system needs up to 20 ms to close one, and limits their number to 128
/// for a user. It watches paths, and opens no file (hazard F2).
///
/// Invariant: `eventCount` is increased before events are removed from the queue. So a thread that finds the queue
/// empty, and then the count that it knows, has missed no event.
final class FileMoves: Sendable {
  /// Negative if the system does not offer this (inotify is specific to Linux), or has no resources left.
  private let watcher: CInt
  private let stamp = ProcessStamp()
  private let eventCount = Atomic<Int>(0)

  /// Held while watches are added and removed.
  private let lock = Mutex<Void>(())

  private static let current = Mutex(FileMoves())

  /// The instance of this process. A child created by `fork` has its own one: it would take the events of its parent.
  static var shared: FileMoves {
    current.withLock { current in
      if !current.stamp.isOfThisProcess { current = FileMoves() }
      return current
    }
  }

  init() {
    #if os(Linux)
      watcher = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    #else
      watcher = -1
    #endif
  }

  deinit {
    if watcher >= 0 { close(watcher) }
  }

  /// The watches for a file and the folders that contain it.
  ///
  /// The system has one watch for a folder, although several files share it. Its removal for one of them is an event,
  /// after which the others add it again.
  struct Watches {
    fileprivate var identifiers: [CInt] = []

    /// The number of events before the moment from which on they report all moves.
    fileprivate var eventCount = -1
  }

  /// Whether nothing was moved since the watches began.
  @inline(__always)
  func isQuiet(since watches: Watches) -> Bool {
    tidemark_unread_bytes(watcher) == 0 && eventCount.load(ordering: .acquiring) == watches.eventCount
  }

  /// Watches a file. Whether it was moved before this returns shows in a later look at its path.
  ///
  /// - Parameter path: An absolute path without symbolic links.
  /// - Parameter old: Watches that end. They are replaced as a whole: a folder that was moved is in other folders now.
  /// - Returns: Nil if the system cannot watch the file or one of the folders.
  func watch(_ path: String, replacing old: Watches? = nil) -> Watches? {
    lock.withLock { _ in
      var new = added(path)
      if let old { remove(old.identifiers.filter { new?.identifiers.contains($0) != true }) }
      // The look at the path will show what they report. Removing a watch is an event, too.
      takeEvents()
      new?.eventCount = eventCount.load(ordering: .relaxed)
      return new
    }
  }

  /// Ends watches, unless this process is a child that has inherited them.
  func end(_ watches: Watches) {
    if stamp.isOfThisProcess { lock.withLock { _ in remove(watches.identifiers) } }
  }

  private func added(_ path: String) -> Watches? {
    guard watcher >= 0, path.hasPrefix("/") else { return nil }
    var new = Watches()
    var path = path
    while path != "/" {
      guard let identifier = add(path) else {
        remove(new.identifiers)
        return nil
      }
      new.identifiers.append(identifier)
      path = FilePath.folder(of: path)
    }
    return new
  }

  private func add(_ path: String) -> CInt? {
    #if os(Linux)
      // A file that is deleted or replaced while it is open loses a name: an attribute changes.
      let identifier = inotify_add_watch(watcher, path, UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB))
      return identifier >= 0 ? identifier : nil
    #else
      return nil
    #endif
  }

  private func remove(_ identifiers: [CInt]) {
    #if os(Linux)
      // It fails if the file does not exist any more, or the watch was removed for another file.
      for identifier in identifiers { _ = inotify_rm_watch(watcher, identifier) }
    #endif
  }

  /// Removes all events from the queue.
  private func takeEvents() {
    if tidemark_unread_bytes(watcher) == 0 { return }
    eventCount.add(1, ordering: .releasing)
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while read(watcher, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}

/// Watches one file until it is released.
final class FileMoveWatch {
  private let path: String
  private let moves = FileMoves.shared
  private var watches: FileMoves.Watches

  /// - Parameter path: An absolute path without symbolic links.
  init?(path: String) {
    guard let watches = moves.watch(path) else { return nil }
    (self.path, self.watches) = (path, watches)
  }

  deinit { moves.end(watches) }

  /// Whether nothing was moved since the watch began, or was renewed.
  @inline(__always)
  var isQuiet: Bool { moves.isQuiet(since: watches) }

  /// Watches the file that is at the path now. The next look at the path must follow.
  ///
  /// - Returns: Whether the system can watch it.
  func renew() -> Bool {
    let new = moves.watch(path, replacing: watches)
    watches = new ?? FileMoves.Watches()
    return new != nil
  }
}

/// Decides whether a connection must look at the path of its file before a commit (hazard F5).
///
/// Without a watch it always looks; with one, after an event. Each hundredth commit looks in any case: there is no
/// event when another file system is mounted over a folder. A connection that commits less often never has a watch.
struct FileMoveCheck {
  private var commitCount = 0
  private var watch: FileMoveWatch?

  /// The commits from one unconditional look to the next.
  static let interval = 100

  /// Whether the path must be looked at, after this call.
  ///
  /// - Parameter path: Returns the path of the file, or nil if events of the system do not report what happens to it.
  mutating func mustLook(path: () -> String?) -> Bool {
    commitCount += 1
    if commitCount == Self.interval {
      commitCount = 0
      if watch == nil { watch = path().flatMap(FileMoveWatch.init) }
      return true
    }
    guard let watch else { return true }
    if watch.isQuiet { return false }
    if !watch.renew() { self.watch = nil }
    return true
  }
}
