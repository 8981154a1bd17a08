public import FoundationEssentials

extension Database {
  /// A function that decides whether to try again when another connection holds the lock.
  ///
  /// - Parameter numberOfTries: The number of earlier calls for this lock.
  public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

  /// The behaviour when another connection holds the lock.
  public enum BusyMode: Sendable {
    /// Throw an error of code `SQLITE_BUSY` immediately.
    case immediateError

    /// Try again for a number of seconds, then throw an error of code `SQLITE_BUSY`.
    case timeout(TimeInterval)

    /// Call a closure each time, and throw an error of code `SQLITE_BUSY` when it returns false.
    case callback(BusyCallback)
  }

  func install(_ busyMode: BusyMode) throws {
    let handle = try openHandle()
    switch busyMode {
    case .immediateError:
      try handle.setBusyTimeout(milliseconds: 0)
      callbacks.busy = nil
      return
    case .timeout(let duration):
      let timeout = BusyTimeout(duration, settings.clock)
      callbacks.busy = { [unowned self] count in !shouldStop && timeout.wait(count) }
    case .callback(let callback):
      callbacks.busy = { [unowned self] count in !shouldStop && callback(count) }
    }
    try handle.installBusyHandler(callbacks)
  }
}

/// Waits for a lock, with increasing pauses, until a timeout.
///
/// It replaces SQLite's own busy timeout, which cannot be cancelled together with the access.
private final class BusyTimeout {
  private let duration: Duration
  private let clock: MonotonicClock
  private var end = Duration.zero

  init(_ duration: TimeInterval, _ clock: MonotonicClock) {
    // An invalid duration means no wait; the maximum is some centuries.
    self.duration = duration > 0 ? .seconds(min(duration, 1e10)) : .zero
    self.clock = clock
  }

  /// - Parameter count: The number of earlier waits for the same lock.
  /// - Returns: Whether to try again.
  func wait(_ count: Int) -> Bool {
    let now = clock.now()
    if count == 0 { end = now + duration }
    let remaining = end - now
    guard remaining > .zero else { return false }
    clock.sleep(min(Self.pauses[min(count, Self.pauses.count - 1)], remaining))
    return true
  }

  private static let pauses: [Duration] = [
    .microseconds(100), .microseconds(200), .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5),
    .milliseconds(10), .milliseconds(15), .milliseconds(20), .milliseconds(25),
  ]
}
