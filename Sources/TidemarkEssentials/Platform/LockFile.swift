import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file whose only purpose is its lock, which excludes other processes and other descriptors of this one.
///
/// The lock belongs to the open file description. The system releases it when the last descriptor of the description is
/// closed: at the latest when the process ends, also if it is killed. A program that is started by `exec` does not
/// inherit the descriptor. A child made by `fork` does, so `unlock` releases the lock explicitly.
///
/// The file is empty, and never removed: another process may have opened it, and be about to lock it.
final class LockFile: Sendable {
  struct Failure: Error {
    let code: CInt

    /// The reason, for an error message.
    var reason: String {
      code == Self.notEmpty.code ? "it is no empty file" : String(cString: strerror(code))
    }

    fileprivate static let notEmpty = Failure(code: -1)
    fileprivate static var last: Failure { Failure(code: errno) }
  }

  private let path: String
  private let descriptor: CInt

  /// Opens the file, or creates it.
  ///
  /// - Parameter model: A file, whose permissions a new file receives.
  init(path: String, permissionsOf model: String) throws(Failure) {
    self.path = path
    var opened: CInt = -1
    repeat {
      // Nothing that may be a database is opened: closing it would release SQLite's locks (hazard F2).
      if let facts = Self.facts(path), facts.st_size != 0 || facts.st_mode & S_IFMT != S_IFREG {
        throw Failure.notEmpty
      }
      opened = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if opened < 0, errno == ENOENT { opened = try Self.create(path, permissionsOf: model) ?? -1 }
      // Another process has created the file meanwhile.
      if opened < 0, errno == EEXIST { continue }
      if opened < 0 { throw Failure.last }
    } while opened < 0
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// - Returns: Nil if the file exists.
  private static func create(_ path: String, permissionsOf model: String) throws(Failure) -> CInt? {
    var facts = stat()
    let permissions = (stat(model, &facts) == 0 ? facts.st_mode & 0o666 : 0o644) | 0o600
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
    if descriptor < 0, errno == EEXIST { return nil }
    if descriptor < 0 { throw Failure.last }
    // All users that can write to the database can lock the file, whatever the mask of this process is.
    fchmod(descriptor, permissions)
    // The superuser creates the file for the owner of the database, as SQLite does.
    if geteuid() == 0 { _ = fchown(descriptor, facts.st_uid, facts.st_gid) }
    return descriptor
  }

  private static func facts(_ path: String) -> stat? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts : nil
  }

  /// Takes the lock if it is free.
  ///
  /// - Returns: Whether the lock was taken.
  func tryLock() throws(Failure) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    // It is taken, or a signal has interrupted the call.
    if errno == EWOULDBLOCK || errno == EINTR { return false }
    throw Failure.last
  }

  func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// Whether the path still leads to this file: not if it was removed or replaced.
  var isAtPath: Bool {
    var own = stat()
    guard fstat(descriptor, &own) == 0, let other = Self.facts(path) else { return false }
    return own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }
}

/// Notices that a process closes a lock file: it may have released the lock.
///
/// The events come from inotify, on the file itself, so that other files cause none. If the process is killed, the
/// event may precede the release by a moment.
final class LockFileWatch: Sendable {
  #if os(Linux)
    private nonisolated(unsafe) let source: any DispatchSourceRead
  #endif
  private let hasEvent = Atomic<Bool>(false)

  /// - Parameter notify: Called on a thread of a dispatch queue.
  /// - Returns: Nil if the system cannot watch the file.
  init?(path: String, _ notify: @escaping @Sendable () -> Void) {
    #if os(Linux)
      let watcher = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
      guard watcher >= 0 else { return nil }
      guard inotify_add_watch(watcher, path, UInt32(IN_CLOSE_WRITE)) >= 0 else {
        close(watcher)
        return nil
      }
      source = DispatchSource.makeReadSource(fileDescriptor: watcher)
      source.setEventHandler { [weak self] in
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
          while read(watcher, buffer.baseAddress, buffer.count) > 0 {}
        }
        self?.hasEvent.store(true, ordering: .sequentiallyConsistent)
        notify()
      }
      source.setCancelHandler { close(watcher) }
      source.resume()
    #else
      return nil
    #endif
  }

  deinit {
    #if os(Linux)
      source.cancel()
    #endif
  }

  /// Whether there was an event since the last call.
  func takeEvent() -> Bool { hasEvent.exchange(false, ordering: .sequentiallyConsistent) }
}
