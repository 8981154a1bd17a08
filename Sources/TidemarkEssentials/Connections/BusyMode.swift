public import FoundationEssentials

extension Database {
  /// Asked whether to try again when another connection holds the lock.
  ///
  /// - parameter numberOfTries: How many times it was asked for this lock before.
  public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

  /// What to do when another connection holds the lock.
  public enum BusyMode: Sendable {
    /// Throw an error of code `SQLITE_BUSY` at once.
    case immediateError

    /// Try again for that long, then throw an error of code `SQLITE_BUSY`.
    case timeout(TimeInterval)

    /// Ask a closure each time, and throw an error of code `SQLITE_BUSY` when it answers false.
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
      let patience = Patience(duration, settings.clock)
      callbacks.busy = { [unowned self] count in !shouldStop && patience.wait(count) }
    case .callback(let callback):
      callbacks.busy = { [unowned self] count in !shouldStop && callback(count) }
    }
    try handle.installBusyHandler(callbacks)
  }
}

/// Waits for a lock, with pauses that grow, until its time is over.
///
/// It stands in for SQLite's own time-out, which cannot be left when the access is cancelled.
private final class Patience {
  private let duration: Duration
  private let clock: WorldClock
  private var end = Duration.zero

  init(_ duration: TimeInterval, _ clock: WorldClock) {
    // Where it is no duration, there is no wait; the longest one is some centuries.
    self.duration = duration > 0 ? .seconds(min(duration, 1e10)) : .zero
    self.clock = clock
  }

  /// - parameter count: How many times it was waited before, for the same lock.
  /// - returns: Whether to try again.
  func wait(_ count: Int) -> Bool {
    let now = clock.now()
    if count == 0 { end = now + duration }
    let rest = end - now
    guard rest > .zero else { return false }
    clock.sleep(min(Self.pauses[min(count, Self.pauses.count - 1)], rest))
    return true
  }

  private static let pauses: [Duration] = [
    .microseconds(100), .microseconds(200), .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5),
    .milliseconds(10), .milliseconds(15), .milliseconds(20), .milliseconds(25),
  ]
}
