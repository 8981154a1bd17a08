import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells that something has happened to the files of some folders, and lets a thread wait for it.
///
/// Folders are watched, by their names, and never files: no descriptor of ours is on a database (hazard F2). Where the
/// system cannot watch (inotify is Linux's), or has no room left for it, nothing is told, and there is nothing but the
/// wait.
///
/// One thread waits, watches and reads; anybody may wake it up.
final class FileEvents: Sendable {
  /// A folder that is watched; what it is called until it is not any more.
  typealias Watch = CInt

  /// What was told of a folder.
  enum Event: Equatable {
    /// A file of that name was made, written, renamed or removed.
    case file(Watch, name: [UInt8])

    /// The folder is not watched any more, or not under its name: it was removed, or moved.
    case gone(Watch)

    /// There was too much to tell: something may have happened anywhere.
    case everything
  }

  // Negative where there is none.
  private let watcher: CInt
  private let waker: CInt

  // What stands for the waker where there is none.
  private let condition = Condition()
  private nonisolated(unsafe) var isWoken = false

  /// - parameter canWatch: Whether to watch where the system can.
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

  /// Begins to watch a folder, or has it told again when it was muted.
  ///
  /// - returns: Nil when it cannot be watched.
  func watch(_ folder: String) -> Watch? {
    #if os(Linux)
      add(folder, IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    #else
      nil
    #endif
  }

  /// Has nothing told of the files of a folder for now: who writes to one of them, pays for what is told.
  func mute(_ folder: String) {
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

  /// A folder is of no interest any more.
  func forget(_ watch: Watch) {
    #if os(Linux)
      // It may be gone by itself.
      _ = inotify_rm_watch(watcher, watch)
    #endif
  }

  // MARK: Waiting

  /// How long a pause is through which one sleeps, whatever is told: who writes a lot tells of each piece.
  static let deafPause = Duration.microseconds(50)

  /// Waits until something is told, somebody wakes the thread up, or some time has passed.
  func wait(for duration: Duration) {
    if duration <= .zero { return }
    if duration < Self.deafPause { return WorldClock.live.sleep(duration) }
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

  /// Ends the wait, or the next one.
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

  /// Calls a closure with all that was told since the last time.
  func forEach(_ body: (Event) -> Void) {
    #if os(Linux)
      guard watcher >= 0 else { return }
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
        while true {
          let count = read(watcher, buffer.baseAddress, buffer.count)
          if count <= 0 { return }
          Self.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
        }
      }
    #endif
  }

  #if os(Linux)
    /// Events lie one behind the other: watch, kinds, a number, the length of the name, the name with zeros behind it.
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

  /// Has the calling thread, which is the one that waits, sleep for as long as it says.
  static func sleepExactly() { tidemark_sleep_exactly() }
}
