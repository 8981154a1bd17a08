public import Foundation

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
    case .timeout(let duration):
      // As long as SQLite can count, where it is longer; not at all where it is no duration.
      let milliseconds = min(max(0, (duration * 1000).rounded(.up)), Double(CInt.max))
      try handle.setBusyTimeout(milliseconds: CInt(exactly: milliseconds) ?? 0)
    case .callback(let callback):
      callbacks.busy = { callback($0) }
      try handle.installBusyHandler(callbacks)
    }
  }
}
