import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reports events of the files in some folders, and lets a thread wait for them.
///
/// It watches folders, by their paths, and never files: no descriptor is opened on a database (hazard F2). If the
/// system does not offer this (inotify is specific to Linux), or has no resources left, no events are reported, and
/// only waiting works.
///
/// One thread waits, watches and reads; any thread may wake it.
final class FileEvents: Sendable {
  /// The identifier of a watched folder, valid until it is no longer watched.
  typealias Watch = CInt

  /// An event of a folder.
  enum Event: Equatable {
    /// A file with this name was created, written, renamed or removed.
    case file(Watch, name: [UInt8])

    /// The folder is no longer watched, because it was removed or moved.
    case gone(Watch)

    /// Events were lost: anything may have happened.
    case everything
  }

  // Negative if not available.
  private let watcher: CInt
  private let waker: CInt

  // Replaces the waker if it is not available.
  private let condition = ConditionVariable()
  private nonisolated(unsafe) var isWoken = false

  /// - Parameter canWatch: Whether to watch folders if the system offers it.
  init(canWatch: Bool = true) {
    #if os(Linux)
      waker = eventfd(0, CInt(bitPattern: UInt32(EFD_CLOEXEC) | UInt32(EFD_NONBLOCK)))
      watcher = canWatch && waker >= 0 ? inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK)) : -1
    #else
      (waker, watcher) = (-1, -1)
    #endif
  }

  deinit {
    if watcher >= 0 { close(watcher) }
    if waker >= 0 { close(waker) }
  }

  // MARK: Watching

  /// Starts to watch a folder, or enables its events again.
  ///
  /// - Returns: Nil if it cannot be watched.
  func watch(_ folder: String) -> Watch? {
    #if os(Linux)
      add(folder, IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    #else
      nil
    #endif
  }

  /// Disables the events of a folder for now: each event costs the writer of the file.
  func ignoreFiles(_ folder: String) {
    #if os(Linux)
      _ = add(folder, IN_DELETE_SELF | IN_MOVE_SELF)
    #endif
  }

  #if os(Linux)
    private func add(_ folder: String, _ events: CInt) -> Watch? {
      guard watcher >= 0 else { return nil }
      let watch = inotify_add_watch(watcher, folder, UInt32(bitPattern: events) | UInt32(IN_ONLYDIR))
      return watch >= 0 ? watch : nil
    }
  #endif

  /// Stops watching a folder.
  func forget(_ watch: Watch) {
    #if os(Linux)
      // The system may have removed the watch.
      _ = inotify_rm_watch(watcher, watch)
    #endif
  }

  // MARK: Waiting

  /// The length of a sleep during which events are ignored: a busy writer causes many of them.
  static let minimumInterruptiblePause = Duration.microseconds(50)

  /// Waits for an event, until the thread is woken, or until some time has passed.
  ///
  /// - Parameter isInterruptible: False for a short time that must pass in any case.
  func wait(for duration: Duration, isInterruptible: Bool = true) {
    if duration <= .zero { return }
    if !isInterruptible || duration < Self.minimumInterruptiblePause { return MonotonicClock.live.sleep(duration) }
    #if os(Linux)
      if waker >= 0 {
        var descriptors = (
          pollfd(fd: waker, events: Int16(POLLIN), revents: 0), pollfd(fd: watcher, events: Int16(POLLIN), revents: 0)
        )
        tidemark_wait(&descriptors, 2, duration.inNanoseconds)
        if descriptors.0.revents != 0 {
          var count: UInt64 = 0
          _ = read(waker, &count, 8)
        }
        return
      }
    #endif
    condition.lock()
    if !isWoken { condition.wait(for: duration) }
    isWoken = false
    condition.unlock()
  }

  /// Ends the current wait, or the next one.
  func wake() {
    if waker >= 0 {
      var count: UInt64 = 1
      _ = write(waker, &count, 8)
    } else {
      condition.lock()
      isWoken = true
      condition.broadcast()
      condition.unlock()
    }
  }

  // MARK: Reading

  /// Calls a closure with all events since the last call.
  func forEach(_ body: (Event) -> Void) {
    #if os(Linux)
      guard watcher >= 0 else { return }
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
        while true {
          let count = read(watcher, buffer.baseAddress, buffer.count)
          if count <= 0 { return }
          Self.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
          // There was no further event, or it is reported by the next wait.
          if count <= buffer.count - Self.eventSizeMax { return }
        }
      }
    #endif
  }

  #if os(Linux)
    /// The size of an event with the longest name.
    private static let eventSizeMax = 16 + 256

    /// The layout of events: watch, kinds, a number, the length of the name, the name padded with zeros.
    private static func decode(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
      var start = 0
      while start + 16 <= bytes.count {
        let watch = bytes.load(fromByteOffset: start, as: CInt.self)
        let kinds = bytes.load(fromByteOffset: start + 4, as: UInt32.self)
        let length = Int(bytes.load(fromByteOffset: start + 12, as: UInt32.self))
        let end = min(start + 16 + length, bytes.count)
        let name = bytes[(start + 16)..<end].prefix { $0 != 0 }
        start = end
        if kinds & UInt32(IN_Q_OVERFLOW) != 0 {
          body(.everything)
        } else if kinds & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0 {
          body(.gone(watch))
        } else if !name.isEmpty {
          body(.file(watch, name: Array(name)))
        }
      }
    }
  #endif

  /// Disables timer slack for the calling thread, which must be the waiting one.
  static func enablePreciseSleep() { tidemark_sleep_exactly() }
}

/// Operations on paths.
enum FilePath {
  /// The path of an existing file without symbolic links; nil if the file does not exist.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder of a file; empty if the path has none.
  static func folder(of path: String) -> String {
    // Trailing slashes are not part of the name.
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    if trimmed.isEmpty { return path.isEmpty ? "" : "/" }
    let rest = trimmed.drop { $0 != UInt8(ascii: "/") }
    if rest.isEmpty { return "" }
    let folder = rest.drop { $0 == UInt8(ascii: "/") }
    return folder.isEmpty ? "/" : String(decoding: Array(folder.reversed()), as: UTF8.self)
  }

  /// The name of a file in its folder.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}
