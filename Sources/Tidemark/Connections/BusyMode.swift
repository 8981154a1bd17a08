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
      try handle.setBusyTimeout(milliseconds: CInt(clamping: Int64((duration * 1000).rounded(.up))))
    case .callback(let callback):
      callbacks.busy = { callback($0) }
      try handle.installBusyHandler(callbacks)
    }
  }
}
